//! Linear results, shown warped: frames and surfaces change, and nothing else.

mod output_reader;

use model::Warp;
use numerics::mat3::{determinant, norm, sub};
use output_reader::{Frame, collection, whole_run};
use scene::output::{Directory, Files, summary};
use scene::{Built, Ending, Outcome, Scene, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A soft bar of linear elasticity that sags by more than its length, with a finer surface.
const SCENE: &str = r#"
[run]
duration = 0.3
frame_rate = 20.0
warp = true
[integrator]
method = "backward-euler"
step = 0.01
[[body]]
material = { model = "linear", young = 2e4, poisson = 0.3, density = 1000.0 }
[body.shape]
generator = "parts"
vertices = 400
surface = 2000
[[body.shape.part]]
kind = "box"
size = [1.0, 0.2, 0.2]
[[fix]]
where = { box = { min = [-1.0, -1.0, -1.0], max = [-0.45, 1.0, 1.0] } }
"#;

struct Ran {
    path: PathBuf,
    built: Built,
    outcome: Outcome,
    summary: Value,
}

fn ran(name: &str, text: &str) -> Ran {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("warp").join(name);
    fs::remove_dir_all(&path).ok();
    let scene = Scene::parse("test", text).unwrap_or_else(|problems| panic!("{problems}"));
    let mut built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    let mut files = Files::new(&Directory::prepare(&path, false).unwrap(), &scene, &built).unwrap();
    let outcome = run(&mut built, &mut [&mut files], &AtomicBool::new(false)).unwrap();
    assert_eq!(outcome.ending, Ending::Done);
    let summary = summary(&scene, &built, &outcome);
    Ran { path, built, outcome, summary }
}

fn volume(built: &Built, points: &[[f64; 3]]) -> f64 {
    let of_tet = |tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|i| points[i as usize]);
        determinant(&[sub(b, a), sub(c, a), sub(d, a)]) / 6.0
    };
    built.mesh.tets.iter().map(of_tet).sum()
}

#[test]
fn frames_are_warped_and_nothing_else() {
    let [warped, plain] =
        [("on", SCENE), ("off", &SCENE.replace("warp = true", "warp = false"))].map(|(name, text)| ran(name, text));
    assert_eq!(warped.built.simulation.state(), plain.built.simulation.state());
    let read = |ran: &Ran, file: &str| fs::read(ran.path.join(file)).unwrap();
    for file in ["series.csv", "frames/frame-000000.vtu", "surface/frame-000000.vtu"] {
        assert_eq!(read(&warped, file), read(&plain, file), "{file}");
    }
    // The lists also hold checksums of frames, which differ.
    for list in ["frames.pvd", "surface.pvd"] {
        assert_eq!(collection(&warped.path.join(list)), collection(&plain.path.join(list)), "{list}");
    }
    for key in ["energy", "work", "steps", "time"] {
        assert_eq!(warped.summary[key], plain.summary[key], "{key}");
    }

    // The last frame is the warped last state, and its finer surface follows it.
    let Ran { path, built, .. } = &warped;
    let (_, frames) = whole_run(path);
    let points = frames.last().unwrap().floats("Points");
    let mut shown = vec![0.0; points.len()];
    Warp::new(&built.model).unwrap().apply(&built.simulation.state().x, &mut shown);
    for (i, point) in points.as_chunks::<3>().0.iter().enumerate() {
        assert_eq!(*point, shown.as_chunks::<3>().0[built.model.number(i)]);
    }
    let surface = built.surface.as_ref().unwrap();
    let mut followed = vec![[0.0; 3]; surface.embedding.len()];
    surface.embedding.follow(shown.as_chunks().0, &mut followed);
    let file = collection(&path.join("surface.pvd")).last().unwrap().1.clone();
    assert_eq!(Frame::read(&path.join(file)).floats("Points").as_chunks::<3>().0, followed);

    // The volume grows without warping, but not with it.
    let rest = volume(built, &built.mesh.points);
    let bent = volume(built, points.as_chunks().0) / rest;
    let swollen = volume(&plain.built, whole_run(&plain.path).1.last().unwrap().floats("Points").as_chunks().0) / rest;
    assert!(swollen > 1.3 && (bent - 1.0).abs() < 0.05, "{swollen}, warped {bent}");
}

#[test]
fn its_cost_is_told() {
    let Ran { outcome, summary, .. } = ran("cost", SCENE);
    let told = &summary["warping"];
    // One per frame, for the frame and its surface together.
    assert_eq!(told["frames"], 7);
    let [ms, share] = outcome.warping_cost().unwrap();
    assert_eq!((told["ms_per_frame"].as_f64(), told["share"].as_f64()), (Some(ms), Some(share)));
    assert!(ms > 0.0 && share > 0.0 && share < 1.0);
    assert!((told["seconds"].as_f64().unwrap() - 7e-3 * ms).abs() < 1e-12);
    let plain = ran("free-of-charge", &SCENE.replace("warp = true", ""));
    assert_eq!((&plain.summary["warping"], plain.outcome.warping_cost()), (&Value::Null, None));
}

#[test]
fn every_kind_of_method_is_shown_warped() {
    for method in ["symplectic-euler", "linearly-implicit-euler", "siere", "ere", "small-steps"] {
        let text = SCENE.replace("backward-euler", method).replace("step = 0.01", "step = 0.001");
        let Ran { path, built, .. } = ran(method, &text.replace("duration = 0.3", "duration = 0.02"));
        let (_, frames) = whole_run(&path);
        let points = frames.last().unwrap().floats("Points");
        let far = |(i, p): (usize, &[f64; 3])| {
            let at = 3 * built.model.number(i);
            norm(sub(*p, std::array::from_fn(|c| built.simulation.state().x[at + c])))
        };
        let far = points.as_chunks::<3>().0.iter().enumerate().map(far).fold(0.0, f64::max);
        assert!(far > 0.0 && far < 1e-3, "{method}: {far}");
    }
}
