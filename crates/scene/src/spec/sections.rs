//! The sections of a scene file.

use super::contact::{collisions, contact};
use super::fibres::fibres;
use super::motion::motion;
use super::rigid::{joint, position, rigid};
use super::selection::{on, on_and, where_key};
use super::stokes::{motor, stokes};
use super::tables::{density, generators, laws, material_parameters, material_words, materials, methods, words};
use super::{Bounds, Choice, Key, Kind, Presence, Section, Variant};
use crate::expect::{QUANTITIES, Quantity};
use crate::tree::Value;
use Presence::{Filled, Optional, Required};
use model::energy::Stiffness;
use std::sync::LazyLock;

/// Describes the whole file.
pub(crate) fn root() -> &'static Section {
    static ROOT: LazyLock<Section> = LazyLock::new(|| {
        Section::new(
            "A scene: bodies, loads and constraints, and a time integrator.",
            vec![
                Key::new("title", Kind::Text, text(""), "", "title of the scene"),
                Key::new("run", Kind::Table(run()), Required, "", "duration and output of a run"),
                Key::new("world", Kind::Table(world()), Filled, "", "properties of all bodies"),
                Key::new("integrator", Kind::Table(integrator()), Required, "", "time integrator"),
                Key::new("damping", Kind::Table(damping()), Filled, "", "Rayleigh damping"),
                Key::new(
                    "body",
                    Kind::Tables(body()),
                    Optional,
                    "",
                    "the bodies; at least one, or fibres, a fluid or a rigid body",
                ),
                Key::new("fibres", Kind::Tables(fibres()), Optional, "", "hairs and bristles"),
                Key::new("stokes", Kind::Table(stokes()), Optional, "", "a fluid without inertia around bodies"),
                Key::new("motor", Kind::Tables(motor()), Optional, "", "motors between bodies and fibres"),
                Key::new("fluid", Kind::Tables(fluid()), Optional, "", "fluids, for method = \"small-steps\""),
                Key::new("rigid", Kind::Tables(rigid()), Optional, "", "rigid bodies, for method = \"small-steps\""),
                Key::new("joint", Kind::Tables(joint()), Optional, "", "joints of rigid bodies"),
                Key::new("fix", Kind::Tables(fix()), Optional, "", "nodes that never move"),
                Key::new("script", Kind::Tables(script()), Optional, "", "nodes that follow a given motion"),
                Key::new("load", Kind::Tables(load()), Optional, "", "external forces besides gravity"),
                Key::new(
                    "initial",
                    Kind::Tables(initial()),
                    Optional,
                    "",
                    "initial deformations and velocities, in order",
                ),
                Key::new("contact", Kind::Tables(contact()), Optional, "", "obstacles"),
                Key::new(
                    "collisions",
                    Kind::Table(collisions()),
                    Optional,
                    "",
                    "contact as a constraint: of bodies with themselves and with each other, and its parameters",
                ),
                Key::new("expect", Kind::Table(expect()), Optional, "", "expected results of a run"),
            ],
        )
    });
    &ROOT
}

pub(super) fn text(word: &str) -> Presence {
    Presence::Default(Value::Text(word.to_string()))
}

pub(super) fn number(x: f64) -> Presence {
    Presence::Default(Value::Number(x))
}

pub(super) fn vector(x: [f64; 3]) -> Presence {
    Presence::Default(Value::Numbers(x.to_vec()))
}

/// Three finite numbers.
pub(super) const VECTOR: Kind = Kind::Numbers { components: 3, bounds: Bounds::FINITE, spread: false };
pub(super) const FINITE: Kind = Kind::Number(Bounds::FINITE);
pub(super) const POSITIVE: Kind = Kind::Number(Bounds::POSITIVE);
pub(super) const NOT_NEGATIVE: Kind = Kind::Number(Bounds::NOT_NEGATIVE);

fn run() -> Section {
    Section::new(
        "Duration and output of a run.",
        vec![
            Key::new("duration", POSITIVE, Required, "s", "simulated time"),
            Key::new("frame_rate", POSITIVE, number(60.0), "1/s", "frames per simulated second"),
            Key::new(
                "frames",
                words(&["steps", "interpolated"]),
                text("steps"),
                "",
                "steps: a frame is the state after the first step that reaches its time, at most one per step; interpolated: \
                 frames are at exact multiples of 1 / frame_rate, by cubics of the states before and after (steps much \
                 longer than the vibrations of a body make these swing)",
            ),
            Key::new(
                "on_divergence",
                words(&["stop", "halve"]),
                text("stop"),
                "",
                "response to a failing step: stop, or try again with half the step, 10 times at most",
            ),
            Key::new(
                "warp",
                Kind::Flag,
                Presence::Default(Value::Flag(false)),
                "",
                "show bodies of linear materials warped: with true rotations, so that they bend and do not swell; states, \
                 energies and series stay those of the linear run",
            ),
        ],
    )
}

fn world() -> Section {
    Section::new(
        "Properties of all bodies.",
        vec![
            Key::new("gravity", VECTOR, vector([0.0, 0.0, -9.81]), "m/s^2", "acceleration of everything"),
            Key::new(
                "mass",
                words(&["lumped", "consistent"]),
                text("lumped"),
                "",
                "mass of tets: a quarter at each corner, or the Galerkin matrix",
            ),
        ],
    )
}

fn integrator() -> Section {
    Section::new(
        "Time integrator: a method, its step and its options.",
        vec![
            Key::new("step", POSITIVE, Required, "s", "length of a step"),
            Key::new(
                "stiffness",
                words(&const { Stiffness::WORDS }),
                text("auto"),
                "",
                "stiffness of elements: exact, the second derivative of the energy; projected, without its negative eigenvalues; turned, without its resistance to rotation under stress; or auto, which is exact but for the stress that a method with one linearisation per step causes by turning, so that stiff bodies turn freely",
            ),
        ],
    )
    .with(methods())
}

fn damping() -> Section {
    Section::new(
        "Rayleigh damping, D = alpha M + beta K.",
        vec![
            Key::new("mass", NOT_NEGATIVE, number(0.0), "1/s", "alpha: damps slow motions most"),
            Key::new("stiffness", NOT_NEGATIVE, number(0.0), "s", "beta: damps fast motions most"),
            Key::new(
                "reference",
                words(&["current", "rest"]),
                text("current"),
                "",
                "K is the current stiffness, or that at rest",
            ),
        ],
    )
}

fn body() -> Section {
    let stiffness = |name, presence, doc| Key::new(name, NOT_NEGATIVE, presence, "N/m", doc);
    let springs = Section::new(
        "Springs of a body; those of stiffness 0 are left out.",
        vec![
            Key::new("law", laws(), text("linear"), "", "growth of the pull with elongation"),
            stiffness("stiffness", Required, "along the edges of the shape, or of its tets"),
            stiffness("shear", number(0.0), "along the diagonals of cloth"),
            stiffness("bending", number(0.0), "between second neighbours"),
            stiffness("faces", number(0.0), "from each vertex of a tet to the centroid of the opposite face"),
        ],
    );
    let rotation = Section::new(
        "A rotation of the shape about its own origin.",
        vec![
            Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
            Key::new("degrees", FINITE, Required, "degrees", "angle"),
        ],
    );
    let material = Section::new("Material of tets.", vec![density(Required)]).with(materials());
    Section::new(
        "A body: its shape, its position, and its material, springs, or both.",
        vec![
            Key::new("name", Kind::Text, Optional, "", "unique name; body-1, body-2 ... if left out"),
            Key::new(
                "shape",
                Kind::Table(Section::new("A mesh.", vec![]).with(generators())),
                Required,
                "",
                "its mesh",
            ),
            Key::new("position", VECTOR, vector([0.0; 3]), "m", "added to all points, after scale and rotation"),
            Key::new("rotation", Kind::Table(rotation), Optional, "", "rotation about the origin of the shape"),
            Key::new("scale", POSITIVE, number(1.0), "", "factor of its size"),
            Key::new("material", Kind::Table(material), Optional, "", "material of its tets"),
            Key::new("springs", Kind::Table(springs), Optional, "", "its springs"),
            Key::new("line_density", POSITIVE, Optional, "kg/m", "mass along its edges, for springs without material"),
            Key::new(
                "area_density",
                POSITIVE,
                Optional,
                "kg/m^2",
                "mass of its triangles, for springs without material",
            ),
            Key::new("node_mass", POSITIVE, Optional, "kg", "mass of each node, for springs without material"),
            density(Optional),
            Key::new(
                "zone",
                Kind::Tables(zone()),
                Optional,
                "",
                "parts with another material; later ones override earlier ones",
            )
            .once("region"),
        ],
    )
}

fn fluid() -> Section {
    let bounds = |doc| {
        Section::new(
            doc,
            vec![
                Key::new("min", VECTOR, Required, "m", "lowest corner"),
                Key::new("max", VECTOR, Required, "m", "highest corner"),
            ],
        )
    };
    Section::new(
        "A fluid: a box of particles of constant density. All fluids of a scene have the same spacing.",
        vec![
            Key::new("name", Kind::Text, Optional, "", "unique name; fluid-1 ... if left out"),
            Key::new(
                "box",
                Kind::Table(bounds("An axis-aligned box.")),
                Required,
                "",
                "the box that is filled with particles, the first of them half a spacing inside",
            ),
            Key::new("spacing", POSITIVE, Required, "m", "distance of particles at rest, twice their radius"),
            Key::new("density", POSITIVE, number(1000.0), "kg/m^3", "density at rest"),
            Key::new("velocity", VECTOR, vector([0.0; 3]), "m/s", "velocity at the beginning"),
            Key::new("viscosity", NOT_NEGATIVE, number(0.0), "Pa s", "dynamic viscosity"),
            Key::new("vorticity", NOT_NEGATIVE, number(0.0), "m/s", "confinement: acceleration per unit of vorticity"),
            Key::new("bulk_modulus", POSITIVE, Optional, "Pa", "resistance to compression; infinite if left out"),
            Key::new("cfl", POSITIVE, number(0.3), "", "largest displacement of a particle per substep, in radii"),
            Key::new(
                "walls",
                Kind::Table(bounds("A box with rigid walls.")),
                Optional,
                "",
                "the box that contains the particles",
            ),
            Key::new(
                "friction",
                NOT_NEGATIVE,
                number(0.0),
                "",
                "Coulomb's coefficient at the walls; elsewhere the geometric mean with that of the other body; 0 for no friction",
            ),
        ],
    )
}

fn zone() -> Section {
    let mut keys = vec![
        where_key(Required, "selected part, in the coordinates of the placed body"),
        Key::new(
            "model",
            material_words(),
            Optional,
            "",
            "another material model; it keeps the body's values of parameters that both have",
        ),
    ];
    keys.extend(material_parameters());
    keys.extend([
        density(Optional),
        Key::new("stiffness", NOT_NEGATIVE, Optional, "N/m", "another stiffness of the springs along edges"),
        Key::new("shear", NOT_NEGATIVE, Optional, "N/m", "another stiffness of the diagonal springs"),
        Key::new("bending", NOT_NEGATIVE, Optional, "N/m", "another stiffness of the bending springs"),
    ]);
    Section::new(
        "A part of a body that differs: tets by their centroid, springs by their midpoint. Parameters of a material are those of its \
         model.",
        keys,
    )
}

fn fix() -> Section {
    Section::new("Nodes that never move.", on(Required))
}

pub(super) fn variant(name: &'static str, doc: &'static str, keys: Vec<Key>) -> Variant {
    Variant { name, aliases: &[], doc, keys }
}

fn script() -> Section {
    let motion = motion("motion", "motion of the nodes");
    Section::new("Nodes that follow a given motion.", on(Required)).with(motion)
}

fn load() -> Section {
    let more = vec![
        Key::new(
            "kind",
            words(&["acceleration", "pressure", "force"]),
            Required,
            "",
            "acceleration [m/s^2], pressure on the surface [Pa], or total force, distributed by mass [N]",
        ),
        Key::new("value", VECTOR, Required, "m/s^2, Pa or N", "direction and strength"),
    ];
    Section::new("An external force.", on_and(Optional, more)).with(Choice {
        key: "profile",
        doc: "change with time",
        default: Some("constant"),
        variants: vec![
            variant("constant", "no change with time", vec![]),
            variant(
                "pulse",
                "on for the duration from the start, and again after each period",
                vec![
                    Key::new("start", FINITE, number(0.0), "s", "beginning"),
                    Key::new("duration", POSITIVE, Required, "s", "duration"),
                    Key::new(
                        "period",
                        POSITIVE,
                        Optional,
                        "s",
                        "time from one pulse to the next; a single pulse if left out",
                    ),
                ],
            ),
            variant(
                "gusts",
                "wind: a mean of one, and gusts that travel downwind",
                vec![
                    Key::new("strength", NOT_NEGATIVE, Required, "", "strength of the gusts relative to the mean"),
                    Key::new("period", POSITIVE, Required, "s", "the longest period"),
                    Key::new("speed", POSITIVE, Required, "m/s", "speed of the gusts"),
                ],
            ),
        ],
    })
}

fn initial() -> Section {
    let center = || Key::new("center", VECTOR, Optional, "m", "centre; the mean of the points if left out");
    let factors = Kind::Numbers { components: 3, bounds: Bounds::POSITIVE, spread: false };
    Section::new("An initial deformation or velocity.", on(Optional)).with(Choice {
        key: "kind",
        doc: "kind of change",
        default: None,
        variants: vec![
            variant(
                "twist",
                "turns each node by an angle that grows along an axis",
                vec![
                    center(),
                    Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
                    Key::new("degrees_per_metre", FINITE, Required, "degrees/m", "angle per metre along the axis"),
                ],
            ),
            variant(
                "stretch",
                "stretches along x, y and z",
                vec![center(), Key::new("factors", factors, Required, "", "factors along x, y and z")],
            ),
            variant("shift", "translates", vec![Key::new("offset", VECTOR, Required, "m", "by how much")]),
            variant(
                "velocity",
                "sets velocities: a translation and a rotation",
                vec![
                    Key::new("linear", VECTOR, vector([0.0; 3]), "m/s", "velocity of the centre"),
                    Key::new("angular", VECTOR, vector([0.0; 3]), "rad/s", "angular velocity"),
                    center(),
                ],
            ),
        ],
    })
}

fn expect() -> Section {
    let bounds = Kind::Numbers { components: 2, bounds: Bounds::INFINITE, spread: false };
    let quantity = |of: &Quantity| Key::new(of.name, bounds.clone(), Optional, of.unit, of.description);
    let outcome = Key::new("outcome", words(&["done", "diverged"]), text("done"), "", "expected ending of the run");
    let positions = Key::new("position", Kind::Tables(position()), Optional, "", "expected final positions of bodies");
    let keys = [outcome].into_iter().chain(QUANTITIES.iter().map(quantity)).chain([positions]);
    Section::new("Expected results of a run of this scene.", keys.collect())
}
