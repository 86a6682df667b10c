//! What every generator promises, walked along the table.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::*;
use crate::mesh::mean_ratio;

fn default_mesh(generator: &Generator) -> Mesh {
    generator.mesh(&BTreeMap::new()).unwrap()
}

#[test]
fn defaults_build_valid_meshes_and_twice_the_same() {
    for generator in GENERATORS {
        let mesh = default_mesh(generator);
        assert_eq!(mesh.validate(), Ok(()), "{}", generator.name);
        assert!(!mesh.points.is_empty() && !mesh.groups.is_empty(), "{}", generator.name);
        assert_eq!(mesh, default_mesh(generator), "{}", generator.name);
        for (name, group) in &mesh.groups {
            assert!(!group.nodes.is_empty(), "{} {name}", generator.name);
            assert!(group.nodes.is_sorted() && group.tets.is_sorted(), "{} {name}", generator.name);
        }
    }
}

#[test]
fn no_node_is_loose_and_no_two_are_in_one_place() {
    for generator in GENERATORS {
        let mesh = default_mesh(generator);
        let mut used = vec![false; mesh.points.len()];
        let mut mark = |nodes: &[u32]| nodes.iter().for_each(|&i| used[i as usize] = true);
        mesh.tets.iter().for_each(|t| mark(t));
        mesh.triangles.iter().for_each(|t| mark(t));
        mesh.edges.iter().for_each(|e| mark(e));
        assert!(used.iter().all(|&used| used), "{}", generator.name);
        let mut points = mesh.points.clone();
        points.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert!(points.windows(2).all(|pair| pair[0] != pair[1]), "{}", generator.name);
    }
}

#[test]
fn solids_conform_and_are_closed() {
    for generator in GENERATORS {
        let mesh = default_mesh(generator);
        let mut faces: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        for &[a, b, c, d] in &mesh.tets {
            for mut face in [[b, c, d], [a, c, d], [a, b, d], [a, b, c]] {
                face.sort_unstable();
                *faces.entry(face).or_default() += 1;
            }
        }
        assert!(faces.values().all(|&tets| tets <= 2), "{}", generator.name);
        // Closed and oriented: every directed edge of the boundary has its opposite, once.
        let mut sides: BTreeMap<[u32; 2], [u32; 2]> = BTreeMap::new();
        for [a, b, c] in mesh.boundary_triangles() {
            for [i, j] in [[a, b], [b, c], [c, a]] {
                sides.entry([i.min(j), i.max(j)]).or_default()[usize::from(i > j)] += 1;
            }
        }
        assert!(sides.values().all(|&both| both == [1, 1]), "{}", generator.name);
    }
}

/// The worst mean-ratio quality of the default mesh, a row a solid.
const QUALITY: &[(&str, f64)] = &[("box", 0.75), ("bar", 0.75)];

#[test]
fn tets_are_well_shaped() {
    for generator in GENERATORS {
        let mesh = default_mesh(generator);
        let worst = (0..mesh.tets.len()).map(|e| mean_ratio(&mesh.tet_points(e))).fold(1.0, f64::min);
        match QUALITY.iter().find(|row| row.0 == generator.name) {
            Some((name, bound)) => assert!(worst > *bound, "{name}: {worst}"),
            None => assert!(mesh.tets.is_empty(), "{} needs a row: {worst}", generator.name),
        }
    }
}

#[test]
fn boxes_have_their_volume_to_rounding() {
    let mesh = generate("box", [("size", [0.3, 0.7, 1.1].into()), ("cells", [3.0, 7.0, 11.0].into())]).unwrap();
    assert!((mesh.volume() / (0.3 * 0.7 * 1.1) - 1.0).abs() < 1e-13);
    assert_eq!(mesh.bounds(), Some([[0.0; 3], [0.3, 0.7, 1.1]]));
    assert_eq!((mesh.points.len(), mesh.tets.len()), (4 * 8 * 12, 6 * 3 * 7 * 11));
    let bar = generate("bar", [("thickness", 0.1.into()), ("width", 0.4.into())]).unwrap();
    assert_eq!(bar.bounds(), Some([[0.0, -0.2, -0.05], [1.0, 0.2, 0.05]]));
    assert!((bar.volume() / 0.04 - 1.0).abs() < 1e-13);
    for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
        for (sign, at) in [("-", 0), ("+", 1)] {
            let at = bar.bounds().unwrap()[at][axis];
            let group = &bar.groups[&format!("{letter}{sign}")];
            let there = bar.points.iter().filter(|p| p[axis] == at).count();
            assert!(group.nodes.len() == there && group.nodes.iter().all(|&i| bar.points[i as usize][axis] == at));
        }
    }
}

#[test]
fn cloth_has_the_springs_of_a_grid() {
    for diagonals in ["alternating", "uniform"] {
        let cloth = generate("cloth", [("cells", [4.0, 3.0].into()), ("diagonals", diagonals.into())]).unwrap();
        assert_eq!((cloth.points.len(), cloth.triangles.len(), cloth.edges.len()), (20, 24, 4 * 4 + 5 * 3));
        assert_eq!((cloth.shear.len(), cloth.bends.len()), (24, 3 * 4 + 5 * 2));
        assert_eq!(cloth.groups["corners"].nodes, [0, 4, 15, 19]);
        assert!(cloth.triangles.iter().all(|&t| (cloth.triangle_area(t) - 1.0 / 24.0).abs() < 1e-15));
    }
    let single = generate("cloth", [("cells", 1.0.into())]).unwrap();
    assert_eq!((single.points.len(), single.edges.len(), single.bends.len()), (4, 4, 0));
}

#[test]
fn chains_follow_their_direction() {
    let chain = generate("chain", [("links", 3.0.into()), ("direction", [0.0, 3e200, 4e200].into())]).unwrap();
    assert_eq!(chain.edges, [[0, 1], [1, 2], [2, 3]]);
    for (found, wanted) in chain.points[3].into_iter().zip([0.0, 0.18, 0.24]) {
        assert!((found - wanted).abs() < 1e-15);
    }
}

#[test]
fn bad_parameters_are_named() {
    let messages = [
        (generate("sphere", []), "there is no mesh generator 'sphere'"),
        (generate("box", [("sise", 1.0.into())]), "has no parameter 'sise', it has size, cells; perhaps use 'size'"),
        (generate("box", [("size", (-1.0).into())]), "size = -1 of the box generator cannot be used; give one or 3"),
        (generate("box", [("size", [1.0, 2.0].into())]), "size = [1.0, 2.0]"),
        (generate("box", [("size", f64::NAN.into())]), "size = NaN"),
        (generate("box", [("size", "big".into())]), "size = \"big\""),
        (generate("box", [("cells", [2.0, 0.0, 2.0].into())]), "each a whole number from 1"),
        (generate("box", [("cells", 2.5.into())]), "cells = 2.5"),
        (generate("cloth", [("diagonals", "random".into())]), "give one of the words alternating, uniform"),
        (generate("chain", [("direction", [0.0; 3].into())]), "give three finite numbers that are not all 0"),
        (generate("chain", [("direction", 1.0.into())]), "give three finite numbers"),
    ];
    for (result, message) in messages {
        let found = result.unwrap_err().to_string();
        assert!(found.contains(message), "{found}\n{message}");
    }
}

#[test]
fn absurd_counts_are_refused_at_once() {
    let start = Instant::now();
    for generator in GENERATORS {
        for parameter in generator.parameters {
            let Kind::Count { .. } = parameter.kind else { continue };
            for count in [4.0e9, 1e300] {
                let result = generator.mesh(&BTreeMap::from([(parameter.name.to_string(), count.into())]));
                assert!(result.is_err(), "{} {}", generator.name, parameter.name);
            }
        }
    }
    assert!(start.elapsed() < Duration::from_secs(1));
    let message = generate("box", [("cells", 1000.0.into())]).unwrap_err().to_string();
    assert_eq!(
        message,
        "this box would have 6000000000 elements, more than the 50000000 that are allowed; lower its counts"
    );
}

#[test]
fn the_announced_size_is_about_true() {
    for generator in GENERATORS {
        let announced = (generator.elements)(&generator.resolve(&BTreeMap::new()).unwrap()).unwrap() as f64;
        let mesh = default_mesh(generator);
        let made = mesh.tets.len() + mesh.triangles.len() + mesh.edges.len() + mesh.shear.len() + mesh.bends.len();
        assert!((made as f64 / announced - 1.0).abs() < 0.1, "{}: {announced} {made}", generator.name);
    }
}

#[test]
fn tables_are_written_well() {
    for generator in GENERATORS {
        assert!(GENERATORS.iter().filter(|other| other.name == generator.name).count() == 1);
        assert!(generator.description.ends_with('.') && !generator.parameters.is_empty(), "{}", generator.name);
        for parameter in generator.parameters {
            assert!(!parameter.doc.is_empty() && ["m", ""].contains(&parameter.unit), "{}", parameter.name);
        }
    }
}
