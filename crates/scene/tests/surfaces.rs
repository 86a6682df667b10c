//! Finer surfaces that follow the tets, from the scene to the files of a run.

mod output_reader;

use geometry::SurfaceDistance;
use numerics::mat3::{Vec3, norm, sub};
use output_reader::{Frame, collection, whole_run};
use scene::output::{Directory, Files};
use scene::solid::Made;
use scene::{Built, Ending, Scene, run};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Returns an empty directory for one test.
fn empty_directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("surfaces").join(name);
    fs::remove_dir_all(&path).ok();
    fs::create_dir_all(&path).unwrap();
    path
}

/// A ball on a box, a bar without a finer surface before it.
const SCENE: &str = r#"
[run]
duration = 0.05
frame_rate = 60.0
[world]
gravity = [0.0, 0.0, 0.0]
[integrator]
method = "backward-euler"
step = 0.01
[[body]]
name = "bar"
shape = { generator = "bar", cells_along = 3, cells_across = 1 }
material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
[[body]]
name = "figure"
position = [0.0, 2.0, 0.5]
rotation = { axis = [1.0, 2.0, 3.0], degrees = 40.0 }
scale = 0.7
material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
[body.shape]
generator = "parts"
vertices = 300
surface = 3000
[[body.shape.part]]
kind = "box"
[[body.shape.part]]
kind = "ball"
radius = 0.4
position = [0.0, 0.0, 0.6]
blend = 0.1
[[fix]]
body = "figure"
where = { box = { min = [-9.0, 1.9, -9.0], max = [9.0, 2.1, 9.0] } }
[[initial]]
kind = "stretch"
factors = [1.2, 0.9, 1.1]
center = [0.0, 2.0, 0.5]
"#;

fn load(text: &str) -> Scene {
    Scene::parse("test", text).unwrap_or_else(|problems| panic!("{problems}"))
}

fn figure(scene: &Scene) -> Made {
    scene.mesh_of(Some("figure"), &|_| {}).unwrap()
}

/// Counts the triangles of each edge.
fn edges(triangles: &[[u32; 3]]) -> HashMap<[u32; 2], usize> {
    let mut edges = HashMap::new();
    for [a, b, c] in triangles {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            *edges.entry([*i.min(j), *i.max(j)]).or_insert(0) += 1;
        }
    }
    edges
}

fn run_to(path: &Path, scene: &Scene, built: &mut Built) {
    let mut files = Files::new(&Directory::prepare(path, false).unwrap(), scene, built).unwrap();
    assert_eq!(run(built, &mut [&mut files], &GO_ON).unwrap().ending, Ending::Done);
}

#[test]
fn the_surface_is_closed_of_the_wanted_size_and_near_the_tets() {
    let Made { mesh, surface, .. } = figure(&load(SCENE));
    let surface = surface.unwrap();
    assert!((2700..=3300).contains(&surface.points.len()), "{}", surface.points.len());
    assert!(edges(&surface.triangles).values().all(|&count| count == 2), "a hole");
    assert!(surface.tets.is_empty());
    // The difference between tets and shape is less than one of their cells.
    let spacing = (mesh.volume() / mesh.tets.len() as f64 * 6.0).cbrt();
    let boundary = SurfaceDistance::new(&mesh.points, &mesh.boundary_triangles()).unwrap();
    let far = surface.points.iter().map(|&p| geometry::Distance::at(&boundary, p).abs()).fold(0.0, f64::max);
    assert!(far < spacing, "{far} {spacing}");
    assert!(far > 1e-4 * spacing, "the surface is not finer");
}

#[test]
fn an_affine_motion_is_followed_from_the_scene_to_the_file() {
    let path = empty_directory("affine");
    let scene = load(&SCENE.replace(
        "[[fix]]\nbody = \"figure\"\nwhere = { box = { min = [-9.0, 1.9, -9.0], max = [9.0, 2.1, 9.0] } }\n",
        "",
    ));
    let mut built = scene.build().unwrap();
    run_to(&path, &scene, &mut built);
    let rest = figure(&scene).surface.unwrap();
    let listed = collection(&path.join("surface.pvd"));
    let frames = collection(&path.join("frames.pvd"));
    assert_eq!(listed.iter().map(|x| x.0).collect::<Vec<_>>(), frames.iter().map(|x| x.0).collect::<Vec<_>>());
    assert_eq!(listed[0].1, "surface/frame-000000.vtu");

    let frame = Frame::read(&path.join(&listed[0].1));
    assert_eq!((frame.points, frame.cells), (rest.points.len(), rest.triangles.len()));
    let moved = |p: &Vec3| -> Vec3 {
        let (center, factors) = ([0.0, 2.0, 0.5], [1.2, 0.9, 1.1]);
        std::array::from_fn(|k| center[k] + factors[k] * (p[k] - center[k]))
    };
    let (x, u) = (frame.floats("Points"), frame.floats("displacement"));
    for ((p, x), u) in rest.points.iter().zip(x.as_chunks::<3>().0).zip(u.as_chunks::<3>().0) {
        assert!(norm(sub(*x, moved(p))) < 1e-9, "{x:?} {:?}", moved(p));
        assert!(norm(sub(*u, sub(moved(p), *p))) < 1e-9);
    }
    let nodes: Vec<i64> = rest.triangles.iter().flatten().map(|&i| i.into()).collect();
    assert_eq!(frame.integers("connectivity"), nodes);
    assert!(frame.integers("types").iter().all(|&kind| kind == 5));
    assert!(frame.integers("body").iter().all(|&body| body == 1), "the first body has no finer surface");

    // The last one has moved, and has the velocities of the tets it is tied to.
    let last = Frame::read(&path.join(&listed.last().unwrap().1));
    assert!(last.floats("Points") != x && last.floats("velocity").iter().any(|v| v.abs() > 1e-3));
    let (.., frames) = whole_run(&path);
    let fastest = frames.last().unwrap().floats("velocity").iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    assert!(last.floats("velocity").iter().all(|v| v.abs() < 2.0 * fastest));
}

#[test]
fn fixed_nodes_and_several_bodies_change_nothing_but_their_own() {
    // The figure twice, the second elsewhere: each surface is tied to its own tets, for any numbering of the model.
    let figure = SCENE.split("[[body]]").nth(2).unwrap().split("[[fix]]").next().unwrap();
    let other = figure.replace("\"figure\"", "\"other\"").replace("[0.0, 2.0, 0.5]", "[0.0, 5.0, 0.5]");
    let scene = load(&SCENE.replace("[[fix]]", &format!("[[body]]{other}[[fix]]")).replace(
        "kind = \"stretch\"\nfactors = [1.2, 0.9, 1.1]\ncenter = [0.0, 2.0, 0.5]",
        "body = \"other\"\nkind = \"shift\"\noffset = [0.0, 0.0, 3.0]",
    ));
    let built = scene.build().unwrap();
    let surface = built.surface.as_ref().unwrap();
    let mut found = vec![[0.0; 3]; surface.embedding.len()];
    surface.embedding.follow(built.start.x.as_chunks().0, &mut found);
    let count = found.len() / 2;
    for (i, (x, p)) in found.iter().zip(&surface.mesh.points).enumerate() {
        let body = surface.body_of_point(i as u32);
        assert_eq!(body, if i < count { 1 } else { 2 });
        let shift = if body == 2 { 3.0 } else { 0.0 };
        assert!(norm(sub(*x, [p[0], p[1], p[2] + shift])) < 1e-9);
    }
}

#[test]
fn a_run_without_finer_surfaces_leaves_none_of_an_earlier_one() {
    let path = empty_directory("again");
    let scene = load(SCENE);
    run_to(&path, &scene, &mut scene.build().unwrap());
    assert!(path.join("surface/frame-000000.vtu").exists());
    let scene = load(&SCENE.replace("surface = 3000\n", ""));
    run_to(&path, &scene, &mut scene.build().unwrap());
    assert!(!path.join("surface.pvd").exists() && !path.join("surface").exists());
    // Files that no run wrote are not touched.
    let scene = load(SCENE);
    run_to(&path, &scene, &mut scene.build().unwrap());
    fs::write(path.join("surface/mine.txt"), "mine").unwrap();
    let refused = Directory::prepare(&path, false).unwrap_err().to_string();
    assert!(refused.contains("mine.txt"), "{refused}");
}

/// An octahedron of 8 triangles, as an OBJ file.
const OCTAHEDRON: &str = "v 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n\
    f 2 1 6\nf 3 2 6\nf 4 3 6\nf 1 4 6\n";

fn with_file(directory: &Path, file: &str, keys: &str) -> Scene {
    let text = format!(
        "[run]\nduration = 0.01\n[integrator]\nmethod = \"backward-euler\"\nstep = 0.01\n[[body]]\nname = \"figure\"\n\
         material = {{ model = \"corotational\", young = 1e5, poisson = 0.3, density = 1000.0 }}\n\
         [body.shape]\ngenerator = \"file\"\npath = \"{file}\"\n{keys}\n"
    );
    fs::write(directory.join("scene.toml"), text).unwrap();
    Scene::load(&directory.join("scene.toml")).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn the_triangles_of_a_file_that_is_filled_can_be_the_surface() {
    let path = empty_directory("given");
    fs::write(path.join("octahedron.obj"), OCTAHEDRON).unwrap();
    let given = with_file(&path, "octahedron.obj", "vertices = 200\nsurface = \"given\"");
    let surface = given.build().unwrap().surface.clone().unwrap();
    assert_eq!((surface.mesh.points.len(), surface.mesh.triangles.len()), (6, 8));
    assert_eq!(surface.mesh.points[0], [1.0, 0.0, 0.0]);
    assert!(given.to_toml().contains("surface = \"given\""));
    let made = with_file(&path, "octahedron.obj", "vertices = 200\nsurface = 2000");
    let surface = made.build().unwrap().surface.clone().unwrap();
    assert!((1800..=2200).contains(&surface.mesh.points.len()), "{}", surface.mesh.points.len());
    assert!(with_file(&path, "octahedron.obj", "vertices = 200").build().unwrap().surface.is_none());
}

#[test]
fn a_surface_of_nothing_that_is_filled_is_refused_with_its_line() {
    let path = empty_directory("refused");
    fs::write(path.join("octahedron.obj"), OCTAHEDRON).unwrap();
    fs::write(path.join("ball.toml"), "vertices = 100\n[[part]]\nkind = \"ball\"\n").unwrap();
    scene::files::write_mesh(&path.join("tets.msh"), &figure(&load(SCENE)).mesh, formats::Encoding::Binary).unwrap();
    for (file, keys, words) in [
        ("octahedron.obj", "surface = 2000", "say how many `vertices` fill it"),
        ("tets.msh", "surface = 2000", "has tets of its own"),
        ("ball.toml", "surface = \"given\"", "say how many vertices its surface is to have"),
    ] {
        let problems = with_file(&path, file, keys).build().err().unwrap_or_else(|| panic!("{file} is not refused"));
        assert_eq!(problems.list.len(), 1);
        assert_eq!(problems.list[0].line, 12, "{problems}");
        assert!(problems.to_string().contains(words), "{problems}");
    }
    let bar = SCENE.replace("cells_across = 1 }", "cells_across = 1, surface = 100 }");
    let problems = Scene::parse("test", &bar).unwrap_err();
    assert!(problems.to_string().contains("surface"), "{problems}");
}
