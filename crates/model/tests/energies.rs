//! Contracts of every energy as the model assembles it: force, stiffness and rows are derivatives of the energy,
//! nothing pulls at rest, and the bits do not depend on the number of threads. They include an energy from outside the
//! crate.

use model::energy::contact::Obstacle;
use model::energy::spring::Law;
use model::energy::{self, Configuration, Stiffness};
use model::fibre::{FibreKind, Fibres, Root};
use model::material::{MATERIALS, sample};
use model::mesh::Mesh;
use model::mesh::generate::{Value, generate};
use model::{Blueprint, FaceSpringPart, Model, SolidPart, SpringPart};
mod own_energy;

use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, Definiteness, LinearSolver};
use own_energy::Kink;

fn block(cells: f64) -> Mesh {
    let size = Value::Numbers(vec![1.0, 0.6, 0.5]);
    generate("box", [("size", size), ("cells", Value::Numbers(vec![cells, 2.0, 2.0]))]).unwrap()
}

fn solid(material: &str, mesh: Mesh) -> Blueprint {
    let tets = (0..mesh.tets.len() as u32).collect();
    let material = sample(material, 1e4, 0.3).unwrap();
    Blueprint { solids: vec![SolidPart::new(tets, material, 1000.0)], mesh, ..Blueprint::default() }
}

/// Describes two thick curled fibres.
fn tuft() -> Blueprint {
    let numbers = [("length", 2.0), ("segments", 4.0), ("diameter", 0.8), ("young", 300.0), ("density", 10.0)];
    let curl = [("curl_radius", 1.0), ("curl_pitch", 3.0), ("ring_scale", 1.0), ("curl_jitter", 90.0)];
    let given = numbers.into_iter().chain(curl).map(|(name, value)| (name.to_string(), Value::from(value)));
    let roots = [0.0, 3.0].map(|x| Root { point: [x, 0.0, 0.0], direction: [0.0, 0.6, 0.8] });
    let mut fibres = Fibres::new(&FibreKind::resolve(&given.collect()).unwrap(), &roots);
    let node_masses = fibres.masses.iter().enumerate().map(|(i, &mass)| (i as u32, mass)).collect();
    let energies = fibres.energies(0).into();
    Blueprint { mesh: fibres.mesh, energies, node_masses, ..Blueprint::default() }
}

/// Builds one model per kind of energy, with two nodes fixed.
fn every_energy() -> Vec<(String, Model)> {
    let mut models = Vec::new();
    let mut add = |name: String, mut blueprint: Blueprint| {
        blueprint.fixed = vec![0, 3];
        models.push((name, blueprint.build().unwrap()));
    };
    for facts in MATERIALS {
        add(facts.name.to_string(), solid(facts.name, block(3.0)));
    }
    for (name, law) in Law::NAMES {
        let mesh = block(2.0);
        let node_masses: Vec<_> = (0..mesh.points.len() as u32).map(|i| (i, 0.1)).collect();
        let springs = vec![SpringPart { pairs: mesh.edges_of_tets(), law, stiffness: 30.0 }];
        let edges = Blueprint { springs, mesh, node_masses: node_masses.clone(), ..Blueprint::default() };
        add(format!("{name} springs"), edges);
        let mesh = block(2.0);
        let face_springs = vec![FaceSpringPart { tets: (0..mesh.tets.len() as u32).collect(), law, stiffness: 30.0 }];
        add(format!("{name} face springs"), Blueprint { face_springs, mesh, node_masses, ..Blueprint::default() });
    }
    let mesh = block(2.0);
    let node_masses: Vec<_> = (0..mesh.points.len() as u32).map(|i| (i, 0.1)).collect();
    let kinks = mesh.tets.iter().map(|&[a, b, c, _]| Kink::between([a, b, c], &mesh)).collect();
    let energies = vec![energy::part("kink", Kink, kinks)];
    add("kinks from outside".to_string(), Blueprint { energies, mesh, node_masses, ..Blueprint::default() });
    add("fibres".to_string(), tuft());
    let plane = Obstacle::Plane { point: [0.0, 0.0, 0.2], normal: [0.0, 0.6, 0.8] };
    let ball = Obstacle::Ball { center: [0.5, 0.3, -0.1], radius: 0.45 };
    for (name, obstacle) in [("plane", plane), ("ball", ball)] {
        let mut blueprint = solid("linear", block(2.0));
        blueprint.contacts = vec![(obstacle, (0..blueprint.mesh.points.len() as u32).collect(), 5e3)];
        add(format!("contact with a {name}"), blueprint);
    }
    models
}

/// Returns deterministic numbers in [-1, 1].
fn noise(seed: u64, n: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        })
        .collect()
}

fn disturbed(model: &Model, size: f64) -> Vec<f64> {
    model.rest().iter().zip(noise(3, model.rest().len())).map(|(x, n)| x + size * n).collect()
}

fn along(x: &[f64], w: &[f64], step: f64) -> Vec<f64> {
    let mut moved = x.to_vec();
    moved.iter_mut().zip(w).for_each(|(x, w)| *x += step * w);
    moved
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[test]
fn force_is_minus_the_gradient_of_the_energy() {
    for (name, model) in every_energy() {
        let x = disturbed(&model, 0.03);
        let mut f = vec![0.0; model.dofs()];
        model.static_force(0.0, &x, &mut f);
        for seed in 0..5 {
            let w = noise(seed, model.dofs());
            let step = 1e-6;
            let slope = (model.elastic_energy(&along(&x, &w, step)) - model.elastic_energy(&along(&x, &w, -step)))
                / (2.0 * step);
            let error = (slope + dot(&f, &w)).abs() / (norm(&f) * norm(&w));
            assert!(error < 1e-7, "{name}: {error:e}");
        }
    }
}

#[test]
fn stiffness_is_minus_the_derivative_of_the_force() {
    for (name, model) in every_energy() {
        let x = disturbed(&model, 0.03);
        let mut k = BlockMatrix::zeros(model.pattern().clone());
        model.stiffness(Stiffness::Exact, &x, &mut k);
        let mut own = k.clone();
        let force = |x: &[f64]| {
            let mut f = vec![0.0; model.dofs()];
            model.static_force(0.0, x, &mut f);
            f
        };
        for seed in 0..5 {
            let w = noise(seed, model.dofs());
            let (ahead, behind) = (force(&along(&x, &w, 1e-6)), force(&along(&x, &w, -1e-6)));
            let mut product = vec![0.0; model.dofs()];
            k.multiply(&w, &mut product);
            let difference: Vec<f64> = (0..model.dofs()).map(|i| (behind[i] - ahead[i]) / 2e-6 - product[i]).collect();
            let error = norm(&difference) / norm(&product);
            assert!(error < 1e-6, "{name}: {error:e}");

            // The kind of the model: with fibres the turned one.
            model.stiffness(model.stiffness_kind(), &x, &mut own);
            own.multiply(&w, &mut product);
            let mut all = w.clone();
            all.resize(3 * model.nodes(), 0.0);
            let mut free = vec![0.0; model.dofs()];
            model.add_stiffness_times(1.0, &x, &all, &mut free);
            let difference: Vec<f64> = free.iter().zip(&product).map(|(a, b)| a - b).collect();
            assert!(norm(&difference) < 1e-12 * norm(&product), "{name}: product without a matrix");
        }
    }
}

#[test]
fn projected_stiffness_is_positive_semidefinite_and_exact_where_the_exact_one_is() {
    for (name, model) in every_energy() {
        let mut exact = BlockMatrix::zeros(model.pattern().clone());
        let mut projected = exact.clone();
        // Strongly compressed, where springs and tets buckle: the exact stiffness is indefinite.
        let x: Vec<f64> = disturbed(&model, 0.03).iter().map(|x| 0.6 * x).collect();
        model.stiffness(Stiffness::Projected, &x, &mut projected);
        // Sylvester: with a shift of the size of rounding every pivot of the projected one is positive.
        model.stiffness(Stiffness::Exact, &x, &mut exact);
        let negative = |k: &BlockMatrix| {
            let mut shifted = k.clone();
            let scale = k.values.iter().flatten().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
            for i in 0..model.free_nodes() {
                (0..3).for_each(|c| shifted.values[model.pattern().diagonal(i)][c][c] += 1e-9 * scale);
            }
            match Cholesky::new(model.pattern()).unwrap().prepare(&shifted).unwrap() {
                Definiteness::Positive => 0,
                Definiteness::Indefinite { negative } => negative,
                Definiteness::Unknown => panic!("a direct solver knows"),
            }
        };
        assert_eq!(negative(&projected), 0, "{name}: projected");
        if name != "linear" && !name.contains("plane") {
            assert!(negative(&exact) > 0, "{name}: the exact one was to be indefinite here");
        }
        if !name.contains("contact") {
            model.stiffness(Stiffness::Exact, model.rest(), &mut exact);
            model.stiffness(Stiffness::Projected, model.rest(), &mut projected);
            let scale = exact.values.iter().flatten().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
            for (a, b) in exact.values.iter().flatten().flatten().zip(projected.values.iter().flatten().flatten()) {
                assert!((a - b).abs() <= 1e-9 * scale, "{name} at rest: {a} {b}");
            }
        }
    }
}

#[test]
fn rows_add_up_to_the_gradient() {
    for (name, model) in every_energy() {
        let x = disturbed(&model, 0.03);
        let mut f = vec![0.0; model.dofs()];
        model.static_force(0.0, &x, &mut f);
        let mut from_rows = vec![0.0; model.dofs()];
        let mut rows: Vec<energy::Row> = Vec::new();
        for term in model.terms() {
            for e in 0..term.count() {
                rows.clear();
                term.rows(e, &x, &mut rows);
                for row in &rows {
                    for (gradient, &node) in row.gradient.iter().zip(term.nodes(e)) {
                        if (node as usize) < model.free_nodes() {
                            (0..3).for_each(|c| from_rows[3 * node as usize + c] -= row.k * row.c * gradient[c]);
                        }
                    }
                }
            }
        }
        let difference: Vec<f64> = f.iter().zip(&from_rows).map(|(a, b)| a - b).collect();
        let error = norm(&difference) / norm(&f);
        assert!(error < 1e-8, "{name}: {error:e}");
    }
}

#[test]
fn nothing_pulls_at_rest() {
    for (name, model) in every_energy().into_iter().filter(|(name, _)| !name.contains("contact")) {
        let mut f = vec![0.0; model.dofs()];
        model.static_force(0.0, model.rest(), &mut f);
        assert!(norm(&f) < 1e-10 && model.elastic_energy(model.rest()).abs() < 1e-12, "{name}: {:e}", norm(&f));
    }
}

#[test]
fn an_inverted_tet_is_named_where_the_material_has_no_energy_there() {
    for facts in MATERIALS {
        let model = solid(facts.name, block(2.0)).build().unwrap();
        let mut x = model.rest().to_vec();
        // Push the corner at the origin far through the body.
        let corner = 3 * model.number(0);
        (0..3).for_each(|c| x[corner + c] += 3.0);
        assert_eq!(model.first_inadmissible(&x).is_none(), facts.defined.survives_inversion(), "{}", facts.name);
        assert!(model.first_inadmissible(model.rest()).is_none());
    }
}

#[test]
fn same_bits_on_any_number_of_threads() {
    let mut blueprint = solid("neo-hookean", block(300.0));
    blueprint.fixed = vec![0, 1, 2];
    let model = blueprint.build().unwrap();
    let x = disturbed(&model, 1e-4);
    let on_threads = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut f = vec![0.0; model.dofs()];
            let mut k = BlockMatrix::zeros(model.pattern().clone());
            let mut y = vec![0.0; model.dofs()];
            model.static_force(0.0, &x, &mut f);
            model.stiffness(Stiffness::Exact, &x, &mut k);
            k.multiply(&f, &mut y);
            let energy = model.elastic_energy(&x);
            let all = f.iter().chain(&y).chain(k.values.iter().flatten().flatten()).chain([&energy]);
            all.map(|value| value.to_bits()).collect::<Vec<u64>>()
        })
    };
    let one = on_threads(1);
    for threads in [2, 3, 4, 8] {
        assert!(on_threads(threads) == one, "{threads} threads");
    }
}

#[test]
fn corotated_stiffness_is_that_at_rest_turned_with_the_body_however_it_is_deformed() {
    let turn = numerics::mat3::rotation([0.6, 0.0, 0.8], 2.1);
    let turned = |x: &[f64], factor: f64| -> Vec<f64> {
        let points = x.as_chunks::<3>().0.iter();
        points.flat_map(|p| numerics::mat3::mat_vec(&turn, p.map(|c| factor * c))).collect()
    };
    // Walls do not rotate with the body, and the linear material is not rotation invariant.
    let turns = |name: &str| !name.contains("contact") && name != "linear";
    for (name, model) in every_energy().into_iter().filter(|(name, _)| turns(name)) {
        let mut at_rest = BlockMatrix::zeros(model.pattern().clone());
        let mut moved = at_rest.clone();
        model.stiffness(Stiffness::Exact, model.rest(), &mut at_rest);
        // A uniform stretch changes no element's rotation.
        model.stiffness(Stiffness::Corotated, &turned(model.rest(), 1.3), &mut moved);
        let w = noise(7, model.dofs());
        let mut expected = vec![0.0; model.dofs()];
        let mut found = expected.clone();
        at_rest.multiply(&w, &mut expected);
        moved.multiply(&turned(&w, 1.0), &mut found);
        let difference: Vec<f64> = turned(&expected, 1.0).iter().zip(&found).map(|(a, b)| a - b).collect();
        // Springs of higher law have no stiffness at rest, except for rounding of their 30 N/m.
        let scale = norm(&expected).max(30.0);
        assert!(norm(&difference) <= 1e-11 * scale, "{name}: {:e}", norm(&difference) / scale);
    }
}

#[test]
fn an_energy_from_outside_has_its_own_name_in_messages_and_nodes_of_the_mesh() {
    let model = every_energy().into_iter().find(|(name, _)| name.contains("outside")).unwrap().1;
    assert!(model.first_inadmissible(model.rest()).is_none());
    let found = model.first_inadmissible(&vec![0.0; 3 * model.nodes()]).unwrap();
    assert!(found.element.name() == "kink" && found.number < model.terms()[0].count(), "{found:?}");
    for nodes in [[0, 1, 99], [0, 2, 0]] {
        let mesh = block(2.0);
        let energies = vec![energy::part("kink", Kink, vec![([0, 1, 2], [1.0, 1.0]), (nodes, [1.0, 1.0])])];
        let error = Blueprint { energies, mesh, ..Blueprint::default() }.build().err().unwrap();
        assert!(error.to_string().starts_with(&format!("kink 1 has node {} twice", nodes[2])), "{error}");
    }
}

/// Positions after a step that turned a model by theta along the tangent, its displacements, and those of a further turn.
fn turned_along_the_tangent(model: &Model, stretch: f64, theta: f64) -> [Vec<f64>; 3] {
    let across = |x: &[f64], angle: f64| -> Vec<f64> {
        let points = x.as_chunks::<3>().0.iter();
        points.flat_map(|p| numerics::mat3::cross([0.6 * angle, 0.0, 0.8 * angle], *p)).collect()
    };
    let stretched: Vec<f64> = model.rest().iter().map(|x| stretch * x).collect();
    let way = across(&stretched, theta);
    let x = along(&stretched, &way, 1.0);
    let further = across(&x, 1.0);
    [x, way, further]
}

#[test]
fn the_automatic_stiffness_is_the_exact_one_where_nothing_turned() {
    for (name, model) in every_energy() {
        let x = disturbed(&model, 0.03);
        let [mut exact, mut automatic] = [(); 2].map(|()| BlockMatrix::zeros(model.pattern().clone()));
        model.stiffness(Stiffness::Exact, &x, &mut exact);
        model.stiffness(Stiffness::Auto, &x, &mut automatic);
        assert!(automatic.values == exact.values, "{name}: without a step");
        for way in [vec![0.0; x.len()], [0.25, -0.5, 0.125].repeat(model.nodes())] {
            model.stiffness(Stiffness::Auto, Configuration { x: &x, way: &way, inertia: &[] }, &mut automatic);
            assert!(automatic.values == exact.values, "{name}: after a step of {:?}", &way[..3]);
        }
    }
}

#[test]
fn the_automatic_stiffness_forgets_the_stretch_of_a_linear_turn_and_keeps_true_tension() {
    let turns = |name: &str| !name.contains("contact") && !name.contains("outside") && name != "linear";
    // Models with fibres do not use it.
    let is_automatic = |model: &Model| model.stiffness_kind() == Stiffness::Auto;
    for (name, model) in every_energy().into_iter().filter(|(name, model)| turns(name) && is_automatic(model)) {
        // Resistance to turning further, with the exact and with the automatic stiffness.
        let resistance = |stretch: f64, theta: f64| {
            let [x, way, further] = turned_along_the_tangent(&model, stretch, theta);
            [Stiffness::Exact, Stiffness::Auto].map(|kind| {
                let mut force = vec![0.0; model.dofs()];
                let at = Configuration { x: &x, way: &way, inertia: &[] };
                model.terms().iter().for_each(|term| term.add_stiffness_times(kind, 1.0, at, &further, &mut force));
                norm(&force)
            })
        };
        let [exact, automatic] = resistance(1.0, 0.05);
        assert!(exact > 0.0 && automatic < 1e-9 * exact, "{name}: {automatic:e} N of {exact:e} N");
        // The stretch of 20 % is true: a slow turn does not explain it.
        let [exact, automatic] = resistance(1.2, 0.01);
        assert!(automatic > 0.99 * exact && automatic < exact, "{name}: {automatic:e} N of {exact:e} N");
    }
}

#[test]
fn the_turn_of_a_step_is_the_angle_it_turned() {
    for (name, model) in every_energy() {
        let [x, way, _] = turned_along_the_tangent(&model, 1.0, 0.02);
        let turn = model.turn(Configuration { x: &x, way: &way, inertia: &[] });
        // A spring along the axis does not turn, and others in part; walls and energies from outside have no direction.
        let expected = match name.as_str() {
            "linear" => 0.0..=0.0,
            name if name.contains("contact") || name.contains("outside") => 0.0..=0.0,
            name if name.contains("springs") || name == "fibres" => 0.012..=0.02,
            _ => 0.0199..=0.0201,
        };
        assert!(expected.contains(&turn), "{name}: {turn}");
    }
}
