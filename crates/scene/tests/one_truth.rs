//! A scene is its data: edited, written and read back it is the same, and it is checked by the same rules wherever it
//! comes from.

use model::mesh::generate::Generator;
use model::mesh::{Mesh, Selector};
use scene::body::{Body, Material, Shape};
use scene::scene::{Selection, Start};
use scene::{Scene, Turn};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn scenes() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let list = |directory: PathBuf| std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = list(root.clone()).chain(list(root.join("large"))).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    assert!(paths.len() > 80);
    paths
}

fn load(path: &Path) -> Scene {
    Scene::load(path).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn every_scene_is_read_back_as_it_is_written() {
    for path in scenes() {
        let scene = load(&path);
        let text = scene.to_toml();
        let again = Scene::parse("run.toml", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        assert!(scene == again, "{}:\n{text}", path.display());
        assert_eq!(again.to_toml(), text, "{}", path.display());
    }
}

/// Every field that is changed in code is written, and read back.
#[test]
fn every_scene_can_be_edited() {
    for path in scenes() {
        let scene = load(&path);
        let mut edited = scene.clone();
        edited.title += " (edited)";
        edited.run.duration *= 2.0;
        edited.world.gravity[0] += 0.125;
        edited.integrator.step *= 0.5;
        edited.damping.mass += 0.25;
        for body in &mut edited.bodies {
            body.position[1] += 0.1;
            body.rotation = Some(Turn { axis: [0.3, 0.2, 0.7], degrees: 33.3 });
            body.scale *= 1.1;
            if let Some(material) = &mut body.material {
                material.density *= 1.3;
            }
            if let Some(springs) = &mut body.springs {
                springs.stiffness *= 0.7;
            }
        }
        edited.rigids.iter_mut().for_each(|rigid| rigid.friction += 0.1);
        edited.joints.iter_mut().for_each(|joint| joint.compliance += 1e-9);
        edited.fluids.iter_mut().for_each(|fluid| fluid.liquid.viscosity += 0.1);
        edited.loads.iter_mut().for_each(|load| load.value[2] += 1.0);
        let start = Start::Twist { center: None, axis: [1.0, 2.0, 3.0], degrees_per_metre: 7.7 };
        edited.initials.push((Selection::all(), start));
        edited.expect = None;
        assert!(scene != edited);
        let text = edited.to_toml();
        let again = Scene::parse("run.toml", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        assert!(edited == again, "{}:\n{text}", path.display());
    }
}

/// Returns a rubber bar, put together in code.
fn bar() -> Scene {
    let generator = Generator::find("bar").unwrap();
    let shape = Shape::generated(generator, &[("cells_along", 6.0.into()), ("cells_across", 2.0.into())]);
    let material = Some(Material::new("neo-hookean", [("young", 1e6), ("poisson", 0.3)], 1000.0));
    let mut scene = Scene::new();
    scene.bodies.push(Body { material, ..Body::new("bar", shape) });
    scene.fixes.push(Selection::of("bar", Selector::Group("x-".to_string())));
    scene.run.duration = 0.05;
    scene
}

#[test]
fn a_scene_can_be_made_without_any_text() {
    let scene = bar();
    assert_eq!(Scene::parse("run.toml", &scene.to_toml()).unwrap(), scene);
    let mut built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    built.simulation.step().unwrap();
    // Defaults are those of files.
    let text = "[run]\nduration = 1.0\n[integrator]\nmethod = \"backward-euler\"\nstep = 0.01\n\
                [[rigid]]\nshape = { kind = \"ball\", radius = 1.0 }\nmass = 1.0\n";
    let problems = Scene::parse("plain.toml", text).unwrap_err();
    assert_eq!(problems.list.len(), 1, "{problems}");
    let plain = Scene::parse("plain.toml", &text.replace("backward-euler", "small-steps")).unwrap();
    let mut made = Scene::new();
    (made.rigids, made.integrator.method) = (plain.rigids.clone(), plain.integrator.method);
    assert_eq!(made, plain);
}

#[test]
fn what_code_says_is_checked_as_a_file_is() {
    let wrong = |edit: &dyn Fn(&mut Scene)| {
        let mut scene = bar();
        edit(&mut scene);
        let problems = scene.build().err().expect("it is accepted");
        assert_eq!(problems.list.len(), 1, "{problems}");
        let problem = problems.list[0].clone();
        assert_eq!(problem.to_json()["key"], serde_json::json!(problem.key));
        (problem.message.clone(), problem.key.clone().unwrap_or_default(), problem.to_string())
    };
    let (message, key, shown) = wrong(&|scene| {
        scene.bodies[0].material.as_mut().unwrap().parameters.insert("young".to_string(), (-1.0).into());
    });
    assert!(message.contains("`young` takes a number above 0 [Pa], not -1.0; a body of modulus 0"), "{message}");
    assert_eq!((key.as_str(), shown.contains("--> scene: body.bar.material.young")), ("body.bar.material.young", true));
    let (message, key, _) = wrong(&|scene| scene.integrator.step = f64::NAN);
    assert!(message.contains("not nan") && key == "integrator.step", "{message} {key}");
    let (message, key, _) = wrong(&|scene| scene.fixes[0].body = Some("baar".to_string()));
    assert!(message.contains("there is no body \"baar\"") && key == "fix.1.body", "{message} {key}");
    let (message, key, _) = wrong(&|scene| scene.bodies.clear());
    assert!(message.contains("[[body]] is missing") && key.is_empty(), "{message} {key}");
    // Problems that only the meshes show.
    let (message, key, _) = wrong(&|scene| scene.fixes[0].part = Selector::Group("y=".to_string()));
    assert!(message.contains("the body has no group 'y='") && key == "fix.1.where", "{message} {key}");
    let cells = |n: f64| Shape::generated(Generator::find("bar").unwrap(), &[("cells_along", n.into())]);
    let (message, key, _) = wrong(&|scene| scene.bodies[0].shape = cells(2.5));
    assert!(message.contains("not 2.5; write it without a point"), "{message}");
    assert_eq!(key, "body.bar.shape.cells_along");
    let unknown = Shape::generated(Generator::find("bar").unwrap(), &[("cels", 2.0.into())]);
    let (message, ..) = wrong(&|scene| scene.bodies[0].shape = unknown.clone());
    assert!(message.contains("cels"), "{message}");
}

/// Messages have the lines of the file until the scene is changed, and paths of keys from then on.
#[test]
fn messages_have_lines_until_a_scene_is_edited() {
    let text = bar().to_toml().replace("\"x-\"", "\"xx-\"");
    let line = text.lines().position(|line| line.contains("\"xx-\"")).unwrap() + 1;
    let mut scene = Scene::parse("bar.toml", &text).unwrap();
    let problem = scene.build().err().unwrap().list[0].clone();
    assert_eq!((problem.line, problem.key, problem.file.as_str()), (line, None, "bar.toml"));
    // Another method leaves the lines of the file where they are.
    let problem = scene.with_method("bdf2").unwrap().build().err().unwrap().list[0].clone();
    assert_eq!((problem.line, problem.key, problem.file.as_str()), (line, None, "bar.toml"));
    scene.bodies.insert(0, scene.bodies[0].clone());
    scene.bodies[0].name = "first".to_string();
    let problem = scene.build().err().unwrap().list[0].clone();
    assert_eq!((problem.key.as_deref(), problem.text.as_str()), (Some("fix.1.where"), ""));
}

#[test]
fn a_mesh_in_memory_is_a_body_and_is_kept_as_a_file() {
    let mut scene = bar();
    let made = scene.mesh_of(None, &|_| {}).unwrap().mesh;
    let expected = scene.build().unwrap();
    scene.bodies[0].shape = Shape::Given(Arc::new(made));
    let given = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(given.start, expected.start);
    assert_eq!((given.mesh.tets.clone(), given.files.len()), (expected.mesh.tets.clone(), 1));
    // Changed by path, it keeps its mesh.
    scene.set("body.bar.scale", 2.0).unwrap();
    assert!(matches!(&scene.bodies[0].shape, Shape::Given(mesh) if mesh.tets.len() == given.mesh.tets.len()));
    scene.set("body.bar.scale", 1.0).unwrap();
    // A run keeps the mesh beside run.toml, which then gives a bit-for-bit identical motion.
    let path = std::env::temp_dir().join(format!("pliant-given-{}", std::process::id()));
    {
        use scene::output::{Directory, Files, run_text};
        let simulation = scene.build().unwrap();
        let (directory, _) = Directory::claim(&path, &run_text(&scene, &simulation), true).unwrap();
        drop(Files::new(&directory, &scene, &simulation).unwrap());
    }
    let kept = load(&path.join("run.toml"));
    let again = kept.build().unwrap_or_else(|problems| panic!("{problems}"));
    assert!(
        matches!(&kept.bodies[0].shape, Shape::File { path, checksum: Some(_), .. } if path.starts_with("meshes/1"))
    );
    assert_eq!((&again.mesh, &again.start), (&given.mesh, &given.start));
    std::fs::remove_dir_all(&path).unwrap();

    // A mesh that is not valid is refused.
    let flat = Mesh { points: vec![[0.0; 3]; 4], tets: vec![[0, 1, 2, 3]], ..Mesh::default() };
    scene.bodies[0].shape = Shape::Given(Arc::new(flat));
    assert!(scene.build().err().unwrap().to_string().contains("body \"bar\": tet 0"));
    let beyond = Mesh { points: vec![[0.0; 3]; 3], tets: vec![[0, 1, 2, 3]], ..Mesh::default() };
    scene.bodies[0].shape = Shape::Given(Arc::new(beyond));
    scene.build().err().expect("a tet without its node");
}
