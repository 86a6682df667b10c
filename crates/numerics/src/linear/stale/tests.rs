//! A stored factor gives the same answers as a new one, whatever happens between.

use super::*;
use crate::linear::tests::{Noise, grid, residual};
use crate::mat3::{Vec3, mat_vec, outer, rotation, scale, sub};

const STOP: Stop = Stop::at(1e-8, 500);

/// A box of springs of stiffness k along the edges of the grid, with unit masses.
pub(in crate::linear) struct SpringBox {
    pub pattern: Arc<Pattern>,
    pub x: Vec<f64>,
    pub stiffness: f64,
}

impl SpringBox {
    pub fn new(size: [usize; 3], stiffness: f64) -> SpringBox {
        let [nx, ny, nz] = size;
        let at = |i: usize| [i / (ny * nz), i / nz % ny, i % nz].map(|c| c as f64);
        let x = (0..nx * ny * nz).flat_map(at).collect();
        SpringBox { pattern: grid(nx, ny, nz), x, stiffness }
    }

    fn node(&self, i: usize) -> Vec3 {
        [self.x[3 * i], self.x[3 * i + 1], self.x[3 * i + 2]]
    }

    /// Moves every node by `to`.
    fn moved(&self, to: impl Fn(Vec3) -> Vec3) -> SpringBox {
        let x = (0..self.pattern.rows()).flat_map(|i| to(self.node(i))).collect();
        SpringBox { pattern: self.pattern.clone(), x, ..*self }
    }

    pub fn matrix(&self) -> BlockMatrix {
        let mut a = BlockMatrix::zeros(self.pattern.clone());
        for i in 0..self.pattern.rows() {
            for (j, slot) in self.pattern.lower(i) {
                if i == j {
                    (0..3).for_each(|c| a.values[slot][c][c] += 1.0);
                    continue;
                }
                let edge = sub(self.node(i), self.node(j));
                let block = outer(scale(self.stiffness, edge), edge);
                for r in 0..3 {
                    for c in 0..3 {
                        a.values[slot][r][c] -= block[r][c];
                        a.values[self.pattern.diagonal(i)][r][c] += block[r][c];
                        a.values[self.pattern.diagonal(j)][r][c] += block[r][c];
                    }
                }
            }
        }
        a
    }

    fn solver(&self) -> Stale {
        Stale::new(&self.pattern, Ordering::best(&self.pattern), STOP)
    }

    /// A solver whose hierarchy gives way to a factor, which is cheaper on so small a body.
    fn unsuited(&self) -> Stale {
        Stale::with_hierarchy(&self.pattern, Ordering::best(&self.pattern), STOP)
    }

    /// A solver that has a hierarchy as long as iterations converge.
    fn layered(&self) -> Stale {
        Stale { is_huge: true, ..Stale::with_hierarchy(&self.pattern, Ordering::best(&self.pattern), STOP) }
    }
}

/// Prepares and solves for noise: returns the solution and its iterations.
fn step(solver: &mut Stale, a: &BlockMatrix, positions: &[f64]) -> (Vec<f64>, u64) {
    let before = solver.work().iterations;
    solver.prepare(a, [a.values[0][0][0], 0.0, 0.0, 0.0], positions).unwrap();
    let b = Noise::new(3).vector(a.dim());
    let mut x = b.clone();
    solver.solve(a, &mut x, 1, STOP.tolerance, None).unwrap();
    let left = residual(a, &x, &b);
    assert!(left < 2.0 * STOP.tolerance, "residual {left:e}, {:?}", solver.decision());
    (x, solver.work().iterations - before)
}

fn turned(angle: f64) -> impl Fn(Vec3) -> Vec3 {
    let r = rotation([0.48, 0.6, 0.64], angle);
    move |x| mat_vec(&r, x)
}

#[test]
fn a_body_that_turned_needs_no_new_factor() {
    let body = SpringBox::new([7, 6, 5], 30.0);
    let mut solver = body.solver();
    let (_, fresh) = step(&mut solver, &body.matrix(), &body.x);
    for angle in [0.3, 1.5, 3.1] {
        let body = body.moved(turned(angle));
        let (_, iterations) = step(&mut solver, &body.matrix(), &body.x);
        assert_eq!(solver.decision(), Decision::Kept);
        assert!(iterations <= fresh + 1, "turned by {angle}: {iterations} iterations, fresh {fresh}");
    }
    assert_eq!((solver.work().factorisations, solver.age()), (1, 3));
    // Benefit of the rotation: the same factor without it.
    let body = body.moved(turned(1.5));
    let (_, unturned) = step(&mut solver, &body.matrix(), &SpringBox::new([7, 6, 5], 30.0).x);
    assert!(unturned > 3 * fresh, "{unturned} iterations without the turn");
}

#[test]
fn a_factor_is_replaced_when_it_is_worn_and_at_once_when_it_is_hopeless() {
    let mut body = SpringBox::new([12, 9, 9], 30.0);
    let mut solver = body.solver();
    let mut seen = Vec::new();
    for _ in 0..40 {
        step(&mut solver, &body.matrix(), &body.x);
        seen.push(solver.decision());
        body.stiffness *= 1.4;
    }
    assert_eq!(seen[0], Decision::First);
    let worn = seen.iter().filter(|decision| **decision == Decision::Worn).count();
    assert!((2..20).contains(&worn), "{worn} of 40: {seen:?}");
    // A body very different from the one the factor was made for.
    step(&mut solver, &body.matrix(), &body.x);
    body.stiffness *= 1e-6;
    let (_, iterations) = step(&mut solver, &body.matrix(), &body.x);
    assert_eq!((solver.decision(), solver.age()), (Decision::Slow, 0));
    let patience = solver.ledger.patience(&solver.costs, Form::Half) as u64;
    assert!(iterations < 2 * patience + 20, "{iterations} iterations, patience {patience}");
}

#[test]
fn contacts_come_and_go() {
    let body = SpringBox::new([8, 8, 8], 30.0);
    let mut solver = body.solver();
    for k in 0..12 {
        let mut a = body.matrix();
        if k % 4 == 2 {
            // A floor under one side, a thousand times stiffer than the body.
            for i in (0..512).step_by(8) {
                a.values[body.pattern.diagonal(i)][2][2] += 3e4;
            }
        }
        step(&mut solver, &a, &body.x);
    }
}

#[test]
fn an_indefinite_matrix_is_solved_directly_and_the_next_one_with_the_old_factor() {
    let body = SpringBox::new([6, 6, 6], 30.0);
    let mut solver = body.solver();
    step(&mut solver, &body.matrix(), &body.x);
    let mut a = body.matrix();
    for i in 0..216 {
        (0..3).for_each(|c| a.values[body.pattern.diagonal(i)][c][c] -= 20.0);
    }
    step(&mut solver, &a, &body.x);
    assert_eq!(solver.decision(), Decision::Indefinite);
    assert!(matches!(solver.definiteness(), Definiteness::Indefinite { negative } if negative > 0));
    let made = solver.work().factorisations;
    step(&mut solver, &body.matrix(), &body.x);
    assert_eq!((solver.decision(), solver.work().factorisations), (Decision::Kept, made));
    // The same for the very first matrix.
    let mut solver = body.solver();
    step(&mut solver, &a, &body.x);
    assert_eq!(solver.decision(), Decision::Indefinite);
}

#[test]
fn what_fewer_bits_cannot_hold_gets_more() {
    let body = SpringBox::new([6, 5, 5], 3e8);
    let mut solver = body.solver();
    let mut x = body.moved(turned(0.1));
    for k in 0..4 {
        let before = solver.work().iterations;
        solver.prepare(&x.matrix(), [0.0; 4], &x.x).unwrap();
        // A smooth force: for noise, the response of the mass is below rounding.
        let mut b: Vec<f64> = (0..x.x.len()).map(|i| (0.1 * i as f64).sin()).collect();
        let rhs = b.clone();
        solver.solve(&x.matrix(), &mut b, 1, 1e-6, None).unwrap();
        assert!(residual(&x.matrix(), &b, &rhs) < 1e-5);
        // In 16 bits first, then in single precision.
        assert!(k < 2 || solver.work().iterations - before < 40);
        x = x.moved(turned(0.1));
    }
    assert_eq!(solver.form, Form::Double);
}

/// One matrix gets two factors where conjugate gradients fail with the one in single precision.
#[test]
fn a_second_factor_of_a_matrix_is_of_the_same_place() {
    let body = SpringBox::new([4, 4, 4], 10.0);
    let (a, mut solver) = (body.matrix(), body.solver());
    step(&mut solver, &a, &body.x);
    assert_eq!(solver.held, Held::Here(Form::Half));
    solver.go_direct(&a).unwrap();
    assert_eq!((solver.held, &solver.birth.positions), (Held::Here(Form::Double), &body.x));
    let next = body.moved(turned(0.1));
    step(&mut solver, &next.matrix(), &next.x);
}

/// Matrices of a body that bends more and more, with a contact on the way.
fn course() -> Vec<(BlockMatrix, Vec<f64>)> {
    let body = SpringBox::new([9, 5, 5], 30.0);
    let bent = |k: usize| body.moved(move |x| [x[0], x[1] + 0.004 * k as f64 * x[0] * x[0], x[2]]);
    let matrix = |k: usize| {
        let mut a = bent(k).matrix();
        (0..if k == 7 { 20 } else { 0 }).for_each(|i| a.values[body.pattern.diagonal(i)][1][1] += 1e5);
        (a, bent(k).x)
    };
    (0..14).map(matrix).collect()
}

#[test]
fn a_restart_changes_no_bit() {
    let course = course();
    for make in [SpringBox::solver, SpringBox::layered, SpringBox::unsuited] {
        let body = SpringBox::new([9, 5, 5], 30.0);
        let whole: Vec<(Vec<f64>, u64)> = {
            let mut solver = make(&body);
            course.iter().map(|(a, x)| step(&mut solver, a, x)).collect()
        };
        for stop in 0..course.len() {
            let mut first = make(&body);
            (0..stop).for_each(|k| _ = step(&mut first, &course[k].0, &course[k].1));
            let memory = first.memory();
            let mut second = make(&body);
            assert!(second.recall(&memory));
            if let Some(origin) = second.wanted() {
                let born = course.iter().position(|(_, x)| *x == origin.positions).unwrap();
                second.rebuild(&course[born].0).unwrap();
            }
            assert_eq!(second.work(), Work::default());
            assert_eq!(second.memory(), memory);
            for k in stop..course.len() {
                let same = step(&mut second, &course[k].0, &course[k].1) == whole[k];
                assert!(same, "{:?}: stopped at {stop}, differs at {k}", second.first);
            }
        }
    }
}

#[test]
fn what_is_no_memory_is_refused() {
    let body = SpringBox::new([3, 3, 3], 30.0);
    let mut solver = body.solver();
    step(&mut solver, &body.matrix(), &body.x);
    let memory = solver.memory();
    for (at, wrong) in [(0, 5.0), (1, 0.0), (2, -1.0), (3, 0.5), (4, f64::NAN), (5, f64::INFINITY)] {
        let mut bad = memory.clone();
        bad[at] = wrong;
        assert!(!solver.recall(&bad) && solver.wanted().is_none(), "{at}: {wrong}");
    }
    assert!(!solver.recall(&memory[..9]) && !solver.recall(&memory[..20]));
    assert!(solver.recall(&memory) && solver.recall(&[]));
}

#[test]
fn bits_do_not_depend_on_threads() {
    for make in [SpringBox::solver, SpringBox::layered] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut solver = make(&SpringBox::new([9, 5, 5], 30.0));
                course().iter().map(|(a, x)| step(&mut solver, a, x)).collect::<Vec<_>>()
            })
        };
        let expected = run(1);
        [2, 3, 4].into_iter().for_each(|threads| assert!(run(threads) == expected, "{threads} threads"));
    }
}

#[test]
fn a_hierarchy_turns_with_the_body_and_serves_many_matrices() {
    let body = SpringBox::new([14, 12, 10], 300.0);
    let mut solver = body.layered();
    let (_, fresh) = step(&mut solver, &body.matrix(), &body.x);
    assert_eq!(solver.held, Held::Here(Form::Hierarchy));
    for angle in [0.3, 1.5, 3.1] {
        let body = body.moved(turned(angle));
        let (_, iterations) = step(&mut solver, &body.matrix(), &body.x);
        assert_eq!(solver.decision(), Decision::Kept);
        assert!(iterations <= fresh + 2, "turned by {angle}: {iterations} iterations, fresh {fresh}");
    }
    assert_eq!((solver.work().factorisations, solver.age()), (1, 3));
    // It is replaced like a factor where it fits no longer.
    let mut body = body;
    body.stiffness *= 1e-4;
    step(&mut solver, &body.matrix(), &body.x);
    assert_eq!((solver.decision(), solver.held), (Decision::Slow, Held::Here(Form::Hierarchy)));
}

#[test]
fn a_hierarchy_gives_way_to_a_factor_for_good() {
    // Where it takes more iterations than pay.
    let body = SpringBox::new([9, 5, 5], 300.0);
    let mut solver = body.unsuited();
    step(&mut solver, &body.matrix(), &body.x);
    assert_eq!(solver.form, Form::Half);
    let next = body.moved(turned(0.1));
    step(&mut solver, &next.matrix(), &next.x);
    assert_eq!((solver.decision(), solver.held), (Decision::Widened, Held::Here(Form::Half)));
    // Where single applications are asked for.
    let mut solver = body.unsuited();
    solver.prepare(&body.matrix(), [0.0; 4], &body.x).unwrap();
    let b = Noise::new(4).vector(body.matrix().dim());
    let mut x = b.clone();
    solver.precondition(&body.matrix(), &mut x, 1).unwrap();
    // As far as 16 bits go.
    let left = residual(&body.matrix(), &x, &b);
    assert!(left < 0.05, "{left:e}");
    assert_eq!(solver.held, Held::Here(Form::Half));
    // A body without a factor is solved instead.
    let mut solver = body.layered();
    solver.prepare(&body.matrix(), [0.0; 4], &body.x).unwrap();
    let mut x = b.clone();
    solver.precondition(&body.matrix(), &mut x, 1).unwrap();
    assert!(residual(&body.matrix(), &x, &b) < 2.0 * STOP.tolerance);
    assert_eq!(solver.held, Held::Here(Form::Hierarchy));
    // An indefinite matrix is solved directly, and the next one with the old hierarchy.
    let mut a = body.matrix();
    for i in 0..body.pattern.rows() {
        (0..3).for_each(|c| a.values[body.pattern.diagonal(i)][c][c] -= 20.0);
    }
    step(&mut solver, &a, &body.x);
    assert_eq!(solver.decision(), Decision::Indefinite);
    step(&mut solver, &body.matrix(), &body.x);
    assert_eq!((solver.decision(), solver.held), (Decision::Kept, Held::Here(Form::Hierarchy)));
}

#[test]
fn columns_go_in_step_and_a_known_start_saves_a_sweep() {
    let body = SpringBox::new([7, 6, 5], 30.0);
    let mut solver = body.solver();
    step(&mut solver, &body.matrix(), &body.x);
    let bent = body.moved(|x| [x[0], x[1] + 0.02 * x[0] * x[0], x[2]]);
    let a = bent.matrix();
    solver.prepare(&a, [0.0; 4], &bent.x).unwrap();
    let b = Noise::new(8).vector(4 * a.dim());
    let mut x = b.clone();
    solver.solve(&a, &mut x, 4, STOP.tolerance, None).unwrap();
    for (x, b) in x.chunks(a.dim()).zip(b.chunks(a.dim())) {
        assert!(residual(&a, x, b) < 2.0 * STOP.tolerance);
    }
    let (mut alone, mut near) = (b[..a.dim()].to_vec(), b[..a.dim()].to_vec());
    let mut begun = alone.clone();
    solver.solve(&a, &mut alone, 1, STOP.tolerance, None).unwrap();
    solver.precondition(&a, &mut near, 1).unwrap();
    solver.solve(&a, &mut begun, 1, STOP.tolerance, Some(&near)).unwrap();
    assert_eq!(alone, begun);
}
