//! Hairs on a ball, with roots that are shaken.

use super::{Blueprint, GRAVITY, Motion, gravity};
use model::fibre::{Curl, FibreKind, Fibres, Random, RootSurface, Section};

/// Hairs of two to five segments, some curled, whose roots are shaken.
pub fn hairs(count: usize) -> Blueprint {
    let kind = FibreKind {
        length: [0.05, 0.1],
        segments: [2, 5],
        section: Section::Round,
        diameter: vec![9e-5, 4e-5],
        young: 3.6e9,
        shear: 1.0e9,
        density: 1300.0,
        ring_scale: None,
        curl: Some(Curl { radius: 0.05, pitch: 0.05 }),
        curl_jitter: 1.0,
        direction_jitter: 0.3,
        seed: 1,
    };
    let ball = RootSurface::Ball { center: [0.0; 3], radius: 0.05 };
    let roots: Vec<_> = (0..count as u64).map(|k| ball.root(&mut Random::new(2, k))).collect();
    let mut fibres = Fibres::new(&kind, &roots);
    let energies = fibres.energies(0).into_iter().collect();
    let held = fibres.mesh.groups["roots"].nodes.clone();
    let shake = Motion::Shake { amplitude: [0.01, 0.0, 0.0], frequency: 3.0, start: 0.0, end: f64::INFINITY };
    Blueprint {
        energies,
        node_masses: (0..).zip(fibres.masses).collect(),
        scripts: vec![(held, shake)],
        loads: vec![gravity(&fibres.mesh, GRAVITY)],
        mesh: fibres.mesh,
        ..Blueprint::default()
    }
}
