//! Work counted per step, and bit-for-bit identical results for any thread count.

use crate::bars::*;
use crate::problems::bar::{TWO, apart, assert_same_bits, steps, thrown, with};
use crate::problems::direct;

#[test]
fn everything_is_factorised_once_and_a_step_solves_once_a_part() {
    let model = cut(DAMPED, &TWO);
    let mut ours = asynchronous(&model);
    let mut state = thrown(&model);
    let first = ours.step(&model, &mut state, STEP).unwrap();
    assert_eq!((first.assemblies, first.linear.factorisations), (1, 3));
    let second = ours.step(&model, &mut state, STEP).unwrap();
    assert_eq!((second.assemblies, second.linear.factorisations, second.linear.solves), (0, 0, 5 + 3 + 1));
    assert_eq!((second.forces, second.substeps), (1, 8));
    // Another step length makes other matrices, once.
    let other = ours.step(&model, &mut state, 0.5 * STEP).unwrap();
    assert_eq!((other.assemblies, other.linear.factorisations), (1, 3));
    // Without regions there is one factor.
    let model = bar(DAMPED).build().unwrap();
    let mut plain = asynchronous(&model);
    plain.step(&model, &mut thrown(&model), STEP).unwrap();
    let second = plain.step(&model, &mut thrown(&model), STEP).unwrap();
    assert_eq!((second.linear.factorisations, second.linear.solves), (0, 1));
}

#[test]
fn same_bits_on_any_number_of_threads_and_after_a_restart() {
    for made in [LINEAR, DAMPED, BOTH] {
        for material in ["linear", "corotational"] {
            let model = cut(Made { material, ..made }, &TWO);
            assert_same_bits(|| asynchronous(&model), &model, STEP);
        }
    }
}

#[test]
fn a_rest_in_several_tasks_begins_beside_the_regions() {
    // Large enough for parallel tasks, with small steps long enough to begin the solve beside them.
    let model = |ratio: usize| {
        let blueprint = crate::problems::bar::bar([24, 6, 6], "linear", &[]);
        with(blueprint, &[(1.6, 2.4, ratio)]).build().unwrap()
    };
    let many = model(6);
    assert_same_bits(|| asynchronous(&many), &many, STEP);
    let one = model(1);
    let start = thrown(&one);
    let ours = steps(&mut *asynchronous(&one), &one, &start, STEP, 3);
    let euler = steps(&mut *stepper("linearly-implicit-euler", &one, &direct()), &one, &start, STEP, 3);
    let gap = apart(&ours, &euler, &start);
    assert!(gap < 1e-11, "{gap:e}");
}
