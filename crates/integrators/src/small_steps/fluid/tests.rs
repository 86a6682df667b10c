//! Behaviour of fluid particles, compared with known results.

use super::*;
use collision::{Pose, Shape};
use model::collisions::Collider;

/// Returns pseudo-random numbers between 0 and 1.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

const WATER: Liquid =
    Liquid { spacing: 0.1, density: 1000.0, bulk_modulus: f64::INFINITY, viscosity: 0.0, vorticity: 0.0, cfl: 0.3 };

/// A block of `size` particles along each axis, the first half a spacing from the origin.
fn block(size: [usize; 3], spacing: f64) -> Vec<f64> {
    let at = |k: usize| spacing * (k as f64 + 0.5);
    let mut x = Vec::new();
    for k in 0..size[2] {
        for j in 0..size[1] {
            (0..size[0]).for_each(|i| x.extend([at(i), at(j), at(k)]));
        }
    }
    x
}

/// A step without loads.
fn ahead(h: f64) -> Ahead<'static> {
    Ahead { t: 0.0, h, dt: h, loads: &[] }
}

fn water(x: &[f64], walls: Option<[Vec3; 2]>) -> Fluid {
    Fluid { nodes: (0..x.len() as u32 / 3).collect(), liquid: WATER, walls, obstacles: Vec::new(), friction: 0.0 }
}

/// A fluid without other bodies, moved as the method does it.
struct Pool {
    fluids: Fluids,
    bodies: Bodies,
    model: Model,
    x: Vec<f64>,
    v: Vec<f64>,
    gravity: f64,
}

/// A model of one particle: passes only ask it for node numbers of the mesh.
fn anything() -> Model {
    let mesh = model::mesh::Mesh { points: vec![[0.0; 3]], ..Default::default() };
    model::Blueprint { mesh, node_masses: vec![(0, 1.0)], ..Default::default() }.build().unwrap()
}

fn at(x: &[f64], p: u32) -> Vec3 {
    std::array::from_fn(|c| x[3 * p as usize + c])
}

/// Nodes at x that moved by dx, with inverse masses.
fn bodies(x: &[f64], dx: &[f64], w: &[f64]) -> Bodies {
    let mut bodies = Bodies::new(w.len());
    for p in 0..w.len() {
        let shift = at(dx, p as u32);
        let start = sub(at(x, p as u32), shift);
        bodies.start[p] = Quad([start[0], start[1], start[2], w[p]]);
        bodies.shift[p] = Quad([shift[0], shift[1], shift[2], w[p]]);
    }
    bodies
}

impl Pool {
    fn new(x: Vec<f64>, fluid: &Fluid) -> Pool {
        let n = x.len() / 3;
        let w = 1.0 / fluid.liquid.particle_mass();
        let fluids = Fluids::new(std::slice::from_ref(fluid), &[], 1, |_| w);
        let v = vec![0.0; x.len()];
        Pool { fluids, bodies: bodies(&x, &v, &vec![w; n]), model: anything(), x, v, gravity: 0.0 }
    }

    fn step(&mut self, h: f64, substeps: usize, passes: usize) {
        let dt = h / substeps as f64;
        let Pool { fluids, bodies, .. } = self;
        fluids.substeps = substeps;
        for (k, (x, v)) in self.x.iter().zip(&self.v).enumerate() {
            bodies.start[k / 3].0[k % 3] = *x;
            bodies.shift[k / 3].0[k % 3] = dt * v;
        }
        fluids.begin_step(&self.model, bodies, &ahead(h)).unwrap();
        for k in 0..substeps {
            bodies.shift.iter_mut().for_each(|shift| shift.0[2] -= dt * dt * self.gravity);
            bodies.is_recorded = k + 1 == substeps;
            bodies.pushes.fill(Quad::default());
            (0..passes).for_each(|pass| fluids.solve(bodies, &Substep { t: 0.0, dt, pass, passes }));
            for (start, shift) in bodies.start.iter_mut().zip(&bodies.shift) {
                (0..3).for_each(|c| start.0[c] += shift.0[c]);
            }
            fluids.end_substep(bodies, dt);
        }
        for k in 0..self.x.len() {
            self.x[k] = bodies.start[k / 3].0[k % 3];
            self.v[k] = bodies.shift[k / 3].0[k % 3] / dt;
        }
    }

    /// Returns C of every particle.
    fn errors(&mut self) -> Vec<f64> {
        let still = vec![0.0; self.x.len()];
        let w: Vec<f64> = self.bodies.shift.iter().map(|shift| shift.0[3]).collect();
        self.fluids.begin_step(&self.model, &bodies(&self.x, &still, &w), &ahead(1.0)).unwrap();
        self.fluids.load(&bodies(&self.x, &still, &w));
        self.fluids.total.fill(0.0);
        self.fluids.measure(&self.bodies);
        self.fluids.change.iter().map(|change| change[1]).collect()
    }

    /// Returns the nodes and pressures [Pa] of a substep of `dt` [s].
    fn pressures(&self, dt: f64) -> impl Iterator<Item = (u32, f64)> {
        let volume = self.fluids.spacing.powi(3);
        self.fluids.neighbours.order().iter().zip(&self.fluids.total).map(move |(&p, t)| (p, -t / (volume * dt * dt)))
    }
}

fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn neighbours_are_those_of_brute_force() {
    let mut random = noise(3);
    // A dense block, particles far away so that the grid wraps around, some that coincide.
    let mut points: Vec<Vec3> = (0..1500).map(|_| std::array::from_fn(|_| random())).collect();
    points.extend((0..40).map(|_| std::array::from_fn(|_| 1e4 * (random() - 0.5))));
    points.extend([[0.5; 3], [0.5; 3], [-1e18, 0.0, 3.0], [1e300, 0.0, 0.0]]);
    let mut neighbours = Neighbours::default();
    let radius = 0.17;
    for _ in 0..2 {
        neighbours.make(&points, radius);
        let order = neighbours.order();
        for (i, &p) in order.iter().enumerate() {
            let list = neighbours.chunks[i / CHUNK].of(i % CHUNK).as_flattened();
            let mut found: Vec<u32> =
                list.iter().filter(|&&j| (j as usize) < points.len()).map(|&j| order[j as usize]).collect();
            found.sort_unstable();
            let near = |q: u32| norm(sub(points[p as usize], points[q as usize])) <= radius && q != p;
            let expected: Vec<u32> = (0..points.len() as u32).filter(|&q| near(q)).collect();
            assert_eq!(found, expected, "particle {p}");
        }
        assert_eq!(neighbours.crowded(), None);
    }
}

#[test]
fn block_at_rest_stays_at_rest() {
    let x = block([8, 7, 9], 0.1);
    for walls in [None, Some([[0.0; 3], [0.8, 0.7, 0.9]])] {
        let mut pool = Pool::new(x.clone(), &water(&x, walls));
        assert!(pool.errors().iter().all(|error| *error < 1e-12));
        (0..20).for_each(|_| pool.step(1.0 / 60.0, 4, 2));
        let moved = pool.x.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(moved < 1e-12, "{moved}");
    }
}

#[test]
fn momentum_is_kept_without_walls() {
    let mut random = noise(5);
    let x: Vec<f64> = block([9, 9, 9], 0.07).into_iter().map(|c| c + 0.03 * (random() - 0.5)).collect();
    let mut fluid = water(&x, None);
    fluid.liquid.viscosity = 3.0;
    fluid.liquid.cfl = 1e6;
    let mut pool = Pool::new(x.clone(), &fluid);
    pool.v.iter_mut().for_each(|v| *v = random() - 0.5);
    let sum = |v: &[f64]| -> Vec3 { std::array::from_fn(|c| v.iter().skip(c).step_by(3).sum()) };
    let (before, fastest) = (sum(&pool.v), pool.v.iter().fold(0.0f64, |a, v| a.max(v.abs())));
    pool.step(1.0 / 60.0, 5, 2);
    let after = sum(&pool.v);
    assert!(pool.v.iter().fold(0.0f64, |a, v| a.max(v.abs())) > fastest, "compressed, it flies apart");
    (0..3).for_each(|c| assert!((after[c] - before[c]).abs() < 1e-10, "{before:?} {after:?}"));

    // The forces of the last substep are internal too.
    let mut pool = Pool::new(x, &fluid);
    pool.step(1.0 / 60.0, 1, 1);
    let f: Vec<f64> = pool.bodies.pushes.iter().flat_map(vector).collect();
    let total = sum(&f);
    assert!(rms(&f) > 0.0 && total.iter().all(|t| t.abs() < 1e-10 * rms(&f) * f.len() as f64), "{total:?}");
}

#[test]
fn pressure_grows_with_depth() {
    let size = [6, 6, 16];
    let mut random = noise(2);
    let x: Vec<f64> = block(size, 0.1).into_iter().map(|c| c + 0.01 * (random() - 0.5)).collect();
    let mut fluid = water(&x, Some([[0.0; 3], [0.6, 0.6, 4.0]]));
    fluid.liquid.viscosity = 50.0;
    let mut pool = Pool::new(x, &fluid);
    pool.gravity = 10.0;
    let (h, substeps) = (1.0 / 60.0, 8);
    (0..180).for_each(|_| pool.step(h, substeps, 1));
    assert!(rms(&pool.v) < 0.01, "at rest: {} m/s", rms(&pool.v));
    // Mean pressure of each layer over some time, because particles jitter by rounding errors of dt^2.
    let mut by_height = vec![(0.0, 0.0, 0.0); size[2]];
    for _ in 0..20 {
        pool.step(h, substeps, 1);
        for (node, pressure) in pool.pressures(h / substeps as f64) {
            let z = pool.x[3 * node as usize + 2];
            let layer = ((z / 0.1) as usize).min(size[2] - 1);
            by_height[layer].0 += pressure;
            by_height[layer].1 += z;
            by_height[layer].2 += 1.0;
        }
    }
    // On a lattice the gradient reaches only the adjacent layers, and the pressure of a layer itself cancels: the
    // difference between the layers above and below carries it. So even and odd layers carry separately
    // (docs/decisions/0012), and pairs of layers are compared. Their slope is that of the gradient, 1.05; a tenth is
    // allowed.
    let surface = 0.1 * size[2] as f64;
    for pair in by_height[..size[2] - 2].chunks(2) {
        let (pressure, z, count) = pair.iter().fold((0.0, 0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
        let (pressure, exact) = (pressure / count, 1000.0 * 10.0 * (surface - z / count + 0.05));
        let layers: Vec<String> = pair.iter().map(|(sum, _, count)| format!("{:.0}", sum / count)).collect();
        println!("{:.3} m: {pressure:.0} of {exact:.0} Pa, layers {}", z / count, layers.join(" and "));
        assert!(
            (pressure - exact).abs() < 0.1 * 1000.0 * 10.0 * surface,
            "{pressure} of {exact} Pa at {} m",
            z / count
        );
    }
}

#[test]
fn substeps_keep_the_volume_better_than_iterations() {
    let mut compressed = Vec::new();
    for (substeps, iterations) in [(1, 10), (10, 1)] {
        let x = block([8, 8, 40], 0.1);
        let mut fluid = water(&x, Some([[0.0; 3], [1.6, 0.8, 9.0]]));
        fluid.liquid.cfl = 1.0;
        let mut pool = Pool::new(x, &fluid);
        pool.gravity = 9.81;
        let mut worst: f64 = 0.0;
        for _ in 0..60 {
            pool.step(1.0 / 60.0, substeps, iterations);
            worst = worst.max(pool.fluids.compression());
        }
        println!("{substeps} x {iterations}: mean compression {worst}, lists {}", pool.fluids.listed);
        compressed.push(worst);
    }
    assert!(compressed[1] < 0.5 * compressed[0], "{compressed:?}");
    assert!(compressed[1] < 0.03, "{compressed:?}");
}

#[test]
fn same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        let mut random = noise(9);
        let x: Vec<f64> = block([12, 12, 12], 0.09).into_iter().map(|c| c + 0.02 * random()).collect();
        let mut fluid = water(&x, Some([[0.0; 3], [2.0, 1.2, 3.0]]));
        fluid.liquid.viscosity = 1.0;
        fluid.liquid.vorticity = 0.1;
        let mut pool = Pool::new(x, &fluid);
        pool.gravity = 9.81;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        threads.install(|| (0..5).for_each(|_| pool.step(1.0 / 60.0, 4, 2)));
        pool.x.iter().chain(&pool.v).map(|x| x.to_bits()).collect::<Vec<u64>>()
    };
    let one = run(1);
    assert!(run(2) == one && run(4) == one);
}

#[test]
fn nobody_moves_farther_than_the_bound() {
    let x = block([6, 6, 6], 0.03);
    let mut pool = Pool::new(x.clone(), &water(&x, None));
    pool.v.iter_mut().enumerate().for_each(|(k, v)| *v = if k % 7 == 0 { 1e4 } else { 0.0 });
    for _ in 0..5 {
        let before = pool.x.clone();
        pool.step(1.0 / 60.0, 1, 3);
        for p in 0..x.len() as u32 / 3 {
            let way = norm(sub(at(&pool.x, p), at(&before, p)));
            assert!(way <= 0.3 * 0.05 * (1.0 + 1e-12), "{way}");
        }
    }
}

#[test]
fn walls_and_obstacles_are_kept_clear_of() {
    let x = block([6, 6, 12], 0.1);
    let mut fluid = water(&x, Some([[0.0; 3], [1.2, 0.6, 9.0]]));
    let (shape, pose) = (Shape::Ball { radius: 0.2 }, Pose::at([0.9, 0.3, 0.2]));
    fluid.obstacles =
        vec![Collider { shape, pose, motion: None, friction: 0.2, restitution: 0.0, nodes: vec![], rigids: vec![] }];
    fluid.friction = 0.2;
    let mut pool = Pool::new(x, &fluid);
    pool.gravity = 9.81;
    (0..60).for_each(|_| pool.step(1.0 / 60.0, 10, 1));
    for p in 0..pool.x.len() as u32 / 3 {
        let at = at(&pool.x, p);
        assert!(
            at.iter().zip([1.2, 0.6, 9.0]).all(|(c, high)| *c > 0.05 - 1e-12 && *c < high - 0.05 + 1e-12),
            "{at:?}"
        );
        // The ball is closer to the walls than a particle's width: a particle may be pushed into it there, by a little.
        assert!(norm(sub(at, [0.9, 0.3, 0.2])) > 0.2, "{at:?}");
    }
}

#[test]
fn odd_fluids_are_defined() {
    // None, one, all at one point, and two pairs that coincide among others.
    let mut pair = block([3, 3, 3], 0.1);
    let copy = at(&pair, 13);
    pair.extend(copy);
    for x in [vec![], vec![0.3, 0.2, 0.1], [0.25; 3].repeat(300), pair] {
        let mut fluid = water(&x, Some([[0.0; 3], [1.0; 3]]));
        fluid.liquid.viscosity = 1.0;
        fluid.liquid.vorticity = 0.1;
        let mut pool = Pool::new(x, &fluid);
        pool.gravity = 9.81;
        (0..10).for_each(|_| pool.step(1.0 / 60.0, 3, 2));
        assert!(pool.x.iter().chain(&pool.v).all(|x| x.is_finite()));
        assert!(pool.errors().iter().all(|error| error.is_finite()));
    }
    // NaN stays where it is, and nothing hangs.
    let mut x = block([4, 4, 4], 0.1);
    x[10] = f64::NAN;
    let mut pool = Pool::new(x.clone(), &water(&x, None));
    pool.step(1.0 / 60.0, 2, 1);
    assert!(pool.x[10].is_nan());
}

#[test]
fn bodies_are_pushed_by_the_fluid() {
    // A free node below compressed particles is pushed down, and momentum is conserved.
    let mut x = block([5, 5, 3], 0.08);
    let n = x.len() as u32 / 3;
    x.extend([0.2, 0.2, -0.05]);
    let mut fluid = water(&x, None);
    fluid.nodes.truncate(n as usize);
    fluid.liquid.cfl = 1e6;
    let mut masses = vec![1.0 / fluid.liquid.particle_mass(); n as usize + 1];
    masses[n as usize] = 1.0 / 5.0;
    let mut fluids = Fluids::new(&[fluid], &[(n, 1e-3)], 1, |node| masses[node as usize]);
    let mut nodes = bodies(&x, &vec![0.0; x.len()], &masses);
    fluids.begin_step(&anything(), &nodes, &ahead(0.01)).unwrap();
    fluids.solve(&mut nodes, &Substep { t: 0.0, dt: 0.01, pass: 0, passes: 1 });
    let moved: Vec<f64> = nodes.shift.iter().flat_map(vector).collect();
    assert!(moved[moved.len() - 1] < -1e-6, "{moved:?}");
    for c in 0..3 {
        let sum: f64 = (0..=n as usize).map(|p| moved[3 * p + c] / masses[p]).sum();
        assert!(sum.abs() < 1e-15, "{sum}");
    }
}

#[test]
fn held_bodies_bear_what_the_fluid_pushes() {
    let mut x = block([5, 5, 3], 0.08);
    let n = x.len() as u32 / 3;
    x.extend([0.2, 0.2, -0.05]);
    let mut fluid = water(&x, None);
    fluid.nodes.truncate(n as usize);
    fluid.liquid.cfl = 1e6;
    let mut masses = vec![1.0 / fluid.liquid.particle_mass(); n as usize + 1];
    masses[n as usize] = 0.0;
    let mut fluids = Fluids::new(&[fluid], &[(n, 1e-3)], 1, |node| masses[node as usize]);
    let mut nodes = bodies(&x, &vec![0.0; x.len()], &masses);
    nodes.is_recorded = true;
    fluids.begin_step(&anything(), &nodes, &ahead(0.01)).unwrap();
    // Two passes: their pushes add up.
    (0..2).for_each(|pass| fluids.solve(&mut nodes, &Substep { t: 0.0, dt: 0.01, pass, passes: 2 }));
    assert_eq!(vector(&nodes.shift[n as usize]), [0.0; 3]);
    let borne = vector(&nodes.pushes[n as usize]);
    assert!(borne[2] < -1e-5, "{borne:?}");
    for c in 0..3 {
        let sum: f64 = nodes.pushes.iter().map(|push| push.0[c]).sum();
        assert!(sum.abs() < 1e-13, "{sum}");
    }
}

/// Computes the largest eigenvalue of Jacobi's matrix D^-1 J W J^T by power iteration, with all constraints active.
#[test]
fn relaxation_is_below_the_limit_of_stability() {
    let mut random = noise(21);
    let mut most: f64 = 0.0;
    for shake in [0.0, 0.03, 0.06] {
        let x: Vec<f64> = block([12, 12, 12], 0.095).into_iter().map(|c| c + shake * (random() - 0.5)).collect();
        let mut pool = Pool::new(x.clone(), &water(&x, None));
        pool.errors();
        let (mut fluids, nobody) = (pool.fluids, pool.bodies);
        let n = fluids.total.len();
        let wanted: Vec<f64> = fluids.change.iter().map(|[change, _]| *change).collect();
        let mut y: Vec<f64> = (0..n).map(|_| random() - 0.5).collect();
        let mut largest = 0.0;
        for _ in 0..200 {
            let size = y.iter().map(|y| y * y).sum::<f64>().sqrt();
            y.iter_mut().for_each(|y| *y /= size);
            // Change of C by the multipliers y, to first order.
            let small = 1e-9;
            let errors: Vec<f64> = fluids.change.iter().map(|change| change[1]).collect();
            let rows = fluids.rows.clone();
            (0..n).for_each(|i| fluids.rows[i].0[3] = y[i]);
            let pushed: Vec<Vec3> = (0..n)
                .map(|i| {
                    let push = fluids.sorted().push::<true>(
                        i,
                        fluids.neighbours.chunks[i / CHUNK].of(i % CHUNK),
                        &nobody,
                        &mut [],
                    );
                    add(vector(&rows[i]), scale(small * fluids.kind(i).0[1], push))
                })
                .collect();
            (0..n).for_each(|i| fluids.rows[i] = Quad([pushed[i][0], pushed[i][1], pushed[i][2], 0.0]));
            fluids.measure(&nobody);
            let product: Vec<f64> = (0..n).map(|i| (fluids.change[i][1] - errors[i]) / small).collect();
            fluids.rows = rows;
            fluids.measure(&nobody);
            // The diagonal, from the multiplier computed for C.
            let image: Vec<f64> = (0..n)
                .map(
                    |i| if wanted[i] < 0.0 { product[i] * wanted[i] / (-density::RELAXATION * errors[i]) } else { 0.0 },
                )
                .collect();
            largest = image.iter().zip(&y).map(|(a, b)| a * b).sum::<f64>();
            y = image;
        }
        println!("shaken by {shake}: {largest}");
        most = largest.max(most);
    }
    assert!(most * density::RELAXATION < 4.0 / 3.0, "{most}");
}
