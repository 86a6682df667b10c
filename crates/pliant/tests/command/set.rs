//! `--set KEY=VALUE` of run, check and compare.

use crate::workspace::{Workspace, bar};

fn read(workspace: &Workspace, file: &str) -> String {
    std::fs::read_to_string(workspace.path.join(file)).unwrap()
}

#[test]
fn any_key_can_be_set_from_the_command_line() {
    let workspace = Workspace::new("set");
    workspace.write("bar.toml", &bar(&[]));
    let set =
        ["--set", "body.bar.material.young=2e6", "--set", "integrator.method=bdf2", "--set", "run.duration = 0.1"];
    workspace.pliant(&[&["run", "bar.toml", "-o", "out", "--quiet"], &set[..]].concat()).expect(0);
    let run = read(&workspace, "out/run.toml");
    for said in ["young = 2000000.0", "method = \"bdf2\"", "duration = 0.1 "] {
        assert!(run.contains(said), "{said} is not in\n{run}");
    }
    // --step and --set of the same key: the later word wins, and --set is read last.
    let both = ["run", "bar.toml", "-o", "both", "--quiet", "--set", "integrator.step=0.02", "--step", "0.005"];
    workspace.pliant(&both).expect(0);
    assert!(read(&workspace, "both/run.toml").contains("step = 0.02 "));
    let checked = workspace.pliant(&["check", "bar.toml", "--set", "body.1.material.density=0.5"]).expect(0);
    assert!(checked.err.contains("density = 0.5 kg/m^3 is improbably little"), "{}", checked.err);
    let compared = ["compare", "bar.toml", "--methods", "bdf2", "--quiet", "--set", "run.duration=0.05", "-o", "page"];
    workspace.pliant(&compared).expect(0);
    assert!(read(&workspace, "page/compared.toml").contains("--set 'run.duration=0.05'"));
}

#[test]
fn what_cannot_be_set_names_the_flag() {
    let workspace = Workspace::new("set-wrong");
    workspace.write("bar.toml", &bar(&[]));
    for command in [&["run", "bar.toml"][..], &["check", "bar.toml"], &["compare", "bar.toml", "--methods", "bdf2"]] {
        let says = |set: &str, code: i32, words: &[&str]| {
            let ended = workspace.pliant(&[command, &["--set", set]].concat()).expect(code);
            words.iter().for_each(|words| assert!(ended.err.contains(words), "{words} is not in\n{}", ended.err));
        };
        says("run.duration", 2, &["--set run.duration gives no value; write for instance --set run.duration=2.0"]);
        says("body.baar.scale=2", 4, &["--set body.baar.scale=2", "did you mean `bar`?", "command line"]);
        says(
            "body.bar.material.poisson=0.5",
            4,
            &["--set body.bar.material.poisson=0.5", "the volume could not change"],
        );
        says("run.fps=2", 4, &["unknown key `fps` in [run], which takes duration, frame_rate"]);
    }
}
