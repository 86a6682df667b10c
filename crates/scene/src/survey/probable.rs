//! Warnings about values that are possible but improbable, in metres, kilograms and pascals.

use super::Survey;
use crate::Scene;
use crate::body::{Body, BodyMass, Material};
use crate::scene::Span;
use model::RigidMass;
use model::material::Lame;
use numerics::mat3::norm;

/// Usual values of a quantity.
struct Usual {
    /// Name of the quantity.
    name: &'static str,
    unit: &'static str,
    low: f64,
    high: f64,
    /// Examples at the ends of the range, so that the reader can judge.
    why: &'static str,
}

const YOUNG: Usual = Usual {
    name: "Young's modulus at rest",
    unit: "Pa",
    low: 1e2,
    high: 1.3e12,
    why: "the softest gels have 100 Pa, rubber 1e6, steel 2e11, diamond 1.2e12",
};
const DENSITY: Usual = Usual {
    name: "density",
    unit: "kg/m^3",
    low: 1.0,
    high: 2.5e4,
    why: "air has 1.2 kg/m^3, water 1000, steel 7800, osmium 22600",
};
const LINE_DENSITY: Usual = Usual {
    name: "line_density",
    unit: "kg/m",
    low: 1e-7,
    high: 1e4,
    why: "a hair has 1e-5 kg/m, a steel cable as thick as an arm 60",
};
const AREA_DENSITY: Usual = Usual {
    name: "area_density",
    unit: "kg/m^2",
    low: 1e-3,
    high: 1e3,
    why: "the thinnest foil has 0.005 kg/m^2, paper 0.08, a steel plate of 1 cm 78",
};
const EXTENT: Usual = Usual {
    name: "the longest extent",
    unit: "m",
    low: 1e-4,
    high: 1e3,
    why: "a grain of dust has 1e-4 m, a long bridge 1000; a mesh in millimetres needs `scale = 0.001`",
};
const MASS: Usual = Usual {
    name: "the mass",
    unit: "kg",
    low: 1e-9,
    high: 1e8,
    why: "a grain of dust has 1e-9 kg, the Eiffel Tower 1e7",
};
const GRAVITY: Usual = Usual {
    name: "gravity",
    unit: "m/s^2",
    low: 0.01,
    high: 300.0,
    why: "the Earth has 9.81, the Moon 1.6, the Sun 274",
};

/// Largest probable sag of a body under its own weight, relative to its extent.
const SAG: f64 = 10.0;
/// Poisson's ratio from which linear tets lock.
const LOCKING: f64 = 0.47;
/// Largest factor by which a mesh may make its slowest oscillation too fast without a warning.
const TOO_FAST: f64 = 1.05;

impl Usual {
    /// Describes an unusual value; `None` if it is usual.
    fn oddity(&self, value: f64) -> Option<String> {
        let Usual { name, unit, low, high, why } = self;
        let how = if value < *low { "little" } else { "much" };
        let is_usual = (*low..*high).contains(&value);
        (!is_usual).then(|| format!("{name} = {} {unit} is improbably {how}: {why}", short(value)))
    }
}

impl Survey {
    /// Returns warnings about values that are improbable in SI units, and about meshes that are too coarse, each with
    /// its line, or with its key if the scene is no file.
    pub fn warnings(&self, scene: &Scene) -> Vec<String> {
        let checked = scene.checked();
        let scene = checked.as_deref().unwrap_or(scene);
        let mut said = Said { scene, warnings: Vec::new() };
        let strength = norm(scene.world.gravity);
        if strength > 0.0 {
            said.unusual(&scene.span("world.gravity"), "", &GRAVITY, strength);
        }
        for body in &scene.bodies {
            said.made_of(body);
        }
        for fibres in &scene.fibres {
            if let Ok(kind) = fibres.kind() {
                said.unusual(&fibres.at, &of("fibres", &fibres.name), &DENSITY, kind.density);
            }
        }
        for fluid in &scene.fluids {
            said.unusual(&fluid.at, &of("fluid", &fluid.name), &DENSITY, fluid.liquid.density);
        }
        for rigid in &scene.rigids {
            if let Some(RigidMass::Density(density)) = rigid.mass {
                said.unusual(&rigid.at, &of("rigid body", &rigid.name), &DENSITY, density);
            }
        }
        self.sizes(strength, &mut said);
        said.warnings
    }

    /// Checks sizes, masses, sag, and the coarseness of meshes.
    fn sizes(&self, strength: f64, said: &mut Said) {
        let scene = said.scene;
        let bodies = scene.bodies.iter().map(|body| &body.marks.shape);
        let fibres = scene.fibres.iter().map(|fibres| &fibres.at);
        let others = fibres
            .chain(scene.fluids.iter().map(|fluid| &fluid.at))
            .chain(scene.rigids.iter().map(|rigid| &rigid.shape_at));
        for (k, (body, at)) in self.bodies.iter().zip(bodies.chain(others)).enumerate() {
            let name = of("body", &body.name);
            let extent = body.extent.iter().copied().fold(0.0, f64::max);
            said.unusual(at, &name, &EXTENT, extent);
            said.unusual(at, &name, &MASS, body.mass);
            let material = scene.bodies.get(k).and_then(|body| body.material.as_ref());
            let young = material.and_then(moduli).map(Lame::young);
            let squeezed = material.zip(young).map_or(0.0, |(m, young)| m.density * strength * extent / young);
            let frequency = body.slowest.ok().filter(|_| body.is_held).map(|slowest| slowest.frequency);
            let sag = frequency.map_or(0.0, |frequency| strength / (frequency * frequency));
            if sag > SAG * extent {
                said.add(at, format!(
                    "{name}it would sag by about {} m under its own weight, {:.0} times its extent of {} m; use a stiffer \
                     material, or less gravity",
                    short(sag), sag / extent, short(extent)
                ));
            } else if squeezed > 1.0 {
                said.add(at, format!(
                    "{name}its own weight would squeeze it flat: density x gravity x extent is {:.1} times its Young's \
                     modulus; use a stiffer material, or less gravity",
                    squeezed
                ));
            }
            if let Some(too_fast) = body.slowest.ok().and_then(|slowest| slowest.too_fast).filter(|x| *x > TOO_FAST) {
                // The error is proportional to the square of the spacing.
                let finer = ((too_fast - 1.0) / (TOO_FAST - 1.0)).sqrt();
                said.add(at, format!(
                    "{name}its mesh is too coarse: it makes the body too stiff, so that it swings at least {too_fast:.2} times too \
                     fast (estimated from a mesh refined once); use about {:.1} times as many cells along each side",
                    (10.0 * finer).ceil() / 10.0
                ));
            }
        }
    }
}

/// Returns the moduli of a material at rest.
fn moduli(material: &Material) -> Option<Lame> {
    Some(material.law(None).ok()?.moduli())
}

fn of(kind: &str, name: &str) -> String {
    format!("{kind} \"{name}\": ")
}

/// Formats a value with six digits at most.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if size == 0.0 || (1e-3..1e5).contains(&size) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// Warnings so far.
struct Said<'s> {
    scene: &'s Scene,
    warnings: Vec<String>,
}

impl Said<'_> {
    fn add(&mut self, at: &Span, message: String) {
        let warning = format!("{}: {message}", self.scene.source().words(at));
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    fn unusual(&mut self, at: &Span, whose: &str, usual: &Usual, value: f64) {
        if let Some(oddity) = usual.oddity(value) {
            self.add(at, format!("{whose}{oddity}; is it in {}?", usual.unit));
        }
    }

    /// Checks materials and masses of a body and of its zones.
    fn made_of(&mut self, body: &Body) {
        let name = of("body", &body.name);
        if let Some(material) = &body.material {
            self.unusual(&body.marks.material, &name, &DENSITY, material.density);
            self.stiffness(&body.marks.material, &name, material);
            for zone in &body.zones {
                zone.density.iter().for_each(|density| self.unusual(&zone.at, &name, &DENSITY, *density));
                if zone.model.is_some() || !zone.parameters.is_empty() {
                    self.stiffness(&zone.at, &name, &material.changed(zone));
                }
            }
        }
        match body.mass {
            Some(BodyMass::Line(density)) => self.unusual(&body.marks.mass, &name, &LINE_DENSITY, density),
            Some(BodyMass::Area(density)) => self.unusual(&body.marks.mass, &name, &AREA_DENSITY, density),
            Some(BodyMass::Volume(density)) => self.unusual(&body.marks.mass, &name, &DENSITY, density),
            Some(BodyMass::Node(_)) | None => {}
        }
    }

    /// Checks the moduli of a material at rest.
    fn stiffness(&mut self, at: &Span, whose: &str, material: &Material) {
        let Some(lame) = moduli(material) else { return };
        self.unusual(at, whose, &YOUNG, lame.young());
        let poisson = lame.poisson();
        // They come from the tangent, with its rounding.
        if poisson >= LOCKING - 1e-9 {
            self.add(
                at,
                format!(
                    "{whose}Poisson's ratio of {} at rest makes linear tets lock from {LOCKING} up: they bend too little \
                     unless the mesh is very fine; use 0.45 or less, or a smaller bulk modulus",
                    short(poisson)
                ),
            );
        }
    }
}
