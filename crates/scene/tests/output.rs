//! What runs write, read back.

mod output_reader;
mod run_bodies;

use output_reader::{Frame, collection, series, whole_run};
use run_bodies::Bar;
use scene::output::{COLUMNS, Directory, Frames, OutputError, Series, write_whole};
use scene::{Moment, Observer, Outcome, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// An empty place for one test.
fn place(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("output").join(name);
    fs::remove_dir_all(&path).ok();
    path
}

#[test]
fn frames_hold_the_state_in_the_order_of_the_mesh() {
    let path = place("frames");
    let directory = Directory::prepare(&path, false).unwrap();
    let mut simulation = Bar::default().build();
    let mut frames = Frames::new(&directory, &simulation.mesh, |_| 7).unwrap();
    let outcome = run(&mut simulation, &mut [&mut frames], &GO_ON).unwrap();
    assert_eq!(frames.written(), simulation.schedule.frames());

    let listed = collection(&path.join("frames.pvd"));
    assert_eq!(listed.len() as u64, frames.written());
    let (time, file) = listed.last().unwrap();
    let frame = Frame::read(&path.join(file));
    assert_eq!((*time, frame.time), (outcome.time, outcome.time));
    let (model, mesh, state) = (&simulation.model, &simulation.mesh, &simulation.state);
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
    assert!(frame.integers("body").iter().all(|&body| body == 7));

    // The reader of mesh files takes it for a mesh in its present shape.
    let bytes = fs::read(path.join(file)).unwrap();
    let none = |_: &str| Err("nothing is beside it".to_string());
    let again = formats::read(&formats::Input { name: "frame.vtu", bytes: &bytes, beside: &none }).unwrap();
    assert_eq!((again.points.as_flattened(), &again.tets), (x.as_slice(), &mesh.tets));
}

/// Looks at the files after every step, as another program would.
struct Onlooker(PathBuf, u64);

impl Observer for Onlooker {
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError> {
        let (rows, frames) = whole_run(&self.0);
        assert_eq!(rows.len() as u64, moment.step + 1);
        self.1 += u64::from(moment.is_frame);
        assert_eq!(frames.len() as u64, self.1);
        Ok(())
    }

    fn finish(&mut self, _: &Moment, outcome: &Outcome) -> Result<(), OutputError> {
        let (rows, _) = whole_run(&self.0);
        assert_eq!(rows.len() as u64, outcome.steps + 1);
        Ok(())
    }
}

#[test]
fn files_are_whole_after_every_step() {
    let path = place("onlooker");
    let directory = Directory::prepare(&path, false).unwrap();
    let mut simulation = Bar::default().build();
    let mut frames = Frames::new(&directory, &simulation.mesh, |_| 0).unwrap();
    let mut series = Series::new(&directory).unwrap();
    let mut onlooker = Onlooker(path, 0);
    run(&mut simulation, &mut [&mut frames, &mut series, &mut onlooker], &GO_ON).unwrap();
    assert!(onlooker.1 > 3);
}

#[test]
fn a_series_adds_up() {
    let path = place("series");
    let directory = Directory::prepare(&path, false).unwrap();
    let mut simulation = Bar { method: "backward-euler", ..Bar::default() }.build();
    let outcome = run(&mut simulation, &mut [&mut Series::new(&directory).unwrap()], &GO_ON).unwrap();
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
    let path = place("foreign");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("thesis.tex"), "years of work").unwrap();
    let error = Directory::prepare(&path, false).unwrap_err();
    assert!(matches!(&error, OutputError::Foreign { found, .. } if found == Path::new("thesis.tex")));
    assert!(error.to_string().contains("--force"), "{error}");
    // Forced, it is written beside.
    Directory::prepare(&path, true).unwrap();
    assert_eq!(fs::read_to_string(path.join("thesis.tex")).unwrap(), "years of work");
}

#[test]
fn files_that_only_bear_our_names_are_refused() {
    for (i, file) in ["run.toml", "series.csv", "frames/frame-000000.vtu", "frames/notes.txt"].iter().enumerate() {
        let path = place(&format!("names-{i}"));
        fs::create_dir_all(path.join("frames")).unwrap();
        fs::write(path.join(file), "of somebody").unwrap();
        let error = Directory::prepare(&path, false).unwrap_err();
        assert!(matches!(&error, OutputError::Foreign { .. }), "{file}: {error}");
        assert_eq!(fs::read_to_string(path.join(file)).unwrap(), "of somebody");
    }
}

#[test]
fn an_earlier_run_is_replaced() {
    let path = place("replaced");
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
    let path = place("way");
    fs::create_dir_all(&path).unwrap();
    let file = path.join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(Directory::prepare(&file, true), Err(OutputError::NotADirectory { .. })));
    assert!(matches!(Directory::prepare(&file.join("below"), true), Err(OutputError::Io { doing: "create", .. })));
    assert!(matches!(write_whole(&file.join("below"), b"x"), Err(OutputError::Io { doing: "write", .. })));
}
