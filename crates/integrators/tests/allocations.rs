//! No method allocates anything that grows with the mesh in its second step.

#[path = "../../numerics/tests/counting/mod.rs"]
mod counting;
mod problems;

use collision::{Pose, Shape};
use integrators::{Feature, METHODS, Options, Stepper, parameters};
use model::collisions::{Collider, Collisions};
use model::energy::spring::Law;
use model::mesh::Mesh;
use model::{Anchor, Blueprint, Fluid, Joint, JointKind, Liquid, Model, Region, Rigid, RigidMass, SpringPart, State};
use numerics::linear::SolverKind;
use problems::*;

/// Counts the bytes allocated in a step of h [s] after some others, and those of them that are kept.
fn bytes_of_step(mut stepper: Box<dyn Stepper>, model: &Model, mut state: State, h: f64, others: usize) -> [usize; 2] {
    // Inside the thread pool: submitting jobs to it from outside allocates now and then.
    rayon::scope(|_| {
        let mut step = || _ = stepper.step(model, &mut state, h).unwrap();
        (0..others).for_each(|_| step());
        counting::allocated(step)
    })
}

/// A moving state: at rest a Krylov space of velocities has no start.
fn in_motion(model: &Model) -> State {
    let mut state = model.state_at_rest();
    state.v[..model.dofs()].iter_mut().enumerate().for_each(|(i, v)| *v = 0.01 * (i as f64).sin());
    state
}

fn small_steps(model: &Model, substeps: usize) -> Box<dyn Stepper> {
    make(method("small-steps"), model, &Options::default().with(&parameters::SUBSTEPS, substeps))
}

/// Counts the bytes allocated by the second step on a box of `cells` cells.
fn bytes_of_second_step(method: &integrators::Method, options: &Options, cells: [usize; 3]) -> usize {
    let size = cells.map(|n| 0.05 * n as f64);
    let mut blueprint = solid(cuboid(size, cells), "neo-hookean", 1e5, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = [0.1, 1e-4];
    let model = blueprint.build().unwrap();
    bytes_of_step(make(method, &model, options), &model, in_motion(&model), 1e-4, 1)[0]
}

/// The same for a free bar that spins, in a frame that turns with it.
fn bytes_of_turning_step(name: &str, cells: usize) -> usize {
    let model = solid(cuboid([0.05 * cells as f64, 0.1, 0.1], [cells, 2, 2]), "neo-hookean", 1e5, 0.3, 1000.0);
    let model = model.build().unwrap();
    let mut state = in_motion(&model);
    for (x, v) in state.x.chunks(3).zip(state.v.chunks_mut(3)) {
        v[2] += x[0];
        v[0] -= x[2];
    }
    bytes_of_step(make(method(name), &model, &Options::default()), &model, state, 1e-4, 1)[0]
}

/// The same for this many hairs, each by itself.
fn bytes_of_hair_step(name: &str, count: usize) -> usize {
    let model = hair::hairs(count).build().unwrap();
    bytes_of_step(make(method(name), &model, &Options::default()), &model, in_motion(&model), 1e-3, 1)[0]
}

/// The same for a bar of this many cells, two parts of which take small steps.
fn bytes_of_asynchronous_step(name: &str, material: &str, cells: usize) -> usize {
    let mut blueprint = solid(cuboid([0.05 * cells as f64, 0.1, 0.1], [cells, 2, 2]), material, 1e5, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.damping = [0.0, 1e-4];
    blueprint.consistent_mass = method(name).serves.contains(&Feature::ConsistentMass);
    let length = 0.05 * cells as f64;
    let beyond = |low: f64, high: f64| {
        let points = blueprint.mesh.points.iter().enumerate();
        points.filter(|(_, p)| (low * length..high * length).contains(&p[0])).map(|(i, _)| i as u32).collect()
    };
    blueprint.regions =
        vec![Region { nodes: beyond(0.7, 2.0), ratio: 3 }, Region { nodes: beyond(0.25, 0.45), ratio: 2 }];
    let model = blueprint.build().unwrap();
    bytes_of_step(make(method(name), &model, &Options::default()), &model, in_motion(&model), 1e-4, 1)[0]
}

/// The same for a fluid of this many particles that meets a held and a free body.
fn bytes_of_fluid_step(cells: [usize; 3]) -> usize {
    let spacing = 0.05;
    let size = cells.map(|n| spacing * n as f64);
    let mut blueprint = solid(cuboid(size, cells), "neo-hookean", 1e5, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    let first = blueprint.mesh.points.len() as u32;
    let lattice = (0..cells[0] * 16).map(|i| [i % cells[0], i / cells[0] % 4, i / cells[0] / 4]);
    blueprint.mesh.points.extend(lattice.map(|at| {
        let [x, y, z] = at.map(|k| spacing * (k as f64 + 0.5));
        [x, y, z + size[2]]
    }));
    let nodes: Vec<u32> = (first..blueprint.mesh.points.len() as u32).collect();
    let liquid =
        Liquid { spacing, density: 1000.0, bulk_modulus: f64::INFINITY, viscosity: 1.0, vorticity: 0.1, cfl: 1.0 };
    blueprint.fluids = vec![Fluid { nodes, liquid, walls: None, obstacles: Vec::new(), friction: 0.0 }];
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    bytes_of_step(small_steps(&model, 3), &model, model.state_at_rest(), 1e-3, 1)[0]
}

/// The same for a row of `count` bodies of a shape 0.2 m high, joined in pairs, that lie on the ground: bytes
/// allocated, and bytes kept.
fn bytes_of_rigid_step(shape: &Shape, count: usize) -> [usize; 2] {
    let mut blueprint = Blueprint::default();
    let mut add = |shape: Shape, at: [f64; 3]| {
        let node = blueprint.mesh.points.len() as u32;
        let (rigid, centre, mass) = Rigid::new(shape, &Pose::at(at), RigidMass::Total(1.0), node).unwrap();
        blueprint.mesh.points.push(centre);
        blueprint.node_masses.push((node, mass));
        blueprint.rigids.push(Rigid { friction: 0.5, ..rigid });
    };
    let length = 0.3 * count as f64;
    add(Shape::Box { half: [length, 1.0, 0.5] }, [0.5 * length, 0.0, -0.5]);
    (0..count).for_each(|i| add(shape.clone(), [0.3 * i as f64, 0.0, 0.1]));
    for pair in 0..count as u32 / 2 {
        let ends = [Anchor::Rigid(2 * pair + 1, [0.15, 0.0, 0.0]), Anchor::Rigid(2 * pair + 2, [-0.15, 0.0, 0.0])];
        blueprint.joints.push(Joint { kind: JointKind::Ball, ends, compliance: 0.0 });
    }
    blueprint.fixed = vec![0];
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    bytes_of_step(small_steps(&model, 3), &model, model.state_at_rest(), 1e-3, 1)
}

/// The same for two layers of cloth of `cells` x 4 cells that lie on a mesh and the ground, after some steps in which
/// lists of contacts grow.
fn bytes_of_contact_step(cells: u32) -> usize {
    let (size, thickness) = (0.05, 0.01);
    let corner = |layer: u32, j: u32, i: u32| (layer * 5 + j) * (cells + 1) + i;
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (layer, j, i) in (0..2).flat_map(|l| (0..5).flat_map(move |j| (0..=cells).map(move |i| (l, j, i)))) {
        let lifted = 0.006 + 0.011 * f64::from(layer);
        points.push([size * f64::from(i) + 0.3 * lifted, size * f64::from(j) + 0.2 * lifted, lifted]);
        if i < cells && j < 4 {
            let [a, b, c, d] = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(dj, di)| corner(layer, j + dj, i + di));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let sides = triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    let mut pairs: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let all: Vec<u32> = (0..points.len() as u32).collect();
    let (corners, faces) = Shape::Box { half: [0.1, 10.0, 0.1] }.triangles(1);
    let block = Shape::mesh(&corners, &faces).unwrap();
    let collider = |shape, pose| Collider {
        shape,
        pose,
        motion: None,
        friction: 0.3,
        restitution: 0.0,
        nodes: all.clone(),
        rigids: vec![],
    };
    let collisions = Collisions {
        impulses: None,
        triangles: triangles.clone(),
        edges: vec![],
        points: vec![],
        body: all.iter().map(|i| i / (5 * (cells + 1))).collect(),
        thickness,
        margin: thickness,
        friction: 0.3,
        max_separation_speed: 1.0,
        within: true,
        between: true,
        colliders: vec![collider(block, Pose::at([0.0, 0.0, -0.1])), collider(Shape::HalfSpace, Pose::default())],
    };
    let mesh = Mesh { points, triangles, ..Mesh::default() };
    let springs = vec![SpringPart { pairs, law: Law::Linear, stiffness: 1e3 }];
    let node_masses = all.iter().map(|&i| (i, 1e-3)).collect();
    let loads = vec![gravity(&mesh, GRAVITY)];
    let blueprint =
        Blueprint { mesh, springs, node_masses, loads, collisions: Some(collisions), ..Blueprint::default() };
    let model = blueprint.build().unwrap();
    bytes_of_step(small_steps(&model, 5), &model, model.state_at_rest(), 1e-3, 10)[0]
}

/// The same for a hollow sphere of this many points in a shear flow.
fn bytes_of_viscous_step(method: &integrators::Method, count: usize) -> usize {
    let mesh = model::mesh::generate::generate("sphere", [("count", (count as f64).into())]).unwrap();
    let mut stokes = model::stokes::Stokes { viscosity: 1.0, ..Default::default() };
    stokes.gradient[0][1] = 0.3;
    stokes.wet_body(&mesh, 0, None, 0.4).unwrap();
    let springs = vec![SpringPart { pairs: mesh.edges.clone(), law: Law::Linear, stiffness: 1e3 }];
    let node_masses = (0..mesh.points.len() as u32).map(|i| (i, 1e-6)).collect();
    let blueprint = Blueprint { mesh, springs, node_masses, stokes: Some(stokes), ..Blueprint::default() };
    let model = blueprint.build().unwrap();
    bytes_of_step(make(method, &model, &Options::default()), &model, model.state_at_rest(), 1e-3, 1)[0]
}

/// Fails if a large body allocates a vector more than a small one.
fn assert_as_much([small, large]: [usize; 2], what: impl std::fmt::Display) {
    assert!(large < small + 8192, "{what}: {small} bytes, then {large}");
}

/// A single test, so that no other thread allocates at the same time.
#[test]
fn second_steps_allocate_nothing_that_grows_with_the_mesh() {
    for method in METHODS.iter().filter(|method| method.serves.contains(&Feature::StokesFlow)) {
        // A vector of the large one is 10 kB, its drag 12 MB.
        assert_as_much(
            [20, 430].map(|count| bytes_of_viscous_step(method, count)),
            format!("{} in a fluid", method.name),
        );
    }
    for solver in [SolverKind::Direct, SolverKind::Stale, SolverKind::Pcg] {
        let all = Options::default().with(&parameters::SOLVER, solver);
        let forms = METHODS.iter().flat_map(|method| forms(method, &all).into_iter().map(move |form| (method, form)));
        for (method, options) in forms {
            // A vector of the large bar is 35 kB, a matrix or a factor megabytes.
            // Small matrices are allocated in each pass of siere: bodies of one length take as many passes.
            let large = if method.reads(&parameters::MODES.parameter) { [10, 8, 8] } else { [160, 2, 2] };
            let bytes = [[10, 2, 2], large].map(|cells| bytes_of_second_step(method, &options, cells));
            assert_as_much(bytes, label(method, &options));
        }
    }
    for name in ["ere", "epirk4s3", "pexprb43", "exprb42"] {
        assert_as_much([10, 160].map(|n| bytes_of_turning_step(name, n)), format!("{name} of a body that turns"));
    }
    for name in ["linearly-implicit-euler", "siere", "ere"] {
        assert_as_much([40, 400].map(|count| bytes_of_hair_step(name, count)), format!("{name} of hairs"));
    }
    for material in ["linear", "neo-hookean"] {
        for name in ["asynchronous-backward-euler", "schroeder"] {
            let bytes = [10, 160].map(|n| bytes_of_asynchronous_step(name, material, n));
            assert_as_much(bytes, format!("{name}, regions of {material}"));
        }
    }
    assert_as_much([10, 160].map(|n| bytes_of_fluid_step([n, 2, 2])), "fluid");
    let balls = [10, 320].map(|count| bytes_of_rigid_step(&Shape::Ball { radius: 0.1 }, count));
    assert_as_much(balls.map(|[taken, _]| taken), "balls");
    // The search for contacts of two polyhedra allocates for one pair at a time, and frees it.
    let boxes = [10, 320].map(|count| bytes_of_rigid_step(&Shape::Box { half: [0.1; 3] }, count));
    assert_as_much(boxes.map(|[_, kept]| kept), "boxes");
    // The contacts of the large one take a megabyte.
    assert_as_much([10, 400].map(bytes_of_contact_step), "contact");
    // A compact body, whose factorisation and sweeps use threads.
    let method = method("linearly-implicit-euler");
    for solver in [SolverKind::Direct, SolverKind::Stale] {
        let options = Options::default().with(&parameters::SOLVER, solver);
        let bytes = [6, 20].map(|n| bytes_of_second_step(method, &options, [n; 3]));
        assert_as_much(bytes, format!("cube with {solver:?}"));
    }
}
