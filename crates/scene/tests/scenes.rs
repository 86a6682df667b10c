//! Scenes that are sound: every generator, material, law, load, motion, contact and start builds as described.

use model::material::MATERIALS;
use model::mesh::generate::GENERATORS;
use scene::{Built, Overrides, Scene, Schedule, spec, stable_step};
use std::f64::consts::PI;

const HEAD: &str = "[run]\nduration = 0.1\n[integrator]\nmethod = \"backward-euler\"\nstep = 0.01\n";
const RUBBER: &str = "material = { model = \"neo-hookean\", young = 1e6, poisson = 0.3, density = 1000.0 }";
const BOX: &str = "shape = { generator = \"box\", size = [1, 1, 1], cells = [2, 2, 2] }";

fn parse(body: &str) -> Scene {
    Scene::parse("test.toml", &format!("{HEAD}{body}")).unwrap_or_else(|problems| panic!("{problems}"))
}

fn build(body: &str) -> Built {
    let scene = parse(body);
    let again = Scene::parse("run.toml", &scene.to_toml()).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(scene, again, "run.toml says something else:\n{}", scene.to_toml());
    scene.build().unwrap_or_else(|problems| panic!("{problems}"))
}

/// Steps once by `h` [s].
fn one_step(built: &mut Built, h: f64) {
    built.simulation.set_schedule(Schedule::endless(h));
    built.simulation.step().unwrap();
}

fn mass(built: &Built) -> f64 {
    built.model.node_mass().iter().sum()
}

fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs(), "{a} is not {b}");
}

/// Returns a rubber box of 1 m^3, 27 nodes and 48 tets, with more keys.
fn rubber_box(more: &str) -> Built {
    build(&format!("[[body]]\n{BOX}\n{RUBBER}\n{more}"))
}

#[test]
fn every_generator_builds_with_its_defaults() {
    for generator in GENERATORS {
        let shape = format!("[[body]]\nshape = {{ generator = \"{}\" }}\n", generator.name);
        let mesh = generator.mesh(&Default::default()).unwrap();
        let built = match mesh.tets.is_empty() {
            true => build(&format!("{shape}springs = {{ stiffness = 100 }}\nnode_mass = 0.5")),
            false => build(&format!("{shape}{RUBBER}")),
        };
        assert_eq!(built.model.nodes(), mesh.points.len(), "{}", generator.name);
        let expected = if mesh.tets.is_empty() { 0.5 * mesh.points.len() as f64 } else { 1000.0 * mesh.volume() };
        assert_close(mass(&built), expected);
    }
}

#[test]
fn every_material_and_alias_builds() {
    for material in MATERIALS {
        for name in std::iter::once(&material.name).chain(material.aliases) {
            let sample = (material.sample)(1e6, 0.3).into_iter().map(|(key, value)| format!(", {key} = {value}"));
            let made = format!("material = {{ model = \"{name}\"{}, density = 500.0 }}", sample.collect::<String>());
            let built = build(&format!("[[body]]\n{BOX}\n{made}"));
            assert_eq!((built.model.nodes(), built.mesh.tets.len()), (27, 48));
            assert_close(mass(&built), 500.0);
        }
    }
}

#[test]
fn every_method_builds_by_name_and_alias() {
    let scene = parse(&format!("[[body]]\n{BOX}\n{RUBBER}"));
    for method in integrators::METHODS {
        for name in std::iter::once(&method.name).chain(method.aliases) {
            let scene = scene.with_method(name).unwrap_or_else(|problems| panic!("{problems}"));
            assert_eq!(scene.integrator.method.name, method.name);
            assert_eq!(Scene::parse("run.toml", &scene.to_toml()).unwrap(), scene);
            let mut built = scene.build().unwrap();
            assert_eq!(built.simulation.method().name, method.name);
            one_step(&mut built, 1e-5);
        }
    }
}

#[test]
fn regions_of_an_asynchronous_method() {
    let regions =
        "[[integrator.region]]\nwhere = { half_space = { point = [0.9, 0, 0], normal = [1, 0, 0] } }\nratio = 7\n";
    let text = format!("{HEAD}[[body]]\n{BOX}\n{RUBBER}\n{regions}");
    let scene = Scene::parse("test.toml", &text).unwrap_err().to_string();
    assert!(scene.contains("`region` does not go with"), "{scene}");
    let overrides = Overrides::new().method(Some("async"));
    let scene = Scene::parse_with("test.toml", &text, &overrides).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!((scene.integrator.regions.len(), scene.integrator.regions[0].ratio), (1, 7));
    assert_eq!(Scene::parse("run.toml", &scene.to_toml()).unwrap(), scene);
    let built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    let [region] = built.model.regions() else { panic!("one region") };
    assert_eq!((region.ratio, region.nodes.len()), (7, 9));
    let beyond = |&i: &u32| built.model.rest()[3 * i as usize] > 0.9;
    assert!(region.nodes.iter().all(beyond));
    // Another method ignores them.
    let other = scene.with_method("backward-euler").unwrap_or_else(|problems| panic!("{problems}"));
    assert!(other.integrator.regions.is_empty() && other.build().unwrap().model.regions().is_empty());
}

#[test]
fn regions_that_are_chosen() {
    let stiff = "[[body.zone]]\nwhere = { half_space = { point = [2.6, 0, 0], normal = [1, 0, 0] } }\nyoung = 1e8\n";
    let long = "shape = { generator = \"box\", size = [3.0, 0.3, 0.3], cells = [30, 3, 3] }";
    let soft = "material = { model = \"linear\", young = 1e5, poisson = 0.3, density = 1000.0 }";
    let text = |stiff: &str| {
        format!(
            "[run]\nduration = 0.1\n[integrator]\nmethod = \"async\"\nstep = 0.01\nregions = \"auto\"\n\
             [[body]]\nname = \"bar\"\n{long}\n{soft}\n{stiff}"
        )
    };
    let scene = Scene::parse("test.toml", &text(stiff)).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(scene.integrator.chooses_regions);
    // A run is repeated from its run.toml: the same scene gives the same regions.
    let again = Scene::parse("run.toml", &scene.to_toml()).unwrap();
    assert_eq!(again, scene);
    let [first, second] = [&scene, &again].map(|scene| scene.build().unwrap_or_else(|problems| panic!("{problems}")));
    assert_eq!((first.model.regions().len(), first.model.regions()), (1, second.model.regions()));
    assert!(first.proposal.as_ref().is_some_and(|proposal| proposal.gain > 1.1));
    let uniform = Scene::parse("test.toml", &text("")).unwrap().build().unwrap_or_else(|problems| panic!("{problems}"));
    assert!(
        uniform.model.regions().is_empty()
            && uniform.proposal.as_ref().is_some_and(|proposal| proposal.regions.is_empty())
    );
    // An explicit region takes as many steps as it needs.
    let explicit = scene.with_method("schroeder").unwrap();
    let built = explicit.build().unwrap_or_else(|problems| panic!("{problems}"));
    let [region] = built.model.regions() else { panic!("one region") };
    assert_eq!(built.proposal.as_ref().map(|proposal| proposal.regions[0].ratio), Some(region.ratio));
    let limit = stable_step(built.simulation.method(), &built.model, built.model.rest()).unwrap();
    assert!(region.ratio > 10 && limit > 0.01 && limit < 0.0115, "{} steps, stable up to {limit} s", region.ratio);
    // Another method ignores it.
    assert!(!scene.with_method("backward-euler").unwrap().integrator.chooses_regions);
}

#[test]
fn springs_of_every_law() {
    for law in ["linear", "quadratic", "cubic"] {
        let springs = format!("springs = {{ law = \"{law}\", stiffness = 10, shear = 5, bending = 1 }}");
        let cloth = build(&format!(
            "[[body]]\nshape = {{ generator = \"cloth\", size = [2, 1], cells = [4, 3] }}\n{springs}\narea_density = 0.2"
        ));
        assert_eq!(cloth.model.nodes(), 20);
        assert_close(mass(&cloth), 0.4);
        let springs: usize = cloth.model.terms().iter().map(|term| term.count()).sum();
        assert_eq!(springs, (4 * 4 + 3 * 5) + 2 * 12 + (3 * 4 + 2 * 5)); // edges, diagonals, second neighbours
    }
}

#[test]
fn springs_of_tets_and_their_faces() {
    let springs = "springs = { law = \"cubic\", stiffness = 10, faces = 3 }\ndensity = 200";
    let built = build(&format!("[[body]]\n{BOX}\n{springs}"));
    assert_close(mass(&built), 200.0);
    let names: Vec<_> = built.model.terms().iter().map(|term| (term.kind().name(), term.count())).collect();
    assert_eq!(names, [("spring", built.mesh.edges_of_tets().len()), ("face spring", 4 * 48)]);
}

#[test]
fn mass_along_lines() {
    let chain = build(
        "[[body]]\nshape = { generator = \"chain\", links = 4, length = 0.5 }\nsprings = { stiffness = 10 }\nline_density = 0.1",
    );
    let node = |i: usize| chain.model.node_mass()[chain.model.number(i)];
    assert_close(mass(&chain), 0.2);
    assert_close(node(0), 0.025);
    assert_close(node(2), 0.05);
}

#[test]
fn later_regions_win_and_equal_materials_are_one_group() {
    let region = |x: f64, more: &str| {
        format!("[[body.zone]]\nwhere = {{ half_space = {{ point = [{x}, 0, 0], normal = [1, 0, 0] }} }}\n{more}\n")
    };
    let two = rubber_box(&region(0.5, "density = 3000"));
    assert_close(mass(&two), 2000.0);
    assert_eq!(two.model.terms().len(), 2);
    // The second region gives back to half of the first what the body has.
    let back = rubber_box(&(region(0.0, "density = 3000") + &region(0.5, "density = 1000.0")));
    assert_close(mass(&back), 2000.0);
    assert_eq!(back.model.terms().len(), 2);
    let rope = build(
        "[[body]]\nshape = { generator = \"spring-rope\", segments = 10, length = 1 }\nnode_mass = 1\n\
         springs = { stiffness = 10, bending = 1 }\n\
         [[body.zone]]\nwhere = { ball = { center = [0, 0, 0], radius = 0.3 } }\nstiffness = 99",
    );
    let counts: Vec<usize> = rope.model.terms().iter().map(|term| term.count()).collect();
    assert_eq!(counts, [3, 7, 9]); // midpoints at 0.05, 0.15, 0.25 m; the others; second neighbours
    let cloth = build(
        "[[body]]\nshape = { generator = \"cloth\", cells = [4, 1] }\nnode_mass = 1\n\
         springs = { stiffness = 1, shear = 2, bending = 3 }\n\
         [[body.zone]]\nwhere = { half_space = { point = [0.6, 0, 0], normal = [1, 0, 0] } }\nshear = 5\nbending = 6",
    );
    let counts: Vec<usize> = cloth.model.terms().iter().map(|term| term.count()).collect();
    assert_eq!(counts, [13, 4, 4, 4, 2]); // edges; diagonals of two cells each; bends about x = 0.25 and 0.5, and 0.75
}

#[test]
fn a_region_changes_any_parameter_of_its_model() {
    let far = "[[body.region]]\nwhere = { half_space = { point = [0.5, 0, 0], normal = [1, 0, 0] } }\n";
    let ogden = "material = { model = \"ogden\", mu = 2e5, alpha = [2.0], bulk = 1e6, density = 1000.0 }\n";
    let body = |material: &str, more: &str| format!("[[body]]\n{BOX}\n{material}\n{far}{more}\n");
    let scene = parse(&body(ogden, "mu = [1e5, 3e4]\nalpha = [2.0, 4.0]"));
    let simulation = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(simulation.model.terms().len(), 2);
    // Another model keeps the parameters that both have.
    let two = build(&body(ogden, "model = \"mooney-rivlin\"\nc10 = 1e5\nc01 = 0.0"));
    assert_eq!(two.model.terms().len(), 2);
    let stable = "material = { model = \"stable-neo-hookean\", young = 1e5, poisson = 0.3, density = 1000.0 }";
    let fibres = build(&body(stable, "model = \"fibre-reinforced\"\nfibre = 1e6"));
    assert_eq!(fibres.model.terms().len(), 2);
    assert!(along(&fibres, 0) > 2.0 * along(&fibres, 1), "fibres along x, by default");
}

/// Returns the elastic energy of a body stretched by a fifth along one axis [J].
fn along(built: &Built, axis: usize) -> f64 {
    let rest = built.model.rest().iter().enumerate();
    let x: Vec<f64> = rest.map(|(i, x)| if i % 3 == axis { 1.2 * x } else { *x }).collect();
    built.model.elastic_energy(&x)
}

#[test]
fn fibres_turn_with_their_body() {
    let body = |direction: &str, rotation: &str| {
        let fibres = "model = \"fibre-reinforced\", young = 1e5, poisson = 0.3, fibre = 1e6";
        build(&format!("[[body]]\n{BOX}\nmaterial = {{ {fibres}{direction}, density = 1000.0 }}\n{rotation}"))
    };
    let turn = "rotation = { axis = [0, 0, 1], degrees = 90.0 }";
    let [plain, turned] = [body("", ""), body("", turn)];
    assert!(along(&plain, 0) > 2.0 * along(&plain, 1));
    (0..3).for_each(|axis| assert_close(along(&turned, [1, 0, 2][axis]), along(&plain, axis)));
    let [by_key, back] = [body(", direction = [0, -3, 0]", ""), body(", direction = [0, 1, 0]", turn)];
    (0..3).for_each(|axis| assert_close(along(&by_key, axis), along(&turned, axis)));
    (0..3).for_each(|axis| assert_close(along(&back, axis), along(&plain, axis)));
}

#[test]
fn bodies_are_placed_and_named() {
    let bodies = format!(
        "[[body]]\n{BOX}\n{RUBBER}\nscale = 2\n\
         [[body]]\nname = \"second\"\n{BOX}\n{RUBBER}\nposition = [5, 0, 0]\nrotation = {{ axis = [0, 0, 3], degrees = 90 }}\n\
         [[fix]]\nbody = \"second\"\nwhere = {{ box = {{ min = [-inf, -inf, -inf], max = [4.0, inf, inf] }} }}"
    );
    let built = build(&bodies);
    let names: Vec<_> = built.bodies.iter().map(|body| (body.name.as_str(), body.nodes.clone())).collect();
    assert_eq!(names, [("body-1", 0..27), ("second", 27..54)]);
    assert_eq!((built.bodies[1].tets.clone(), built.mesh.tets.len()), (48..96, 96));
    assert_close(mass(&built), 9000.0);
    // The second lies in 4 <= x <= 5; its face at x = 4 was the one at y = 1.
    assert_eq!(built.model.free_nodes(), 54 - 9);
    assert!(built.mesh.points[27..].iter().all(|p| (4.0 - 1e-9..=5.0 + 1e-9).contains(&p[0])));
}

#[test]
fn every_selector() {
    let cases = [
        ("{ box = { min = [0, 0, 0], max = [0, 1, 1] } }", 9),
        ("{ ball = { center = [0, 0, 0], radius = 0.5 } }", 4),
        ("{ shell = { center = [0.5, 0.5, 0.5], inner = 0.1, outer = 0.6 } }", 6),
        ("{ half_space = { point = [0, 0, 0.9], normal = [0, 0, 7] } }", 9),
        ("{ group = \"y+\" }", 9),
    ];
    for (selector, count) in cases {
        let built = rubber_box(&format!("[[fix]]\nwhere = {selector}"));
        assert_eq!(27 - built.model.free_nodes(), count, "{selector}");
    }
}

#[test]
fn every_motion() {
    let motions = [
        "motion = \"keyframes\"\ntimes = [0.0, 0.1]\noffsets = [[0, 0, 0], [0, 0, 0.1]]",
        "motion = \"keyframes\"\ntimes = [0.05]\noffsets = [[0, 0, 0.2]]",
        "motion = \"rotation\"\ncenter = [0, 0, 0]\naxis = [0, 0, 2]\nrate = 1.5\nend = 0.05",
        "motion = \"shake\"\namplitude = [0.1, 0, 0]\nfrequency = 2\nstart = 0.02",
    ];
    for motion in motions {
        let built = rubber_box(&format!("[[script]]\nwhere = {{ group = \"x+\" }}\n{motion}"));
        assert_eq!(built.model.free_nodes(), 18);
        assert!(built.model.is_scripted());
    }
    // An axis of length 2 stays one, but turns no faster.
    let turned = |motion: &str| {
        let simulation = rubber_box(&format!("[[script]]\nwhere = {{ group = \"x+\" }}\n{motion}"));
        let (mut x, mut v) = (simulation.start.x.clone(), simulation.start.v.clone());
        simulation.model.place(0.04, &mut x, &mut v);
        x
    };
    assert_eq!(turned(motions[2]), turned(&motions[2].replace("[0, 0, 2]", "[0, 0, 1]")));
    let scene = parse(&format!("[[body]]\n{BOX}\n{RUBBER}\n[[script]]\nwhere = {{ group = \"x+\" }}\n{}", motions[2]));
    let expected =
        model::script::Motion::Rotation { center: [0.0; 3], axis: [0.0, 0.0, 2.0], rate: 1.5, start: 0.0, end: 0.05 };
    assert_eq!(scene.scripts[0].1, expected);
}

/// Returns the total force on the free nodes of a box without gravity, at time `t`.
fn force(more: &str, t: f64) -> [f64; 3] {
    let built = rubber_box(&format!("{more}\n[world]\ngravity = [0, 0, 0]\n"));
    let mut f = vec![0.0; built.model.dofs()];
    built.model.static_force(t, &built.start.x, &mut f);
    std::array::from_fn(|c| f.iter().skip(c).step_by(3).sum())
}

#[test]
fn every_load() {
    let cases = [
        ("kind = \"acceleration\"\nvalue = [0, 0, 5]", 0.0, 5000.0),
        ("kind = \"force\"\nvalue = [0, 0, 7]\nwhere = { group = \"x+\" }", 0.0, 7.0),
        ("kind = \"pressure\"\nvalue = [0, 0, 2]", 0.0, 12.0), // 6 m^2
        ("kind = \"force\"\nvalue = [0, 0, 7]\nprofile = \"pulse\"\nstart = 0.2\nduration = 0.1", 0.1, 0.0),
        ("kind = \"force\"\nvalue = [0, 0, 7]\nprofile = \"pulse\"\nstart = 0.2\nduration = 0.1", 0.25, 7.0),
        ("kind = \"force\"\nvalue = [0, 0, 7]\nprofile = \"pulse\"\nduration = 0.1\nperiod = 1", 5.05, 7.0),
        ("kind = \"force\"\nvalue = [0, 0, 7]\nprofile = \"gusts\"\nstrength = 0\nperiod = 1\nspeed = 10", 0.3, 7.0),
    ];
    for (load, t, expected) in cases {
        let [_, _, z] = force(&format!("[[load]]\n{load}"), t);
        assert!((z - expected).abs() < 1e-6, "{load} gives {z} N at {t} s");
    }
}

#[test]
fn gravity_is_there_unless_told_otherwise() {
    let built = rubber_box("");
    let mut f = vec![0.0; built.model.dofs()];
    built.model.static_force(0.0, &built.start.x, &mut f);
    assert!((f.iter().skip(2).step_by(3).sum::<f64>() + 9810.0).abs() < 1e-6);
    assert!(force("", 0.0)[2].abs() < 1e-6);
}

#[test]
fn every_start() {
    let first = |start: &str| rubber_box(&format!("[[initial]]\n{start}"));
    // About the mean of the points, which is the middle of the box.
    let node = |built: &Built, a: &[f64]| -> [f64; 3] { a[3 * built.model.number(26)..][..3].try_into().unwrap() };
    let near = |a: [f64; 3], b: [f64; 3]| assert!((0..3).all(|c| (a[c] - b[c]).abs() < 1e-9), "{a:?} is not {b:?}");
    let shift = first("kind = \"shift\"\noffset = [0, 0, 2]");
    near(node(&shift, &shift.start.x), [1.0, 1.0, 3.0]);
    let stretch = first("kind = \"stretch\"\nfactors = [2, 1, 1]");
    near(node(&stretch, &stretch.start.x), [1.5, 1.0, 1.0]);
    let twist = first("kind = \"twist\"\ncenter = [0, 0, 0]\naxis = [0, 0, 1]\ndegrees_per_metre = 45");
    let angle = PI / 4.0;
    near(node(&twist, &twist.start.x), [angle.cos() - angle.sin(), angle.cos() + angle.sin(), 1.0]);
    let velocity = first("kind = \"velocity\"\nlinear = [1, 0, 0]\nangular = [0, 0, 2]\ncenter = [0, 0, 0]");
    near(node(&velocity, &velocity.start.v), [-1.0, 2.0, 0.0]);
}

#[test]
fn every_contact() {
    let plane = "obstacle = { plane = { point = [0, 0, 0.5], normal = [0, 0, 2] } }";
    let penalty = rubber_box(&format!("[[contact]]\nkind = \"penalty\"\n{plane}\nstiffness = 100"));
    // The nine nodes at z = 0 are 0.5 m deep.
    assert_close(penalty.model.elastic_energy(&penalty.start.x), 9.0 * 0.5 * 100.0 * 0.25);
    let ball = "obstacle = { ball = { center = [0, 0, 0], radius = 0.1 } }";
    let hard = rubber_box(&format!("[[contact]]\nkind = \"projection\"\n{ball}"));
    let mut state = hard.start.clone();
    assert!(hard.model.project(&mut state));
}

#[test]
fn hulls_of_mesh_files_are_those_of_their_points() {
    let path = std::env::temp_dir().join(format!("pliant-hull-{}.obj", std::process::id()));
    // A box of 1 x 2 x 3 m, a point inside it and one in the middle of a side.
    let mut text = String::from("v 0.5 1 1.5\nv 0.5 1 0\n");
    (0..8).for_each(|i| text += &format!("v {} {} {}\n", i & 1, 2 * (i >> 1 & 1), 3 * (i >> 2)));
    text += "f 3 4 5\nf 1 2 3\n";
    std::fs::write(&path, text).unwrap();
    let rigid = |shape: &str| {
        let head = HEAD.replace("backward-euler", "small-steps");
        let scene = format!("{head}[[rigid]]\nshape = {{ {shape} }}\ndensity = 10.0\n");
        let scene = Scene::parse("test.toml", &scene).unwrap_or_else(|problems| panic!("{problems}"));
        scene.build().unwrap_or_else(|problems| panic!("{problems}"))
    };
    let hull = rigid(&format!("kind = \"hull\", path = {:?}", path.display().to_string()));
    std::fs::remove_file(&path).unwrap();
    let whole = rigid("kind = \"box\", size = [1.0, 2.0, 3.0]");
    assert_close(mass(&hull), 60.0);
    let mut moments = [&hull, &whole].map(|built| built.model.rigids()[0].inertia);
    moments.iter_mut().for_each(|moments| moments.sort_by(f64::total_cmp));
    (0..3).for_each(|k| assert_close(moments[0][k], moments[1][k]));
    assert_eq!(hull.files.len(), 1, "the file is kept with the run");
    assert_eq!(hull.start.x[..3], [0.5, 1.0, 1.5], "the centre");
}

const HAIR: &str = "length = 0.2\nsegments = 4\ndiameter = 65e-6\nyoung = 3.6e9\nshear_modulus = 1e9\ndensity = 1300.0";

#[test]
fn fibres_grow_on_points_rows_balls_bodies_and_files() {
    let path = std::env::temp_dir().join(format!("pliant-scalp-{}.obj", std::process::id()));
    std::fs::write(&path, "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n").unwrap();
    let file = format!(
        "on = \"file\", path = {:?}, count = 20, scale = 2.0, position = [0, 0, 1]",
        path.display().to_string()
    );
    let body = "on = \"body\", body = \"head\", count = 20, where = { half_space = { point = [0, 0, 1], normal = [0, 0, 1] } }";
    // Roots, their number, and the plane that they are in, if they are; without a direction they grow along normals.
    let cases = [
        ("on = \"points\", points = [[0, 0, 1], [1, 0, 1]], directions = [[0, 0, 2], [0, 0, 3]]", 2, Some(1.0)),
        ("on = \"rows\", center = [0, 0, 1], side = [1, 0, 0], other_side = [0, 1, 0], counts = [3, 2]", 6, Some(1.0)),
        ("on = \"ball\", radius = 0.5, count = 20", 20, None),
        (body, 20, Some(1.0)),
        (file.as_str(), 20, Some(1.0)),
    ];
    for (roots, count, height) in cases {
        let text = format!(
            "[[body]]\nname = \"head\"\n{BOX}\n{RUBBER}\n[[fibres]]\nname = \"hair\"\nroots = {{ {roots} }}\n{HAIR}\n\
             [[fix]]\nbody = \"hair\"\nwhere = {{ group = \"roots\" }}\n"
        );
        let built = build(&text);
        let hair = &built.bodies[1];
        assert_eq!((hair.name.as_str(), hair.nodes.len()), ("hair", 20 * count), "{roots}");
        assert_eq!(built.lines.rings, vec![5; count]);
        assert_eq!(built.model.nodes() - built.model.free_nodes(), 4 * count, "only roots are held");
        let own: f64 = hair.nodes.clone().map(|i| built.model.node_mass()[built.model.number(i)]).sum();
        assert_close(own, count as f64 * 1300.0 * 0.2 * PI / 4.0 * 65e-6 * 65e-6);
        let middle = |ring: usize| -> [f64; 3] {
            std::array::from_fn(|c| {
                0.25 * (0..4).map(|k| built.mesh.points[hair.nodes.start + 4 * ring + k][c]).sum::<f64>()
            })
        };
        for fibre in 0..count {
            let (root, tip) = (middle(5 * fibre), middle(5 * fibre + 4));
            match height {
                Some(height) => {
                    // Normals of a body are smooth: near an edge of a box they lean.
                    let least = if roots == body { 0.1 } else { 0.2 - 1e-12 };
                    assert!((root[2] - height).abs() < 1e-12 && tip[2] - height > least, "{root:?} {tip:?}");
                }
                None => {
                    let far = |p: [f64; 3]| p.iter().map(|x| x * x).sum::<f64>().sqrt();
                    assert!((far(root) - 0.5).abs() < 1e-12 && (far(tip) - 0.7).abs() < 1e-12, "{root:?} {tip:?}");
                }
            }
        }
        assert_eq!(built.files.len(), usize::from(roots == file), "a file is kept with the run");
    }
    std::fs::remove_file(&path).unwrap();
}

/// Falls of a hair that is held sideways, by every method that fibres need, from the same scene.
#[test]
fn fibres_run_by_every_kind_of_method() {
    let hair = format!(
        "[[fibres]]\nroots = {{ on = \"points\", points = [[0, 0, 0]] }}\ndirection = [1, 0, 0]\n{HAIR}\n\
         [[fix]]\nwhere = {{ group = \"roots\" }}\n"
    );
    let fallen = |method: &str, step: f64, more: &str| {
        let head = format!("[run]\nduration = 0.1\n[integrator]\nmethod = \"{method}\"\nstep = {step}\n{more}\n");
        let scene = Scene::parse("hair.toml", &format!("{head}{hair}")).unwrap_or_else(|problems| panic!("{problems}"));
        let mut built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
        built.simulation.set_schedule(Schedule::endless(step));
        for _ in 0..(0.1 / step).round() as usize {
            built.simulation.step().unwrap_or_else(|error| panic!("{method}: {error}"));
        }
        let state = built.simulation.state();
        let tip = |c: usize| 0.25 * (16..20).map(|i| state.x[3 * built.model.number(i) + c]).sum::<f64>();
        [tip(0), tip(2)]
    };
    let known = fallen("linearly-implicit-euler", 5e-4, "stiffness = \"turned\"");
    assert!(known[1] < -0.03, "it falls: {known:?}");
    for (method, more) in [
        ("linearly-implicit-euler", "stiffness = \"turned\""),
        ("siere", "stiffness = \"turned\""),
        ("backward-euler", "stiffness = \"turned\""),
        ("small-steps", "substeps = 200"),
    ] {
        let [x, z] = fallen(method, 0.005, more);
        assert!((x - known[0]).abs() < 0.01 && (z - known[1]).abs() < 0.01, "{method}: {x} {z} is not {known:?}");
    }
}

#[test]
fn fluids_bodies_and_rigid_bodies_go_together() {
    let head = HEAD.replace("backward-euler", "small-steps");
    let scene = format!(
        "{head}[[rigid]]\nname = \"ball\"\nshape = {{ kind = \"ball\", radius = 0.1 }}\nposition = [5.0, 0.0, 2.0]\nmass = 3.0\n\
         [[fluid]]\nname = \"water\"\nbox = {{ min = [0, 0, 0], max = [0.5, 0.5, 0.5] }}\nspacing = 0.1\n\
         [[body]]\nname = \"bar\"\n{BOX}\n{RUBBER}\nposition = [9.0, 0.0, 0.0]\n\
         [[joint]]\nkind = \"ball\"\nbody = \"ball\"\nto = \"bar\"\nat = [9.0, 0.0, 0.0]\n\
         [expect]\n[[expect.position]]\nbody = \"ball\"\nlow = [4.9, -0.1, 1.9]\nhigh = [5.1, 0.1, 2.1]\n\
         [[expect.position]]\nbody = \"bar\"\nwhere = {{ group = \"x+\" }}\nlow = [9.9, 0.4, 0.4]\nhigh = [10.1, 0.6, 0.6]\n"
    );
    let scene = Scene::parse("test.toml", &scene).unwrap_or_else(|problems| panic!("{problems}"));
    let mut built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    let names: Vec<&str> = built.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["bar", "water", "ball"]);
    let (model, particles) = (&built.model, &built.model.fluids()[0].nodes);
    assert_eq!(particles.len(), 125);
    let highest = particles.iter().map(|&i| built.start.x[3 * i as usize]).fold(0.0, f64::max);
    assert!(highest < 0.5, "its particles are where the water is");
    assert_close(model.node_mass()[model.rigids()[0].node as usize], 3.0);
    for position in &built.expect.as_ref().unwrap().positions {
        assert!(position.holds(&built), "{position:?}: {:?}", position.found(&built));
    }
    one_step(&mut built, 0.01);
}

#[test]
fn bodies_that_begin_inside_each_other_are_seen() {
    let head = HEAD.replace("backward-euler", "small-steps");
    let found = |x: f64| {
        let text = format!(
            "{head}[[body]]\nname = \"one\"\n{BOX}\n{RUBBER}\n[[body]]\nname = \"two\"\n{BOX}\n{RUBBER}\nposition = [{x}, 0.1, 0.1]\n\
             [[rigid]]\nname = \"ball\"\nshape = {{ kind = \"ball\", radius = 0.1 }}\nposition = [0.5, 0.5, 0.5]\nmass = 1.0\n[collisions]\n"
        );
        let scene = Scene::parse("test.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
        let built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
        built.intrusions().iter().map(|(a, b, n)| (a.to_string(), b.to_string(), *n)).collect::<Vec<_>>()
    };
    // Eight nodes of each: those at 0.55 and 1.05 m along x, and 0.1 and 0.6 m along y and z.
    let pair = |a: &str, b: &str, n| (a.to_string(), b.to_string(), n);
    assert_eq!(found(0.55), [pair("two", "one", 4), pair("one", "two", 4)]);
    assert!(found(1.0).is_empty(), "what merely touches is not inside");
}

#[test]
fn consistent_mass_and_damping() {
    let built =
        rubber_box("[world]\nmass = \"consistent\"\n[damping]\nmass = 0.1\nstiffness = 0.01\nreference = \"rest\"");
    assert!(matches!(built.model.mass(), model::mass::Mass::Consistent(_)));
    assert!(built.model.damping().at_rest.is_some());
}

#[test]
fn everything_at_once_comes_back_from_run_toml() {
    let scene = format!(
        "title = \"All \\\"of\\\" it\"\n{HEAD}tolerance = 1e-7\niterations = 5\nsolver = \"direct\"\n\
         [[body]]\nname = \"a\"\n{BOX}\n{RUBBER}\n\
         [[body.zone]]\nwhere = {{ group = \"x-\" }}\nstiffness = 4\n\
         [[body]]\nname = \"b\"\nshape = {{ generator = \"cloth\", cells = 3 }}\nsprings = {{ stiffness = 1e3 }}\nnode_mass = 0.1\n\
         [[fix]]\nbody = \"b\"\nwhere = {{ group = \"corners\" }}\n\
         [[load]]\nkind = \"force\"\nvalue = [1e-7, 1e30, -0.1]\n\
         [expect]\noutcome = \"diverged\"\nenergy = [-inf, 1e9]\n"
    )
    .replace("density = 1000.0 }\n[[body.zone]]", "density = 1000.0 }\nsprings = { stiffness = 3 }\n[[body.zone]]");
    let scene = Scene::parse("all.toml", &scene).unwrap_or_else(|problems| panic!("{problems}"));
    let text = scene.to_toml();
    let again = Scene::parse("run.toml", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    assert_eq!(scene, again);
    assert_eq!(text, again.to_toml());
    for default in
        ["gravity = [0.0, 0.0, -9.81] # [m/s^2]", "halvings = 0", "diagonals = \"alternating\"", "law = \"linear\""]
    {
        assert!(text.contains(default), "{default} is not in\n{text}");
    }
}

#[test]
fn the_starter_scene_is_sound() {
    let scene = Scene::parse("scene.toml", &spec::starter()).unwrap_or_else(|problems| panic!("{problems}"));
    let mut built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    one_step(&mut built, 0.01);
}

/// Every alternative of the starter scene works when its lines are uncommented.
#[test]
fn the_alternatives_of_the_starter_scene_are_sound() {
    let starter = spec::starter();
    let blocks: Vec<&str> = starter.split("\n\n").filter(|block| block.starts_with("# [")).collect();
    assert!(blocks.len() >= 7);
    for block in blocks {
        let open: String = block.lines().map(|line| format!("{}\n", line.trim_start_matches("# "))).collect();
        // A region belongs to the body before it.
        let text = starter.replacen(block, &open, 1);
        let scene = Scene::parse("scene.toml", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        scene.build().unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    }
}

#[test]
fn the_schema_knows_every_name() {
    let schema = spec::schema().to_string();
    let names = integrators::METHODS.iter().map(|method| method.name);
    for name in names.chain(MATERIALS.iter().map(|m| m.name)).chain(GENERATORS.iter().map(|g| g.name)) {
        assert!(schema.contains(&format!("\"{name}\"")), "{name}");
    }
    assert!(schema.contains("\"exclusiveMaximum\":0.5"));
    // Bodies, rigid bodies or fluids: any of them will do.
    assert_eq!(spec::schema()["required"], serde_json::json!(["run", "integrator"]));
}

#[test]
fn the_manual_has_a_row_for_every_key() {
    let manual = spec::manual();
    for key in [
        "duration",
        "on_divergence",
        "ratio",
        "cells_along",
        "rho_infinity",
        "degrees_per_metre",
        "half_space",
        "node_mass",
    ] {
        assert!(manual.contains(&format!("| `{key}` |")), "{key}");
    }
    // Keys of a variant's own sections too.
    for part in
        ["#### `[[body.shape.part]]`\n", "| `half_turns` |", "#### `[[body.shape.part]] repeat`\n", "## `[[part]]`\n"]
    {
        assert!(manual.contains(part), "{part}");
    }
}
