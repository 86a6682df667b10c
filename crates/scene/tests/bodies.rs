//! The bodies of bodies/: each is filled with good tets, in one piece, at about its size, and has the groups that scenes use.

use geometry::stuff::LARGEST_ANGLE;
use geometry::{components, dihedral_angles};
use model::mesh::Mesh;
use scene::files::read_shape;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bodies")
}

/// The smallest angle of the paper on isosurface stuffing [degrees]. Stencils may go below it (ERRATA.md), bodies do not.
const PROMISED: f64 = 10.7;

/// Name, vertices and tets of the paper, and the approximate number of nodes of each group.
type Row = (&'static str, usize, usize, &'static [(&'static str, usize)]);

const PAPERS: &[Row] = &[
    ("moebius-ball", 5_829, 16_857, &[("core", 0), ("sheet", 0)]),
    ("toy-tower", 16_027, 69_271, &[("feet", 0)]),
    ("tree", 24_533, 79_217, &[("roots", 0)]),
    ("human", 40_540, 189_021, &[("inner", 6_200)]),
    ("bunny", 3_000, 12_000, &[("ears", 0), ("legs", 0)]),
    ("dinosaur", 5_413, 20_150, &[("tail", 916), ("head-and-neck", 824), ("feet", 0)]),
    ("flower", 2_980, 9_382, &[("petals", 855), ("upper-leaves", 1_236), ("root", 0)]),
    ("asian-dragon", 9_961, 34_441, &[("horns", 0), ("tail", 0), ("feet", 0)]),
    (
        "dragon",
        2_717,
        8_252,
        &[
            ("jaw", 156),
            ("head", 574),
            ("neck", 814),
            ("chest", 1_403),
            ("front", 1_904),
            ("most", 2_671),
            ("horns", 0),
        ],
    ),
];

fn made(name: &str) -> Mesh {
    let file = read_shape(&directory().join(format!("{name}.toml"))).unwrap_or_else(|error| panic!("{error}"));
    file.make(&|_| {}).unwrap_or_else(|error| panic!("{error}")).0.mesh
}

#[test]
fn every_body_is_in_the_table() {
    let files = std::fs::read_dir(directory()).unwrap().map(|file| file.unwrap().path());
    let mut found: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    let mut known: Vec<&str> = PAPERS.iter().map(|row| row.0).collect();
    known.sort();
    assert_eq!(found, known);
}

#[test]
fn bodies_are_in_one_piece_of_good_tets_at_the_papers_sizes() {
    for &(name, vertices, tets, groups) in PAPERS {
        let mesh = made(name);
        mesh.validate().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(components(&mesh).1, 1, "{name} is in pieces");
        let off = |count: usize, paper: usize| (count as f64 / paper as f64 - 1.0).abs();
        assert!(off(mesh.points.len(), vertices) < 0.08, "{name}: {} of {vertices} vertices", mesh.points.len());
        assert!(off(mesh.tets.len(), tets) < 0.25, "{name}: {} of {tets} tets", mesh.tets.len());
        for angle in (0..mesh.tets.len()).flat_map(|e| dihedral_angles(&mesh.tet_points(e))) {
            assert!((PROMISED..=LARGEST_ANGLE).contains(&angle), "{name}: an angle of {angle} degrees");
        }
        for &(group, paper) in groups {
            let nodes = mesh.groups.get(group).unwrap_or_else(|| panic!("{name} has no {group}")).nodes.len();
            assert!(
                nodes > 20 && (paper == 0 || off(nodes, paper) < 0.25),
                "{name}: {nodes} nodes in {group}, {paper}"
            );
        }
    }
}

#[test]
fn the_regions_of_the_dragon_hold_one_another() {
    let groups: BTreeMap<_, _> = made("dragon").groups;
    for pair in ["jaw", "head", "neck", "chest", "front", "most"].windows(2) {
        let (inner, outer) = (&groups[pair[0]].nodes, &groups[pair[1]].nodes);
        assert!(inner.iter().all(|node| outer.binary_search(node).is_ok()), "{} is not inside {}", pair[0], pair[1]);
    }
}
