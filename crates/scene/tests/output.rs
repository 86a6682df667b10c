//! Files of runs, read back.

mod output_reader;
mod run_bodies;

use output_reader::{Frame, collection, series, whole_run};
use run_bodies::Bar;
use scene::output::{COLUMNS, Directory, Files, Frames, OutputError, Series, write_whole};
use scene::{Moment, Observer, ObserverError, Outcome, Scene, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Returns an empty directory for one test.
fn empty_directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("output").join(name);
    fs::remove_dir_all(&path).ok();
    path
}

#[test]
fn frames_hold_the_state_in_the_order_of_the_mesh() {
    let path = empty_directory("frames");
    let directory = Directory::prepare(&path, false).unwrap();
    let mut built = Bar::default().build();
    let mut frames = Frames::new(&directory, &built.ground).unwrap();
    let outcome = run(&mut built, &mut [&mut frames], &GO_ON).unwrap();
    assert_eq!(frames.written(), built.simulation.schedule().frames());

    let listed = collection(&path.join("frames.pvd"));
    assert_eq!(listed.len() as u64, frames.written());
    let (time, file) = listed.last().unwrap();
    let frame = Frame::read(&path.join(file));
    assert_eq!((*time, frame.time), (outcome.time, outcome.time));
    let (model, mesh, state) = (&built.model, &built.mesh, built.simulation.state());
    assert_eq!((frame.points, frame.cells), (mesh.points.len(), mesh.tets.len()));
    let (x, v, u) = (frame.floats("Points"), frame.floats("velocity"), frame.floats("displacement"));
    for node in 0..frame.points {
        for c in 0..3 {
            let (here, there) = (3 * node + c, 3 * model.number(node) + c);
            assert_eq!((x[here], v[here]), (state.x[there], state.v[there]));
            assert_eq!(u[here], x[here] - mesh.points[node][c]);
        }
    }
    assert!(u.iter().any(|&u| u.abs() > 1e-4), "something has moved");
    let nodes: Vec<i64> = mesh.tets.iter().flatten().map(|&i| i.into()).collect();
    assert_eq!(frame.integers("connectivity"), nodes);
    assert_eq!(frame.integers("offsets"), (1..=mesh.tets.len() as i64).map(|e| 4 * e).collect::<Vec<_>>());
    assert!(frame.integers("types").iter().all(|&kind| kind == 10));
    assert!(frame.integers("body").iter().all(|&body| body == 0));

    // The reader of mesh files takes it for a mesh in its present shape.
    let bytes = fs::read(path.join(file)).unwrap();
    let none = |_: &str| Err("nothing is beside it".to_string());
    let again = formats::read(&formats::Input { name: "frame.vtu", bytes: &bytes, beside: &none }).unwrap();
    assert_eq!((again.points.as_flattened(), &again.tets), (x.as_slice(), &mesh.tets));
}

/// A shaken ball with a finer surface. No step between its beginning and its end falls on a frame.
const SHAKEN: &str = r#"
[run]
duration = 0.07
frame_rate = 80.0
frames = "interpolated"
[integrator]
method = "implicit-midpoint"
step = 0.004
[[body]]
shape = { generator = "parts", vertices = 60, surface = 200, part = [{ kind = "ball", radius = 0.4 }] }
material = { model = "stable-neo-hookean", young = 1e4, poisson = 0.3, density = 1000.0 }
[[script]]
where = { box = { min = [-inf, -inf, -inf], max = [inf, inf, -0.2] } }
motion = "shake"
amplitude = [0.0, 0.02, 0.0]
frequency = 5.0
"#;

/// Keeps every state.
struct States(Vec<model::State>);

impl Observer for States {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.0.push(moment.state.clone());
        Ok(())
    }
}

#[test]
fn fibres_are_lines_with_a_thickness() {
    let path = empty_directory("fibres");
    let directory = Directory::prepare(&path, false).unwrap();
    let bar = "name = \"bar\"\nshape = { generator = \"bar\", cells_along = 2, cells_across = 1 }\n\
               material = { model = \"linear\", young = 1e6, poisson = 0.3, density = 1000.0 }";
    let hair = "roots = { on = \"points\", points = [[0, 0, 2], [1, 0, 2]] }\ndirection = [0, 1, 0]\nlength = 0.2\n\
                segments = 3\ndiameter = [9e-5, 6e-5]\nyoung = 3.6e9\ndensity = 1300.0";
    let text = format!(
        "[run]\nduration = 0.02\n[integrator]\nmethod = \"linearly-implicit-euler\"\nstep = 0.01\nstiffness = \"turned\"\n\
         [[body]]\n{bar}\n[[fibres]]\nname = \"hair\"\n{hair}\n[[fix]]\nbody = \"hair\"\nwhere = {{ group = \"roots\" }}\n"
    );
    let scene = Scene::parse("hair.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    let mut built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    let mut frames = Frames::new(&directory, &built.ground).unwrap();
    run(&mut built, &mut [&mut frames], &GO_ON).unwrap();
    let file = path.join(&collection(&path.join("frames.pvd")).last().unwrap().1);
    let frame = Frame::read(&file);
    // A point for each of the eight rings, a line for each of the six segments.
    let (bar, tets) = (built.bodies[0].nodes.len(), built.mesh.tets.len());
    assert_eq!((frame.points, frame.cells), (bar + 8, tets + 6));
    let nodes: Vec<i64> = [0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7].iter().map(|ring| ring + bar as i64).collect();
    assert_eq!(frame.integers("connectivity")[4 * tets..], nodes);
    assert_eq!(frame.integers("types")[tets..], [3; 6]);
    assert_eq!(frame.integers("body")[tets..], [1; 6]);
    let thickness = frame.floats("thickness");
    assert!(thickness[..bar].iter().all(|&d| d == 0.0), "only fibres have one");
    assert_eq!(thickness[bar..bar + 4], [9e-5, 8e-5, 7e-5, 6e-5].map(|d: f64| thickness_near(d, &thickness[bar..])));
    let (points, state) = (frame.floats("Points"), built.simulation.state());
    for ring in 0..8 {
        for c in 0..3 {
            let corner = |k: usize| state.x[3 * built.model.number(bar + 4 * ring + k) + c];
            let middle = 0.25 * (0..4).map(corner).sum::<f64>();
            assert!((points[3 * (bar + ring) + c] - middle).abs() < 1e-15);
        }
    }
    let told = Frames::bytes(&built.ground) as f64 / fs::metadata(&file).unwrap().len() as f64;
    assert!((0.5..1.1).contains(&told), "the size that is told before is {told} of the true one");
}

/// Returns the one of some numbers that is a number but for rounding.
fn thickness_near(wanted: f64, all: &[f64]) -> f64 {
    all.iter().copied().find(|d| (d / wanted - 1.0).abs() < 1e-12).unwrap()
}

#[test]
fn frames_between_steps_are_at_exact_times_on_cubics_through_their_states() {
    let path = empty_directory("interpolated");
    let directory = Directory::prepare(&path, false).unwrap();
    let scene = Scene::parse("test", SHAKEN).unwrap();
    let mut built = scene.build().unwrap();
    let mut files = Files::new(&directory, &scene, &built).unwrap();
    let mut states = States(Vec::new());
    let outcome = run(&mut built, &mut [&mut files, &mut states], &GO_ON).unwrap();
    let (model, states) = (&built.model, states.0);
    let listed = collection(&path.join("frames.pvd"));
    // 1 / 80 s is no multiple of the step; the last frame is the end.
    let times: Vec<f64> = (0..6).map(|k| f64::from(k) / 80.0).chain([0.07]).collect();
    assert_eq!(listed.iter().map(|(time, _)| *time).collect::<Vec<_>>(), times);
    assert_eq!(built.simulation.schedule().frames(), times.len() as u64);
    let mut moved = 0.0f64;
    for (time, file) in &listed {
        let frame = Frame::read(&path.join(file));
        let after = states.iter().position(|state| state.t >= *time - 1e-9).unwrap();
        let exact = (states[after].t - time).abs() < 1e-9;
        assert_eq!(frame.is_interpolated, !exact, "{time}");
        let (x, v) = (frame.floats("Points"), frame.floats("velocity"));
        let (a, b) = (&states[after.saturating_sub(1)], &states[after]);
        let h = (b.t - a.t).max(1e-300);
        let s = (time - a.t) / h;
        for node in 0..frame.points {
            for c in 0..3 {
                let i = 3 * model.number(node) + c;
                // Newton's form of the cubic, its divided differences.
                let slope = (b.x[i] - a.x[i]) / h;
                let (p, q) = ((slope - a.v[i]) / h, (a.v[i] + b.v[i] - 2.0 * slope) / (h * h));
                let u = s * h;
                let position = a.x[i] + u * (a.v[i] + u * (p + (u - h) * q));
                let speed = a.v[i] + 2.0 * u * p + (3.0 * u * u - 2.0 * u * h) * q;
                let (position, speed) = if exact { (b.x[i], b.v[i]) } else { (position, speed) };
                if model.number(node) < model.free_nodes() {
                    assert!((x[3 * node + c] - position).abs() < 1e-13, "node {node} at {time}");
                    assert!((v[3 * node + c] - speed).abs() < 1e-10, "node {node} at {time}");
                    moved = moved.max((position - b.x[i]).abs());
                }
            }
            // Scripted nodes are where their script puts them.
            if model.number(node) >= model.free_nodes() {
                let expected = built.mesh.points[node][1] + 0.02 * (std::f64::consts::TAU * 5.0 * time).sin();
                assert!((x[3 * node + 1] - expected).abs() < 1e-14, "node {node} at {time}");
            }
        }
    }
    assert!(moved > 1e-4, "frames are not the states after them: {moved}");
    // The finer surface is shown at the same times, where the shown tets have it.
    let surfaces = collection(&path.join("surface.pvd"));
    assert_eq!(surfaces.iter().map(|(time, _)| *time).collect::<Vec<_>>(), times);
    let [frame, surface] = [&listed[3].1, &surfaces[3].1].map(|file| Frame::read(&path.join(file)));
    let nodes = frame.floats("Points");
    let mut shown = vec![[0.0; 3]; nodes.len() / 3];
    (0..shown.len()).for_each(|node| shown[model.number(node)].copy_from_slice(&nodes[3 * node..3 * node + 3]));
    let mut points = vec![[0.0; 3]; surface.points];
    built.surface.as_ref().unwrap().embedding.follow(&shown, &mut points);
    assert_eq!(surface.floats("Points"), points.as_flattened());
    // The surface, run.toml and the summary all say so.
    assert!(
        surface.is_interpolated
            && fs::read_to_string(path.join("run.toml")).unwrap().contains("frames = \"interpolated\"")
    );
    assert_eq!(scene::output::summary(&scene, &built, &outcome)["frame_times"], "interpolated");

    // Only the frames differ: the series is that of frames at steps.
    let plain = empty_directory("interpolated-not");
    let directory = Directory::prepare(&plain, false).unwrap();
    let scene = Scene::parse("test", &SHAKEN.replace("interpolated", "steps")).unwrap();
    let mut built = scene.build().unwrap();
    let mut files = Files::new(&directory, &scene, &built).unwrap();
    run(&mut built, &mut [&mut files], &GO_ON).unwrap();
    assert_eq!(fs::read(plain.join("series.csv")).unwrap(), fs::read(path.join("series.csv")).unwrap());
    let listed = collection(&plain.join("frames.pvd"));
    assert!(listed.iter().all(|(time, _)| (time / 0.004 - (time / 0.004).round()).abs() < 1e-9 || *time == 0.07));
}

#[test]
fn rigid_bodies_turn_evenly_between_steps() {
    let path = empty_directory("interpolated-rigid");
    let text = r#"
[run]
duration = 0.2
frame_rate = 70.0
frames = "interpolated"
[world]
gravity = [0.0, 0.0, 0.0]
[integrator]
method = "small-steps"
step = 0.05
substeps = 10
[[rigid]]
name = "box"
shape = { kind = "box", size = [0.3, 0.2, 0.1] }
mass = 2.0
velocity = [1.0, 0.0, 0.0]
angular_velocity = [0.0, 0.0, 30.0]
"#;
    let directory = Directory::prepare(&path, false).unwrap();
    let scene = Scene::parse("test", text).unwrap();
    let mut built = scene.build().unwrap();
    let mut files = Files::new(&directory, &scene, &built).unwrap();
    run(&mut built, &mut [&mut files], &GO_ON).unwrap();
    let listed = collection(&path.join("frames.pvd"));
    assert_eq!(listed.len(), 15);
    for (time, file) in &listed {
        let x = Frame::read(&path.join(file)).floats("Points");
        let (sin, cos) = (30.0 * time).sin_cos();
        for (node, rest) in built.mesh.points.iter().enumerate() {
            let expected = [time + cos * rest[0] - sin * rest[1], sin * rest[0] + cos * rest[1], rest[2]];
            let far = (0..3).map(|c| (x[3 * node + c] - expected[c]).abs()).fold(0.0, f64::max);
            assert!(far < 1e-9, "node {node} at {time} s is {far} m off");
        }
    }
}

/// Looks at the files after every step, as another program would.
struct Onlooker(PathBuf, u64);

impl Observer for Onlooker {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        let (rows, frames) = whole_run(&self.0);
        assert_eq!(rows.len() as u64, moment.step + 1);
        self.1 += u64::from(moment.is_frame);
        assert_eq!(frames.len() as u64, self.1);
        Ok(())
    }

    fn finish(&mut self, _: &Moment, outcome: &Outcome) -> Result<(), ObserverError> {
        let (rows, _) = whole_run(&self.0);
        assert_eq!(rows.len() as u64, outcome.steps + 1);
        Ok(())
    }
}

#[test]
fn files_are_whole_after_every_step() {
    let path = empty_directory("onlooker");
    let directory = Directory::prepare(&path, false).unwrap();
    let mut built = Bar::default().build();
    let mut frames = Frames::new(&directory, &built.ground).unwrap();
    let mut series = Series::new(&directory).unwrap();
    let mut onlooker = Onlooker(path, 0);
    run(&mut built, &mut [&mut frames, &mut series, &mut onlooker], &GO_ON).unwrap();
    assert!(onlooker.1 > 3);
}

#[test]
fn a_series_adds_up() {
    let path = empty_directory("series");
    let directory = Directory::prepare(&path, false).unwrap();
    let mut built = Bar { method: "backward-euler", ..Bar::default() }.build();
    let outcome = run(&mut built, &mut [&mut Series::new(&directory).unwrap()], &GO_ON).unwrap();
    let (columns, rows) = series(&path.join("series.csv"));
    assert_eq!(columns, COLUMNS);
    let column = |name: &str| -> Vec<f64> {
        let at = columns.iter().position(|column| column == name).unwrap();
        rows.iter().map(|row| row[at]).collect()
    };
    let sum = |name: &str| column(name).iter().sum::<f64>() as u64;
    assert_eq!(sum("newton"), outcome.work.newton);
    assert_eq!(sum("factorisations"), outcome.work.linear.factorisations);
    assert_eq!(column("step"), (0..=outcome.steps).map(|n| n as f64).collect::<Vec<_>>());
    let parts = ["kinetic", "elastic", "load"].map(column);
    for (i, total) in column("total").iter().enumerate() {
        assert_eq!(*total, parts[0][i] + parts[1][i] + parts[2][i]);
    }
    // Digits are written so that the same number is read back.
    assert_eq!(*column("total").last().unwrap(), outcome.last.total());
    assert!(*column("momentum_z").get(1).unwrap() < 0.0, "the bar falls");
}

#[test]
fn a_directory_with_something_else_in_it_is_refused() {
    let path = empty_directory("foreign");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("thesis.tex"), "years of work").unwrap();
    let error = Directory::prepare(&path, false).unwrap_err();
    assert!(matches!(&error, OutputError::Foreign { found, .. } if found == Path::new("thesis.tex")));
    assert!(error.to_string().contains("--force"), "{error}");
    // With force, the run is written beside it.
    Directory::prepare(&path, true).unwrap();
    assert_eq!(fs::read_to_string(path.join("thesis.tex")).unwrap(), "years of work");
}

#[test]
fn files_that_only_bear_our_names_are_refused() {
    for (i, file) in ["run.toml", "series.csv", "frames/frame-000000.vtu", "frames/notes.txt"].iter().enumerate() {
        let path = empty_directory(&format!("names-{i}"));
        fs::create_dir_all(path.join("frames")).unwrap();
        fs::write(path.join(file), "of somebody").unwrap();
        let error = Directory::prepare(&path, false).unwrap_err();
        assert!(matches!(&error, OutputError::Foreign { .. }), "{file}: {error}");
        assert_eq!(fs::read_to_string(path.join(file)).unwrap(), "of somebody");
    }
}

#[test]
fn an_earlier_run_is_replaced() {
    let path = empty_directory("replaced");
    fs::create_dir_all(path.join("frames")).unwrap();
    fs::write(path.join("run.toml"), "# pliant 0.0.1\n").unwrap();
    let old =
        ["series.csv", "summary.json", "frames.pvd", "frames/frame-000099.vtu", "frames/frame-000100.vtu.partial"];
    old.iter().for_each(|file| fs::write(path.join(file), "old").unwrap());
    Directory::prepare(&path, false).unwrap();
    assert!(old.iter().all(|file| !path.join(file).exists()));
}

#[test]
fn a_file_in_the_way_and_a_place_that_cannot_be_made_are_errors() {
    let path = empty_directory("way");
    fs::create_dir_all(&path).unwrap();
    let file = path.join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(Directory::prepare(&file, true), Err(OutputError::NotADirectory { .. })));
    assert!(matches!(Directory::prepare(&file.join("below"), true), Err(OutputError::Io { doing: "create", .. })));
    assert!(matches!(write_whole(&file.join("below"), b"x"), Err(OutputError::Io { doing: "write", .. })));
}
