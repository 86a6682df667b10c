//! The tree of boxes gives the same results as testing everything.

use geometry::bvh::{Bounds, Bvh, overlap, squared_distance};

/// Returns reproducible pseudo-random numbers from 0 to 1.
fn scatter(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn boxes(count: usize, size: f64) -> Vec<Bounds> {
    let mut next = scatter(count as u64);
    (0..count)
        .map(|_| {
            let low = [next(), next(), 0.1 * next()];
            [low, low.map(|x| x + size * next())]
        })
        .collect()
}

#[test]
fn pairs_are_all_that_overlap() {
    for count in [0, 1, 2, 4, 5, 9, 63, 500, 3000] {
        let boxes = boxes(count, 0.05);
        let mut expected = Vec::new();
        for i in 0..count {
            expected.extend((i + 1..count).filter(|&j| overlap(&boxes[i], &boxes[j])).map(|j| (i as u32, j as u32)));
        }
        let mut found = Bvh::new(boxes).pairs(|i, j| Some((i, j)));
        assert!(found.is_sorted_by_key(|&(i, _)| i));
        found.sort_unstable();
        assert_eq!(found, expected, "{count} boxes");
        assert!(count < 500 || !found.is_empty());
    }
}

#[test]
fn nearest_is_the_nearest_of_all_and_respects_the_bound() {
    let boxes = boxes(777, 0.02);
    let tree = Bvh::new(boxes.clone());
    let mut next = scatter(5);
    for _ in 0..200 {
        let x = [2.0 * next() - 0.5, 2.0 * next() - 0.5, next() - 0.5];
        let mut asked = 0;
        let distance = |i: u32| squared_distance(&boxes[i as usize], x);
        let found = tree.nearest(x, f64::INFINITY, |i| {
            asked += 1;
            distance(i)
        });
        let expected = (0..777).map(|i| (i, distance(i))).min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        assert_eq!(found, expected);
        assert!(asked < 200, "{asked} of 777 looked at");
        assert_eq!(tree.nearest(x, found.map_or(0.0, |(_, d)| d), distance), None, "not nearer than the nearest");
    }
    assert_eq!(Bvh::new(Vec::new()).nearest([0.0; 3], f64::INFINITY, |_| 0.0), None);
}

#[test]
fn the_tree_is_the_same_for_any_number_of_threads() {
    let pairs = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Bvh::new(boxes(5000, 0.03)).pairs(|i, j| Some((i, j))))
    };
    assert_eq!(pairs(1), pairs(3));
}

#[test]
fn boxes_in_one_place_are_no_trouble() {
    let tree = Bvh::new(vec![[[1.0; 3], [1.0; 3]]; 100]);
    assert_eq!(tree.pairs(|i, j| Some((i, j))).len(), 100 * 99 / 2);
    assert_eq!(tree.nearest([0.0; 3], f64::INFINITY, |_| 3.0), Some((0, 3.0)));
    assert_eq!(tree.bounds(), [[1.0; 3]; 2]);
}
