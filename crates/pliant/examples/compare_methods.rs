//! Two methods on one scene, compared, and the page that shows it.
//!
//!     cargo run --release --example compare_methods

use pliant::prelude::*;
use pliant::report::{Contender, Plan, compare, page};
use std::sync::atomic::AtomicBool;

const SCENE: &str = r#"
title = "A stiff bar, struck"

[run]
duration = 0.5

[world]
gravity = [0.0, 0.0, 0.0]

[integrator]
method = "siere"
step = 0.01

[[body]]
name = "bar"
shape = { generator = "box", size = [1.0, 0.1, 0.1], cells = [20, 2, 2] }
material = { model = "stable-neo-hookean", young = 1e7, poisson = 0.3, density = 1000.0 }

[[fix]]
where = { group = "x-" }

[[initial]]
kind = "velocity"
where = { group = "x+" }
linear = [0.0, 0.0, 5.0]
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let contender = |method: &str| Contender { method: Some(method.to_string()), step: None };
    let plan = Plan {
        scene: Scene::parse("bar.toml", SCENE)?,
        contenders: vec![contender("siere"), contender("backward-euler")],
        reference: None,
        equal_cost: false,
        side_by_side: true,
    };
    let comparison = compare(&plan, &|_, _| Box::new(()), &AtomicBool::new(false))?;
    let kept: Vec<f64> = comparison.runs.iter().filter_map(|run| run.energy_kept).collect();
    for run in &comparison.runs {
        println!("{:15} {:.2} ms per step", run.label, run.ms_per_step.unwrap_or_default());
    }
    println!("energy kept: siere {:.0} %, backward Euler {:.0} %", 100.0 * kept[0], 100.0 * kept[1]);
    assert!(kept[0] > kept[1]);

    let path = std::env::temp_dir().join("pliant-compare.html");
    std::fs::write(&path, page::html(&comparison, "the example compare_methods"))?;
    println!("open {}", path.display());
    Ok(())
}
