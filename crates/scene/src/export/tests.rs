//! Small parts of exports.

use super::body::{bounds, identifiers, normals};
use super::usda::{rate, whole};
use super::{EXPORTS, gltf};
use std::path::Path;

#[test]
fn names_become_different_words() {
    let names = ["bar", "7 bars", "7_bars", "\u{e4}rger \"}", "", "bar", "bar_2"];
    let words = identifiers(names.into_iter());
    assert_eq!(words, ["bar", "_7_bars", "_7_bars_2", "_rger___", "_", "bar_2", "bar_2_2"]);
}

#[test]
fn normals_are_of_length_one_and_point_outward() {
    // A corner of a cube, and a point of nothing.
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [5.0; 3]];
    let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2]];
    let mut found = vec![[9.0; 3]];
    normals(&points, triangles.into_iter(), &mut found);
    let third = -(1.0f64 / 3.0).sqrt();
    assert!(found[0].iter().all(|x| (x - third).abs() < 1e-15), "{found:?}");
    assert_eq!((found.len(), found[4]), (5, [0.0, 0.0, 1.0]));
    // Triangles too small to square are still triangles.
    let tiny = points.map(|p| p.map(|x| 1e-60 * x));
    let mut again = Vec::new();
    normals(&tiny, triangles.into_iter(), &mut again);
    assert!(again[0].iter().all(|x| (x - third).abs() < 1e-15), "{again:?}");
}

#[test]
fn boxes_are_tight() {
    assert_eq!(bounds(&[[1.0, -2.0, 3.0], [0.0, 5.0, 3.5]]), [[0.0, -2.0, 3.0], [1.0, 5.0, 3.5]]);
    assert_eq!(bounds(&[]), [[0.0; 3]; 2]);
}

#[test]
fn clocks_go_forward_in_single_precision() {
    let times = gltf::times([3.0, 3.5, 3.5 + 1e-12, 4.0].into_iter());
    assert_eq!((times[0], times[1], times[3]), (0.0, 0.5, 1.0));
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
}

#[test]
fn frame_rates_are_whole_where_rounding_alone_says_otherwise() {
    assert_eq!(rate(&[0.1, 0.1 + 1.0 / 60.0, 0.2]), 60.0);
    assert_eq!((rate(&[0.0, 0.4]), rate(&[7.0])), (2.5, 24.0));
    assert_eq!((whole(0.3 * 10.0), whole(3.0001), whole(0.0)), (3.0, 3.0001, 0.0));
}

#[test]
fn formats_have_names_and_places_of_their_own() {
    let places = |directory: &str| -> Vec<_> {
        EXPORTS.iter().map(|export| export.default_output(Path::new(directory))).collect()
    };
    let mut all = places("out/my.run");
    assert!(all.contains(&"out/my.run.glb".into()) && all.contains(&"out/my.run-obj".into()), "{all:?}");
    assert_eq!(all, places("out/my.run/"));
    all.sort();
    all.dedup();
    assert_eq!(all.len(), EXPORTS.len());
}
