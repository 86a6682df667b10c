//! `pliant check` on settings that are possible but rarely intended, and on meshes that are too coarse.

use crate::workspace::Workspace;

/// Returns the first scene of the README.
fn readme() -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap().to_string()
}

/// A bar with these cells, 1 m x 0.1 m, held at one end.
fn bar(along: usize, across: usize, poisson: f64) -> String {
    format!(
        "[run]\nduration = 1.0\n[integrator]\nmethod = \"implicit-midpoint\"\nstep = 0.005\n[[body]]\nname = \"bar\"\n\
         shape = {{ generator = \"bar\", length = 1.0, thickness = 0.1, cells_along = {along}, cells_across = {across} }}\n\
         material = {{ model = \"neo-hookean\", young = 1e6, poisson = {poisson}, density = 1000.0 }}\n\
         [[fix]]\nwhere = {{ group = \"x-\" }}\n"
    )
}

#[test]
fn a_first_scene_has_nothing_to_look_out_for() {
    let workspace = Workspace::new("check-first");
    workspace.write("readme.toml", &readme());
    workspace.pliant(&["new", "new.toml"]).expect(0);
    for name in ["readme.toml", "new.toml"] {
        let ended = workspace.pliant(&["check", name]).expect(0);
        assert!(ended.err.is_empty(), "{name}: {}", ended.err);
        assert!(
            ended.out.contains("kg; swings at") && ended.out.contains("for the slowest oscillation"),
            "{}",
            ended.out
        );
    }
}

/// By beam theory the bar swings at 3.516 t / sqrt(12) / L^2 sqrt(E / rho) = 3.21 rad/s.
#[test]
fn a_mesh_that_is_too_coarse_is_told_by_how_much() {
    let workspace = Workspace::new("check-coarse");
    // Near incompressibility the refined mesh is too stiff as well, so the estimate is a lower bound.
    for (along, across, times, least) in [(20, 2, 1.30, 1.15), (40, 4, 1.10, 1.05)] {
        workspace.write("bar.toml", &bar(along, across, 0.45));
        let report = workspace.pliant(&["check", "bar.toml", "--json"]).expect(0).json();
        let [hertz, too_fast] = ["slowest_hz", "too_fast"].map(|key| report["surveyed"][0][key].as_f64().unwrap());
        let omega = std::f64::consts::TAU * hertz;
        assert!((omega / 3.21 - times).abs() < 0.02, "{along} x {across}: {omega} rad/s");
        assert!((least..times + 0.01).contains(&too_fast), "{along} x {across}: estimated {too_fast}");
        assert!((report["h_omega_slowest"].as_f64().unwrap() / (0.005 * omega) - 1.0).abs() < 1e-12, "{report}");
        assert!(report["h_omega_fastest"].as_f64().unwrap() > 10.0, "{report}");
        let warnings = report["warnings"].to_string();
        assert!(warnings.contains("line 8: body \\\"bar\\\": its mesh is too coarse"), "{warnings}");
    }
}

/// Far from incompressibility the estimate is good: 40 x 4 cells make the bar 1.077 times too fast.
#[test]
fn how_much_too_fast_is_estimated_to_two_per_cent() {
    let workspace = Workspace::new("check-estimate");
    workspace.write("bar.toml", &bar(40, 4, 0.3));
    let report = workspace.pliant(&["check", "bar.toml", "--json"]).expect(0).json();
    let [hertz, too_fast] = ["slowest_hz", "too_fast"].map(|key| report["surveyed"][0][key].as_f64().unwrap());
    let exact = std::f64::consts::TAU * hertz / 3.21;
    assert!((too_fast / exact - 1.0).abs() < 0.02, "{too_fast}, not {exact}");
}

#[test]
fn a_free_body_swings_too_and_one_on_a_hinge_is_not_still() {
    let workspace = Workspace::new("check-free");
    // A free bar: 22.37 instead of 3.516 for a clamped one.
    let free = bar(40, 4, 0.3).replace("[[fix]]\nwhere = { group = \"x-\" }\n", "[world]\ngravity = [0.0, 0.0, 0.0]\n");
    workspace.write("free.toml", &free);
    // Held at one edge, about which it can rotate.
    let hinge = "where = { box = { min = [-0.001, -1.0, 0.049], max = [0.001, 1.0, 0.051] } }";
    workspace.write("hinge.toml", &bar(40, 4, 0.3).replace("where = { group = \"x-\" }", hinge));
    // In the other direction the edge holds it nearly as well as the whole face.
    for (name, range) in [("free", 20.0..23.0), ("hinge", 2.4..3.6)] {
        let report = workspace.pliant(&["check", &format!("{name}.toml"), "--json"]).expect(0).json();
        let omega = std::f64::consts::TAU * report["surveyed"][0]["slowest_hz"].as_f64().unwrap();
        assert!(range.contains(&omega), "{name}: {omega} rad/s");
    }
}

#[test]
fn what_is_improbable_in_si_units_is_told_with_its_line() {
    let workspace = Workspace::new("check-units");
    // 1 km, 4e10 kg, 1 Pa.
    let absurd = bar(4, 2, 0.3).replace("length = 1.0, thickness = 0.1", "length = 1000.0, thickness = 200.0");
    workspace.write("absurd.toml", &absurd.replace("young = 1e6", "young = 1.0"));
    let ended = workspace.pliant(&["check", "absurd.toml"]).expect(0);
    assert!(ended.out.contains("1000 x 200 x 200 m") && ended.out.contains("4e10 kg"), "{}", ended.out);
    for words in [
        "line 9: body \"bar\": Young's modulus at rest = 1 Pa is improbably little: the softest gels",
        "line 8: body \"bar\": the longest extent = 1000 m is improbably much",
        "line 8: body \"bar\": the mass = 4e10 kg is improbably much",
        "it would sag by about",
    ] {
        assert!(ended.err.contains(words), "{words} is not in\n{}", ended.err);
    }
    // In millimetres, grams and millimetres per second squared.
    let small =
        bar(20, 2, 0.49).replace("density = 1000.0", "density = 1e-3") + "[world]\ngravity = [0.0, 0.0, -9810.0]\n";
    workspace.write("small.toml", &small);
    let said = workspace.pliant(&["check", "small.toml"]).expect(0).err;
    for words in [
        "density = 0.001 kg/m^3 is improbably little",
        "gravity = 9810 m/s^2 is improbably much",
        "Poisson's ratio of 0.49 at rest makes linear tets lock",
    ] {
        assert!(said.contains(words), "{words} is not in\n{said}");
    }
}

#[test]
fn mistakes_of_keys_and_of_meshes_are_told_together() {
    let workspace = Workspace::new("check-together");
    workspace.write("bad.toml", &bar(4, 2, 0.3).replace("young = 1e6", "yuong = 1e6").replace("\"x-\"", "\"left\""));
    let err = workspace.pliant(&["check", "bad.toml"]).expect(4).err;
    for words in ["unknown key `yuong`", "`young` is missing", "bad.toml:11:", "the body has no group 'left'"] {
        assert!(err.contains(words), "{words} is not in\n{err}");
    }
}

/// A bar that spins freely at 5 rad/s, with this stiffness [Pa] and these lines of [integrator].
fn spinning(young: f64, integrator: &str) -> String {
    format!(
        "[run]\nduration = 0.1\n[integrator]\nstep = 0.01\n{integrator}\n[world]\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"bar\"\n\
         shape = {{ generator = \"bar\", length = 0.6, thickness = 0.2, cells_along = 6, cells_across = 2 }}\n\
         material = {{ model = \"stable-neo-hookean\", young = {young:e}, poisson = 0.3, density = 1000.0 }}\n\
         [[initial]]\nkind = \"velocity\"\nangular = [0.0, 5.0, 0.0]\n"
    )
}

#[test]
fn steps_that_hold_turning_bodies_fast_are_told_before_and_after() {
    let workspace = Workspace::new("check-turning");
    let method = "method = \"linearly-implicit-euler\"";
    let exact = format!("{method}\nstiffness = \"exact\"");
    for (young, said) in [(1e8, "bodies that turn are held fast"), (1e6, "of their rotation per radian")] {
        workspace.write("exact.toml", &spinning(young, &exact));
        for command in ["check", "run"] {
            let ended = workspace.pliant(&[command, "exact.toml"]).expect(0);
            let is_told = ended.err.contains(said) && ended.err.contains("use stiffness = \"auto\"");
            assert!(is_told, "{command}, {young:e} Pa: {}", ended.err);
        }
    }
    workspace.write("auto.toml", &spinning(1e8, method));
    for command in ["check", "run"] {
        let ended = workspace.pliant(&[command, "auto.toml"]).expect(0);
        assert!(!ended.err.contains("rotation") && !ended.err.contains("held fast"), "{command}: {}", ended.err);
    }
    for (frame, is_told) in [("fixed", true), ("turning", false)] {
        workspace.write("ere.toml", &spinning(1e8, &format!("method = \"ere\"\nframe = \"{frame}\"")));
        let ended = workspace.pliant(&["check", "ere.toml"]).expect(0);
        assert_eq!(ended.err.contains("the product has to be below about 2.6"), is_told, "{frame}: {}", ended.err);
    }
}

#[test]
fn vibrations_that_epirk4s3_amplifies_are_told() {
    let workspace = Workspace::new("check-epirk4s3");
    for (method, young, is_told) in [("epirk4s3", 1e8, true), ("epirk4s3", 1e3, false), ("exprb42", 1e8, false)] {
        workspace.write("bar.toml", &spinning(young, &format!("method = \"{method}\"")));
        let ended = workspace.pliant(&["check", "bar.toml"]).expect(0);
        assert_eq!(ended.err.contains("amplify vibrations"), is_told, "{method}, {young:e} Pa: {}", ended.err);
    }
}
