//! Regions: the output of `check` and `run` about them.

use crate::workspace::Workspace;

/// A bar of 8 x 2 x 2 cells whose last two are a hundred times as stiff.
fn stiff_tip(regions: &str) -> String {
    format!(
        r#"
[run]
duration = 0.2
[integrator]
method = "asynchronous-backward-euler"
step = 0.05
{regions}
[[body]]
name = "bar"
shape = {{ generator = "box", size = [0.8, 0.2, 0.2], cells = [8, 2, 2] }}
material = {{ model = "linear", young = 1e5, poisson = 0.3, density = 1000.0 }}
[[body.zone]]
where = {{ half_space = {{ point = [0.6, 0.0, 0.0], normal = [1.0, 0.0, 0.0] }} }}
young = 1e7
[[fix]]
where = {{ group = "x-" }}
"#
    )
}

fn tip(ratio: usize) -> String {
    beyond(0.6, ratio)
}

/// The bar whose nodes beyond x [m] take `ratio` small steps per step.
fn beyond(x: f64, ratio: usize) -> String {
    let at = format!("where = {{ half_space = {{ point = [{x:?}, 0.0, 0.0], normal = [1.0, 0.0, 0.0] }} }}");
    stiff_tip(&format!("[[integrator.region]]\n{at}\nratio = {ratio}\n"))
}

#[test]
fn a_check_tells_whether_motions_grow() {
    let workspace = Workspace::new("regions-growth");
    let check = |ratio: usize, coupling: &str| {
        let step = format!("step = 0.05\ncoupling = \"{coupling}\"");
        workspace.write("tip.toml", &tip(ratio).replace("step = 0.05", &step));
        workspace.pliant(&["check", "tip.toml", "--json"]).expect(0).json()
    };
    let [calm, growing] = [check(10, "paper"), check(40, "paper")];
    assert_eq!((&calm["regions"][0]["ratio"], &growing["regions"][0]["ratio"]), (&10.into(), &40.into()));
    let radius = |report: &serde_json::Value| report["spectral_radius"].as_f64().unwrap();
    assert!(radius(&calm) < 1.0 && !calm["warnings"].to_string().contains("grow"), "{calm}");
    assert!(radius(&growing) > 1.1, "{growing}");
    let growth = |report: &serde_json::Value| {
        let warnings =
            report["warnings"].as_array().unwrap().iter().map(|warning| warning.as_str().unwrap().to_string());
        warnings.into_iter().find(|warning| warning.contains("motions grow by themselves"))
    };
    let warning = growth(&growing).unwrap();
    assert!(warning.contains("lower its ratio"), "{warning}");
    assert!(warning.contains("coupling = \"conserving\""), "{warning}");
    let conserving = check(40, "conserving");
    assert!(radius(&conserving) < 1.0 && growth(&conserving).is_none(), "{conserving}");
}

#[test]
fn regions_that_are_chosen_are_told() {
    let workspace = Workspace::new("regions-auto");
    workspace.write("auto.toml", &stiff_tip("regions = \"auto\"\n"));
    let said = workspace.pliant(&["check", "auto.toml"]).expect(0).out;
    assert!(said.contains("region 1") && said.contains("gain"), "{said}");
    let said = workspace.pliant(&["run", "auto.toml", "-o", "out"]).expect(0);
    assert!((said.out.clone() + &said.err).contains("region 1"), "{}{}", said.out, said.err);
}

#[test]
fn regions_that_cost_more_than_they_save_are_told() {
    let workspace = Workspace::new("regions-cost");
    workspace.write("most.toml", &beyond(0.15, 2));
    let said = workspace.pliant(&["check", "most.toml"]).expect(0).err;
    assert!(said.contains("times the work of equally small steps") && said.contains("smaller borders"), "{said}");
}

#[test]
fn what_a_symmetric_solve_leaves_out_is_told() {
    let workspace = Workspace::new("regions-skew");
    let run = |symmetric: bool| {
        let scene = tip(5).replacen("step = 0.05", &format!("step = 0.05\nsymmetric = {symmetric}"), 1);
        workspace.write("skew.toml", &format!("{scene}[world]\nmass = \"consistent\"\n"));
        workspace.pliant(&["run", "skew.toml", "-o", "out", "--force"]).expect(0).out
    };
    assert!(run(true).contains("left out by symmetric = true: relative residual at most"));
    assert!(!run(false).contains("left out"));
}
