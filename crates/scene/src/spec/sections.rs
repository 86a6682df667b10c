//! The sections of a scene file.

use super::contact::{collisions, contact};
use super::motion::motion;
use super::place::{on, on_and, place};
use super::rigid::{joint, position, rigid};
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
            "A scene: bodies, what moves them, and how time advances.",
            vec![
                Key::new("title", Kind::Text, text(""), "", "what the scene shows"),
                Key::new("run", Kind::Table(run()), Required, "", "how long, and how often frames are written"),
                Key::new("world", Kind::Table(world()), Filled, "", "what holds for all bodies"),
                Key::new("integrator", Kind::Table(integrator()), Required, "", "how time advances"),
                Key::new("damping", Kind::Table(damping()), Filled, "", "Rayleigh damping"),
                Key::new(
                    "body",
                    Kind::Tables(body()),
                    Optional,
                    "",
                    "the bodies; at least one, or a fluid or rigid body",
                ),
                Key::new("fluid", Kind::Tables(fluid()), Optional, "", "fluids, for method = \"small-steps\""),
                Key::new("rigid", Kind::Tables(rigid()), Optional, "", "rigid bodies, for method = \"small-steps\""),
                Key::new("joint", Kind::Tables(joint()), Optional, "", "joints of rigid bodies"),
                Key::new("fix", Kind::Tables(fix()), Optional, "", "nodes that never move"),
                Key::new("script", Kind::Tables(script()), Optional, "", "nodes that follow a given motion"),
                Key::new("load", Kind::Tables(load()), Optional, "", "forces from outside, besides gravity"),
                Key::new(
                    "initial",
                    Kind::Tables(initial()),
                    Optional,
                    "",
                    "what is done before the first step, in order",
                ),
                Key::new("contact", Kind::Tables(contact()), Optional, "", "obstacles"),
                Key::new(
                    "collisions",
                    Kind::Table(collisions()),
                    Optional,
                    "",
                    "bodies that meet themselves and each other, and the laws of contact as a constraint",
                ),
                Key::new("expect", Kind::Table(expect()), Optional, "", "what a run must give"),
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
        "How long a run is and what it writes.",
        vec![
            Key::new("duration", POSITIVE, Required, "s", "simulated time"),
            Key::new("frame_rate", POSITIVE, number(60.0), "1/s", "frames a simulated second"),
            Key::new(
                "frames",
                words(&["steps", "interpolated"]),
                text("steps"),
                "",
                "steps: a frame is the state after the first step that reaches its time, at most one a step; interpolated: \
                 frames are at exact multiples of 1 / frame_rate, by cubics of the states before and after (steps much \
                 longer than the vibrations of a body make these swing)",
            ),
            Key::new(
                "on_divergence",
                words(&["stop", "halve"]),
                text("stop"),
                "",
                "when a step fails: stop, or try again with half the step, 10 times at most",
            ),
            Key::new(
                "warp",
                Kind::Flag,
                Presence::Default(Value::Flag(false)),
                "",
                "show bodies of linear materials with their rotations as rotations, which lets them bend and not swell; states, \
                 energies and series stay those of the linear run",
            ),
        ],
    )
}

fn world() -> Section {
    Section::new(
        "What holds for all bodies.",
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
        "How time advances: a method, its step and its options.",
        vec![
            Key::new("step", POSITIVE, Required, "s", "length of a step"),
            Key::new(
                "stiffness",
                words(&const { [Stiffness::NAMES[0].0, Stiffness::NAMES[1].0, Stiffness::NAMES[2].0] }),
                text("exact"),
                "",
                "the second derivative of the energy; that without its negative eigenvalues; or that without what resists turning under stress, so that stiff bodies turn freely",
            ),
        ],
    )
    .with(methods())
}

fn damping() -> Section {
    Section::new(
        "Rayleigh damping, D = alpha M + beta K.",
        vec![
            Key::new("mass", NOT_NEGATIVE, number(0.0), "1/s", "alpha: damps slow motion"),
            Key::new("stiffness", NOT_NEGATIVE, number(0.0), "s", "beta: damps fast vibration"),
            Key::new(
                "reference",
                words(&["current", "rest"]),
                text("current"),
                "",
                "whether K is the current stiffness or that at rest",
            ),
        ],
    )
}

fn body() -> Section {
    let stiffness = |name, presence, doc| Key::new(name, NOT_NEGATIVE, presence, "N/m", doc);
    let springs = Section::new(
        "Springs of a body; those of stiffness 0 are left out.",
        vec![
            Key::new("law", laws(), text("linear"), "", "how the pull grows with the elongation"),
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
    let material = Section::new("What tets are made of.", vec![density(Required)]).with(materials());
    Section::new(
        "A body: a shape, where it is, and what it is made of (a material, springs, or both).",
        vec![
            Key::new(
                "name",
                Kind::Text,
                Optional,
                "",
                "its name, unlike all others; body-1, body-2 ... if none is given",
            ),
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
            Key::new("material", Kind::Table(material), Optional, "", "what its tets are made of"),
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
            Key::new("zone", Kind::Tables(zone()), Optional, "", "parts that differ; later ones win").once("region"),
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
        "A fluid: a box of particles that keep their density, at most one spacing for all fluids of a scene.",
        vec![
            Key::new("name", Kind::Text, Optional, "", "its name, unlike all others; fluid-1 ... if none is given"),
            Key::new(
                "box",
                Kind::Table(bounds("An axis-aligned box.")),
                Required,
                "",
                "what is filled with particles, the first of them half a spacing inside",
            ),
            Key::new("spacing", POSITIVE, Required, "m", "distance of particles at rest, twice their radius"),
            Key::new("density", POSITIVE, number(1000.0), "kg/m^3", "density at rest"),
            Key::new("velocity", VECTOR, vector([0.0; 3]), "m/s", "velocity at the beginning"),
            Key::new("viscosity", NOT_NEGATIVE, number(0.0), "Pa s", "dynamic viscosity"),
            Key::new("vorticity", NOT_NEGATIVE, number(0.0), "m/s", "confinement: acceleration a unit of vorticity"),
            Key::new("bulk_modulus", POSITIVE, Optional, "Pa", "resistance to compression; infinite if left out"),
            Key::new("cfl", POSITIVE, number(0.3), "", "how far a particle may move in a substep, in radii"),
            Key::new(
                "walls",
                Kind::Table(bounds("A box with rigid walls.")),
                Optional,
                "",
                "the box particles stay in",
            ),
            Key::new(
                "friction",
                NOT_NEGATIVE,
                number(0.0),
                "",
                "Coulomb's coefficient at the walls, and with that of what it meets, as their geometric mean, elsewhere; 0 lets it slip",
            ),
        ],
    )
}

fn zone() -> Section {
    let mut keys = vec![
        place(Required, "which part, in the coordinates of the placed body"),
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
    let motion = motion("motion", "how the nodes move");
    Section::new("Nodes that follow a given motion.", on(Required)).with(motion)
}

fn load() -> Section {
    let more = vec![
        Key::new(
            "kind",
            words(&["acceleration", "pressure", "force"]),
            Required,
            "",
            "acceleration [m/s^2], pressure by area of the surface [Pa], or force in all, shared by mass [N]",
        ),
        Key::new("value", VECTOR, Required, "m/s^2, Pa or N", "direction and strength"),
    ];
    Section::new("A force from outside.", on_and(Optional, more)).with(Choice {
        key: "profile",
        doc: "how it changes with time",
        default: Some("constant"),
        variants: vec![
            variant("constant", "always the same", vec![]),
            variant(
                "pulse",
                "on from start for duration, again after each period",
                vec![
                    Key::new("start", FINITE, number(0.0), "s", "when it begins"),
                    Key::new("duration", POSITIVE, Required, "s", "how long it lasts"),
                    Key::new("period", POSITIVE, Optional, "s", "from one pulse to the next; one only if left out"),
                ],
            ),
            variant(
                "gusts",
                "wind: a mean of one, and gusts that travel downwind",
                vec![
                    Key::new("strength", NOT_NEGATIVE, Required, "", "strength of the gusts against the mean"),
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
    Section::new("What is done before the first step.", on(Optional)).with(Choice {
        key: "kind",
        doc: "what is done",
        default: None,
        variants: vec![
            variant(
                "twist",
                "turns each node by an angle that grows along an axis",
                vec![
                    center(),
                    Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
                    Key::new("degrees_per_metre", FINITE, Required, "degrees/m", "angle for each metre along the axis"),
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
    let outcome = Key::new("outcome", words(&["done", "diverged"]), text("done"), "", "how it ends");
    let places = Key::new("position", Kind::Tables(position()), Optional, "", "where bodies are at the end");
    let keys = [outcome].into_iter().chain(QUANTITIES.iter().map(quantity)).chain([places]);
    Section::new("What a run of this scene must give.", keys.collect())
}
