//! Fibres against beam theory: stretch, bending, torsion, large deflections, helical springs and frequencies.

mod stokes;

use model::energy::Stiffness;
use model::energy::spring::Law;
use model::fibre::{FibreKind, Fibres, Root};
use model::mesh::Mesh;
use model::mesh::generate::Value;
use model::parameter::ParameterError;
use model::{Blueprint, Model, SpringPart};
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, LinearSolver};
use numerics::mat3::{Vec3, add, cross, dot, norm, scale, sub};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

const YOUNG: f64 = 3.6e9;
const SHEAR: f64 = 1e9;
const DENSITY: f64 = 1300.0;
const DIAMETER: f64 = 65e-6;
const LENGTH: f64 = 0.05;
/// Bending and torsion stiffness of a hair [N m^2].
const BENDING: f64 = YOUNG * PI / 64.0 * DIAMETER * DIAMETER * DIAMETER * DIAMETER;
const TORSION: f64 = SHEAR * PI / 32.0 * DIAMETER * DIAMETER * DIAMETER * DIAMETER;
/// Root in no special direction.
const ROOT: Root = Root { point: [0.1, -0.2, 0.3], direction: [0.48, 0.6, 0.64] };

/// Returns a hair with some parameters of its own.
fn kind(own: &[(&str, Value)]) -> Result<FibreKind, ParameterError> {
    let hair = [("young", YOUNG), ("shear_modulus", SHEAR), ("density", DENSITY), ("diameter", DIAMETER)];
    let more = [("length", LENGTH), ("ring_scale", 10.0)];
    let hair = hair.into_iter().chain(more).map(|(name, value)| (name, Value::from(value)));
    let all: BTreeMap<String, Value> =
        hair.chain(own.iter().cloned()).map(|(name, value)| (name.to_string(), value)).collect();
    FibreKind::resolve(&all)
}

fn hair(segments: u32) -> Clamped {
    Clamped::new(&kind(&[("segments", f64::from(segments).into())]).unwrap())
}

/// A fibre with a clamped root.
struct Clamped {
    model: Model,
    /// Numbers in the model of the nodes of each ring.
    rings: Vec<[usize; 4]>,
}

impl Clamped {
    fn new(kind: &FibreKind) -> Clamped {
        let mut fibres = Fibres::new(kind, &[ROOT]);
        let node_masses = (0..).zip(fibres.masses.iter().copied()).collect();
        let fixed = fibres.mesh.groups["roots"].nodes.clone();
        let energies = fibres.energies(0).into();
        let count = fibres.mesh.points.len() / 4;
        let model = Blueprint { mesh: fibres.mesh, energies, node_masses, fixed, ..Blueprint::default() };
        let model = model.build().unwrap();
        let rings = (0..count).map(|r| std::array::from_fn(|c| model.number(4 * r + c))).collect();
        Clamped { model, rings }
    }

    fn tip(&self) -> [usize; 4] {
        self.rings[self.rings.len() - 1]
    }

    /// Solves K u = f with the stiffness at x.
    fn solve(&self, x: &[f64], mut f: Vec<f64>) -> Vec<f64> {
        let mut k = BlockMatrix::zeros(self.model.pattern().clone());
        self.model.stiffness(Stiffness::Exact, x, &mut k);
        let mut solver = Cholesky::new(self.model.pattern()).unwrap();
        solver.prepare(&k).unwrap();
        solver.solve(&k, &mut f, 1).unwrap();
        f
    }

    /// Returns the forces of a load at the tip.
    fn end_load(&self, force: Vec3) -> Vec<f64> {
        let mut f = vec![0.0; self.model.dofs()];
        for i in self.tip() {
            (0..3).for_each(|c| f[3 * i + c] = 0.25 * force[c]);
        }
        f
    }

    /// Returns the displacement of the tip under forces, by the stiffness at rest.
    fn tip_response(&self, f: Vec<f64>) -> Vec3 {
        middle(self.tip(), &self.solve(self.model.rest(), f))
    }

    /// Finds the equilibrium under an end load, which grows in parts.
    fn deflected(&self, force: Vec3, parts: usize) -> Vec<f64> {
        let mut x = self.model.rest().to_vec();
        for part in 1..=parts {
            let load = self.end_load(scale(part as f64 / parts as f64, force));
            let mut moved = f64::INFINITY;
            for _ in 0..60 {
                let mut f = vec![0.0; self.model.dofs()];
                self.model.static_force(0.0, &x, &mut f);
                f.iter_mut().zip(&load).for_each(|(f, load)| *f += load);
                let u = self.solve(&x, f);
                x.iter_mut().zip(&u).for_each(|(x, u)| *x += u);
                moved = u.iter().fold(0.0_f64, |most, u| most.max(u.abs()));
                if moved < 1e-10 * LENGTH {
                    break;
                }
            }
            assert!(moved < 1e-7 * LENGTH, "part {part}: no equilibrium, {moved:e} m");
        }
        x
    }

    /// Finds the three lowest angular frequencies [rad/s], by inverse iteration: the first of bending in two directions,
    /// then a second one.
    fn frequencies(&self) -> [f64; 3] {
        let mass: Vec<f64> = (0..self.model.dofs()).map(|i| self.model.node_mass()[i / 3]).collect();
        let inner = |a: &[f64], b: &[f64]| -> f64 { (0..mass.len()).map(|i| a[i] * mass[i] * b[i]).sum() };
        let mut modes: Vec<Vec<f64>> = Vec::new();
        [0.1, 0.2, 0.3].map(|shape: f64| {
            let mut u: Vec<f64> = (0..mass.len()).map(|i| (shape * i as f64).sin()).collect();
            let mut value = 0.0;
            for _ in 0..60 {
                for mode in &modes {
                    let along = inner(&u, mode);
                    u.iter_mut().zip(mode).for_each(|(u, m)| *u -= along * m);
                }
                let size = inner(&u, &u).sqrt();
                u.iter_mut().for_each(|u| *u /= size);
                let next = self.solve(self.model.rest(), (0..mass.len()).map(|i| mass[i] * u[i]).collect());
                value = 1.0 / inner(&next, &u);
                u = next;
            }
            let size = inner(&u, &u).sqrt();
            modes.push(u.iter().map(|u| u / size).collect());
            value.sqrt()
        })
    }
}

/// Returns the mean over a ring.
fn middle(ring: [usize; 4], x: &[f64]) -> Vec3 {
    scale(0.25, ring.iter().fold([0.0; 3], |sum, &i| add(sum, of_node(x, i))))
}

fn of_node(x: &[f64], i: usize) -> Vec3 {
    std::array::from_fn(|c| x[3 * i + c])
}

/// Returns two directions across the fibre, along the sides of its rings.
fn sides(fibre: &Clamped) -> [Vec3; 2] {
    let [a, b, _, d] = fibre.rings[0].map(|i| of_node(fibre.model.rest(), i));
    [sub(b, a), sub(d, a)].map(|side| scale(1.0 / norm(side), side))
}

/// Returns the share that the shear of rings of scale 10 adds to a deflection by an end load.
fn shear_share() -> f64 {
    let ring = 5.0 * DIAMETER;
    3.0 * BENDING * ring * ring / (2.0 * TORSION * LENGTH * LENGTH)
}

#[test]
fn stretch_is_exact() {
    for n in [1, 2, 4, 8, 32] {
        let fibre = hair(n);
        let force = 1e-6;
        let found = dot(fibre.tip_response(fibre.end_load(scale(force, ROOT.direction))), ROOT.direction);
        // A ring of scale 10 is 100 times as soft.
        let expected = force * LENGTH / (YOUNG * PI / 4.0 * DIAMETER * DIAMETER / 100.0);
        assert!((found / expected - 1.0).abs() < 1e-6, "{n}: {}", found / expected);
    }
}

#[test]
fn an_end_load_deflects_by_one_minus_a_quarter_of_n_squared() {
    for n in [1, 2, 4, 8, 32] {
        let fibre = hair(n);
        let [u, v] = sides(&fibre);
        let diagonal = scale(0.5_f64.sqrt(), add(u, v));
        for direction in [u, v, diagonal] {
            let force = 1e-9;
            let found = dot(fibre.tip_response(fibre.end_load(scale(force, direction))), direction);
            let ratio = found / (force * LENGTH.powi(3) / (3.0 * BENDING));
            let expected = 1.0 - 0.25 / f64::from(n * n) + shear_share();
            assert!((ratio - expected).abs() < 1e-5, "{n}: {ratio} is not {expected}");
        }
    }
}

#[test]
fn a_uniform_load_deflects_exactly() {
    for n in [1, 2, 4, 8, 32] {
        let fibre = hair(n);
        let [u, _] = sides(&fibre);
        let f = (0..fibre.model.dofs()).map(|i| fibre.model.node_mass()[i / 3] * u[i % 3]).collect();
        let weight = DENSITY * PI / 4.0 * DIAMETER * DIAMETER;
        let ratio = dot(fibre.tip_response(f), u) / (weight * LENGTH.powi(4) / (8.0 * BENDING));
        // Shear adds q L^2 / (2 G A), four thirds of the share of an end load.
        let expected = 1.0 + 4.0 / 3.0 * shear_share();
        assert!((ratio - expected).abs() < 1e-5, "{n}: {ratio} is not {expected}");
    }
}

#[test]
fn twist_is_exact() {
    for n in [1, 2, 4, 8, 32] {
        let fibre = hair(n);
        let (rest, torque) = (fibre.model.rest(), 1e-9);
        let center = middle(fibre.tip(), rest);
        let arms = fibre.tip().map(|i| sub(of_node(rest, i), center));
        let squares: f64 = arms.iter().map(|arm| dot(*arm, *arm)).sum();
        let mut f = vec![0.0; fibre.model.dofs()];
        for (i, arm) in fibre.tip().into_iter().zip(arms) {
            let force = scale(torque / squares, cross(ROOT.direction, arm));
            (0..3).for_each(|c| f[3 * i + c] = force[c]);
        }
        let u = fibre.solve(rest, f);
        let turned: f64 =
            fibre.tip().iter().zip(arms).map(|(&i, arm)| dot(cross(arm, of_node(&u, i)), ROOT.direction)).sum();
        let ratio = turned / squares / (torque * LENGTH / TORSION);
        assert!((ratio - 1.0).abs() < 1e-4, "{n}: {ratio}");
    }
}

#[test]
fn a_cantilever_bends_as_the_elastica() {
    // P L^2 / (E I); position of the tip along and across, over the length (Bisshopp and Drucker 1945).
    let known = [(1.0, 0.9436, 0.3017), (2.0, 0.8394, 0.4935), (5.0, 0.6124, 0.7138), (10.0, 0.4450, 0.8106)];
    // The same of a chain of eight, by another program.
    let chain = [(1.0, 0.9439, 0.3012), (2.0, 0.8395, 0.4938), (5.0, 0.6103, 0.7161), (10.0, 0.4407, 0.8139)];
    for (segments, known, most) in [(16.0, known, 1.1e-3), (8.0, chain, 3e-4)] {
        // Narrow rings: wide ones stretch.
        let fibre = Clamped::new(&kind(&[("segments", segments.into()), ("ring_scale", 2.0.into())]).unwrap());
        let [across, _] = sides(&fibre);
        for (load, x, y) in known {
            let force = scale(load * BENDING / (LENGTH * LENGTH), across);
            let bent = fibre.deflected(force, (10.0 * load) as usize);
            let tip = sub(middle(fibre.tip(), &bent), ROOT.point);
            let found = [dot(tip, ROOT.direction) / LENGTH, dot(tip, across) / LENGTH];
            let off = (found[0] - x).abs().max((found[1] - y).abs());
            assert!(off < most, "{segments} segments, {load}: {found:?} is not {x}, {y}");
        }
    }
}

#[test]
fn a_helical_spring_is_pulled_as_a_curved_rod() {
    let (radius, pitch, turns) = (0.01, 0.004, 3.0);
    let turn = (TAU * radius).hypot(pitch);
    let length = turns * turn;
    // Castigliano: the end moves by the integral of (M_b^2 / EI + M_t^2 / GJ) over the length, per unit of force.
    let at = |s: f64| {
        let (sin, cos) = (TAU * s / turn).sin_cos();
        let point = [radius * cos, radius * sin, pitch * s / turn];
        (point, [-TAU * radius / turn * sin, TAU * radius / turn * cos, pitch / turn])
    };
    let count = 20_000;
    let part = |k: usize| {
        let (point, tangent) = at(length * (k as f64 + 0.5) / count as f64);
        let moment = cross(sub(at(length).0, point), [0.0, 0.0, 1.0]);
        let twist = dot(moment, tangent);
        (dot(moment, moment) - twist * twist) / BENDING + twist * twist / TORSION
    };
    let theory: f64 = (0..count).map(part).sum::<f64>() * length / count as f64;
    let ratio = |per_turn: f64| {
        let own = [("length", length), ("segments", turns * per_turn), ("curl_radius", radius), ("curl_pitch", pitch)];
        let fibre = Clamped::new(&kind(&own.map(|(name, value)| (name, value.into()))).unwrap());
        let force = 1e-9;
        dot(fibre.tip_response(fibre.end_load(scale(force, ROOT.direction))), ROOT.direction) / (force * theory)
    };
    let found = [8.0, 16.0, 32.0].map(ratio);
    // Second order in the length of segments. With lengths along the arc, not the chord, errors would be twice as large.
    for (ratio, most) in found.into_iter().zip([0.025, 0.006, 0.002]) {
        assert!((ratio - 1.0).abs() < most, "{found:?}");
    }
}

#[test]
fn nothing_pulls_at_rest_to_the_bit() {
    let taper = Value::Numbers(vec![9e-5, 7e-5, 4e-5]);
    let own =
        [("diameter", taper), ("segments", 24.0.into()), ("curl_radius", 0.004.into()), ("curl_pitch", 0.01.into())];
    let more = [("curl_jitter", 180.0.into()), ("direction_jitter", 30.0.into())];
    for own in [&[][..], &own, &own.iter().cloned().chain(more).collect::<Vec<_>>()] {
        let fibre = Clamped::new(&kind(own).unwrap());
        let mut f = vec![1.0; fibre.model.dofs()];
        fibre.model.static_force(0.0, fibre.model.rest(), &mut f);
        assert!(f.iter().all(|f| *f == 0.0) && fibre.model.elastic_energy(fibre.model.rest()) == 0.0);
    }
}

/// The forces of edges and faces balance each other, so that their tension is no stiffness. A spring alone keeps it.
#[test]
fn with_fibres_the_automatic_stiffness_is_the_turned_one() {
    assert_eq!(hair(4).model.stiffness_kind(), Stiffness::Turned);
    let mesh = Mesh { points: vec![[0.0; 3], [1.0, 0.0, 0.0]], ..Mesh::default() };
    let springs = vec![SpringPart { pairs: vec![[0, 1]], law: Law::Linear, stiffness: 1.0 }];
    let rope = Blueprint { mesh, springs, node_masses: vec![(0, 1.0), (1, 1.0)], ..Blueprint::default() };
    assert_eq!(rope.build().unwrap().stiffness_kind(), Stiffness::Auto);
}

#[test]
fn the_lowest_frequencies_are_those_of_a_beam() {
    let beam = |young: f64, density: f64, diameter: f64, length: f64| {
        let bending = young * diameter * diameter / 16.0 / density;
        [3.516_015, 22.034_49].map(|factor: f64| factor / (length * length) * bending.sqrt())
    };
    let own = [("length", 0.2.into()), ("segments", 8.0.into())];
    let fibre = Clamped::new(&kind(&own).unwrap());
    let (found, known) = (fibre.frequencies(), beam(YOUNG, DENSITY, DIAMETER, 0.2));
    let ratios = [found[0] / known[0], found[1] / known[0], found[2] / known[1]];
    for (ratio, expected) in ratios.into_iter().zip([0.9958, 0.9958, 0.9965]) {
        assert!((ratio - expected).abs() < 1e-4, "{ratios:?}");
    }
    let own = [("length", 0.01), ("segments", 4.0), ("diameter", 1.2e-4), ("young", 3.2e10), ("density", 1140.0)];
    let own = own.map(|(name, value)| (name, Value::from(value)));
    let own: Vec<_> = own.into_iter().chain([("shear_modulus", 0.0.into()), ("ring_scale", 1.0.into())]).collect();
    let bristle = Clamped::new(&kind(&own).unwrap());
    let ratio = bristle.frequencies()[0] / beam(3.2e10, 1140.0, 1.2e-4, 0.01)[0];
    assert!((ratio - 0.983).abs() < 1e-3, "{ratio}");
}

/// Wide rings keep bending: they soften the stretch and lower the fastest frequency by s^2, and that of twist by s.
#[test]
fn wide_rings_soften_stretch_and_slow_twist() {
    for s in [1.0, 10.0, 20.0, 40.0_f64] {
        let fibre = |length: f64| {
            let own = [("length", length.into()), ("segments", 8.0.into()), ("ring_scale", s.into())];
            Clamped::new(&kind(&own).unwrap())
        };
        let hair = fibre(0.2);
        let (n, rest) = (hair.model.dofs(), hair.model.rest());
        let mass: Vec<f64> = (0..n).map(|i| hair.model.node_mass()[i / 3]).collect();
        let mut k = BlockMatrix::zeros(hair.model.pattern().clone());
        hair.model.stiffness(Stiffness::Exact, rest, &mut k);
        let rayleigh = |u: &[f64]| {
            let mut force = vec![0.0; n];
            k.multiply(u, &mut force);
            let inertia: f64 = (0..n).map(|i| u[i] * mass[i] * u[i]).sum();
            let square = u.iter().zip(&force).map(|(u, f)| u * f).sum::<f64>() / inertia;
            (square.sqrt(), force)
        };
        // The fastest, by iteration.
        let (mut u, mut fastest): (Vec<f64>, f64) = ((0..n).map(|i| (1.7 * i as f64).sin()).collect(), 0.0);
        for _ in 0..400 {
            let (omega, force) = rayleigh(&u);
            fastest = omega;
            let size = force.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
            (0..n).for_each(|i| u[i] = force[i] / (size * mass[i] / mass[0]));
        }
        assert!((7.5e7..1.15e8).contains(&(fastest * s * s)), "{s}: {fastest:e} rad/s");

        // The slowest twist, whose shape is known.
        let mut twist = vec![0.0; n];
        for (r, ring) in hair.rings.iter().enumerate().skip(1) {
            let center = middle(*ring, rest);
            for &i in ring {
                let way = cross(ROOT.direction, sub(of_node(rest, i), center));
                let share = (0.5 * PI * r as f64 / 8.0).sin();
                (0..3).for_each(|c| twist[3 * i + c] = share * way[c]);
            }
        }
        let slowest = rayleigh(&twist).0 * s;
        assert!((slowest / 6877.0 - 1.0).abs() < 2e-3, "{s}: {slowest} rad/s");

        // Stretch of 25 cm by its own weight, over the length.
        let hair = fibre(0.25);
        let weight = |i: usize| 9.81 * hair.model.node_mass()[i / 3] * ROOT.direction[i % 3];
        let u = hair.tip_response((0..hair.model.dofs()).map(weight).collect());
        let (found, theory) = (dot(u, ROOT.direction) / 0.25, DENSITY * 9.81 * 0.25 * s * s / (2.0 * YOUNG));
        assert!((found / theory - 1.0).abs() < 1e-5, "{s}: {found:e} of {theory:e}");
    }
    // Bristles: their rotary inertia slows the swing too.
    let swing = |s: f64| {
        let own = [("length", 0.01), ("segments", 4.0), ("diameter", 1.2e-4), ("young", 3.2e10), ("density", 1140.0)];
        let own = own.into_iter().chain([("ring_scale", s)]).map(|(name, value)| (name, value.into()));
        Clamped::new(&kind(&own.collect::<Vec<_>>()).unwrap()).frequencies()[0]
    };
    let narrow = swing(1.0);
    for (s, slower) in [(3.0, 0.005), (10.0, 0.06)] {
        let found = 1.0 - swing(s) / narrow;
        assert!((found / slower - 1.0).abs() < 0.25, "{s}: {found} slower, {slower} expected");
    }
}

#[test]
fn flat_and_square_sections_bend_by_their_own_moments() {
    let force = 1e-9;
    let bent = |own: &[(&str, Value)]| {
        let all: Vec<_> = own.iter().cloned().chain([("segments", 32.0.into())]).collect();
        let fibre = Clamped::new(&kind(&all).unwrap());
        sides(&fibre).map(|side| dot(fibre.tip_response(fibre.end_load(scale(force, side))), side))
    };
    let moment = |bending: f64| force * LENGTH.powi(3) / (3.0 * YOUNG * bending);
    let [p, q] = [0.5 * DIAMETER, 0.2 * DIAMETER];
    // The first side of a ring is along the long axis.
    let [long, short] = bent(&[("section", "ellipse".into()), ("aspect", 0.4.into())]);
    for (found, known) in [(long, PI / 4.0 * p.powi(3) * q), (short, PI / 4.0 * p * q.powi(3))] {
        assert!((found / moment(known) - 1.0).abs() < 2e-3, "{found} {}", moment(known));
    }
    for found in bent(&[("section", "square".into())]) {
        assert!((found / moment(DIAMETER.powi(4) / 12.0) - 1.0).abs() < 2e-3, "{found}");
    }
}

#[test]
fn taper_gives_each_segment_its_own_stiffness_and_mass() {
    let own = [("diameter", Value::Numbers(vec![9e-5, 4e-5])), ("segments", 32.0.into())];
    let fibre = Clamped::new(&kind(&own).unwrap());
    let mass: f64 = fibre.model.node_mass().iter().sum();
    // A truncated cone.
    let known = DENSITY * LENGTH * PI / 12.0 * (9e-5_f64.powi(2) + 9e-5 * 4e-5 + 4e-5_f64.powi(2));
    assert!((mass / known - 1.0).abs() < 1e-3, "{mass} {known}");
    let [across, _] = sides(&fibre);
    let found = dot(fibre.tip_response(fibre.end_load(scale(1e-9, across))), across);
    let share = |k: usize| (k as f64 + 0.5) / 1000.0;
    let curvature = |s: f64| (1.0 - s).powi(2) / (YOUNG * PI / 64.0 * (9e-5 - 5e-5 * s).powi(4));
    let theory = 1e-9 * LENGTH.powi(3) * (0..1000).map(|k| curvature(share(k))).sum::<f64>() / 1000.0;
    assert!((found / theory - 1.0).abs() < 5e-3, "{}", found / theory);
}

#[test]
fn rings_are_wide_where_fibres_are_slender() {
    for (length, diameter, expected) in [(0.2, 65e-6, 325e-6), (0.01, 1.2e-4, 0.01 / 60.0), (0.01, 0.002, 0.001)] {
        let own = [("length", length), ("diameter", diameter), ("ring_scale", 0.0)];
        let [side, other] = kind(&own.map(|(name, x)| (name, x.into()))).unwrap().ring(length);
        assert!((side / expected - 1.0).abs() < 1e-12 && side == other, "{length}: {side}");
    }
}

#[test]
fn lengths_segments_and_directions_vary_by_the_seed() {
    let numbers = |pair: [f64; 2]| Value::from(pair);
    let made = |seed: f64, roots: usize| {
        let own = [("length", numbers([0.15, 0.25])), ("segments", numbers([6.0, 10.0]))];
        let own: Vec<_> = own.into_iter().chain([("seed", seed.into()), ("direction_jitter", 20.0.into())]).collect();
        Fibres::new(&kind(&own).unwrap(), &vec![ROOT; roots])
    };
    let (few, many, others) = (made(1.0, 20), made(1.0, 200), made(2.0, 20));
    // More roots do not change the first fibres.
    assert_eq!(few.rings[..], many.rings[..20]);
    assert_eq!(few.mesh.points[..], many.mesh.points[..few.mesh.points.len()]);
    assert_ne!(few.mesh.points, others.mesh.points);
    let counts: std::collections::BTreeSet<u32> = many.rings.iter().copied().collect();
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), [7, 8, 9, 10, 11]);
    let most = 20.0_f64.to_radians().cos();
    for tip in many.rings.iter().scan(0, |end, rings| {
        Some({
            *end += *rings as usize;
            *end - 1
        })
    }) {
        let way = sub(scale(0.5, add(many.mesh.points[4 * tip], many.mesh.points[4 * tip + 2])), ROOT.point);
        let length = norm(way);
        assert!((0.15..=0.25).contains(&length) && dot(way, ROOT.direction) >= (most - 1e-12) * length);
    }
}

#[test]
fn values_that_do_not_go_together_are_refused() {
    let refused = |own: &[(&str, Value)], parameter: &str, word: &str| {
        let error = kind(own).err().unwrap_or_else(|| panic!("{own:?} was accepted"));
        let text = error.to_string();
        assert!(matches!(&error, ParameterError::Value { parameter: p, .. } if *p == parameter), "{text}");
        assert!(text.contains(word), "{text}");
    };
    refused(&[("length", 0.0.into())], "length", "above 0");
    refused(&[("segments", 0.0.into())], "segments", "from 1");
    refused(&[("young", (-1.0).into())], "young", "would not straighten");
    refused(&[("shear_modulus", (-1.0).into())], "shear_modulus", "0 or above");
    refused(&[("poisson", 0.7.into())], "poisson", "gain energy");
    refused(&[("length", [0.2, 0.1].into())], "length", "shortest");
    refused(&[("segments", [8.0, 4.0].into())], "segments", "fewest");
    refused(&[("curl_pitch", 0.01.into())], "curl_radius", "asks for a curl");
    let tight = [("curl_radius", 0.001.into()), ("curl_pitch", 0.002.into())];
    refused(&tight, "curl_radius", "fewer than 4 segments");
    let flat = [("curl_radius", 0.004.into()), ("segments", 32.0.into())];
    refused(&flat, "curl_pitch", "lie in each other");
    let wide = [("curl_radius", 0.004.into()), ("curl_pitch", 0.01.into()), ("segments", 32.0.into())];
    let wide: Vec<_> = wide.into_iter().chain([("ring_scale", 200.0.into())]).collect();
    refused(&wide, "ring_scale", "overlap");
    refused(&[("ring_scale", 4000.0.into())], "ring_scale", "slow its swing");
    refused(&[("ring_scale", 0.5.into())], "ring_scale", "1 or more");
    refused(&[("diameter", 0.5.into())], "diameter", "no fibre but a body");
}
