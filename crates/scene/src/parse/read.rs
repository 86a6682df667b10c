//! From a checked table to a [`Scene`].

use super::{body, contact, fibres, fluid, rigid, stokes};
use crate::body::Body;
use crate::expect::{Bound, Expect, Outcome, Position, QUANTITIES, Quantity};
use crate::fibres::Fibres;
use crate::fluid::Fluid;
use crate::rigid::Rigid;
use crate::scene::{
    FrameTimes, Integrator, Load, OnDivergence, Rayleigh, Run, Scene, Selection, Start, StepRegion, World,
};
use crate::spec::{STEP_REGION, STEP_REGIONS};
use crate::tree::{Node, Read, Table, Undeclared, Value};
use crate::turn::Turn;
use integrators::Options;
use model::Basis;
use model::energy::Stiffness;
use model::load::Profile;
use model::mesh::Selector;
use model::script::Motion;

/// Names the bodies of a section that have no name.
pub(crate) fn name(scene: &mut Table, section: &str) {
    let bodies = scene.entries.iter_mut().find(|(key, _)| *key == section);
    let Some((_, Node { value: Value::Tables(bodies), .. })) = bodies else { return };
    for (i, body) in bodies.iter_mut().enumerate().filter(|(_, body)| body.get("name").is_none()) {
        let value = Value::Text(format!("{section}-{}", i + 1));
        body.entries.insert(0, ("name", Node { value, at: body.at.clone() }));
    }
}

/// Reads the scene of a sound table.
pub(crate) fn scene(table: &Table) -> Read<Scene> {
    let bodies: Vec<Body> = table.tables("body")?.iter().map(body::body).collect::<Read<_>>()?;
    let (run, world, damping) = (table.table("run")?, table.table("world")?, table.table("damping")?);
    let fibres: Vec<Fibres> = table.tables("fibres")?.iter().map(fibres::fibres).collect::<Read<_>>()?;
    let fluids: Vec<Fluid> = table.tables("fluid")?.iter().map(fluid::fluid).collect::<Read<_>>()?;
    let rigids: Vec<Rigid> = table.tables("rigid")?.iter().map(rigid::rigid).collect::<Read<_>>()?;
    let on = selection;
    Ok(Scene {
        title: table.text("title")?.to_string(),
        run: Run {
            duration: run.number("duration")?,
            frame_rate: run.number("frame_rate")?,
            frames: match run.text("frames")? {
                "interpolated" => FrameTimes::Interpolated,
                _ => FrameTimes::Steps,
            },
            on_divergence: match run.text("on_divergence")? {
                "halve" => OnDivergence::Halve,
                _ => OnDivergence::Stop,
            },
            warp: run.flag("warp")?,
        },
        world: World { gravity: world.vector("gravity")?, consistent_mass: world.text("mass")? == "consistent" },
        integrator: integrator(table.table("integrator")?)?,
        damping: Rayleigh {
            mass: damping.number("mass")?,
            stiffness: damping.number("stiffness")?,
            at_rest: damping.text("reference")? == "rest",
        },
        fixes: table.tables("fix")?.iter().map(on).collect::<Read<_>>()?,
        scripts: table.tables("script")?.iter().map(|t| Ok((on(t)?, motion(t, "motion")?))).collect::<Read<_>>()?,
        loads: table.tables("load")?.iter().map(|t| load(t, on(t)?)).collect::<Read<_>>()?,
        initials: table.tables("initial")?.iter().map(|t| Ok((on(t)?, start(t)?))).collect::<Read<_>>()?,
        contacts: table.tables("contact")?.iter().map(|t| contact::contact(t, on(t)?)).collect::<Read<_>>()?,
        collisions: table.maybe_table("collisions")?.map(contact::collisions).transpose()?,
        expect: table.maybe_table("expect")?.map(expect).transpose()?,
        stokes: table.maybe_table("stokes")?.map(stokes::stokes).transpose()?,
        motors: table.tables("motor")?.iter().map(stokes::motor).collect::<Read<_>>()?,
        joints: table.tables("joint")?.iter().map(rigid::joint).collect::<Read<_>>()?,
        bodies,
        fibres,
        fluids,
        rigids,
        ..Scene::default()
    })
}

pub(super) fn undeclared(key: &str) -> Undeclared {
    Undeclared { key: key.to_string() }
}

fn integrator(table: &Table) -> Read<Integrator> {
    let method = integrators::find(table.text("method")?).ok_or_else(|| undeclared("method"))?;
    let mut options = Options::default();
    for parameter in method.parameters {
        let name = parameter.name;
        let value = table.get(name).and_then(|node| node.value.of_parameter()).ok_or_else(|| undeclared(name))?;
        options.put(parameter, &value).then_some(()).ok_or_else(|| undeclared(name))?;
    }
    let word = table.text("stiffness")?;
    let stiffness = Stiffness::NAMES.iter().find(|(name, _)| *name == word).ok_or_else(|| undeclared("stiffness"))?.1;
    let region = |table: &Table| {
        Ok(StepRegion { on: selection(table)?, ratio: table.count("ratio")? as usize, at: table.at.clone().into() })
    };
    Ok(Integrator {
        method,
        step: table.number("step")?,
        stiffness,
        options,
        chooses_regions: table.maybe_text(STEP_REGIONS)?.is_some(),
        regions: table.tables(STEP_REGION)?.iter().map(region).collect::<Read<_>>()?,
        at: table.at("method").into(),
    })
}

/// Returns the rotation of a body or part, if it has one.
pub(super) fn turn(table: &Table) -> Read<Option<Turn>> {
    let turn = |table: &Table| Ok(Turn { axis: table.vector("axis")?, degrees: table.number("degrees")? });
    table.maybe_table("rotation")?.map(turn).transpose()
}

fn selection(table: &Table) -> Read<Selection> {
    let body = table.maybe_text("body")?.map(str::to_string);
    Ok(Selection { body, part: part(table)?, at: table.at("where").into() })
}

/// Returns the selector of a section; everything, if there is none.
pub(super) fn part(table: &Table) -> Read<Selector> {
    table.maybe_table("where")?.map_or(Ok(Selector::All), selector)
}

pub(super) fn selector(table: &Table) -> Read<Selector> {
    let (key, node) = table.entries.first().ok_or_else(|| undeclared("where"))?;
    let inner = || table.table(key);
    Ok(match (*key, &node.value) {
        ("group", Value::Text(name)) => Selector::Group(name.clone()),
        ("all", _) => Selector::All,
        ("box", _) => Selector::Box { min: inner()?.vector("min")?, max: inner()?.vector("max")? },
        ("ball", _) => Selector::Ball { center: inner()?.vector("center")?, radius: inner()?.number("radius")? },
        ("shell", _) => Selector::Shell {
            center: inner()?.vector("center")?,
            inner: inner()?.number("inner")?,
            outer: inner()?.number("outer")?,
        },
        ("half_space", _) => {
            Selector::HalfSpace { point: inner()?.vector("point")?, normal: inner()?.vector("normal")? }
        }
        _ => return Err(undeclared(key)),
    })
}

pub(super) fn motion(table: &Table, key: &str) -> Read<Motion> {
    let end = table.maybe_number("end")?.unwrap_or(f64::INFINITY);
    Ok(match table.text(key)? {
        "keyframes" => {
            Motion::Keyframes { times: table.numbers("times")?.to_vec(), offsets: table.vectors("offsets")?.to_vec() }
        }
        "rotation" => Motion::Rotation {
            center: table.vector("center")?,
            axis: table.vector("axis")?,
            rate: table.number("rate")?,
            start: table.number("start")?,
            end,
        },
        "shake" => Motion::Shake {
            amplitude: table.vector("amplitude")?,
            frequency: table.number("frequency")?,
            start: table.number("start")?,
            end,
        },
        other => return Err(undeclared(other)),
    })
}

fn load(table: &Table, on: Selection) -> Read<Load> {
    let profile = match table.text("profile")? {
        "constant" => Profile::Constant,
        "pulse" => Profile::Pulse {
            start: table.number("start")?,
            duration: table.number("duration")?,
            period: table.maybe_number("period")?.unwrap_or(f64::INFINITY),
        },
        "gusts" => Profile::Gusts {
            strength: table.number("strength")?,
            period: table.number("period")?,
            speed: table.number("speed")?,
        },
        other => return Err(undeclared(other)),
    };
    let basis = match table.text("kind")? {
        "acceleration" => Basis::Mass,
        "pressure" => Basis::Area,
        "force" => Basis::Total,
        other => return Err(undeclared(other)),
    };
    Ok(Load { on, basis, value: table.vector("value")?, profile, at: table.at("kind").into() })
}

fn start(table: &Table) -> Read<Start> {
    let center = table.maybe_array("center")?;
    Ok(match table.text("kind")? {
        "twist" => {
            Start::Twist { center, axis: table.vector("axis")?, degrees_per_metre: table.number("degrees_per_metre")? }
        }
        "stretch" => Start::Stretch { center, factors: table.vector("factors")? },
        "shift" => Start::Shift { offset: table.vector("offset")? },
        "velocity" => Start::Velocity { linear: table.vector("linear")?, center, angular: table.vector("angular")? },
        other => return Err(undeclared(other)),
    })
}

fn expect(table: &Table) -> Read<Expect> {
    let outcome = match table.text("outcome")? {
        "diverged" => Outcome::Diverged,
        _ => Outcome::Done,
    };
    let position = |table: &Table| {
        let (body, part, at) = (table.text("body")?.to_string(), part(table)?, table.at("where").into());
        Ok(Position { body, part, at, low: table.vector("low")?, high: table.vector("high")? })
    };
    let bound = |of: &'static Quantity| Ok(table.maybe_array(of.name)?.map(|range| Bound { of, range }));
    Ok(Expect {
        outcome,
        bounds: QUANTITIES.iter().filter_map(|of| bound(of).transpose()).collect::<Read<_>>()?,
        positions: table.tables("position")?.iter().map(position).collect::<Read<_>>()?,
    })
}
