//! From a checked table to a [`Scene`].

use super::tree::{Node, Read, Table, Undeclared, Value};
use super::{Overrides, rigid};
use crate::body::{Body, BodyMass, Detail, Fill, Material, Region, Shape, Springs};
use crate::contact::{Act, Collisions, Contact, Obstacle, ObstacleMesh};
use crate::expect::{Expect, Outcome, Position};
use crate::fluid::Fluid;
use crate::problem::Source;
use crate::rigid::Rigid;
use crate::scene::{Integrator, Load, OnDivergence, Rayleigh, Run, Scene, Selection, Start, StepRegion, World};
use crate::solid::{PartKind, Solid, SolidPart};
use crate::spec::{ASSEMBLY, FILE, PARTS, STEP_REGION, STEP_REGIONS, SURFACE, set_option};
use geometry::shape::{Mirror, Operation, Placement, Repeat, Twist};
use integrators::Options;
use model::energy::Stiffness;
use model::energy::spring::Law;
use model::load::Profile;
use model::mesh::Selector;
use model::mesh::generate::{self, Generator};
use model::script::Motion;
use model::{Basis, Liquid};
use numerics::mat3::Vec3;
use std::collections::BTreeMap;
use std::path::Path;

/// Gives bodies of a section without a name theirs.
pub(crate) fn name(scene: &mut Table, section: &str) {
    let bodies = scene.entries.iter_mut().find(|(key, _)| *key == section);
    let Some((_, Node { value: Value::Tables(bodies), .. })) = bodies else { return };
    for (i, body) in bodies.iter_mut().enumerate().filter(|(_, body)| body.get("name").is_none()) {
        let value = Value::Text(format!("{section}-{}", i + 1));
        body.entries.insert(0, ("name", Node { value, at: body.at.clone() }));
    }
}

/// The scene a sound table says.
pub(crate) fn scene(table: Table, source: &Source, overrides: &Overrides) -> Read<Scene> {
    let bodies: Vec<Body> =
        table.tables("body")?.iter().map(|table| body(table, &source.directory)).collect::<Read<_>>()?;
    let (run, world, damping) = (table.table("run")?, table.table("world")?, table.table("damping")?);
    let fluids: Vec<Fluid> = table.tables("fluid")?.iter().map(fluid).collect::<Read<_>>()?;
    let rigids: Vec<Rigid> =
        table.tables("rigid")?.iter().map(|table| rigid::rigid(table, &source.directory)).collect::<Read<_>>()?;
    let named = bodies.iter().map(|body| &body.name).chain(fluids.iter().map(|fluid| &fluid.name));
    let names: Vec<&str> = named.chain(rigids.iter().map(|rigid| &rigid.name)).map(String::as_str).collect();
    let on = |table: &Table| selection(table, &names);
    Ok(Scene {
        title: table.text("title")?.to_string(),
        run: Run {
            duration: run.number("duration")?,
            frame_rate: run.number("frame_rate")?,
            on_divergence: match run.text("on_divergence")? {
                "halve" => OnDivergence::Halve,
                _ => OnDivergence::Stop,
            },
            warp: run.flag("warp")?,
        },
        world: World { gravity: world.vector("gravity")?, consistent_mass: world.text("mass")? == "consistent" },
        integrator: integrator(table.table("integrator")?, &names)?,
        damping: Rayleigh {
            mass: damping.number("mass")?,
            stiffness: damping.number("stiffness")?,
            at_rest: damping.text("reference")? == "rest",
        },
        fixes: table.tables("fix")?.iter().map(on).collect::<Read<_>>()?,
        scripts: table.tables("script")?.iter().map(|t| Ok((on(t)?, motion(t, "motion")?))).collect::<Read<_>>()?,
        loads: table.tables("load")?.iter().map(|t| load(t, on(t)?)).collect::<Read<_>>()?,
        initials: table.tables("initial")?.iter().map(|t| Ok((on(t)?, start(t)?))).collect::<Read<_>>()?,
        contacts: table
            .tables("contact")?
            .iter()
            .map(|t| contact(t, on(t)?, &source.directory))
            .collect::<Read<_>>()?,
        collisions: table.maybe_table("collisions")?.map(collisions).transpose()?,
        expect: table.maybe_table("expect")?.map(|table| expect(table, &names)).transpose()?,
        joints: table.tables("joint")?.iter().map(rigid::joint).collect::<Read<_>>()?,
        bodies,
        fluids,
        rigids,
        table,
        source: source.clone(),
        overrides: overrides.clone(),
    })
}

pub(super) fn undeclared(key: &str) -> Undeclared {
    Undeclared { key: key.to_string() }
}

fn integrator(table: &Table, names: &[&str]) -> Read<Integrator> {
    let method = integrators::find(table.text("method")?).ok_or_else(|| undeclared("method"))?;
    let mut options = Options::default();
    for name in method.options {
        let node = table.get(name).ok_or_else(|| undeclared(name))?;
        set_option(&mut options, name, &node.value).ok_or_else(|| undeclared(name))?;
    }
    let projected = table.text("stiffness")? == "projected";
    let region = |table: &Table| {
        Ok(StepRegion { on: selection(table, names)?, ratio: table.count("ratio")? as usize, at: table.at.clone() })
    };
    Ok(Integrator {
        method,
        step: table.number("step")?,
        stiffness: if projected { Stiffness::Projected } else { Stiffness::Exact },
        options,
        chooses_regions: table.maybe_text(STEP_REGIONS)?.is_some(),
        regions: table.tables(STEP_REGION)?.iter().map(region).collect::<Read<_>>()?,
        at: table.at("method"),
    })
}

/// A key that gives a body without material its mass, and how.
type MassKey = (&'static str, fn(f64) -> BodyMass);

/// All of them.
pub(crate) const MASSES: [MassKey; 4] = [
    ("line_density", BodyMass::Line),
    ("area_density", BodyMass::Area),
    ("node_mass", BodyMass::Node),
    ("density", BodyMass::Volume),
];

/// The parameters of a shape, as its generator takes them.
pub(crate) fn parameters(shape: &Table) -> BTreeMap<String, generate::Value> {
    let mut parameters = BTreeMap::new();
    for (key, node) in shape.entries.iter().filter(|(key, _)| *key != "generator") {
        let value = match &node.value {
            Value::Numbers(numbers) => generate::Value::Numbers(numbers.clone()),
            Value::Counts(counts) => generate::Value::Numbers(counts.iter().map(|&n| n as f64).collect()),
            Value::Vectors(points) => generate::Value::Points(points.clone()),
            Value::Text(word) => generate::Value::Word(word.clone()),
            _ => continue,
        };
        parameters.insert(key.to_string(), value);
    }
    parameters
}

/// A body put together from shapes.
pub(crate) fn solid(table: &Table) -> Read<Solid> {
    Ok(Solid {
        title: table.maybe_text("title")?.unwrap_or_default().to_string(),
        vertices: table.count("vertices")? as usize,
        grading: table.count("grading")? as u32,
        surface: table.maybe_count("surface")?.map(|n| n as usize),
        parts: table.tables("part")?.iter().map(solid_part).collect::<Read<_>>()?,
    })
}

fn solid_part(table: &Table) -> Read<SolidPart> {
    let word = table.text("operation")?;
    let operation = Operation::NAMES.iter().find(|(name, _)| *name == word).map(|(_, operation)| *operation);
    let mirror = table.maybe_text("mirror")?.map(|axis| match axis {
        "x" => Mirror::X,
        "y" => Mirror::Y,
        _ => Mirror::Z,
    });
    let twist = |table: &Table| {
        Ok(Twist { axis: unit(table.vector("axis")?), rate: table.number("degrees_per_metre")?.to_radians() })
    };
    let repeat = |table: &Table| {
        Ok(Repeat {
            count: table.count("count")? as u32,
            offset: table.vector("offset")?,
            turn: (unit(table.vector("axis")?), table.number("degrees")?.to_radians()),
            factor: table.number("factor")?,
        })
    };
    Ok(SolidPart {
        name: table.maybe_text("name")?.map(str::to_string),
        into: table.maybe_text("into")?.map(str::to_string),
        operation: operation.ok_or_else(|| undeclared("operation"))?,
        blend: table.number("blend")?,
        placement: Placement {
            position: table.vector("position")?,
            rotation: turn(table)?,
            scale: table.number("scale")?,
        },
        twist: table.maybe_table("twist")?.map(twist).transpose()?,
        repeat: table.maybe_table("repeat")?.map(repeat).transpose()?,
        mirror,
        kind: match table.text("kind")? {
            ASSEMBLY => PartKind::Assembly { of: table.text("of")?.to_string() },
            SURFACE => PartKind::Surface { file: table.text("file")?.to_string() },
            word => {
                let shape = geometry::shape::Shape::find(word).map_err(|_| undeclared("kind"))?;
                let own = |name: &str| shape.parameters.iter().any(|parameter| parameter.name == name);
                PartKind::Simple { shape, parameters: parameters(table).into_iter().filter(|(k, _)| own(k)).collect() }
            }
        },
        at: table.at.clone(),
    })
}

/// The rotation of a body or part: unit axis and angle [rad].
pub(super) fn turn(table: &Table) -> Read<(Vec3, f64)> {
    Ok(match table.maybe_table("rotation")? {
        Some(rotation) => (unit(rotation.vector("axis")?), rotation.number("degrees")?.to_radians()),
        None => ([0.0, 0.0, 1.0], 0.0),
    })
}

/// Where a mesh comes from; relative paths start from `directory`.
fn shape(table: &Table, directory: &Path) -> Read<Shape> {
    let word = table.text("generator")?;
    if word == FILE {
        let checksum = table.maybe_text("checksum")?.map(str::to_string);
        let fill = Fill {
            vertices: table.maybe_count("vertices")?.map(|n| n as usize),
            grading: table.maybe_count("grading")?.map(|n| n as u32),
            surface: match table.get("surface").map(|node| &node.value) {
                Some(Value::Text(_)) => Some(Detail::Given),
                _ => table.maybe_count("surface")?.map(|n| Detail::Vertices(n as usize)),
            },
        };
        return Ok(Shape::File { path: directory.join(table.text("path")?), checksum, fill });
    }
    if word == PARTS {
        return Ok(Shape::Parts(solid(table)?));
    }
    let generator = Generator::find(word).map_err(|_| undeclared("generator"))?;
    Ok(Shape::Generated { generator, parameters: parameters(table) })
}

fn body(table: &Table, directory: &Path) -> Read<Body> {
    let shape_table = table.table("shape")?;
    let rotation = turn(table)?;
    let mut mass = None;
    for (key, kind) in MASSES {
        mass = mass.or(table.maybe_number(key)?.map(|x| (kind(x), table.at(key))));
    }
    let (mass, mass_at) = mass.map_or((None, table.at.clone()), |(mass, at)| (Some(mass), at));
    Ok(Body {
        name: table.text("name")?.to_string(),
        shape: shape(shape_table, directory)?,
        position: table.vector("position")?,
        rotation,
        scale: table.number("scale")?,
        material: table.maybe_table("material")?.map(material).transpose()?,
        springs: table.maybe_table("springs")?.map(springs).transpose()?,
        mass,
        mass_at,
        regions: table.tables("region")?.iter().map(region).collect::<Read<_>>()?,
        at: table.at.clone(),
        shape_at: shape_table.at.clone(),
        material_at: table.at("material"),
    })
}

pub(crate) fn fluid(table: &Table) -> Read<Fluid> {
    let corners = |bounds: &Table| Ok([bounds.vector("min")?, bounds.vector("max")?]);
    Ok(Fluid {
        name: table.text("name")?.to_string(),
        filled: corners(table.table("box")?)?,
        liquid: Liquid {
            spacing: table.number("spacing")?,
            density: table.number("density")?,
            bulk_modulus: table.maybe_number("bulk_modulus")?.unwrap_or(f64::INFINITY),
            viscosity: table.number("viscosity")?,
            vorticity: table.number("vorticity")?,
            cfl: table.number("cfl")?,
        },
        velocity: table.vector("velocity")?,
        walls: table.maybe_table("walls")?.map(corners).transpose()?,
        friction: table.number("friction")?,
        at: table.at.clone(),
    })
}

fn material(table: &Table) -> Read<Material> {
    Ok(Material {
        model: material_name(table.text("model")?)?,
        young: table.number("young")?,
        poisson: table.number("poisson")?,
        density: table.number("density")?,
    })
}

fn material_name(word: &str) -> Read<&'static str> {
    model::material::find(word).map(|facts| facts.name).ok_or_else(|| undeclared("model"))
}

fn springs(table: &Table) -> Read<Springs> {
    let word = table.text("law")?;
    let law = Law::NAMES.iter().find(|(name, _)| *name == word).map(|(_, law)| *law);
    Ok(Springs {
        law: law.ok_or_else(|| undeclared("law"))?,
        stiffness: table.number("stiffness")?,
        shear: table.number("shear")?,
        bending: table.number("bending")?,
        faces: table.number("faces")?,
        at: ["stiffness", "shear", "bending", "faces"].map(|key| table.at(key)),
    })
}

fn region(table: &Table) -> Read<Region> {
    Ok(Region {
        part: selector(table.table("where")?)?,
        model: table.maybe_text("model")?.map(material_name).transpose()?,
        young: table.maybe_number("young")?,
        poisson: table.maybe_number("poisson")?,
        density: table.maybe_number("density")?,
        stiffness: table.maybe_number("stiffness")?,
        shear: table.maybe_number("shear")?,
        bending: table.maybe_number("bending")?,
        at: table.at("where"),
    })
}

fn selection(table: &Table, names: &[&str]) -> Read<Selection> {
    let body = match table.maybe_text("body")? {
        Some(name) => Some(names.iter().position(|&known| known == name).ok_or_else(|| undeclared("body"))?),
        None => None,
    };
    let part = table.maybe_table("where")?.map_or(Ok(Selector::All), selector)?;
    Ok(Selection { body, part, at: table.at("where") })
}

fn selector(table: &Table) -> Read<Selector> {
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
            Selector::HalfSpace { point: inner()?.vector("point")?, normal: unit(inner()?.vector("normal")?) }
        }
        _ => return Err(undeclared(key)),
    })
}

fn motion(table: &Table, key: &str) -> Read<Motion> {
    let end = table.maybe_number("end")?.unwrap_or(f64::INFINITY);
    Ok(match table.text(key)? {
        "keyframes" => {
            Motion::Keyframes { times: table.numbers("times")?.to_vec(), offsets: table.vectors("offsets")?.to_vec() }
        }
        "rotation" => Motion::Rotation {
            center: table.vector("center")?,
            axis: unit(table.vector("axis")?),
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
    Ok(Load { on, basis, value: table.vector("value")?, profile, at: table.at("kind") })
}

fn start(table: &Table) -> Read<Start> {
    let center = table.maybe_array("center")?;
    Ok(match table.text("kind")? {
        "twist" => Start::Twist {
            center,
            axis: unit(table.vector("axis")?),
            rate: table.number("degrees_per_metre")?.to_radians(),
        },
        "stretch" => Start::Stretch { center, factors: table.vector("factors")? },
        "shift" => Start::Shift { offset: table.vector("offset")? },
        "velocity" => Start::Velocity { linear: table.vector("linear")?, center, angular: table.vector("angular")? },
        other => return Err(undeclared(other)),
    })
}

fn contact(table: &Table, on: Selection, directory: &Path) -> Read<Contact> {
    let act = match table.text("kind")? {
        "penalty" => Act::Penalty { stiffness: table.number("stiffness")? },
        "projection" => Act::Projection,
        _ => Act::Constraint {
            friction: table.number("friction")?,
            motion: table.maybe_table("motion")?.map(|t| motion(t, "kind")).transpose()?,
        },
    };
    Ok(Contact { on, obstacle: obstacle(table.table("obstacle")?, directory)?, act, at: table.at("obstacle") })
}

fn obstacle(table: &Table, directory: &Path) -> Read<Obstacle> {
    let (key, _) = table.entries.first().ok_or_else(|| undeclared("obstacle"))?;
    let of = table.table(key)?;
    Ok(match *key {
        "plane" => Obstacle::Plane { point: of.vector("point")?, normal: unit(of.vector("normal")?) },
        "ball" => Obstacle::Ball { center: of.vector("center")?, radius: of.number("radius")? },
        "box" => Obstacle::Box { center: of.vector("center")?, size: of.vector("size")?, rotation: turn(of)? },
        "capsule" => Obstacle::Capsule { from: of.vector("from")?, to: of.vector("to")?, radius: of.number("radius")? },
        "mesh" => Obstacle::Mesh(ObstacleMesh {
            path: directory.join(of.text("path")?),
            checksum: of.maybe_text("checksum")?.map(str::to_string),
            vertices: of.maybe_count("vertices")?.map(|n| n as usize),
            position: of.vector("position")?,
            rotation: turn(of)?,
            scale: of.number("scale")?,
        }),
        other => return Err(undeclared(other)),
    })
}

fn collisions(table: &Table) -> Read<Collisions> {
    Ok(Collisions {
        thickness: table.maybe_number("thickness")?,
        margin: table.maybe_number("margin")?,
        friction: table.number("friction")?,
        max_separation_speed: table.maybe_number("max_separation_speed")?,
        within: table.flag("self")?,
        between: table.flag("between")?,
    })
}

fn expect(table: &Table, names: &[&str]) -> Read<Expect> {
    let outcome = match table.text("outcome")? {
        "diverged" => Outcome::Diverged,
        _ => Outcome::Done,
    };
    let position = |table: &Table| {
        let (body, on) = (table.text("body")?.to_string(), selection(table, names)?);
        Ok(Position { body, on, low: table.vector("low")?, high: table.vector("high")? })
    };
    Ok(Expect {
        outcome,
        energy: table.maybe_array("energy")?,
        stretch: table.maybe_array("stretch")?,
        compression: table.maybe_array("compression")?,
        joint_gap: table.maybe_array("joint_gap")?,
        positions: table.tables("position")?.iter().map(position).collect::<Read<_>>()?,
    })
}

/// The vector of length one; the largest component is divided out first, so that no square overflows or vanishes.
pub(super) fn unit(v: Vec3) -> Vec3 {
    let largest = v.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let v = v.map(|x| x / largest);
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}
