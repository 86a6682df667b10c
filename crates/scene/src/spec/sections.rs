//! The sections of a scene file.

use super::contact::{collisions, contact};
use super::fibres::fibres;
use super::motion::motion;
use super::rigid::{joint, position, rigid};
use super::selection::{on, on_and, where_key};
use super::stokes::{motor, stokes};
use super::tables::{density, generators, material_parameters, material_words, materials, methods, words};
use super::{Choice, Content, Key, Section, Variant, keys};
use crate::expect::{QUANTITIES, Quantity};
use model::Damping;
use model::energy::{Stiffness, spring};
use model::parameter::Preset::{Flag, Numbers, Optional, Required, Word};
use model::parameter::{Kind, Range};
use model::{fluid, load};
use std::sync::LazyLock;

/// Describes the whole file.
pub(crate) fn root() -> &'static Section {
    static ROOT: LazyLock<Section> = LazyLock::new(|| {
        Section::new(
            "A scene: bodies, loads and constraints, and a time integrator.",
            vec![
                Key::new("title", Kind::Text, Word(""), "", "title of the scene"),
                Key::new("run", Content::Table(run()), Required, "", "duration and output of a run"),
                Key::new("world", Content::Table(world().filled()), Optional, "", "properties of all bodies"),
                Key::new("integrator", Content::Table(integrator()), Required, "", "time integrator"),
                Key::new("damping", Content::Table(damping().filled()), Optional, "", "Rayleigh damping"),
                Key::new(
                    "body",
                    Content::Tables(body()),
                    Optional,
                    "",
                    "the bodies; at least one, or fibres, a fluid or a rigid body",
                ),
                Key::new("fibres", Content::Tables(fibres()), Optional, "", "hairs and bristles"),
                Key::new("stokes", Content::Table(stokes()), Optional, "", "a fluid without inertia around bodies"),
                Key::new("motor", Content::Tables(motor()), Optional, "", "motors between bodies and fibres"),
                Key::new("fluid", Content::Tables(fluid()), Optional, "", "fluids, for method = \"small-steps\""),
                Key::new("rigid", Content::Tables(rigid()), Optional, "", "rigid bodies, for method = \"small-steps\""),
                Key::new("joint", Content::Tables(joint()), Optional, "", "joints of rigid bodies"),
                Key::new("fix", Content::Tables(fix()), Optional, "", "nodes that never move"),
                Key::new("script", Content::Tables(script()), Optional, "", "nodes that follow a given motion"),
                Key::new("load", Content::Tables(load()), Optional, "", "external forces besides gravity"),
                Key::new(
                    "initial",
                    Content::Tables(initial()),
                    Optional,
                    "",
                    "initial deformations and velocities, in order",
                ),
                Key::new("contact", Content::Tables(contact()), Optional, "", "obstacles"),
                Key::new(
                    "collisions",
                    Content::Table(collisions()),
                    Optional,
                    "",
                    "contact as a constraint: of bodies with themselves and with each other, and its parameters",
                ),
                Key::new("expect", Content::Table(expect()), Optional, "", "expected results of a run"),
            ],
        )
    });
    &ROOT
}

fn run() -> Section {
    Section::new(
        "Duration and output of a run.",
        vec![
            Key::new("duration", Kind::POSITIVE, Required, "s", "simulated time"),
            Key::new("frame_rate", Kind::POSITIVE, Numbers(&[60.0]), "1/s", "frames per simulated second"),
            Key::new(
                "frames",
                words(&["steps", "interpolated"]),
                Word("steps"),
                "",
                "steps: a frame is the state after the first step that reaches its time, at most one per step; interpolated: \
                 frames are at exact multiples of 1 / frame_rate, by cubics of the states before and after (steps much \
                 longer than the vibrations of a body make these swing)",
            ),
            Key::new(
                "on_divergence",
                words(&["stop", "halve"]),
                Word("stop"),
                "",
                "response to a failing step: stop, or try again with half the step, 10 times at most",
            ),
            Key::new(
                "warp",
                Kind::Flag,
                Flag(false),
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
            Key::new("gravity", Kind::VECTOR, Numbers(&[0.0, 0.0, -9.81]), "m/s^2", "acceleration of everything"),
            Key::new(
                "mass",
                words(&["lumped", "consistent"]),
                Word("lumped"),
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
            Key::new("step", Kind::POSITIVE, Required, "s", "length of a step"),
            Key::new(
                "stiffness",
                words(&const { Stiffness::WORDS }),
                Word("auto"),
                "",
                "stiffness of elements: exact, the second derivative of the energy; projected, without its negative eigenvalues; turned, without its resistance to rotation under stress; or auto, which is exact but for the stress that a method with one linearisation per step causes by turning, so that stiff bodies turn freely",
            ),
        ],
    )
    .with(methods())
}

fn damping() -> Section {
    Section::new("Rayleigh damping, D = alpha M + beta K.", keys(Damping::PARAMETERS))
}

fn body() -> Section {
    let springs = Section::new("Springs of a body; those of stiffness 0 are left out.", keys(spring::PARAMETERS));
    let rotation = Section::new(
        "A rotation of the shape about its own origin.",
        vec![
            Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
            Key::new("degrees", Kind::FINITE, Required, "degrees", "angle"),
        ],
    );
    let material = Section::new("Material of tets.", vec![density(Required)]).with(materials());
    Section::new(
        "A body: its shape, its position, and its material, springs, or both.",
        vec![
            Key::new("name", Kind::Text, Optional, "", "unique name; body-1, body-2 ... if left out"),
            Key::new(
                "shape",
                Content::Table(Section::new("A mesh.", vec![]).with(generators())),
                Required,
                "",
                "its mesh",
            ),
            Key::new(
                "position",
                Kind::VECTOR,
                Numbers(&[0.0; 3]),
                "m",
                "added to all points, after scale and rotation",
            ),
            Key::new("rotation", Content::Table(rotation), Optional, "", "rotation about the origin of the shape"),
            Key::new("scale", Kind::POSITIVE, Numbers(&[1.0]), "", "factor of its size"),
            Key::new("material", Content::Table(material), Optional, "", "material of its tets"),
            Key::new("springs", Content::Table(springs), Optional, "", "its springs"),
            Key::new(
                "line_density",
                Kind::POSITIVE,
                Optional,
                "kg/m",
                "mass along its edges, for springs without material",
            ),
            Key::new(
                "area_density",
                Kind::POSITIVE,
                Optional,
                "kg/m^2",
                "mass of its triangles, for springs without material",
            ),
            Key::new("node_mass", Kind::POSITIVE, Optional, "kg", "mass of each node, for springs without material"),
            density(Optional),
            Key::new(
                "zone",
                Content::Tables(zone()),
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
                Key::new("min", Kind::VECTOR, Required, "m", "lowest corner"),
                Key::new("max", Kind::VECTOR, Required, "m", "highest corner"),
            ],
        )
    };
    let mut all = vec![
        Key::new("name", Kind::Text, Optional, "", "unique name; fluid-1 ... if left out"),
        Key::new(
            "box",
            Content::Table(bounds("An axis-aligned box.")),
            Required,
            "",
            "the box that is filled with particles, the first of them half a spacing inside",
        ),
        Key::new(
            "walls",
            Content::Table(bounds("A box with rigid walls.")),
            Optional,
            "",
            "the box that contains the particles",
        ),
    ];
    all.extend(keys(fluid::PARAMETERS));
    Section::new("A fluid: a box of particles of constant density. All fluids of a scene have the same spacing.", all)
}

fn zone() -> Section {
    let mut all = vec![
        where_key(Required, "selected part, in the coordinates of the placed body"),
        Key::new(
            "model",
            material_words(),
            Optional,
            "",
            "another material model; it keeps the body's values of parameters that both have",
        ),
    ];
    all.extend(material_parameters());
    all.push(density(Optional));
    all.push(Key::new(
        "node_mass",
        Kind::POSITIVE,
        Optional,
        "kg",
        "another mass of each of its nodes, for springs without material",
    ));
    all.extend(keys(spring::ZONE_PARAMETERS));
    Section::new(
        "A part of a body that differs: tets by their centroid, springs by their midpoint, masses by nodes. Parameters of a material \
         are those of its model.",
        all,
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
    Section::new("An external force.", on_and(Optional, keys(load::PARAMETERS))).with(Choice {
        key: "profile",
        doc: "change with time",
        default: Some(load::PROFILES[0].name),
        variants: load::PROFILES.iter().map(Variant::from).collect(),
    })
}

fn initial() -> Section {
    let center = || Key::new("center", Kind::VECTOR, Optional, "m", "centre; the mean of the points if left out");
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
                    Key::new(
                        "degrees_per_metre",
                        Kind::FINITE,
                        Required,
                        "degrees/m",
                        "angle per metre along the axis",
                    ),
                ],
            ),
            variant(
                "stretch",
                "stretches along x, y and z",
                vec![
                    center(),
                    Key::new("factors", Kind::lengths(3), Required, "", "factors along x, y and z; one number for all"),
                ],
            ),
            variant("shift", "translates", vec![Key::new("offset", Kind::VECTOR, Required, "m", "by how much")]),
            variant(
                "velocity",
                "sets velocities: a translation and a rotation",
                vec![
                    Key::new("linear", Kind::VECTOR, Numbers(&[0.0; 3]), "m/s", "velocity of the centre"),
                    Key::new("angular", Kind::VECTOR, Numbers(&[0.0; 3]), "rad/s", "angular velocity"),
                    center(),
                ],
            ),
        ],
    })
}

fn expect() -> Section {
    let bounds = Kind::Number { components: 2, range: Range::Infinite };
    let quantity = |of: &Quantity| Key::new(of.name, bounds, Optional, of.unit, of.description);
    let outcome = Key::new("outcome", words(&["done", "diverged"]), Word("done"), "", "expected ending of the run");
    let positions =
        Key::new("position", Content::Tables(position()), Optional, "", "expected final positions of bodies");
    let keys = [outcome].into_iter().chain(QUANTITIES.iter().map(quantity)).chain([positions]);
    Section::new("Expected results of a run of this scene.", keys.collect())
}
