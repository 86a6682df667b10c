//! Contracts of every generator in the table.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
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

/// Builds frames and honeycombs of many proportions.
fn lattices() -> Vec<Mesh> {
    let mut meshes = Vec::new();
    for [panels, bay, wide, piers] in [[1, 6, 6, 1], [2, 7, 9, 3], [5, 8, 6, 2], [3, 13, 10, 5]] {
        let given = [("panels", panels), ("panel_cells", bay), ("width_cells", wide), ("pier_cells", piers)];
        meshes.push(generate("lattice-bridge", given.map(|(name, n)| (name, f64::from(n).into()))).unwrap());
    }
    for [stages, side] in [[1, 5], [2, 6], [5, 9]] {
        let given = [("stages", f64::from(stages).into()), ("side_cells", f64::from(side).into())];
        meshes.push(generate("girder-tower", given).unwrap());
    }
    for [nx, ny, n] in [[1, 1, 2], [2, 1, 3], [1, 3, 2], [4, 3, 5], [3, 2, 2]] {
        let given = [("cells", [f64::from(nx), f64::from(ny)].into()), ("wall_cells", f64::from(n).into())];
        meshes.push(generate("honeycomb", given).unwrap());
    }
    meshes
}

#[test]
fn lattices_are_sound_whatever_their_proportions() {
    for mesh in lattices() {
        assert_eq!(mesh.validate(), Ok(()));
        assert_conforms("lattice", &mesh);
        assert_eq!(components(&mesh), 1);
        let parts: usize = mesh.groups.values().map(|group| group.tets.len()).sum();
        assert_eq!(parts, mesh.tets.len(), "every tet is of one part");
    }
}

/// Counts the pieces that no tet, triangle or spring connects.
fn components(mesh: &Mesh) -> usize {
    let mut root: Vec<usize> = (0..mesh.points.len()).collect();
    fn find(root: &mut [usize], mut i: usize) -> usize {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    }
    let tets = mesh.tets.iter().map(|t| t.as_slice());
    let all = tets.chain(mesh.triangles.iter().map(|t| t.as_slice())).chain(mesh.edges.iter().map(|e| e.as_slice()));
    for nodes in all {
        for pair in nodes.windows(2) {
            let [a, b] = [find(&mut root, pair[0] as usize), find(&mut root, pair[1] as usize)];
            root[a] = b;
        }
    }
    (0..root.len()).filter(|&i| root[i] == i).count()
}

#[test]
fn lattices_are_as_large_as_geometry_says() {
    // Triangles of edge 1/4 of a side: walls are the hexagons of side 5/4 without those of side 3/4, if there is one.
    let given = [("cells", 1.0.into()), ("side", 1.0.into()), ("depth", 2.0.into())];
    let hexagon = |side: f64| 1.5 * 3.0_f64.sqrt() * side * side;
    let one = generate("honeycomb", given).unwrap();
    assert!((one.volume() / (2.0 * (hexagon(1.25) - hexagon(0.75))) - 1.0).abs() < 1e-13);
    let sheet = generate("honeycomb", []).unwrap();
    let [low, high] = sheet.bounds().unwrap();
    // Five columns at a distance of one and a half sides, each 2.5 sides wide; the outermost walls are whole.
    assert!((high[0] - 0.05 * (0.5 * 4.0 * 1.5 + 1.25)).abs() < 1e-15 && (low[0] + high[0]).abs() < 1e-15);
    let honeycomb = Generator::find("honeycomb").unwrap();
    let announced = (honeycomb.elements)(&honeycomb.resolve(&BTreeMap::new()).unwrap());
    assert_eq!(announced, Ok(sheet.tets.len() as u128));

    // A stage without taper is a cube; each leg has a section of one cell.
    let given = [("width", 1.3.into()), ("top", 1.3.into()), ("stages", 1.0.into())];
    let tower = generate("girder-tower", given).unwrap();
    let [low, high] = tower.bounds().unwrap();
    (0..3).for_each(|k| assert!((high[k] - low[k] - 1.3).abs() < 1e-12));
    let legs: f64 = tower.groups["legs"].tets.iter().map(|&e| tower.tet_volume(e as usize)).sum();
    assert!((legs / (4.0 * 0.01 * 1.3) - 1.0).abs() < 1e-12);

    // The deck of the bridge is one cell thick, all the way to the last post.
    let bridge = generate("lattice-bridge", [("cell", 0.5.into()), ("panels", 2.0.into())]).unwrap();
    let deck: f64 = bridge.groups["deck"].tets.iter().map(|&e| bridge.tet_volume(e as usize)).sum();
    assert!((deck / (21.0 * 14.0 * 0.5) - 1.0).abs() < 1e-12);
    assert_eq!(bridge.groups["feet"].nodes.len(), 4 * 9);
}

#[test]
fn meshes_are_in_one_piece() {
    for generator in GENERATORS {
        assert_eq!(components(&default_mesh(generator)), 1, "{}", generator.name);
    }
}

#[test]
fn solids_conform_and_are_closed() {
    for generator in GENERATORS {
        assert_conforms(generator.name, &default_mesh(generator));
    }
}

fn assert_conforms(name: &str, mesh: &Mesh) {
    let mut faces: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    for &[a, b, c, d] in &mesh.tets {
        for mut face in [[b, c, d], [a, c, d], [a, b, d], [a, b, c]] {
            face.sort_unstable();
            *faces.entry(face).or_default() += 1;
        }
    }
    assert!(faces.values().all(|&tets| tets <= 2), "{name}");
    // Closed and oriented: every directed edge of the boundary has its opposite, once.
    let mut sides: BTreeMap<[u32; 2], [u32; 2]> = BTreeMap::new();
    for [a, b, c] in mesh.boundary_triangles() {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            sides.entry([i.min(j), i.max(j)]).or_default()[usize::from(i > j)] += 1;
        }
    }
    assert!(sides.values().all(|&both| both == [1, 1]), "{name}");
}

/// Worst mean-ratio quality of the default mesh, one row per solid.
const QUALITY: &[(&str, f64)] = &[
    ("box", 0.75),
    ("bar", 0.75),
    ("cylinder", 0.7),
    ("ball", 0.75),
    ("rope", 0.73),
    ("honeycomb", 0.6),
    ("lattice-bridge", 0.6),
    ("girder-tower", 0.6),
];

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
    let five = [("size", [0.3, 0.7, 1.1].into()), ("cells", [3.0, 7.0, 11.0].into()), ("cut", "five".into())];
    let five = generate("box", five).unwrap();
    assert_eq!((five.points.clone(), five.tets.len()), (mesh.points.clone(), 5 * 3 * 7 * 11));
    assert!((five.volume() / mesh.volume() - 1.0).abs() < 1e-13);
    assert!((0..five.tets.len()).all(|e| five.tet_volume(e) > 0.0));
    assert_conforms("box of five", &five);
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

/// Halving the cells must divide the error of the volume by four: the boundary consists of chords of a smooth surface.
#[test]
fn round_volumes_converge_with_the_second_order() {
    let refined = |name: &str, given: &[(&'static str, f64)], exact: f64| {
        let error = |factor: f64| {
            let given = given.iter().map(|&(name, count)| (name, Value::from(factor * count)));
            1.0 - generate(name, given).unwrap().volume() / exact
        };
        let (coarse, fine) = (error(1.0), error(2.0));
        assert!(coarse.abs() < 0.06 && (coarse / fine - 4.0).abs() < 0.25, "{name}: {coarse} {fine}");
    };
    refined("cylinder", &[("rings", 3.0), ("layers", 5.0)], PI * 0.01 * 0.5);
    refined("ball", &[("resolution", 6.0)], 4.0 / 3.0 * PI * 1e-3);
    // The sections stand upright on the helix and are centred: Pappus gives area times length.
    let length = 8.0 * (TAU * 0.16).hypot(0.05);
    refined("rope", &[("cells_along", 200.0)], 9e-4 * length);
}

#[test]
fn cylinders_have_clean_groups() {
    let mesh = generate("cylinder", [("rings", 4.0.into()), ("segments", 17.0.into())]).unwrap();
    assert_eq!(mesh.validate(), Ok(()));
    let radius = |i: u32| mesh.points[i as usize][0].hypot(mesh.points[i as usize][1]);
    let all = 0..mesh.points.len() as u32;
    let on_mantle: Vec<u32> = all.filter(|&i| (radius(i) - 0.1).abs() < 1e-15).collect();
    assert_eq!(mesh.groups["mantle"].nodes, on_mantle);
    assert_eq!(on_mantle.len(), 17 * 16);
    assert!(mesh.groups["bottom"].nodes.iter().all(|&i| mesh.points[i as usize][2] == 0.0));
    assert!(mesh.groups["top"].nodes.iter().all(|&i| mesh.points[i as usize][2] == 0.5));
    assert!(generate("cylinder", [("segments", 2.0.into())]).is_err());
}

#[test]
fn the_shell_of_a_ball_is_clean() {
    for (shell, resolution) in [(0.02, 6.0), (0.05, 4.0), (0.003, 8.0), (0.09, 3.0)] {
        let mesh = generate("ball", [("shell", shell.into()), ("resolution", resolution.into())]).unwrap();
        let radius = |i: u32| numerics::mat3::norm(mesh.points[i as usize]);
        let (core, outer) = (&mesh.groups["core"], &mesh.groups["shell"]);
        assert_eq!(core.tets.len() + outer.tets.len(), mesh.tets.len());
        assert!(core.nodes.iter().all(|&i| radius(i) < 0.1 - shell + 1e-15), "{shell}");
        assert!(outer.nodes.iter().all(|&i| radius(i) > 0.1 - shell - 1e-15), "{shell}");
        assert!(mesh.groups["surface"].nodes.iter().all(|&i| (radius(i) - 0.1).abs() < 1e-15));
        // Core and shell are closed bodies: the interface is the whole surface of the core.
        let mut inner = mesh.clone();
        inner.tets = core.tets.iter().map(|&e| mesh.tets[e as usize]).collect();
        let interface = inner.boundary_triangles();
        assert!(interface.iter().flatten().all(|&i| (radius(i) - 0.1 + shell).abs() < 1e-15));
    }
    let default = generate("ball", []).unwrap();
    assert_eq!((default.points.len(), default.tets.len()), (923, 4320));
    let centroid = |&e: &u32| numerics::mat3::norm(default.tet_centroid(e as usize));
    assert!(default.groups["shell"].tets.iter().all(|e| centroid(e) > 0.08));
    assert!(default.groups["core"].tets.iter().all(|e| centroid(e) < 0.08));
    let plain = generate("ball", [("shell", 0.0.into()), ("resolution", 1.0.into())]).unwrap();
    assert_eq!((plain.tets.len(), plain.groups.contains_key("shell")), (20, false));
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let messages = [
        (generate("ball", [("shell", 0.1.into())]), "give less than the radius, 0.1"),
        (generate("ball", [("resolution", 1.0.into())]), "a layer for the core and one for the shell"),
        (generate("ball", [("shell", 1e-5.into())]), "shell = 0.00001 of the ball cannot be used; give a thicker"),
        (generate("rope", [("thickness", 0.4.into())]), "less than twice the radius of the coil, 0.16"),
        (generate("rope", [("pitch", 0.02.into())]), "would overlap; or less than a turn"),
        (generate("rope", [("cells_along", 63.0.into())]), "give 8 a turn, 64 or more"),
        (generate("honeycomb", [("layers", 2.0.into())]), "3 or more: two of edges, the core between"),
        (generate("honeycomb", [("wall_cells", 1.0.into())]), "2 or more, for cells to be open"),
        (generate("lattice-bridge", [("width_cells", 5.0.into())]), "6 or more: members are 2 cells thick"),
        (generate("girder-tower", [("side_cells", 4.0.into())]), "5 or more, for legs and diagonals"),
        (generate("spring-rope", [("shape", "coil".into()), ("pitch", 0.0.into())]), "would lie in each other"),
        (generate("spring-rope", [("shape", "coil".into()), ("segments", 8.0.into())]), "give 3 a turn, 9 or more"),
    ];
    for (result, message) in messages {
        let found = result.unwrap_err().to_string();
        assert!(found.contains(message), "{found}\n{message}");
    }
}

#[test]
fn ropes_are_valid_however_coiled() {
    for section in ["square", "round"] {
        for across in [1.0, 2.0, 5.0] {
            for [radius, pitch, turns, thickness] in
                [[0.1, 0.0, 0.8, 0.199], [0.1, 0.05, 2.5, 0.04], [0.01, 1.0, 4.0, 0.0199], [9.0, 0.3, 0.1, 0.2]]
            {
                for a_turn in [8.0_f64, 40.0] {
                    let rope = [
                        ("section", section.into()),
                        ("cells_across", across.into()),
                        ("radius", radius.into()),
                        ("pitch", pitch.into()),
                        ("turns", turns.into()),
                        ("thickness", thickness.into()),
                        ("cells_along", (a_turn * turns).ceil().into()),
                    ];
                    let mesh = generate("rope", rope.clone()).unwrap();
                    assert_eq!(mesh.validate(), Ok(()), "{rope:?}");
                    assert_eq!(mesh.groups["start"].nodes.len(), mesh.groups["end"].nodes.len());
                }
            }
        }
    }
}

#[test]
fn spring_ropes_have_even_springs() {
    for shape in ["straight", "coil"] {
        let rope = generate("spring-rope", [("shape", shape.into()), ("segments", 30.0.into())]).unwrap();
        let length = |&[a, b]: &[u32; 2]| {
            numerics::mat3::norm(numerics::mat3::sub(rope.points[a as usize], rope.points[b as usize]))
        };
        assert_eq!((rope.edges.len(), rope.bends.len()), (30, 29));
        assert!(rope.edges.iter().all(|e| (length(e) - length(&[0, 1])).abs() < 1e-14), "{shape}");
        assert!(rope.bends.iter().all(|e| (length(e) - length(&[0, 2])).abs() < 1e-14), "{shape}");
        assert_eq!((&rope.groups["start"].nodes[..], &rope.groups["end"].nodes[..]), (&[0][..], &[30][..]));
    }
    assert!(generate("spring-rope", [("segments", 1.0.into())]).unwrap().bends.is_empty());
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
        (generate("globe", []), "there is no mesh generator 'globe'"),
        (
            generate("box", [("sise", 1.0.into())]),
            "has no parameter 'sise', it has size, cells, cut; perhaps use 'size'",
        ),
        (
            generate("box", [("size", (-1.0).into())]),
            "size = -1 of the box cannot be used; give one number or an array of 3",
        ),
        (generate("box", [("size", [1.0, 2.0].into())]), "size = [1.0, 2.0]"),
        (generate("box", [("size", f64::NAN.into())]), "size = NaN"),
        (generate("box", [("size", "big".into())]), "size = \"big\""),
        (generate("box", [("cells", [2.0, 0.0, 2.0].into())]), "each a whole number from 1"),
        (generate("box", [("cells", 2.5.into())]), "cells = 2.5"),
        (generate("cloth", [("diagonals", "random".into())]), "give one of \"alternating\", \"uniform\""),
        (generate("chain", [("direction", [0.0; 3].into())]), "give an array of 3 numbers that are not all 0"),
        (generate("chain", [("direction", 1.0.into())]), "give an array of 3 numbers"),
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
