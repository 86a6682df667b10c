//! Units do not matter: every kind of contact gives bit-for-bit the same result in metres, kilometres and micrometres.
//!
//! A scene is described in metres, kilograms and seconds, then converted to units that are powers of two of them, run,
//! and converted back. Powers of two round nothing, so any difference reveals a constant with a hidden unit.

use crate::bodies::{Cast, FRAME};
use crate::problems::{cuboid, gravity, make, method, solid};
use collision::{Pose, Shape};
use integrators::{Options, parameters};
use model::collisions::{Collider, Collisions};
use model::energy::contact::{Obstacle, Projection};
use model::energy::spring::Law;
use model::mesh::Mesh;
use model::script::Motion;
use model::{Anchor, Blueprint, Fluid, Joint, JointKind, Liquid, Rigid, SpringPart, State};
use numerics::mat3::{Vec3, scale};
use numerics::quaternion::from_axis_angle;

/// Units of numbers: how many of them are one metre, kilogram and second.
#[derive(Debug, Clone, Copy)]
struct Units {
    m: f64,
    kg: f64,
    s: f64,
}

const SI: Units = Units { m: 1.0, kg: 1.0, s: 1.0 };

impl Units {
    fn two_to([m, kg, s]: [i32; 3]) -> Units {
        Units { m: 2f64.powi(m), kg: 2f64.powi(kg), s: 2f64.powi(s) }
    }

    fn place(&self, p: Vec3) -> Vec3 {
        scale(self.m, p)
    }

    fn pressure(&self) -> f64 {
        self.kg / (self.m * self.s * self.s)
    }

    fn density(&self) -> f64 {
        self.kg / self.m.powi(3)
    }

    fn stiffness(&self) -> f64 {
        self.kg / (self.s * self.s)
    }

    fn speed(&self) -> f64 {
        self.m / self.s
    }

    fn pose(&self, pose: Pose) -> Pose {
        Pose { position: self.place(pose.position), ..pose }
    }

    fn shape(&self, shape: &Shape) -> Shape {
        let all = |points: &[Vec3]| points.iter().map(|p| self.place(*p)).collect::<Vec<_>>();
        match shape {
            Shape::HalfSpace => Shape::HalfSpace,
            Shape::Ball { radius } => Shape::Ball { radius: self.m * radius },
            Shape::Box { half } => Shape::Box { half: self.place(*half) },
            Shape::Capsule { half_length, radius } => {
                Shape::Capsule { half_length: self.m * half_length, radius: self.m * radius }
            }
            Shape::Hull(hull) => Shape::hull(&all(hull.mesh().points())).unwrap(),
            Shape::Mesh(mesh) => Shape::mesh(&all(mesh.points()), mesh.triangles()).unwrap(),
        }
    }

    fn rigid(&self, rigid: Rigid) -> Rigid {
        Rigid {
            inertia: scale(self.kg * self.m * self.m, rigid.inertia),
            shape: self.shape(&rigid.shape),
            frame: self.pose(rigid.frame),
            carried: rigid.carried.iter().map(|(i, p)| (*i, self.place(*p))).collect(),
            ..rigid
        }
    }

    fn joint(&self, joint: Joint) -> Joint {
        let ends = joint.ends.map(|end| match end {
            Anchor::World(p) => Anchor::World(self.place(p)),
            Anchor::Rigid(k, p) => Anchor::Rigid(k, self.place(p)),
            node => node,
        });
        let kind = match joint.kind {
            JointKind::Distance(length) => JointKind::Distance(self.m * length),
            other => other,
        };
        Joint { kind, ends, compliance: joint.compliance / self.stiffness() }
    }

    fn collider(&self, collider: Collider) -> Collider {
        let motion = collider.motion.map(|motion| match motion {
            Motion::Keyframes { times, offsets } => Motion::Keyframes {
                times: times.iter().map(|t| self.s * t).collect(),
                offsets: offsets.iter().map(|p| self.place(*p)).collect(),
            },
            other => panic!("{other:?} has no units here"),
        });
        Collider { shape: self.shape(&collider.shape), pose: self.pose(collider.pose), motion, ..collider }
    }

    fn liquid(&self, liquid: Liquid) -> Liquid {
        Liquid {
            spacing: self.m * liquid.spacing,
            density: self.density() * liquid.density,
            bulk_modulus: self.pressure() * liquid.bulk_modulus,
            viscosity: self.pressure() * self.s * liquid.viscosity,
            vorticity: self.speed() * liquid.vorticity,
            cfl: liquid.cfl,
        }
    }

    /// Converts a blueprint to these units; its materials are converted already.
    fn blueprint(&self, b: Blueprint) -> Blueprint {
        let collisions = b.collisions.map(|c| Collisions {
            thickness: self.m * c.thickness,
            margin: self.m * c.margin,
            max_separation_speed: self.speed() * c.max_separation_speed,
            colliders: c.colliders.into_iter().map(|c| self.collider(c)).collect(),
            ..c
        });
        let fluids = b.fluids.into_iter().map(|f| Fluid {
            liquid: self.liquid(f.liquid),
            walls: f.walls.map(|walls| walls.map(|p| self.place(p))),
            obstacles: f.obstacles.into_iter().map(|o| self.collider(o)).collect(),
            ..f
        });
        let obstacle = |obstacle| match obstacle {
            Obstacle::Plane { point, normal } => Obstacle::Plane { point: self.place(point), normal },
            Obstacle::Ball { center, radius } => Obstacle::Ball { center: self.place(center), radius: self.m * radius },
        };
        let mut loads = b.loads;
        loads.iter_mut().for_each(|load| load.direction = scale(self.speed() / self.s, load.direction));
        Blueprint {
            mesh: Mesh { points: b.mesh.points.iter().map(|p| self.place(*p)).collect(), ..b.mesh },
            springs: b
                .springs
                .into_iter()
                .map(|s| SpringPart { stiffness: self.stiffness() * s.stiffness, ..s })
                .collect(),
            node_masses: b.node_masses.iter().map(|(i, m)| (*i, self.kg * m)).collect(),
            contacts: b.contacts.into_iter().map(|(o, nodes, k)| (obstacle(o), nodes, self.stiffness() * k)).collect(),
            projections: b
                .projections
                .into_iter()
                .map(|p| Projection { center: self.place(p.center), radius: self.m * p.radius, ..p })
                .collect(),
            rigids: b.rigids.into_iter().map(|r| self.rigid(r)).collect(),
            joints: b.joints.into_iter().map(|j| self.joint(j)).collect(),
            damping: [b.damping[0] / self.s, b.damping[1] * self.s],
            collisions,
            fluids: fluids.collect(),
            loads,
            ..b
        }
    }
}

/// A scene: its blueprint, in units that count for materials only, and its method.
struct Scene {
    name: String,
    method: &'static str,
    build: Box<dyn Fn(&Units) -> Blueprint>,
    /// Velocity of nodes that begin above this height [m]: downwards, a little aslant [m/s].
    above: f64,
}

/// Returns the state after some steps, in SI, and its largest difference from free fall [m/s].
fn run(scene: &Scene, units: &Units, steps: usize) -> (State, f64) {
    let blueprint = (scene.build)(units);
    let fall = blueprint.loads.iter().fold([0.0; 3], |_, load| load.direction);
    let model = units.blueprint(blueprint).build().unwrap();
    let mut state = model.state_at_rest();
    let speed = units.speed();
    for node in 0..model.nodes() {
        if state.x[3 * node + 2] > units.m * scene.above {
            state.v[3 * node..][..3].copy_from_slice(&scale(speed, [0.25, 0.125, -1.0]));
        }
    }
    let turns = state.turns.len() as f64;
    for (k, turn) in state.turns.iter_mut().enumerate() {
        if k as f64 + 1.0 == turns {
            turn.spin = scale(1.0 / units.s, [0.5, -0.25, 1.0]);
        }
    }
    let start = state.clone();
    let options = Options::default().with(&parameters::SUBSTEPS, 5);
    let mut stepper = make(method(scene.method), &model, &options);
    (0..steps).for_each(|k| {
        stepper
            .step(&model, &mut state, units.s * FRAME)
            .unwrap_or_else(|e| panic!("{} {units:?} {k}: {e}", scene.name));
        model.project(&mut state);
    });
    let mut met = 0.0_f64;
    for i in 0..3 * model.free_nodes() {
        let free = start.v[i] / speed + fall[i % 3] * steps as f64 * FRAME;
        met = met.max((state.v[i] / speed - free).abs());
    }
    state.t /= units.s;
    state.x.iter_mut().for_each(|x| *x /= units.m);
    state.v.iter_mut().for_each(|v| *v /= speed);
    state.turns.iter_mut().for_each(|turn| turn.spin = scale(units.s, turn.spin));
    (state, met)
}

fn collisions(mesh: &Mesh, colliders: Vec<Collider>) -> Collisions {
    let mut triangles = mesh.boundary_triangles();
    triangles.extend(&mesh.triangles);
    let points = if triangles.is_empty() { (0..mesh.points.len() as u32).collect() } else { vec![] };
    Collisions {
        impulses: None,
        triangles,
        edges: vec![],
        points,
        body: vec![0; mesh.points.len()],
        thickness: 0.01,
        margin: 0.01,
        friction: 0.4,
        max_separation_speed: 1.0,
        within: false,
        between: false,
        colliders,
    }
}

fn collider(mesh: &Mesh, shape: Shape, rigids: Vec<u32>) -> Collider {
    let nodes = (0..mesh.points.len() as u32).collect();
    let motion = Motion::Keyframes { times: vec![0.0, 4.0], offsets: vec![[0.0; 3], [0.5, 0.25, 0.0]] };
    Collider { shape, pose: Pose::default(), motion: Some(motion), friction: 0.3, restitution: 0.0, nodes, rigids }
}

/// Shapes about half a metre high around the origin, movable ones first.
fn shapes() -> Vec<(&'static str, Shape)> {
    let corner = |i: u32| [i & 1, i >> 1 & 1, i >> 2].map(|k| 0.25 - 0.5 * f64::from(k));
    let blunt: Vec<Vec3> =
        (0..8).map(corner).map(|[x, y, z]| if z < 0.0 { [0.5 * x, 0.75 * y, z] } else { [x, y, z] }).collect();
    let (points, triangles) = Shape::Ball { radius: 0.25 }.triangles(3);
    vec![
        ("ball", Shape::Ball { radius: 0.25 }),
        ("box", Shape::Box { half: [0.3, 0.2, 0.25] }),
        ("capsule", Shape::Capsule { half_length: 0.15, radius: 0.1 }),
        ("hull", Shape::hull(&blunt).unwrap()),
        ("half space", Shape::HalfSpace),
        ("mesh", Shape::mesh(&points, &triangles).unwrap()),
    ]
}

/// Rigid shapes that fall on rigid shapes that are held or free, and on obstacles.
fn rigid_scenes() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for (name, shape) in &shapes()[..4] {
        for (other, below) in shapes() {
            let obstacle = ["half space", "mesh"].contains(&other);
            let shape = shape.clone();
            let build = move |_: &Units| {
                let mut cast = Cast::default();
                let turn = from_axis_angle([0.3, 1.0, 0.2], 0.4);
                if !obstacle {
                    // A held one, and a free one beside it that leans on it.
                    let held = cast.add(below.clone(), Pose::default(), 1.0, 0.5);
                    cast.hold(held);
                    cast.add(shape.clone(), Pose::new([0.4, 0.0, 0.3], turn), 1.0, 0.5);
                }
                cast.add(shape.clone(), Pose::new([0.0, 0.05, 0.55], turn), 1.0, 0.5);
                let rigids = (0..cast.blueprint.rigids.len() as u32).collect();
                let mut laws = collisions(&Mesh::default(), vec![]);
                laws.body = vec![0; cast.blueprint.mesh.points.len()];
                laws.between = true;
                if obstacle {
                    laws.colliders =
                        vec![Collider { nodes: vec![], ..collider(&Mesh::default(), below.clone(), rigids) }];
                }
                cast.blueprint.collisions = Some(laws);
                cast.with_gravity([0.0, 0.0, -10.0])
            };
            let name = format!("rigid {name} on {other}");
            scenes.push(Scene { name, method: "small-steps", build: Box::new(build), above: 0.2 });
        }
    }
    scenes
}

fn scenes() -> Vec<Scene> {
    let mut scenes = rigid_scenes();
    let mut add = |name: &str, method, above, build: Box<dyn Fn(&Units) -> Blueprint>| {
        scenes.push(Scene { name: name.into(), method, build, above });
    };
    let block = |u: &Units| {
        let mut blueprint = solid(
            cuboid([0.3, 0.3, 0.2], [2, 2, 2]),
            "stable-neo-hookean",
            1e5 * u.pressure(),
            0.3,
            1000.0 * u.density(),
        );
        blueprint.mesh.points.iter_mut().for_each(|p| *p = [p[0] - 0.15, p[1] - 0.13, p[2] + 0.27]);
        blueprint.loads = vec![gravity(&blueprint.mesh, [0.0, 0.0, -10.0])];
        blueprint
    };
    let cloth = || {
        let n = 8u32;
        let at = move |k: u32| 0.1 * f64::from(k) - 0.37;
        let points = (0..=n).flat_map(|j| (0..=n).map(move |i| [at(i), at(j), 0.27])).collect();
        let cells = (0..n).flat_map(|j| (0..n).map(move |i| j * (n + 1) + i));
        let triangles: Vec<[u32; 3]> = cells.flat_map(|a| [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]).collect();
        let mut pairs: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]]).collect();
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
        pairs.sort_unstable();
        pairs.dedup();
        let mesh = Mesh { points, triangles, edges: pairs.clone(), ..Mesh::default() };
        Blueprint {
            springs: vec![SpringPart { pairs, law: Law::Linear, stiffness: 500.0 }],
            node_masses: (0..mesh.points.len() as u32).map(|i| (i, 1e-2)).collect(),
            loads: vec![gravity(&mesh, [0.0, 0.0, -10.0])],
            mesh,
            ..Blueprint::default()
        }
    };
    for implicit in ["backward-euler", "small-steps"] {
        add(
            &format!("penalty under {implicit}"),
            implicit,
            0.0,
            Box::new(move |u| {
                let mut blueprint = block(u);
                let nodes: Vec<u32> = (0..blueprint.mesh.points.len() as u32).collect();
                let ground = Obstacle::Plane { point: [0.0, 0.0, 0.25], normal: [0.0, 0.0, 1.0] };
                let ball = Obstacle::Ball { center: [0.1, 0.0, 0.0], radius: 0.26 };
                blueprint.contacts = vec![(ground, nodes.clone(), 1e4), (ball, nodes, 1e4)];
                blueprint
            }),
        );
    }
    add(
        "hard ball",
        "small-steps",
        0.0,
        Box::new(move |u| {
            let mut blueprint = block(u);
            let nodes = (0..blueprint.mesh.points.len() as u32).collect();
            blueprint.projections = vec![Projection { nodes, center: [0.1, 0.0, 0.0], radius: 0.26 }];
            blueprint
        }),
    );
    for (name, shape) in shapes() {
        let below = shape.clone();
        add(
            &format!("solid on {name}"),
            "small-steps",
            0.0,
            Box::new(move |u| {
                let mut blueprint = block(u);
                blueprint.collisions =
                    Some(collisions(&blueprint.mesh, vec![collider(&blueprint.mesh, below.clone(), vec![])]));
                blueprint
            }),
        );
        add(
            &format!("cloth on {name}, and itself"),
            "small-steps",
            0.0,
            Box::new(move |_| {
                let mut blueprint = cloth();
                let mut laws = collisions(&blueprint.mesh, vec![collider(&blueprint.mesh, shape.clone(), vec![])]);
                laws.within = true;
                blueprint.collisions = Some(laws);
                blueprint
            }),
        );
    }
    add(
        "solids on each other",
        "small-steps",
        0.3,
        Box::new(move |u| {
            let mut blueprint = block(u);
            let nodes = blueprint.mesh.points.len();
            let mut other = cuboid([0.3, 0.3, 0.2], [2, 2, 2]);
            other.transform(&numerics::mat3::rotation([0.6, 0.8, 0.0], 0.5), [-0.1, -0.05, 0.6], 1.0);
            blueprint.mesh.append(&other);
            blueprint.solids[0].tets = (0..blueprint.mesh.tets.len() as u32).collect();
            let mut laws = collisions(&blueprint.mesh, vec![]);
            laws.body[nodes..].fill(1);
            (laws.between, laws.within) = (true, true);
            blueprint.collisions = Some(laws);
            blueprint.loads = vec![gravity(&blueprint.mesh, [0.0; 3])];
            blueprint
        }),
    );
    for (name, shape) in shapes().into_iter().take(4) {
        add(
            &format!("cloth on rigid {name}"),
            "small-steps",
            0.25,
            Box::new(move |_| {
                let mut cast = Cast { blueprint: cloth() };
                let (nodes, mut laws) = (cast.blueprint.mesh.points.len(), collisions(&cast.blueprint.mesh, vec![]));
                cast.add(shape.clone(), Pose::new([0.0; 3], from_axis_angle([1.0, 0.5, 0.2], 0.3)), 0.5, 0.4);
                laws.between = true;
                laws.body = vec![0; nodes];
                laws.body.resize(cast.blueprint.mesh.points.len(), 1);
                cast.blueprint.collisions = Some(laws);
                cast.blueprint
            }),
        );
    }
    let axes = [[0.0, 0.6, 0.8]; 2];
    for kind in
        [JointKind::Ball, JointKind::Hinge(axes), JointKind::Fixed([1.0, 0.0, 0.0, 0.0]), JointKind::Distance(0.7)]
    {
        add(
            &format!("joint {kind:?}"),
            "small-steps",
            0.2,
            Box::new(move |_| {
                let mut cast = Cast::default();
                let a = cast.add(Shape::Box { half: [0.3, 0.2, 0.25] }, Pose::default(), 1.0, 0.5);
                let b =
                    cast.add(Shape::Capsule { half_length: 0.15, radius: 0.1 }, Pose::at([0.6, 0.0, 0.3]), 2.0, 0.5);
                let ends = [Anchor::Rigid(a, [0.3, 0.0, 0.1]), Anchor::Rigid(b, [-0.3, 0.0, -0.2])];
                cast.blueprint.joints.push(Joint { kind, ends, compliance: 1e-4 });
                let ends = [Anchor::Rigid(a, [-0.3, 0.0, 0.1]), Anchor::World([-0.3, 0.0, 0.1])];
                cast.blueprint.joints.push(Joint { kind: JointKind::Ball, ends, compliance: 0.0 });
                cast.with_gravity([0.0, 0.0, -10.0])
            }),
        );
    }
    for (name, shape) in shapes() {
        add(
            &format!("fluid on {name}"),
            "small-steps",
            0.2,
            Box::new(move |_| {
                let mut cast = Cast::default();
                let (spacing, first) = (0.1, 0);
                let points = &mut cast.blueprint.mesh.points;
                points.extend(
                    (0..125).map(|k| [k % 5, k / 5 % 5, k / 25].map(|k| spacing * (f64::from(k) + 0.5) - 0.25)),
                );
                points.iter_mut().for_each(|p| p[2] += 0.55);
                let (nodes, walls) =
                    ((first..points.len() as u32).collect(), Some([[-0.4, -0.4, -0.4], [0.4, 0.4, 4.0]]));
                let mut obstacles = vec![];
                match &shape {
                    Shape::HalfSpace | Shape::Mesh(_) => {
                        obstacles.push(collider(&Mesh::default(), shape.clone(), vec![]))
                    }
                    shape => {
                        cast.add(shape.clone(), Pose::default(), 30.0, 0.4);
                    }
                }
                let liquid =
                    Liquid { spacing, density: 1000.0, bulk_modulus: 1e6, viscosity: 5.0, vorticity: 0.01, cfl: 1.0 };
                cast.blueprint.fluids.push(Fluid { nodes, liquid, walls, obstacles, friction: 0.2 });
                cast.with_gravity([0.0, 0.0, -10.0])
            }),
        );
    }
    scenes
}

#[test]
fn every_kind_of_contact_gives_the_same_bits_in_any_units() {
    const STEPS: usize = 12;
    let mut wrong = Vec::new();
    for scene in scenes() {
        let (expected, met) = run(&scene, &SI, STEPS);
        if met < 0.1 {
            wrong.push(format!("{}: nothing touches anything, {met} m/s", scene.name));
        }
        // Even powers of kilograms: the factors of an implicit method contain square roots of masses.
        for powers in [[-20, 0, 0], [-10, 8, 3], [-3, -6, 1], [10, 12, -4]] {
            let (found, _) = run(&scene, &Units::two_to(powers), STEPS);
            if found != expected {
                let off = found.x.iter().zip(&expected.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                wrong.push(format!(
                    "{} with metres, kilograms and seconds times 2^{powers:?}: off by {off:.1e} m",
                    scene.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
