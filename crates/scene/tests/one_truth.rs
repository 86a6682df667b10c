//! A scene is its data: edited, written and read back it is the same, and it is checked by the same rules wherever it
//! comes from.

use integrators::parameters;
use model::mesh::generate::Generator;
use model::mesh::{Mesh, Selector};
use scene::body::{Body, Material, Shape};
use scene::scene::{Selection, Start};
use scene::{Overrides, Scene, Turn, spec};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const HEAD: &str = "[run]\nduration = 0.1\n[integrator]\nmethod = \"backward-euler\"\nstep = 0.01\n";
const RUBBER: &str = "material = { model = \"neo-hookean\", young = 1e6, poisson = 0.3, density = 1000.0 }";
const BOX: &str = "shape = { generator = \"box\", size = [1, 1, 1], cells = [2, 2, 2] }";

fn parse(body: &str) -> Scene {
    Scene::parse("test.toml", &format!("{HEAD}{body}")).unwrap_or_else(|problems| panic!("{problems}"))
}

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
        for fibres in &mut edited.fibres {
            fibres.parameters.insert("density".to_string(), 1234.5.into());
            fibres.direction = Some([0.1, 0.2, 0.3]);
        }
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

#[test]
fn flags_replace_and_are_checked() {
    let scene = Scene::parse("test.toml", &format!("{HEAD}halvings = 3\n[[body]]\n{BOX}\n{RUBBER}")).unwrap();
    let other = scene.with_method("newmark").unwrap().with_step(0.02).unwrap().with_duration(1.0).unwrap();
    assert_eq!((other.integrator.method.name, other.integrator.step, other.run.duration), ("newmark", 0.02, 1.0));
    assert_eq!(other.with(&Overrides::default()).unwrap(), other);

    let problems = scene.with_method("newmrak").unwrap_err();
    assert_eq!((problems.list.len(), problems.list[0].suggestion.as_deref()), (1, Some("newmark")));
    assert_eq!((problems.list[0].file.as_str(), problems.list[0].line), ("command line", 1));
    assert!(scene.with_step(f64::NAN).unwrap_err().to_string().contains("--step nan"));
    assert!(scene.with_step(5.0).unwrap_err().to_string().contains("the step is 5 s"));
}

#[test]
fn any_key_can_be_set_by_its_path() {
    let two = format!("[[body]]\nname = \"bar\"\n{BOX}\n{RUBBER}\n[[body]]\n{BOX}\n{RUBBER}\nposition = [9, 0, 0]\n");
    let fix = "[[fix]]\nbody = \"bar\"\nwhere = { ball = { center = [0, 0, 0], radius = 0.1 } }\n";
    let mut scene = parse(&format!("halvings = 3\n{two}{fix}"));
    scene.set("body.bar.material.young", 5e6).unwrap();
    scene.set("body.2.material.young", 7e6).unwrap();
    scene.set("body.body-2.scale", 2).unwrap();
    scene.set("world.gravity", vec![0.0, 0.0, -1.6]).unwrap();
    scene.set("world.gravity.1", 0.5).unwrap();
    scene.set("fix.1.where.ball.radius", 0.2).unwrap();
    scene.set("body.bar.rotation", toml::from_str::<toml::Table>("axis = [0, 0, 1]\ndegrees = 30").unwrap()).unwrap();
    scene.set("damping.mass", 0.1).unwrap();
    scene.set("title", "two").unwrap();
    let young: Vec<f64> = scene.bodies.iter().map(young).collect();
    assert_eq!((young, scene.bodies[1].scale, scene.title.as_str()), (vec![5e6, 7e6], 2.0, "two"));
    assert_eq!((scene.world.gravity, scene.damping.mass), ([0.5, 0.0, -1.6], 0.1));
    assert_eq!(scene.bodies[0].rotation.map(|turn| turn.degrees), Some(30.0));
    let ball = model::mesh::Selector::Ball { center: [0.0; 3], radius: 0.2 };
    assert_eq!(scene.fixes[0].part, ball);
    assert_eq!(scene.integrator.options.get(&parameters::HALVINGS), 3);
    // Options that another method does not read are dropped.
    scene.set("integrator.method", "newmark").unwrap();
    assert_eq!((scene.integrator.method.name, scene.integrator.options.get(&parameters::HALVINGS)), ("newmark", 0));
    assert_eq!(Scene::parse("run.toml", &scene.to_toml()).unwrap(), scene);

    // A value that cannot be set leaves the scene unchanged, and is reported with the path of its key.
    let before = scene.clone();
    for (path, value, message, word) in [
        ("body.bra.scale", "1", "`body` has no entry \"bra\"; use \"bar\" or", Some("bar")),
        ("body.3.scale", "1", "a number from 1 to 2", None),
        ("body.bar.material.yung", "1", "unknown key `yung` in `material`", Some("young")),
        ("integratr.step", "0.1", "unknown key `integratr`", Some("integrator")),
        ("integrator.step", "-1.0", "`step` takes a number above 0 [s], not -1.0", None),
        ("run.duration", "0.001", "the step is 0.01 s but the duration 0.001 s", None),
        ("load.1.value", "[1.0, 0.0, 0.0]", "the scene has no [[load]] to change", None),
        ("run..duration", "1", "it takes the path of a key", None),
        ("integrator.halvings", "2", "`halvings` does not go with method = \"newmark\"", None),
    ] {
        let value: toml::Value = toml::from_str::<toml::Table>(&format!("x = {value}")).unwrap().remove("x").unwrap();
        let problems = scene.set(path, value).unwrap_err();
        assert_eq!(problems.list.len(), 1, "{problems}");
        let problem = &problems.list[0];
        assert!(problem.message.contains(message), "{path}: {problem}");
        assert_eq!(problem.suggestion.as_deref(), word, "{path}: {problem}");
        // Other values still have their place in the file.
        let place = if path == "run.duration" { (None, 5) } else { (Some(path), 1) };
        assert_eq!((problem.key.as_deref(), problem.line), place, "{path}: {problem}");
        assert_eq!(scene, before);
    }
}

#[test]
fn flags_that_set_keys_are_named_in_messages() {
    let text = format!("{HEAD}[[body]]\nname = \"bar\"\n{BOX}\n{RUBBER}");
    let with = |said: &str| {
        let overrides = Overrides::new().assign("--set", said).unwrap();
        Scene::parse_with("test.toml", &text, &overrides)
    };
    assert_eq!(young(&with("body.bar.material.young = 2e6").unwrap().bodies[0]), 2e6);
    assert_eq!(with("integrator.method=newmark").unwrap().integrator.method.name, "newmark");
    assert_eq!(with("title=a bar = a bar").unwrap().title, "a bar = a bar");
    assert_eq!(with("world.gravity=[0,0,-1]").unwrap().world.gravity, [0.0, 0.0, -1.0]);
    for (said, message, marked) in [
        ("body.bar.material.poisson=0.5", "at 0.5 the volume could not change at all", "^^^\n"),
        ("world.gravity=[0,0,nan]", "not nan", "^^^\n"),
        ("body.baar.scale=2", "`body` has no entry \"baar\"", "^^^^ did you mean `bar`?"),
        ("run.duratoin=2", "unknown key `duratoin`", "^^^^^^^^ did you mean `duration`?"),
    ] {
        let problems = with(said).unwrap_err();
        let shown = problems.to_string();
        assert!(shown.contains(message) && shown.contains(marked), "{said}: {shown}");
        assert!(shown.contains(&format!("1 | --set {said}")), "{said}: {shown}");
        assert_eq!((problems.list.len(), problems.list[0].file.as_str()), (1, "command line"), "{shown}");
    }
    assert_eq!(Overrides::new().assign("--set", "run.duration"), None);
}

#[test]
fn old_spellings_are_read_as_the_new_ones() {
    let new = format!(
        "[[body]]\nname = \"a\"\nshape = {{ generator = \"bar\", cells_along = 6, cells_across = [2, 3] }}\n{RUBBER}\n\
         [[body.zone]]\nwhere = {{ group = \"x-\" }}\nyoung = 2e6\n\
         [[body]]\nname = \"b\"\n{RUBBER}\n[body.shape]\ngenerator = \"parts\"\nvertices = 200\n\
         [[body.shape.part]]\nkind = \"ball\"\nradius = 1.0\n\
         [[body.shape.part]]\nkind = \"ball\"\nradius = 0.5\nname = \"core\"\noperation = \"label\"\n"
    );
    let old = new.replace("cells_a", "cells-a").replace("body.zone", "body.region").replace("\"label\"", "\"region\"");
    let [new, old] = [new, old].map(|text| parse(&text));
    assert_eq!(new, old);
    assert_eq!(new.to_toml(), old.to_toml());
    for word in ["cells_along = 6", "[[body.zone]]", "operation = \"label\""] {
        assert!(old.to_toml().contains(word), "{word} is not in\n{}", old.to_toml());
    }
    let set = |key: &str| {
        let overrides = Overrides::new().set(key, 7);
        old.with(&overrides).unwrap().to_toml()
    };
    assert!(set("body.a.shape.cells-along").contains("cells_along = 7"));
    let both = format!("{HEAD}[[body]]\nshape = {{ generator = \"bar\", cells-along = 6, cells_along = 7 }}\n{RUBBER}");
    let problems = Scene::parse("test.toml", &both).unwrap_err();
    assert!(problems.to_string().contains("`cells-along` is the old spelling of `cells_along`"), "{problems}");
    // No key has a hyphen.
    for line in spec::manual().lines().filter(|line| line.starts_with("| `")) {
        let key = line[3..].split('`').next().unwrap();
        assert!(!key.contains('-'), "{line}");
    }
}

#[test]
fn a_step_may_come_from_a_flag_alone() {
    let text = format!("{HEAD}[[body]]\n{BOX}\n{RUBBER}").replace("step = 0.01\n", "");
    assert!(Scene::parse("test.toml", &text).is_err());
    let overrides = Overrides::new().step(Some(0.02));
    assert_eq!(Scene::parse_with("test.toml", &text, &overrides).unwrap().integrator.step, 0.02);
}

/// Returns Young's modulus of a body [Pa].
fn young(body: &scene::body::Body) -> f64 {
    match &body.material.as_ref().unwrap().parameters["young"] {
        model::parameter::Value::Numbers(numbers) => numbers[0],
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_number_stands_for_all_sizes_but_not_for_a_position() {
    let stretched =
        |factors: &str| format!("[[body]]\n{BOX}\n{RUBBER}\n[[initial]]\nkind = \"stretch\"\nfactors = {factors}\n");
    assert_eq!(parse(&stretched("1.5")), parse(&stretched("[1.5, 1.5, 1.5]")));
    let moved = format!("{HEAD}[[body]]\nposition = 1.0\n{BOX}\n{RUBBER}\n");
    let problems = Scene::parse("test.toml", &moved).unwrap_err().to_string();
    assert!(problems.contains("`position` takes an array of 3 numbers [m], not 1.0"), "{problems}");
}
