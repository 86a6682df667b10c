//! From a [`Scene`] to its document: the mirror of `parse/read.rs`. Order and kinds are those of the spec.

mod arrange;
mod body;
mod contact;
mod fibres;
mod rigid;
mod solid;
mod stokes;

use crate::expect::{Expect, Outcome, Position};
use crate::fluid::Fluid;
use crate::scene::{Integrator, Load, OnDivergence, Scene, Selection, Start, StepRegion};
use crate::spec::{self, STEP_REGION, STEP_REGIONS};
use crate::tree::{Table, Value};
use crate::turn::Turn;
use model::Basis;
use model::load::Profile;
use model::mesh::Selector;
use model::script::Motion;
use std::path::Path;

pub(crate) use body::given_path;

/// Returns the copy of a mesh file that is named in its place: its path, and its expected checksum.
pub(crate) type Kept<'a> = &'a dyn Fn(&Path) -> Option<(String, String)>;

impl Scene {
    /// Returns the scene as a file with every default filled in: enough to repeat the run, if the meshes it names are
    /// there. A mesh in memory is named as the file `meshes/given-NAME.vtu`, which is not written here; a run writes
    /// it.
    pub fn to_toml(&self) -> String {
        self.to_toml_with(&|_| None)
    }

    /// Returns the scene as a file, with the paths of `kept` for meshes that were read.
    pub(crate) fn to_toml_with(&self, kept: Kept) -> String {
        spec::write(&document(self, kept))
    }
}

/// Returns the document of a scene, in the order of the spec.
pub(crate) fn document(scene: &Scene, kept: Kept) -> Table {
    let kept = &|path: &Path| kept(&scene.directory.join(path));
    let stop = scene.run.on_divergence == OnDivergence::Stop;
    let run = Table::default()
        .with("duration", scene.run.duration)
        .with("frame_rate", scene.run.frame_rate)
        .with("frames", scene.run.frames.word())
        .with("on_divergence", if stop { "stop" } else { "halve" })
        .with("warp", scene.run.warp);
    let world = Table::default()
        .with("gravity", scene.world.gravity)
        .with("mass", if scene.world.consistent_mass { "consistent" } else { "lumped" });
    let damping = Table::default()
        .with("mass", scene.damping.mass)
        .with("stiffness", scene.damping.stiffness)
        .with("reference", if scene.damping.at_rest { "rest" } else { "current" });
    let script = |(on, moves): &(Selection, Motion)| motion(needed(on), "motion", moves);
    let said = Table::default()
        .with("title", scene.title.as_str())
        .with("run", run)
        .with("world", world)
        .with("integrator", integrator(&scene.integrator))
        .with("damping", damping)
        .list("body", scene.bodies.iter().map(|it| body::body(it, kept)))
        .list("fibres", scene.fibres.iter().map(|it| fibres::fibres(it, kept)))
        .maybe("stokes", scene.stokes.as_ref().map(stokes::stokes))
        .list("motor", scene.motors.iter().map(stokes::motor))
        .list("fluid", scene.fluids.iter().map(fluid))
        .list("rigid", scene.rigids.iter().map(|it| rigid::rigid(it, kept)))
        .list("joint", scene.joints.iter().map(rigid::joint))
        .list("fix", scene.fixes.iter().map(needed))
        .list("script", scene.scripts.iter().map(script))
        .list("load", scene.loads.iter().map(load))
        .list("initial", scene.initials.iter().map(|(on, begins)| start(on, begins)))
        .list("contact", scene.contacts.iter().map(|it| contact::contact(it, kept)))
        .maybe("collisions", scene.collisions.as_ref().map(contact::collisions))
        .maybe("expect", scene.expect.as_ref().map(expect));
    arrange::arrange(spec::root(), said)
}

fn integrator(integrator: &Integrator) -> Table {
    let Integrator { method, step, stiffness, options, chooses_regions, regions, at: _ } = integrator;
    let region = |region: &StepRegion| needed(&region.on).with("ratio", region.ratio);
    let mut table = Table::default()
        .with("method", method.name)
        .with("step", *step)
        .with("stiffness", stiffness.name())
        .maybe(STEP_REGIONS, chooses_regions.then_some("auto"))
        .list(STEP_REGION, regions.iter().map(region));
    for parameter in method.parameters {
        table = table.maybe(parameter.name, options.value(parameter));
    }
    table
}

/// Writes a selection that the file must state.
fn needed(on: &Selection) -> Table {
    Table::default().maybe("body", on.body.as_deref()).with("where", selector(&on.part))
}

/// Writes a selection that may be left out if it is everything.
fn on(on: &Selection) -> Table {
    Table::default().maybe("body", on.body.as_deref()).maybe("where", part(&on.part))
}

/// Returns a selector, unless it selects everything.
fn part(part: &Selector) -> Option<Table> {
    (*part != Selector::All).then(|| selector(part))
}

fn selector(part: &Selector) -> Table {
    let one = |key, value: Value| Table::default().with(key, value);
    let of = |key, table: Table| one(key, Value::Table(table));
    match part {
        Selector::Box { min, max } => of("box", Table::default().with("min", *min).with("max", *max)),
        Selector::Ball { center, radius } => {
            of("ball", Table::default().with("center", *center).with("radius", *radius))
        }
        Selector::Shell { center, inner, outer } => {
            of("shell", Table::default().with("center", *center).with("inner", *inner).with("outer", *outer))
        }
        Selector::HalfSpace { point, normal } => {
            of("half_space", Table::default().with("point", *point).with("normal", *normal))
        }
        Selector::Group(name) => one("group", Value::Text(name.clone())),
        Selector::All => one("all", Value::Flag(true)),
    }
}

fn turn(turn: Option<Turn>) -> Option<Table> {
    turn.map(|turn| Table::default().with("axis", turn.axis).with("degrees", turn.degrees))
}

/// Adds a motion, whose kind is the word of `key`.
fn motion(table: Table, key: &'static str, motion: &Motion) -> Table {
    // A motion without end states none.
    let times = |table: Table, start: f64, end: f64| {
        table.with("start", start).maybe("end", (end != f64::INFINITY).then_some(end))
    };
    match motion {
        Motion::Keyframes { times, offsets } => {
            table.with(key, "keyframes").with("times", times.clone()).with("offsets", offsets.clone())
        }
        Motion::Rotation { center, axis, rate, start, end } => {
            let table = table.with(key, "rotation").with("center", *center).with("axis", *axis).with("rate", *rate);
            times(table, *start, *end)
        }
        Motion::Shake { amplitude, frequency, start, end } => {
            let table = table.with(key, "shake").with("amplitude", *amplitude).with("frequency", *frequency);
            times(table, *start, *end)
        }
    }
}

fn load(load: &Load) -> Table {
    let kind = match load.basis {
        Basis::Mass => "acceleration",
        Basis::Area => "pressure",
        Basis::Total => "force",
    };
    let table = on(&load.on).with("kind", kind).with("value", load.value);
    match load.profile {
        Profile::Constant => table.with("profile", "constant"),
        Profile::Pulse { start, duration, period } => table
            .with("profile", "pulse")
            .with("start", start)
            .with("duration", duration)
            .maybe("period", (period != f64::INFINITY).then_some(period)),
        Profile::Gusts { strength, period, speed } => {
            table.with("profile", "gusts").with("strength", strength).with("period", period).with("speed", speed)
        }
    }
}

fn start(selection: &Selection, start: &Start) -> Table {
    let table = |kind: &str| on(selection).with("kind", kind);
    match start {
        Start::Twist { center, axis, degrees_per_metre } => {
            table("twist").maybe("center", *center).with("axis", *axis).with("degrees_per_metre", *degrees_per_metre)
        }
        Start::Stretch { center, factors } => table("stretch").maybe("center", *center).with("factors", *factors),
        Start::Shift { offset } => table("shift").with("offset", *offset),
        Start::Velocity { linear, center, angular } => {
            table("velocity").with("linear", *linear).with("angular", *angular).maybe("center", *center)
        }
    }
}

fn fluid(fluid: &Fluid) -> Table {
    let corners = |[min, max]: [[f64; 3]; 2]| Table::default().with("min", min).with("max", max);
    let liquid = &fluid.liquid;
    Table::default()
        .with("name", fluid.name.as_str())
        .with("box", corners(fluid.filled))
        .with("spacing", liquid.spacing)
        .with("density", liquid.density)
        .with("velocity", fluid.velocity)
        .with("viscosity", liquid.viscosity)
        .with("vorticity", liquid.vorticity)
        .maybe("bulk_modulus", (liquid.bulk_modulus != f64::INFINITY).then_some(liquid.bulk_modulus))
        .with("cfl", liquid.cfl)
        .maybe("walls", fluid.walls.map(corners))
        .with("friction", fluid.friction)
}

fn expect(expect: &Expect) -> Table {
    let outcome = if expect.outcome == Outcome::Done { "done" } else { "diverged" };
    let position = |position: &Position| {
        Table::default()
            .with("body", position.body.as_str())
            .maybe("where", part(&position.part))
            .with("low", position.low)
            .with("high", position.high)
    };
    let table = Table::default().with("outcome", outcome);
    let table = expect.bounds.iter().fold(table, |table, bound| table.with(bound.of.name, bound.range));
    table.list("position", expect.positions.iter().map(position))
}
