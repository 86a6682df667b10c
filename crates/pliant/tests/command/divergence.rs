//! A diverging run reports where and why, keeps good results, and recovers if asked.

use crate::reader::whole_run;
use crate::workspace::{Workspace, bar};

#[test]
fn a_divergence_is_named_and_everything_before_it_is_kept() {
    for (method, material) in
        [("symplectic-euler", "neo-hookean"), ("rk4", "linear"), ("symplectic-euler", "st-venant-kirchhoff")]
    {
        let workspace = Workspace::new(&format!("diverges-{method}-{material}"));
        workspace.write("bar.toml", &bar(&[("linearly-implicit-euler", method), ("neo-hookean", material)]));
        let ended = workspace.pliant(&["run", "bar.toml", "--json"]).expect(3);
        let report = ended.json();
        assert_eq!(report["outcome"], "diverged");
        let divergence = &report["divergence"];
        let (step, time) = (divergence["step"].as_u64().unwrap(), divergence["time"].as_f64().unwrap());
        assert_eq!(step, report["steps"].as_u64().unwrap() + 1);
        assert!((time - 0.01 * (step - 1) as f64).abs() < 1e-12);
        assert_eq!(divergence["body"], "bar");
        assert!(divergence["element"]["number"].is_u64() || divergence["node"].is_u64(), "{divergence}");
        assert!(!divergence["advice"].as_array().unwrap().is_empty());
        if material == "neo-hookean" {
            assert_eq!(divergence["cause"], "inverted element");
            assert_eq!(divergence["element"]["kind"], "tet");
        }
        let cause = divergence["cause"].as_str().unwrap();
        for words in [&format!("step {step},"), "t = ", cause, "try:", "--step", "body \"bar\""] {
            assert!(ended.err.contains(words), "{words} is not in\n{}", ended.err);
        }
        let (rows, frames) = whole_run(&workspace.path.join("out/bar"));
        assert_eq!(rows.len() as u64, step);
        assert_eq!(frames.last().unwrap().time, time, "the last good state is a frame");
    }
}

#[test]
fn the_step_it_advises_works() {
    let workspace = Workspace::new("advice");
    workspace.write("bar.toml", &bar(&[("linearly-implicit-euler", "symplectic-euler")]));
    let ended = workspace.pliant(&["run", "bar.toml"]).expect(3);
    let step = ended.err.split("--step ").nth(1).unwrap().lines().next().unwrap();
    workspace.pliant(&["run", "bar.toml", "--step", step]).expect(0);
}

/// Newton's method with too few iterations for a whole step.
fn stalls(on_divergence: &str) -> String {
    bar(&[
        ("frame_rate = 50.0", &format!("frame_rate = 50.0\non_divergence = \"{on_divergence}\"")),
        ("step = 0.01", "step = 0.04\niterations = 2\ntolerance = 1e-4"),
        ("linearly-implicit-euler", "backward-euler"),
    ])
}

#[test]
fn halving_recovers_and_is_recorded() {
    let workspace = Workspace::new("halve");
    workspace.write("bar.toml", &stalls("stop"));
    let report = workspace.pliant(&["run", "bar.toml", "--json"]).expect(3).json();
    assert_eq!(report["divergence"]["cause"], "Newton stalled");

    workspace.write("bar.toml", &stalls("halve"));
    let ended = workspace.pliant(&["run", "bar.toml", "--json", "--force"]).expect(0);
    let report = ended.json();
    let halved = report["halved"].as_array().unwrap();
    assert!(!halved.is_empty() && halved.iter().all(|h| h["cause"] == "Newton stalled"), "{report}");
    assert!(ended.out.contains("halved"), "{}", ended.out);
    let (rows, _) = whole_run(&workspace.path.join("out/bar"));
    let halvings: f64 = rows.iter().map(|row| row[22]).sum();
    assert_eq!(halvings as u64, report["work"]["halvings"].as_u64().unwrap());
    assert_eq!(halvings as u64, halved.iter().map(|h| h["halvings"].as_u64().unwrap()).sum::<u64>());
    assert_eq!(rows.last().unwrap()[1], 0.24);
}

/// Steps that no chain survives: written data are finite nevertheless, including forces and gaps of joints.
#[test]
fn absurd_steps_of_joints_write_no_nan() {
    let workspace = Workspace::new("absurd-joints");
    let chain = std::fs::read_to_string(scene_file("rigid-chain.toml")).unwrap();
    assert!(chain.contains("frame_rate = 30.0"));
    // Squares of the largest overflow, those of the smallest vanish.
    let steps = ["10", "1e20", "1e77", "1e78", "1e100", "1e120", "1e150", "1e-100", "1e-160", "1e-170", "1e-200"];
    let mut causes = std::collections::BTreeSet::new();
    for step in steps {
        let seconds: f64 = step.parse().unwrap();
        let duration = format!("{:e}", 4.0 * seconds);
        workspace
            .write("chain.toml", &chain.replace("frame_rate = 30.0", &format!("frame_rate = {:e}", 1.0 / seconds)));
        let ended =
            workspace.pliant(&["run", "chain.toml", "--step", step, "--duration", &duration, "-o", step, "--json"]);
        assert!([0, 3, 5].contains(&ended.code), "{step}: {}", ended.err);
        let (_, frames) = whole_run(&workspace.path.join(step));
        for frame in &frames {
            // The reader requires numbers.
            frame.floats("constraint_force");
        }
        let work = &ended.json()["work"];
        assert!(work["joint_gap"].is_number() && work["joint_force"].is_number(), "{step}: {work}");
        causes.extend(ended.json()["divergence"]["message"].as_str().map(str::to_string));
    }
    // Not only positions overflow: data of joints are checked separately.
    assert!(causes.contains("the gap of a joint is not finite"), "{causes:?}");
}

fn scene_file(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name)
}

#[test]
fn a_scene_that_begins_with_what_cannot_be_is_never_shown() {
    let workspace = Workspace::new("begins");
    let pushed = "\n[[initial]]\nkind = \"shift\"\nwhere = { group = \"x+\" }\noffset = [-0.5, 0.0, 0.0]\n";
    workspace.write("inverted.toml", &(bar(&[]) + pushed));
    let ended = workspace.pliant(&["run", "inverted.toml"]).expect(4);
    assert!(ended.err.contains("inside out"), "{}", ended.err);

    // The square of this velocity overflows.
    let thrown = "\n[[initial]]\nkind = \"velocity\"\nlinear = [1e200, 0.0, 0.0]\n";
    workspace.write("thrown.toml", &(bar(&[]) + thrown));
    let ended = workspace.pliant(&["run", "thrown.toml", "--json"]).expect(3);
    assert!(ended.err.contains("begins with"), "{}", ended.err);
    assert_eq!(ended.json()["divergence"]["step"], 0);
    let (rows, frames) = whole_run(&workspace.path.join("out/thrown"));
    assert_eq!((rows.len(), frames.len()), (0, 0), "a state that cannot be is not written");
}
