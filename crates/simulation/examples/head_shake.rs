//! Hairs on a head that is shaken, at the density of 60,000; they meet each other and the head by impulses. Prints every step.
//!
//!     head_shake HAIRS STEP STEPS

use collision::{Pose, Shape};
use integrators::{Options, find};
use model::collisions::{Collider, Collisions, Impulses};
use model::energy::Stiffness;
use model::fibre::{FibreKind, Fibres, Random, Root, RootSurface, Section};
use model::load::Profile;
use model::script::Motion;
use model::{Basis, Blueprint, LoadPart};
use simulation::Simulation;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// Radii of the roots and of the head [m], and height of the cap that 60,000 hairs cover.
const ROOTS: f64 = 0.091;
const HEAD: f64 = 0.09;
const CAP: f64 = 0.061;

/// Returns the head with its hairs.
fn head(count: usize) -> Result<Blueprint, Box<dyn Error>> {
    let kind = FibreKind {
        length: [0.15, 0.25],
        segments: [6, 10],
        section: Section::Round,
        diameter: vec![9e-5, 4e-5],
        young: 3.6e9,
        shear: 1e9,
        density: 1300.0,
        ring_scale: None,
        curl: None,
        curl_jitter: 0.0,
        direction_jitter: 10_f64.to_radians(),
        seed: 1,
    };
    let ball = RootSurface::Ball { center: [0.0; 3], radius: ROOTS };
    let least = ROOTS - CAP * count as f64 / 60_000.0;
    let everywhere = (0..).map(|k| ball.root(&mut Random::new(2, k)));
    let roots: Vec<Root> = everywhere.filter(|root| root.point[2] > least).take(count).collect();
    let mut fibres = Fibres::new(&kind, &roots);
    let energies = fibres.energies(0).into_iter().collect();
    let nodes: Vec<u32> = (0..fibres.mesh.points.len() as u32).collect();
    let rings: Vec<[u32; 4]> = nodes.as_chunks::<4>().0.to_vec();
    let mut first = 0;
    let mut segments = Vec::new();
    for count in &fibres.rings {
        segments.extend((first..first + count - 1).map(|ring| [ring, ring + 1]));
        first += count;
    }
    let held = fibres.mesh.groups.get("roots").map(|group| group.nodes.clone()).unwrap_or_default();
    let shake = || Motion::Shake { amplitude: [0.03, 0.0, 0.0], frequency: 2.0, start: 0.0, end: f64::INFINITY };
    let skull = Collider {
        shape: Shape::Ball { radius: HEAD },
        pose: Pose::default(),
        motion: Some(shake()),
        friction: 0.3,
        restitution: 0.0,
        nodes: nodes.clone(),
        rigids: vec![],
    };
    let collisions = Collisions {
        impulses: Some(Impulses { rings, segments, ..Impulses::default() }),
        triangles: vec![],
        edges: vec![],
        points: vec![],
        body: vec![0; nodes.len()],
        thickness: 2e-4,
        margin: 2e-4,
        friction: 0.25,
        max_separation_speed: 0.02,
        within: true,
        between: true,
        colliders: vec![skull],
    };
    let weight =
        LoadPart { nodes: nodes.clone(), basis: Basis::Mass, direction: [0.0, 0.0, -9.81], profile: Profile::Constant };
    Ok(Blueprint {
        energies,
        node_masses: nodes.into_iter().zip(fibres.masses).collect(),
        scripts: vec![(held, shake())],
        loads: vec![weight],
        stiffness: Stiffness::Turned,
        damping: [2.0, 0.005],
        collisions: Some(collisions),
        mesh: fibres.mesh,
        ..Blueprint::default()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |k: usize, default: &str| words.get(k).cloned().unwrap_or_else(|| default.into());
    let (count, step, steps): (usize, f64, usize) =
        (word(0, "600").parse()?, word(1, "0.01").parse()?, word(2, "20").parse()?);
    let model = Arc::new(head(count)?.build()?);
    let method = find("linearly-implicit-euler").ok_or("no such method")?;
    let mut simulation = Simulation::new(model, method, &Options::default(), step)?;
    for _ in 0..steps {
        let start = Instant::now();
        let report = simulation.step()?;
        println!(
            "{:.4} s: {:.3} s, {} contacts, {} rounds, {} zones, kinetic {:.2e} J",
            simulation.time(),
            start.elapsed().as_secs_f64(),
            report.contacts,
            report.contact_rounds,
            report.contact_zones,
            simulation.energies().kinetic
        );
    }
    Ok(())
}
