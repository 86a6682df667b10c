//! `pliant demo`: one stiff bar with six methods, compared in a page.

use super::compare::{REPORT, code, compare_and_write, table};
use crate::failure::Failure;
use crate::print;
use report::{Contender, Plan};
use scene::Scene;
use std::path::PathBuf;

/// Arguments of `pliant demo`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Directory for the page, the plot and the tables
    #[arg(short, long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
    /// Show no progress bars
    #[arg(short, long)]
    quiet: bool,
}

const SCENE: &str = include_str!("demo.toml");

/// Compared methods: an explicit one for which the step is too long, two that damp, one that conserves, and two
/// exponential ones.
const METHODS: &[&str] = &["symplectic-euler", "backward-euler", "bdf2", "implicit-midpoint", "ere", "siere"];

/// Runs the scene with each method and shows them side by side.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let scene = Scene::parse("demo", SCENE)?;
    print::out(&format!(
        "{}: {} s in steps of {} s, with {} methods\n\n",
        scene.title,
        scene.run.duration,
        scene.integrator.step,
        METHODS.len()
    ));
    let contenders = METHODS.iter().map(|method| Contender { method: Some(method.to_string()), step: None });
    let plan = Plan { scene, contenders: contenders.collect(), reference: None, equal_cost: false, side_by_side: true };
    let (comparison, out) = compare_and_write(&plan, &arguments.out, false, "pliant demo", arguments.quiet)?;
    print::out(&table(&comparison));
    print::out(&format!(
        "\nThe exact motion keeps all of its energy. Open {} in a browser to see who stays alive and who goes numb.\n\
         Next: pliant new my.toml, then pliant compare my.toml --methods siere,backward-euler\n",
        out.join(REPORT).display()
    ));
    Ok(code(&comparison))
}
