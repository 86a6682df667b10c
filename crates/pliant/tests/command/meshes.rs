//! `pliant convert` and `pliant doctor`.

use crate::workspace::Workspace;
use formats::Encoding;
use model::mesh::Mesh;
use model::mesh::generate::{Generator, Value};
use scene::files::{read_mesh, write_mesh};
use std::collections::BTreeMap;

/// The bar of the scene of the workspace, with a named region of tets.
pub fn bar() -> Mesh {
    let given =
        [("cells_along", 8.0), ("cells_across", 2.0)].map(|(key, n)| (key.to_string(), Value::Numbers(vec![n])));
    let mut mesh = Generator::find("bar").unwrap().mesh(&BTreeMap::from(given)).unwrap();
    mesh.group_tets("jaw", vec![3, 4, 5]);
    mesh
}

pub fn write(workspace: &Workspace, name: &str, mesh: &Mesh) {
    write_mesh(&workspace.path.join(name), mesh, Encoding::Ascii).unwrap();
}

fn sorted(mut nodes: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    nodes.sort_by(|a, b| a.partial_cmp(b).unwrap());
    nodes
}

#[test]
fn meshes_go_from_format_to_format() {
    let workspace = Workspace::new("convert");
    write(&workspace, "bar.msh", &bar());
    let ended = workspace.pliant(&["convert", "bar.msh", "bar.vtu"]).expect(0);
    assert!(
        ended.out.contains("read   bar.msh: 81 nodes") && ended.out.contains("wrote  bar.vtu: 81 nodes"),
        "{}",
        ended.out
    );
    workspace.pliant(&["convert", "bar.vtu", "again.msh", "--ascii"]).expect(0);
    let again = read_mesh(&workspace.path.join("again.msh")).unwrap();
    assert_eq!((&again.points, &again.tets), (&bar().points, &bar().tets), "to the bit");
    assert_eq!(again.groups["jaw"].tets, [3, 4, 5]);
    assert!(std::fs::read(workspace.path.join("again.msh")).unwrap().is_ascii());
    let names: Vec<_> = std::fs::read_dir(&workspace.path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "nothing else is left behind: {names:?}");
}

#[test]
fn what_a_format_cannot_hold_is_said() {
    let workspace = Workspace::new("convert-loss");
    write(&workspace, "bar.msh", &bar());
    let surface = bar().boundary_triangles();
    let report = workspace.pliant(&["convert", "bar.msh", "bar.stl", "--json"]).expect(0).json();
    assert_eq!(report["written"]["triangles"], surface.len());
    assert_eq!(report["written"]["tets"], 0);
    let inner = bar().nodal_areas().iter().filter(|area| **area == 0.0).count();
    assert_eq!(report["written"]["nodes"], 81 - inner, "nodes inside would float");
    let lost = report["lost"].to_string();
    for word in ["192 tets", "groups", "single precision"] {
        assert!(lost.contains(word), "{word}: {lost}");
    }
    let text = workspace.pliant(&["convert", "bar.msh", "bar.obj"]).expect(0).out;
    assert!(text.contains("obj holds no tets: instead of 192 tets"), "{text}");
    let read = read_mesh(&workspace.path.join("bar.obj")).unwrap();
    let used = geometry::doctor::renumber::used_nodes(&read);
    assert!(used.iter().all(|used| *used) && read.triangles.len() == surface.len());
    let diagnosis = geometry::doctor::examine(&read, |_| {});
    assert!(diagnosis.is_healthy(), "outward and closed: {:?}", diagnosis.findings);
}

#[test]
fn groups_become_numbers_or_groups_of_triangles_where_a_format_has_no_more() {
    let workspace = Workspace::new("convert-groups");
    write(&workspace, "bar.msh", &bar());
    for name in ["bar.mesh", "bar.meshb"] {
        let report = workspace.pliant(&["convert", "bar.msh", name, "--json"]).expect(0).json();
        let lost = report["lost"].to_string();
        assert!(lost.contains(&format!("{} names are left out", bar().groups.len())), "{lost}");
        let read = read_mesh(&workspace.path.join(name)).unwrap();
        assert!(read.groups.values().any(|group| group.tets == [3, 4, 5]), "{name}: {:?}", read.groups);
    }
    let mut cloth = Mesh { triangles: bar().boundary_triangles(), points: bar().points, ..Mesh::default() };
    geometry::doctor::renumber::drop_unused(&mut cloth);
    cloth.groups.entry("sleeve".to_string()).or_default().triangles = vec![1, 2];
    cloth.groups.entry("seam".to_string()).or_default().nodes = vec![0, 3];
    write(&workspace, "cloth.msh", &cloth);
    let report = workspace.pliant(&["convert", "cloth.msh", "cloth.obj", "--json"]).expect(0).json();
    assert_eq!(report["written"]["groups"], 1);
    assert_eq!(report["lost"], serde_json::json!(["holds groups of triangles only: 1 without are left out"]));
    let read = read_mesh(&workspace.path.join("cloth.obj")).unwrap();
    assert_eq!(read.groups["sleeve"].triangles, [1, 2]);
}

#[test]
fn bad_meshes_and_names_are_refused() {
    let workspace = Workspace::new("convert-bad");
    let mut twice = bar();
    let [a, b, ..] = twice.tets[7];
    twice.tets[7] = [a, b, b, a];
    write(&workspace, "twice.msh", &twice);
    let err = workspace.pliant(&["convert", "twice.msh", "out.vtu"]).expect(4).err;
    assert!(err.contains("tet 7") && err.contains("pliant doctor twice.msh --fix degenerate"), "{err}");
    assert!(!workspace.path.join("out.vtu").exists());
    workspace.write("half.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1 zero 0\n$EndNodes\n");
    let err = workspace.pliant(&["convert", "half.msh", "out.vtu"]).expect(4).err;
    assert!(err.contains("half.msh:7: ") && err.contains("zero"), "{err}");
    assert_eq!(
        workspace.pliant(&["convert", "half.msh", "out.vtu", "--json"]).expect(4).json()["outcome"],
        "bad input"
    );
    let err = workspace.pliant(&["convert", "none.msh", "out.vtu"]).expect(4).err;
    assert!(err.contains("none.msh: cannot be read"), "{err}");
    workspace.pliant(&["convert", ".", "out.vtu"]).expect(4);
    let err = workspace.pliant(&["convert", "twice.msh", "out.vtx"]).expect(2).err;
    assert!(err.contains(".vtu") || err.contains("vtk"), "{err}");
    // Included files must be in the same directory.
    workspace.write("outside.node", "");
    workspace.write("bad.veg", "*VERTICES\n*INCLUDE ../convert-bad/outside.node\n");
    workspace.pliant(&["convert", "bad.veg", "out.vtu"]).expect(4);
}

#[test]
fn formats_are_listed() {
    let workspace = Workspace::new("list-formats");
    let text = workspace.pliant(&["list", "formats"]).expect(0).out;
    let json: serde_json::Value =
        serde_json::from_str(&workspace.pliant(&["list", "formats", "--json"]).expect(0).out).unwrap();
    let rows = json["formats"].as_array().unwrap();
    assert!(rows.len() >= 8, "{rows:?}");
    for row in rows {
        assert!(
            text.contains(row["name"].as_str().unwrap()) && row["description"].is_string() && row["holds"].is_array()
        );
    }
    assert!(text.contains(".msh") && text.contains("read and written"), "{text}");
}

#[test]
fn a_sound_mesh_is_healthy() {
    let workspace = Workspace::new("doctor");
    write(&workspace, "bar.msh", &bar());
    let page = workspace.pliant(&["doctor", "bar.msh"]).expect(0).out;
    for word in [
        "81 nodes, 192 tets",
        "jaw (3 tets)",
        "1 x 0.2 x 0.2",
        "looks like metres",
        "volume    0.04",
        "healthy",
        "█",
        "mean ratio",
        "dihedral",
        "highest frequency",
        "rubber",
    ] {
        assert!(page.contains(word), "{word}:\n{page}");
    }
    assert!(!page.contains("--fix"), "{page}");
    let report = workspace.pliant(&["doctor", "bar.msh", "--json", "--material", "2.1e11,0.3,7850", "--step", "0.001"]);
    let report = report.expect(0).json();
    assert_eq!((&report["healthy"], &report["unit_guess"]), (&serde_json::json!(true), &serde_json::json!("m")));
    let motion = &report["motion"];
    let w = motion["highest_frequency"].as_f64().unwrap();
    assert!((motion["explicit_step"].as_f64().unwrap() * w - 2.0).abs() < 1e-12);
    assert!((motion["step_times_frequency"].as_f64().unwrap() - 1e-3 * w).abs() < 1e-9 * w);
    // Frequencies scale with the speed of sound: the same numbers as for steel by name.
    let steel = workspace.pliant(&["doctor", "bar.msh", "--json", "--material", "steel"]).expect(0).json();
    assert_eq!(steel["motion"]["highest_frequency"].as_f64(), Some(w));
    let histogram = report["quality"]["mean_ratio"]["histogram"].as_array().unwrap();
    assert_eq!(histogram.iter().map(|n| n.as_u64().unwrap()).sum::<u64>(), 192);
}

#[test]
fn a_sick_mesh_is_mended() {
    let workspace = Workspace::new("doctor-fix");
    let mut sick = bar();
    sick.tets[10].swap(2, 3);
    sick.tets.push(sick.tets[20]);
    sick.points.push([0.123, 0.0456, 0.0789]);
    write(&workspace, "sick.msh", &sick);
    let page = workspace.pliant(&["doctor", "sick.msh"]).expect(0).out;
    for word in [
        "1 tet is inside out",
        "tet 10 at (",
        "--fix orientation",
        "--fix unused",
        "node 81",
        "--fix duplicates",
        "mend it: pliant doctor sick.msh --fix duplicates,orientation,unused -o OUT",
    ] {
        assert!(page.contains(word), "{word}:\n{page}");
    }
    let ended = workspace.pliant(&["doctor", "sick.msh", "--fix", "duplicates,orientation,unused", "-o", "well.msh"]);
    let out = ended.expect(0).out;
    for word in ["1 tets turned", "1 unused nodes dropped", "1 elements that repeat others dropped", "healthy"] {
        assert!(out.contains(word), "{word}:\n{out}");
    }
    let well = read_mesh(&workspace.path.join("well.msh")).unwrap();
    assert_eq!((well.tets, sorted(well.points)), (bar().tets, sorted(bar().points)));
    assert_eq!(well.groups["jaw"].tets, [3, 4, 5]);
    let report = workspace.pliant(&["doctor", "sick.msh", "--fix", "all", "-o", "all.vtu", "--json"]).expect(0).json();
    assert_eq!((&report["healthy"], &report["mended"]["healthy"]), (&false.into(), &true.into()));
    assert_eq!(report["findings"][0]["kind"], "inverted");
    // The report on the mended mesh matches the file.
    let report = workspace.pliant(&["doctor", "sick.msh", "--fix", "all", "-o", "all.stl", "--json"]).expect(0).json();
    let counts = &report["mended"]["counts"];
    assert_eq!((&counts["tets"], &counts["triangles"]), (&0.into(), &bar().boundary_triangles().len().into()));
    // One fix leaves the other defects, and says so.
    let out = workspace.pliant(&["doctor", "sick.msh", "--fix", "unused", "-o", "part.msh"]).expect(0).out;
    assert!(out.contains("still:"), "{out}");
}

/// Nodes counted from 1, tets from 0, as in files of some programs.
#[test]
fn a_pair_that_counts_in_two_ways_is_explained_and_mended() {
    let workspace = Workspace::new("doctor-pair");
    write(&workspace, "bar.msh", &bar());
    workspace.pliant(&["convert", "bar.msh", "bar.ele"]).expect(0);
    let read = |name: &str| read_mesh(&workspace.path.join(name)).unwrap();
    assert_eq!((read("bar.ele").tets, read("bar.node").points), (bar().tets, read("bar.msh").points));
    let tets = std::fs::read_to_string(workspace.path.join("bar.ele")).unwrap();
    let mut rows = tets.lines();
    let mut from_0 = format!("{}\n", rows.next().unwrap());
    for row in rows {
        let mut numbers: Vec<i64> = row.split_whitespace().map(|word| word.parse().unwrap()).collect();
        numbers[1..5].iter_mut().for_each(|node| *node -= 1);
        from_0 += &numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        from_0.push('\n');
    }
    workspace.write("odd.ele", &from_0);
    std::fs::copy(workspace.path.join("bar.node"), workspace.path.join("odd.node")).unwrap();
    let err = workspace.pliant(&["convert", "odd.ele", "out.msh"]).expect(4).err;
    assert!(err.contains("counted from 1") && err.contains("pliant doctor odd.ele --fix all -o OUT"), "{err}");
    let page = workspace.pliant(&["doctor", "odd.ele"]).expect(0).out;
    assert!(page.contains("elements count them from 0: all") && page.contains("--fix all -o OUT"), "{page}");
    for out in ["odd.node", "odd.ele"] {
        workspace.pliant(&["doctor", "odd.ele", "--fix", "all", "-o", out]).expect(2);
    }
    let report = workspace.pliant(&["doctor", "odd.ele", "--fix", "all", "-o", "well.ele", "--json"]).expect(0).json();
    assert_eq!((&report["healthy"], &report["doubts"][0]["kind"]), (&false.into(), &"other-base".into()));
    assert_eq!(report["mended"]["healthy"], true);
    assert_eq!((read("well.node").tets, read("well.ele").points), (read("bar.ele").tets, read("bar.ele").points));
}

#[test]
fn two_bodies_in_one_file_are_sound_and_both_stay_unless_one_is_asked_for() {
    let workspace = Workspace::new("doctor-parts");
    let (mut pair, mut other) = (bar(), bar());
    other.groups.clear();
    other.points.iter_mut().for_each(|p| p[2] += 1.0);
    pair.append(&other);
    write(&workspace, "pair.msh", &pair);
    let page = workspace.pliant(&["doctor", "pair.msh"]).expect(0).out;
    assert!(page.contains("healthy") && page.contains("--fix parts keeps only the largest"), "{page}");
    assert!(!page.contains("mend it"), "{page}");
    let mended = |fix: &str| {
        workspace.pliant(&["doctor", "pair.msh", "--fix", fix, "-o", "out.msh"]).expect(0);
        read_mesh(&workspace.path.join("out.msh")).unwrap().tets.len()
    };
    assert_eq!((mended("all"), mended("parts")), (pair.tets.len(), bar().tets.len()));
}

#[test]
fn the_doctor_refuses_what_makes_no_sense() {
    let workspace = Workspace::new("doctor-usage");
    write(&workspace, "bar.msh", &bar());
    workspace.write("bad.msh", "$MeshFormat\n2.2 0 8\n");
    workspace.pliant(&["doctor", "bad.msh"]).expect(4);
    assert_eq!(workspace.pliant(&["doctor", "none.msh", "--json"]).expect(4).json()["outcome"], "bad input");
    for wrong in [
        &["doctor", "bar.msh", "--fix", "all"][..],
        &["doctor", "bar.msh", "-o", "x.msh"],
        &["doctor", "bar.msh", "--fix", "orientaton", "-o", "x.msh"],
        &["doctor", "bar.msh", "--fix", "all", "-o", "bar.msh"],
        &["doctor", "bar.msh", "--fix", "all", "-o", "x.xyzzy"],
        &["doctor", "bar.msh", "--material", "cheese"],
        &["doctor", "bar.msh", "--material", "1e6,0.5,1000"],
        &["doctor", "bar.msh", "--step", "0"],
    ] {
        workspace.pliant(wrong).expect(2);
    }
    assert!(!workspace.path.join("x.msh").exists());
}
