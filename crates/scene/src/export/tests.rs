//! Small parts of exports.

use super::body::{bounds, identifiers};
use super::skin::{SHARP, Skin, Vertices};
use super::usda::{rate, whole};
use super::{EXPORTS, gltf};
use std::path::Path;

#[test]
fn names_become_different_words() {
    let names = ["bar", "7 bars", "7_bars", "\u{e4}rger \"}", "", "bar", "bar_2"];
    let words = identifiers(names.into_iter());
    assert_eq!(words, ["bar", "_7_bars", "_7_bars_2", "_rger___", "_", "bar_2", "bar_2_2"]);
}

/// A corner of a cube, and a point without elements.
const CORNER: [[f64; 3]; 5] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [5.0; 3]];

#[test]
fn normals_are_of_length_one_and_point_outward_and_sharp_edges_keep_two() {
    let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]];
    let skin = Skin::of(&CORNER, triangles.clone(), &[]);
    let mut found = vec![[9.0; 3]];
    skin.normals(&CORNER, &mut found);
    assert_eq!(found.len(), 9, "all three sides are at right angles");
    assert!((0..3).all(|k| found[skin.normal_of[0][k]] == [0.0, 0.0, -1.0]), "{found:?}");
    // A flat cone is smooth at its top, and triangles too small to square are still triangles.
    for size in [1.0, 1e-60] {
        let flat: Vec<[f64; 3]> =
            [[0.0, 0.0, 0.1], [1.0, 0.0, 0.0], [-0.5, 0.8, 0.0], [-0.5, -0.8, 0.0]].map(|p| p.map(|x| size * x)).into();
        let skin = Skin::of(&flat, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]], &[]);
        skin.normals(&flat, &mut found);
        assert_eq!((found.len(), skin.node_of_normal.len()), (4, 4));
        let top = found[skin.normal_of[0][0]];
        assert!(top[2] > 0.99 && (top.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14, "{top:?}");
    }
    // Vertices of glTF: the nodes first, then copies, each with its normal; a node without elements keeps its place.
    let vertices = Vertices::of(&skin, CORNER.len());
    assert_eq!((vertices.nodes.len(), &vertices.nodes[..5]), (10, &[0, 1, 2, 3, 4][..]));
    for (t, triangle) in vertices.triangles.iter().enumerate() {
        assert_eq!(triangle.map(|v| vertices.nodes[v]), triangles[t]);
        assert_eq!(triangle.map(|v| vertices.normals[v].unwrap()), skin.normal_of[t]);
    }
    assert_eq!(vertices.normals[4], None);
}

#[test]
fn a_seam_of_a_picture_keeps_the_normal() {
    let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let triangles = vec![[0, 1, 2], [1, 3, 2]];
    let whole = [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]];
    let skin = Skin::of(&flat, triangles.clone(), &whole);
    assert_eq!((skin.texture_points.len(), skin.node_of_normal.len(), Vertices::of(&skin, 4).nodes.len()), (4, 4, 4));
    let mut cut = whole;
    cut[1][0] = [0.5, 0.5];
    let skin = Skin::of(&flat, triangles, &cut);
    assert_eq!((skin.texture_points.len(), skin.node_of_normal.len(), Vertices::of(&skin, 4).nodes.len()), (5, 4, 5));
}

#[test]
fn the_page_has_the_same_sharp_edges() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../viewer/src/creases.js");
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.contains(&format!("const SHARP = ({SHARP} * Math.PI) / 180;")), "{text}");
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
    assert_eq!((rate(&[0.0, 0.4]), rate(&[7.0])), (5.0, 24.0));
    // Frames at the steps that reach them: 10 or 20 ms apart, where the largest gap would say 50.
    let steps: Vec<f64> = [0, 2, 4, 5, 7, 9, 10].iter().map(|n| 0.01 * f64::from(*n)).collect();
    assert_eq!(rate(&steps), 100.0);
    // A last frame off the grid.
    assert_eq!(rate(&[0.0, 0.5, 1.0, 1.0 + 1e-4]).round(), 3.0);
    assert_eq!((whole(0.3 * 10.0), whole(3.0001), whole(0.0)), (3.0, 3.0001, 0.0));
}

#[test]
fn formats_have_names_and_places_of_their_own() {
    let paths = |directory: &str| -> Vec<_> {
        EXPORTS.iter().map(|export| export.default_output(Path::new(directory))).collect()
    };
    let mut all = paths("out/my.run");
    assert!(all.contains(&"out/my.run.glb".into()) && all.contains(&"out/my.run-obj".into()), "{all:?}");
    assert_eq!(all, paths("out/my.run/"));
    all.sort();
    all.dedup();
    assert_eq!(all.len(), EXPORTS.len());
}
