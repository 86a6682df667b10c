//! Runs that are interrupted and resumed, once or often, have the same files.

use crate::runs::{
    BAR, CLOTH, Until, assert_same, begin, dropped, empty_directory, files, label, resume, tipped, variants, with,
};
use integrators::{Family, parameters};
use scene::Scene;
use std::fs;
use std::path::PathBuf;

/// Compares a scene of 20 steps without a pause to runs with pauses of every kind.
fn assert_resumes(name: &str, text: &str) {
    let (whole, paused) = (empty_directory(&format!("{name}-whole")), empty_directory(&format!("{name}-paused")));
    begin(&whole, text, Until::End);
    // Before the first step, between frames, on a frame, before the last step.
    for step in [0, 1, 7, 10, 13, 19] {
        begin(&paused, text, Until::Asked(step));
        assert_eq!(resume(&paused, None, Until::End), step, "{name}");
        assert_same(&whole, &paused);
    }
    // Killed: the files are ahead of the checkpoint.
    begin(&paused, text, Until::Killed(5));
    assert_eq!(resume(&paused, None, Until::Asked(8)), 0);
    assert_eq!(resume(&paused, None, Until::Killed(13)), 8);
    fs::write(paused.join("frames/frame-000099.vtu.partial"), "half").unwrap();
    fs::write(paused.join("checkpoint.bin.partial"), "half").unwrap();
    assert_eq!(resume(&paused, None, Until::Killed(11)), 8);
    assert_eq!(resume(&paused, None, Until::Asked(8)), 8, "asked to stop at once");
    assert_eq!(resume(&paused, None, Until::End), 8);
    assert_same(&whole, &paused);
}

fn summary(path: &std::path::Path) -> String {
    String::from_utf8(files(path)[&PathBuf::from("summary.json")].clone()).unwrap()
}

#[test]
fn every_method_goes_on() {
    for (method, variant) in variants() {
        let text = with(BAR, &[("linearly-implicit-euler\"", &variant)]);
        assert_resumes(&label(method, &variant), &text);
    }
}

#[test]
fn every_method_goes_on_after_steps_that_were_halved() {
    // Too few iterations for Newton's method to take some steps whole.
    let by_newton = |(method, variant): &(&integrators::Method, String)| {
        method.reads(&parameters::ITERATIONS.parameter)
            && (!method.reads(&parameters::REST.parameter) || variant.contains("newton"))
    };
    for (method, variant) in variants().filter(by_newton) {
        // The linear solution of siere counts as one.
        let most = if method.reads(&parameters::MODES.parameter) { 1 } else { 2 };
        let iterations = format!("{variant}\niterations = {most}\ntolerance = 1e-6");
        let replace = [
            ("linearly-implicit-euler\"", iterations.as_str()),
            ("step = 0.004", "step = 0.04"),
            ("duration = 0.08", "duration = 0.8\non_divergence = \"halve\""),
            ("frame_rate = 80.0", "frame_rate = 8.0"),
        ];
        let name = format!("halved-{}", label(method, &variant));
        assert_resumes(&name, &with(BAR, &replace));
        assert!(summary(&place_of(&format!("{name}-whole"))).contains("Newton stalled"), "{name}");
    }
}

#[test]
fn chosen_regions_go_on_on_any_number_of_threads() {
    for method in ["asynchronous-backward-euler", "schroeder"] {
        let text = tipped(method);
        let chosen = Scene::parse("test", &text).unwrap().build().unwrap();
        let ratios: Vec<usize> = chosen.model.regions().iter().map(|region| region.ratio).collect();
        assert!(ratios == [10], "{method}: {ratios:?}");
        let [one, two] = [1, 2].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let name = format!("auto-{method}-{threads}");
            pool.install(|| assert_resumes(&name, &text));
            place_of(&format!("{name}-whole"))
        });
        assert_same(&one, &two);
        let without = empty_directory(&format!("auto-{method}-without"));
        begin(&without, &text.replace("regions = \"auto\"", ""), Until::End);
        assert_ne!(summary(&without), summary(&one), "{method} has regions");
    }
}

#[test]
fn warped_frames_go_on() {
    let replace = [
        ("stable-neo-hookean", "linear"),
        ("frame_rate = 80.0", "frame_rate = 80.0\nwarp = true"),
        ("value = [0.0, 3.0, 0.0]", "value = [0.0, 300.0, 0.0]"),
    ];
    let text = with(BAR, &replace);
    assert_resumes("warped", &text);
    let plain = empty_directory("warped-not");
    begin(&plain, &text.replace("warp = true", ""), Until::End);
    let [plain, shown] = [plain, place_of("warped-whole")].map(|path| files(&path));
    let file = |name: &str| PathBuf::from(name);
    assert_eq!(plain[&file("series.csv")], shown[&file("series.csv")]);
    assert_ne!(plain[&file("frames/frame-000005.vtu")], shown[&file("frames/frame-000005.vtu")]);
}

#[test]
fn interpolated_frames_go_on() {
    // Fewer frames than steps, none of them at a step; and several frames per step.
    for rate in [83.0f64, 700.0] {
        let frames = format!("frame_rate = {rate:?}\nframes = \"interpolated\"");
        let bar = with(BAR, &[("frame_rate = 80.0", &frames)]);
        assert_resumes(&format!("interpolated-{rate}"), &bar);
        let count = fs::read_dir(place_of(&format!("interpolated-{rate}-whole")).join("frames")).unwrap().count();
        assert_eq!(count as f64, (0.08 * rate).floor() + if rate == 700.0 { 1.0 } else { 2.0 });
        let warped = with(&bar, &[("stable-neo-hookean", "linear"), ("frames = ", "warp = true\nframes = ")]);
        assert_resumes(&format!("interpolated-warped-{rate}"), &warped);
        assert_resumes(&format!("interpolated-cloth-{rate}"), &with(CLOTH, &[("frame_rate = 160.0", &frames)]));
    }
    let [one, two] = [1, 2].map(|threads| {
        let path = empty_directory(&format!("interpolated-threads-{threads}"));
        let text = with(BAR, &[("frame_rate = 80.0", "frame_rate = 83.0\nframes = \"interpolated\"")]);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| begin(&path, &text, Until::End));
        path
    });
    assert_same(&one, &two);
}

/// Returns the directory of an earlier run.
fn place_of(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("resume").join(name)
}

#[test]
fn every_method_goes_on_after_soft_contacts() {
    for (method, variant) in variants() {
        let name = format!("dropped-{}", label(method, &variant));
        let text = with(&dropped(), &[("linearly-implicit-euler\"", &variant)]);
        assert_resumes(&name, &text);
        let free = empty_directory(&format!("{name}-free"));
        begin(&free, text.split("[[contact]]").next().unwrap(), Until::End);
        assert_ne!(summary(&free), summary(&place_of(&format!("{name}-whole"))), "{name} touches the floor");
    }
}

#[test]
fn every_method_goes_on_after_hard_contacts() {
    for (method, variant) in variants() {
        let name = format!("cloth-{}", label(method, &variant));
        let text = with(CLOTH, &[("linearly-implicit-euler\"", &variant)]);
        assert_resumes(&name, &text);
        let free = empty_directory(&format!("{name}-free"));
        begin(&free, text.split("[[contact]]").next().unwrap(), Until::End);
        assert_ne!(summary(&free), summary(&place_of(&format!("{name}-whole"))), "{name} touches the ball");
    }
}

#[test]
fn contact_as_a_constraint_goes_on() {
    let constraint =
        "constraint\"\nfriction = 0.3\nmotion = { kind = \"shake\", amplitude = [0.01, 0.0, 0.0], frequency = 20.0 }";
    let replace = [("linearly-implicit-euler", "small-steps"), ("projection\"", constraint)];
    let text = with(CLOTH, &replace) + "[collisions]\nfriction = 0.2\n";
    assert_resumes("constraint", &text);
    let free = empty_directory("constraint-free");
    begin(&free, text.split("[[contact]]").next().unwrap(), Until::End);
    assert_ne!(summary(&free), summary(&place_of("constraint-whole")), "it touches the ball");
}

#[test]
fn rigid_bodies_and_their_joints_go_on() {
    let text = r#"
[run]
duration = 0.4
frame_rate = 15.0
[integrator]
method = "small-steps"
step = 0.02
substeps = 4
[[rigid]]
name = "ground"
shape = { kind = "box", size = [4.0, 4.0, 0.2] }
position = [0.0, 0.0, -0.1]
fixed = true
[[rigid]]
name = "box"
shape = { kind = "box", size = [0.3, 0.2, 0.1] }
position = [0.0, 0.0, 0.2]
rotation = { axis = [1.0, 2.0, 0.0], degrees = 20.0 }
mass = 2.0
angular_velocity = [3.0, 1.0, 2.0]
[[rigid]]
name = "ball"
shape = { kind = "ball", radius = 0.1 }
position = [0.4, 0.0, 0.2]
density = 500.0
velocity = [-1.0, 0.0, 0.0]
[[body]]
name = "rope"
shape = { generator = "chain", links = 4, length = 0.4 }
springs = { stiffness = 500.0 }
node_mass = 0.05
position = [0.4, 0.0, 0.2]
[[joint]]
kind = "ball"
body = "ball"
to = "rope"
at = [0.4, 0.0, 0.2]
[[joint]]
kind = "hinge"
body = "box"
to = "ball"
at = [0.2, 0.0, 0.2]
axis = [0.0, 1.0, 0.0]
[collisions]
friction = 0.3
"#;
    assert_resumes("rigid", text);
    assert_resumes(
        "rigid-interpolated",
        &with(text, &[("frame_rate = 15.0", "frame_rate = 17.0\nframes = \"interpolated\"")]),
    );
    let series = fs::read_to_string(place_of("rigid-whole").join("series.csv")).unwrap();
    let rows: Vec<Vec<&str>> = series.lines().map(|line| line.split(',').collect()).collect();
    for column in ["joint_gap", "joint_force"] {
        let at = rows[0].iter().position(|name| *name == column).unwrap();
        assert!(rows[2..].iter().all(|row| row[at].parse::<f64>().unwrap() > 0.0), "{column} is said of every step");
    }
}

#[test]
fn a_bar_that_buckles_is_solved_directly_and_goes_on() {
    // Thrown against its clamp so fast that its stiffness gets negative eigenvalues which the mass does not outweigh.
    let pressed = r#"
[[initial]]
kind = "velocity"
linear = [-40.0, 0.0, 0.0]
"#;
    let replace = [
        ("linearly-implicit-euler\"", "linearly-implicit-euler\"\nsolver = \"stale\"\nstiffness = \"exact\""),
        ("young = 1e4", "young = 1e6"),
        ("step = 0.004", "step = 0.01"),
        ("duration = 0.08", "duration = 0.2"),
        ("frame_rate = 80.0", "frame_rate = 20.0"),
    ];
    assert_resumes("pressed", &(with(BAR, &replace) + pressed));
    let series = fs::read_to_string(place_of("pressed-whole").join("series.csv")).unwrap();
    let rows: Vec<Vec<&str>> = series.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| {
        let at = rows[0].iter().position(|column| *column == name).unwrap();
        rows[2..].iter().map(move |row| row[at])
    };
    let words: Vec<&str> = column("factor").collect();
    assert!(words[0] == "first" && words.contains(&"indefinite") && words.contains(&"kept"), "{words:?}");
    for (word, negative) in words.iter().zip(column("negative_pivots")) {
        assert_eq!(*word == "indefinite", negative != "0", "{word}: {negative} negative eigenvalues");
    }
}

#[test]
fn a_run_that_diverges_does_so_again() {
    let these = ["symplectic-euler", "rk4", "bdf2", "newmark"];
    for (method, variant) in variants().filter(|(method, _)| these.contains(&method.name)) {
        let implicit = method.family != Family::Explicit;
        let method = label(method, &variant);
        let integrator = format!("{variant}{}", if implicit { "\niterations = 1\ntolerance = 1e-9" } else { "" });
        // Still at first, then pushed: there are steps before the one that fails.
        let replace = [
            ("linearly-implicit-euler\"", integrator.as_str()),
            ("step = 0.004", if implicit { "step = 0.02" } else { "step = 0.08" }),
            ("duration = 0.08", "duration = 4.0"),
        ];
        let (whole, paused) =
            (empty_directory(&format!("diverges-{method}")), empty_directory(&format!("diverges-{method}-paused")));
        let text = with(BAR, &replace);
        begin(&whole, &text, Until::End);
        assert!(summary(&whole).contains("\"outcome\":\"diverged\""), "{method}: {}", summary(&whole));
        begin(&paused, &text, Until::End);
        resume(&paused, None, Until::End);
        assert_same(&whole, &paused);
        begin(&paused, &text, Until::Asked(0));
        resume(&paused, None, Until::End);
        assert_same(&whole, &paused);
    }
}

#[test]
fn finer_surfaces_go_on() {
    let shape = "shape = { generator = \"bar\", cells_along = 4, cells_across = 1 }";
    let ball = "shape = { generator = \"parts\", vertices = 60, surface = 500, part = [{ kind = \"ball\" }] }";
    let selectors = ("group = \"x-\"", "box = { min = [-9.0, -9.0, -9.0], max = [-0.2, 9.0, 9.0] }");
    assert_resumes("surface", &with(BAR, &[(shape, ball), selectors]));
    let whole = files(&place_of("surface-whole"));
    let count = |directory: &str| whole.keys().filter(|file| file.starts_with(directory)).count();
    assert!(count("surface") > 3 && count("surface") == count("frames"));
    // The list is one of the files that must be unchanged.
    begin(&empty_directory("surface-changed"), &with(BAR, &[(shape, ball), selectors]), Until::Asked(10));
    fs::write(place_of("surface-changed").join("surface.pvd"), "").unwrap();
    let problems = scene::output::Paused::open(&place_of("surface-changed"), None).err().unwrap();
    assert!(problems.to_string().contains("surface.pvd"), "{problems}");
}
