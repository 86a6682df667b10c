//! The solver of components against the general one.

use super::super::tests::{Noise, residual, springs};
use super::super::{Cholesky, Solver, SolverKind, choose, choose_for_steps};
use super::*;

const STOP: Stop = Stop::at(1e-12, 1000);

/// Nodes and cliques of bodies, joined into one pattern.
#[derive(Default)]
struct Bodies {
    rows: u32,
    cliques: Vec<Vec<u32>>,
}

impl Bodies {
    fn add(&mut self, nodes: u32, cliques: impl IntoIterator<Item = Vec<u32>>) {
        let from = self.rows;
        self.cliques.extend(cliques.into_iter().map(|clique| clique.into_iter().map(|i| from + i).collect()));
        self.rows += nodes;
    }

    /// Rings of four, complete, and the four faces between neighbouring rings.
    fn fibre(&mut self, rings: u32) {
        let ring = (0..rings).map(|r| (4 * r..4 * r + 4).collect());
        let faces = (1..rings).flat_map(|r| {
            (0..4).map(move |k| vec![4 * r - 4 + k, 4 * r - 4 + (k + 1) % 4, 4 * r + k, 4 * r + (k + 1) % 4])
        });
        self.add(4 * rings, ring.chain(faces).collect::<Vec<_>>());
    }

    fn chain(&mut self, links: u32) {
        self.add(links + 1, (0..links).map(|k| vec![k, k + 1]));
    }

    /// A patch of cloth, not banded for long.
    fn patch(&mut self, side: u32) {
        let cells = (0..side - 1).flat_map(|x| (0..side - 1).map(move |y| (x, y)));
        self.add(
            side * side,
            cells.map(|(x, y)| {
                let at = side * x + y;
                vec![at, at + 1, at + side, at + side + 1]
            }),
        );
    }

    fn pattern(&self) -> Arc<Pattern> {
        Arc::new(Pattern::from_cliques(self.rows as usize, self.cliques.iter().map(|clique| clique.as_slice())))
    }

    /// The same bodies with nodes numbered at random.
    fn shuffled(&self, seed: u64) -> Arc<Pattern> {
        let keys = Noise::new(seed).vector(self.rows as usize);
        let mut order: Vec<u32> = (0..self.rows).collect();
        order.sort_by(|&i, &j| keys[i as usize].total_cmp(&keys[j as usize]));
        let cliques: Vec<Vec<u32>> =
            self.cliques.iter().map(|clique| clique.iter().map(|&i| order[i as usize]).collect()).collect();
        Arc::new(Pattern::from_cliques(self.rows as usize, cliques.iter().map(|clique| clique.as_slice())))
    }
}

/// Fibres of several lengths, chains, loose nodes, patches, and bodies that are alone or too large for a pack.
fn mixed() -> Bodies {
    let mut bodies = Bodies::default();
    for k in 0..43 {
        bodies.fibre(6 + k % 3);
        bodies.chain(5);
        bodies.add(1, []);
        if k % 4 == 0 {
            bodies.patch(5);
        }
    }
    bodies.chain(7);
    bodies.patch(30);
    bodies
}

fn fibres(count: u32) -> Bodies {
    let mut bodies = Bodies::default();
    (0..count).for_each(|_| bodies.fibre(8));
    bodies
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) / size
}

#[test]
fn solutions_are_those_of_the_general_solver() {
    for pattern in [fibres(19).pattern(), fibres(19).shuffled(3), mixed().pattern(), mixed().shuffled(5)] {
        let a = springs(&pattern, 0.5, 7);
        let mut components = Components::new(&pattern, STOP).unwrap();
        let mut general = Cholesky::new(&pattern).unwrap();
        assert_eq!(components.prepare(&a), Ok(Definiteness::Positive));
        general.prepare(&a).unwrap();
        for columns in [1, 3, 4, 7] {
            let b = Noise::new(columns as u64).vector(columns * a.dim());
            let (mut x, mut y) = (b.clone(), b.clone());
            components.solve(&a, &mut x, columns).unwrap();
            general.solve(&a, &mut y, columns).unwrap();
            assert!(apart(&x, &y) < 1e-12, "{columns} columns: {:.1e}", apart(&x, &y));
            assert!(residual(&a, &x[..a.dim()], &b[..a.dim()]) < 1e-12);
            // Several columns are the same as single ones: to the bit, except for the rest.
            let mut last = b[(columns - 1) * a.dim()..].to_vec();
            components.solve(&a, &mut last, 1).unwrap();
            let off = apart(&last, &x[(columns - 1) * a.dim()..]);
            assert!(off <= if components.rest() == 0 { 0.0 } else { 1e-13 }, "{off:.1e}");
        }
        assert_eq!(components.work(), Work { factorisations: 1, solves: 15 + 4, ..Work::default() });
    }
}

#[test]
fn components_of_one_shape_are_one_group_however_they_are_numbered() {
    let whole = |bodies: &Bodies, pattern: Arc<Pattern>| {
        let components = Components::new(&pattern, STOP).unwrap();
        (components.shapes(), components.rest(), bodies.rows)
    };
    for seed in 1..4 {
        assert_eq!(whole(&fibres(50), fibres(50).shuffled(seed)), (1, 0, 1600));
    }
    // Three lengths of fibres, chains, nodes, patches; the long chain and the large patch are the rest.
    assert_eq!(whole(&mixed(), mixed().pattern()), (6, 8 + 900, mixed().rows));
    assert_eq!(whole(&mixed(), mixed().shuffled(2)), (6, 8 + 900, mixed().rows));
}

#[test]
fn a_fibre_has_the_factor_of_its_rings() {
    let pattern = fibres(8).pattern();
    let partition = Partition::new(&pattern);
    let [group] = &partition.groups[..] else { panic!("{} groups", partition.groups.len()) };
    // Eight rings of 6 blocks and 4 triangles, seven couplings of at most 16 blocks.
    assert!(group.shape.blocks() <= 8 * 6 + 7 * 16, "{}", group.shape.blocks());
    assert!(group.shape.flops() < 35e3, "{}", group.shape.flops());
}

#[test]
fn indefinite_and_singular_components_are_as_with_the_general_solver() {
    for pattern in [fibres(21).pattern(), mixed().shuffled(4)] {
        let mut a = springs(&pattern, 0.5, 7);
        // Nodes that are pushed away, in three components.
        for (i, push) in [(5, 300.0), (77, 40.0), (321, 500.0)] {
            (0..3).for_each(|k| a.values[pattern.diagonal(i)][k][k] -= push);
        }
        let mut components = Components::new(&pattern, STOP).unwrap();
        let mut general = Cholesky::new(&pattern).unwrap();
        let found = components.prepare(&a);
        assert!(matches!(found, Ok(Definiteness::Indefinite { negative }) if negative > 3), "{found:?}");
        assert_eq!(found, general.prepare(&a));
        assert_eq!(components.definiteness(), general.definiteness());
        assert_eq!(components.work().factorisations, 2);
        for columns in [1, 5] {
            let b = Noise::new(1).vector(columns * a.dim());
            let (mut x, mut y) = (b.clone(), b.clone());
            components.solve(&a, &mut x, columns).unwrap();
            general.solve(&a, &mut y, columns).unwrap();
            assert!(apart(&x, &y) < 1e-9, "{:.1e}", apart(&x, &y));
            x.chunks(a.dim()).zip(b.chunks(a.dim())).for_each(|(x, b)| assert!(residual(&a, x, b) < 1e-11));
        }
        // The next matrix is positive definite again.
        let a = springs(&pattern, 0.5, 8);
        assert_eq!(components.prepare(&a), Ok(Definiteness::Positive));
        let b = Noise::new(2).vector(a.dim());
        let mut x = b.clone();
        components.solve(&a, &mut x, 1).unwrap();
        assert!(residual(&a, &x, &b) < 1e-12);
        // A node without any stiffness is named.
        let mut loose = springs(&pattern, 0.5, 7);
        for &j in pattern.columns(100) {
            loose.values[pattern.slot(100, j as usize).unwrap()] = [[0.0; 3]; 3];
        }
        assert_eq!(components.prepare(&loose), Err(LinearError::Singular { row: Some(100) }));
        assert_eq!(components.solve(&loose, &mut x, 1), Err(LinearError::NotPrepared));
        // Without mass the springs resist no translation.
        let free = components.prepare(&springs(&pattern, 0.0, 7));
        assert!(matches!(free, Err(LinearError::Singular { .. })), "{free:?}");
    }
}

#[test]
fn what_is_not_finite_is_named() {
    let pattern = mixed().shuffled(9);
    for bad in [f64::NAN, f64::INFINITY] {
        let good = springs(&pattern, 0.1, 1);
        for row in [37, 500, 1200] {
            let mut a = good.clone();
            a.values[pattern.lower(row).next().unwrap().1][2][1] = bad;
            let mut components = Components::new(&pattern, STOP).unwrap();
            assert_eq!(components.prepare(&a), Err(LinearError::NonFinite { row }));
            components.prepare(&good).unwrap();
            let mut b = vec![1.0; a.dim()];
            b[3 * row + 2] = bad;
            assert_eq!(components.solve(&good, &mut b, 1), Err(LinearError::NonFinite { row }));
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads_packs_or_units() {
    let pattern = mixed().pattern();
    let mut indefinite = springs(&pattern, 0.5, 7);
    (0..3).for_each(|k| indefinite.values[pattern.diagonal(40)][k][k] -= 300.0);
    let run = |a: &BlockMatrix, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut solver = Components::new(a.pattern(), STOP).unwrap();
            solver.prepare(a).unwrap();
            let mut x = Noise::new(4).vector(5 * a.dim());
            solver.solve(a, &mut x, 5).unwrap();
            x
        })
    };
    let definite = springs(&pattern, 0.5, 7);
    for a in [&definite, &indefinite] {
        let expected = run(a, 1);
        for threads in [2, 3, 8] {
            assert!(run(a, threads) == expected, "{threads} threads");
        }
    }
    // Another unit of stiffness scales the solutions of packs and changes nothing else.
    let pattern = fibres(11).pattern();
    let a = springs(&pattern, 0.5, 7);
    let mut halved = a.clone();
    halved.set_scaled(0.5, &a);
    assert!(run(&halved, 1).iter().zip(run(&a, 1)).all(|(x, y)| *x == 2.0 * y));
    // A component is solved alike in any pack: the first fibre of eleven and of nineteen.
    let more = springs(&fibres(19).pattern(), 0.5, 7);
    let mut solver = Components::new(more.pattern(), STOP).unwrap();
    solver.prepare(&more).unwrap();
    let mut x = Noise::new(4).vector(more.dim());
    solver.solve(&more, &mut x, 1).unwrap();
    assert!(x[..96] == run(&a, 1)[..96]);
}

#[test]
fn the_rule_takes_components_where_their_work_is() {
    let knows = |bodies: &Bodies| Plan::of_groups(&bodies.pattern()).is_some_and(|plan| plan.pays());
    assert!(knows(&fibres(8)) && knows(&fibres(600)));
    // One body, and bodies too few for a pack.
    assert!(!knows(&fibres(1)) && !knows(&fibres(2)));
    // A few loose nodes beside a body that takes all the work.
    let mut bodies = Bodies::default();
    (0..10).for_each(|_| bodies.add(1, []));
    bodies.patch(30);
    assert!(!knows(&bodies) && Plan::of_groups(&bodies.pattern()).is_some());
    // Every kind serves every pattern.
    for kind in [SolverKind::Auto, SolverKind::Components, SolverKind::Direct] {
        for bodies in [Bodies::default(), fibres(1), fibres(9), mixed()] {
            let a = springs(&bodies.pattern(), 0.5, 7);
            let mut solver = choose(a.pattern(), kind, STOP).unwrap();
            solver.prepare(&a).unwrap();
            let b = Noise::new(1).vector(a.dim());
            let mut x = b.clone();
            solver.solve(&a, &mut x, 1).unwrap();
            assert!(b.is_empty() || residual(&a, &x, &b) < 1e-12);
        }
    }
    assert!(matches!(choose_for_steps(&fibres(9).pattern(), SolverKind::Auto, STOP), Ok(Solver::Plain(_))));
}

/// Returns all eigenvalues of K x = lam M x of one component, ascending.
fn eigenvalues(k: &BlockMatrix, mass: &[f64]) -> Vec<f64> {
    let of = |i: usize, j: usize| k.block(i / 3, j / 3)[i % 3][j % 3] / (mass[i / 3] * mass[j / 3]).sqrt();
    let dense = faer::Mat::from_fn(k.dim(), k.dim(), of);
    dense.self_adjoint_eigenvalues(faer::Side::Lower).unwrap()
}

#[test]
fn every_component_has_its_own_lowest_modes() {
    let mut bodies = Bodies::default();
    (0..21).for_each(|k| bodies.fibre(6 + k % 2));
    let pattern = bodies.shuffled(3);
    let k = springs(&pattern, 1e-3, 5);
    let mass: Vec<f64> = Noise::new(8).vector(pattern.rows()).iter().map(|x| 1.5 + x).collect();
    let wanted = 5;
    let mut modes = ComponentModes::new(&pattern, wanted).unwrap();
    let searched = modes.find(&k, &mass, 1e-7);
    assert!(searched.angle <= 1e-7 && searched.passes > 1, "{searched:?}");

    // Eigenvalues.
    let mut seen: Vec<bool> = vec![false; pattern.rows()];
    for row in 0..pattern.rows() {
        if seen[row] {
            continue;
        }
        let mut rows = vec![row as u32];
        seen[row] = true;
        let mut next = 0;
        while next < rows.len() {
            for &j in pattern.columns(rows[next] as usize) {
                if !std::mem::replace(&mut seen[j as usize], true) {
                    rows.push(j);
                }
            }
            next += 1;
        }
        rows.sort_unstable();
        let (own, slots) = rest::restricted(&pattern, &rows);
        let mut alone = BlockMatrix::zeros(own);
        alone.values.iter_mut().zip(slots).for_each(|(to, slot)| *to = k.values[slot as usize]);
        let mass: Vec<f64> = rows.iter().map(|&i| mass[i as usize]).collect();
        for (lam, exact) in modes.values_at(row)[..wanted].iter().zip(eigenvalues(&alone, &mass)) {
            assert!((lam - exact).abs() < 1e-10 * exact.abs() + 1e-12, "{lam:e}, not {exact:e}");
        }
    }

    // Vectors: orthonormal, so what they take from a vector is gone the second time.
    let n = 3 * pattern.rows();
    let project = |modes: &mut ComponentModes, v: &mut [f64]| {
        let mv: Vec<f64> = v.iter().enumerate().map(|(i, v)| mass[i / 3] * v).collect();
        modes.add_responses([&mv], |_, [w]| [-w, 0.0], [v, &mut vec![0.0; n]]);
    };
    let mut v = Noise::new(2).vector(n);
    project(&mut modes, &mut v);
    let once = v.clone();
    project(&mut modes, &mut v);
    assert!(apart(&v, &once) < 1e-12, "{:.1e}", apart(&v, &once));
    // They are modes: K U = M U Lam on a combination of all.
    let (mut u, mut lam_u, mut ku) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    modes.add_responses([&once], |lam, _| [1.0, lam], [&mut u, &mut lam_u]);
    k.multiply(&u, &mut ku);
    lam_u.iter_mut().enumerate().for_each(|(i, x)| *x *= mass[i / 3]);
    assert!(apart(&ku, &lam_u) < 1e-5, "{:.1e}", apart(&ku, &lam_u));

    // Known modes are found at once, a stiffness nearby in a few passes, and both from memory to the bit.
    let memory = modes.memory();
    let again = modes.find(&k, &mass, 1e-6);
    assert_eq!(again.passes, 1);
    let near = springs(&pattern, 2e-3, 5);
    assert!(modes.recall(&memory));
    let first = modes.find(&near, &mass, 1e-4);
    let expected = modes.memory();
    let mut other = ComponentModes::new(&pattern, wanted).unwrap();
    assert!(!other.recall(&memory[1..]) && other.recall(&memory));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert_eq!(pool.install(|| other.find(&near, &mass, 1e-4)), first);
    assert!(other.memory() == expected && first.passes < 6, "{first:?}");
}

#[test]
fn components_that_are_not_positive_definite_have_no_modes() {
    let pattern = fibres(9).pattern();
    let mut k = springs(&pattern, 0.1, 5);
    (0..3).for_each(|c| k.values[pattern.diagonal(40)][c][c] -= 300.0);
    let mass = vec![1.0; pattern.rows()];
    let mut modes = ComponentModes::new(&pattern, 3).unwrap();
    modes.find(&k, &mass, 1e-4);
    assert!(modes.values_at(40).iter().all(|lam| lam.is_infinite()));
    assert!(modes.values_at(0).iter().all(|lam| lam.is_finite()));
    let (ones, mut u, mut nothing) =
        (vec![1.0; 3 * pattern.rows()], vec![0.0; 3 * pattern.rows()], vec![0.0; 3 * pattern.rows()]);
    modes.add_responses([&ones], |_, _| [1.0, 0.0], [&mut u, &mut nothing]);
    assert!(u[3 * 32..3 * 64].iter().all(|&u| u == 0.0) && u[..96].iter().any(|&u| u != 0.0));
    // They come back.
    let searched = modes.find(&springs(&pattern, 0.1, 5), &mass, 1e-4);
    assert!(searched.angle < 1e-4 && modes.values_at(40).iter().all(|lam| lam.is_finite()));
    // Nodes that are alone, rows in no group, and no modes at all.
    assert!(ComponentModes::new(&mixed().pattern(), 3).is_none() && ComponentModes::new(&pattern, 0).is_none());
}

#[test]
fn a_shape_of_one_component_is_packed_among_fuller_ones() {
    let with = |alike: u32| {
        let mut bodies = fibres(alike);
        bodies.fibre(5);
        Packs::of_all(&bodies.pattern())
    };
    // Ten bodies would fill three packs to less than a half.
    assert!(with(9).is_none());
    let packs = with(14).unwrap();
    assert!(packs.iter().map(Packs::members).eq([14, 1]) && packs.iter().map(Packs::count).eq([2, 1]));
    assert!(Packs::of_all(&mixed().pattern()).is_none());
}
