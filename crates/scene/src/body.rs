//! Bodies of a scene, as the file describes them: their shape and their material.

use crate::mark::Mark;
pub use crate::solid::Detail;
use crate::solid::Solid;
use crate::turn::Turn;
use model::energy::spring::Law;
use model::material::{self, MaterialError, MaterialFacts};
use model::mesh::generate::{Generator, Value};
use model::mesh::{Mesh, Selector};
use model::parameter::{Kind, Parameters};
use numerics::mat3::{Vec3, mat_vec, rotation};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A body: its shape, its placement and its material.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Name, unique in the scene.
    pub name: String,
    /// Source of its mesh.
    pub shape: Shape,
    /// Translation of all points, applied last [m].
    pub position: Vec3,
    /// A rotation about the origin of the shape.
    pub rotation: Option<Turn>,
    /// Factor of the shape's size.
    pub scale: f64,
    /// Material of its tets.
    pub material: Option<Material>,
    /// Its springs.
    pub springs: Option<Springs>,
    /// Source of the mass of a body without material.
    pub mass: Option<BodyMass>,
    /// Zones: parts that differ; later ones override earlier ones.
    pub zones: Vec<Zone>,
    /// Marks of the body and of its keys.
    pub marks: BodyMarks,
}

/// Marks of a body and of its keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyMarks {
    /// The body.
    pub body: Mark,
    /// Its shape.
    pub shape: Mark,
    /// Its material.
    pub material: Mark,
    /// Its mass.
    pub mass: Mark,
}

impl Body {
    /// Returns a body of this shape at the origin, without material.
    pub fn new(name: &str, shape: Shape) -> Body {
        Body {
            name: name.to_string(),
            shape,
            position: [0.0; 3],
            rotation: None,
            scale: 1.0,
            material: None,
            springs: None,
            mass: None,
            zones: Vec::new(),
            marks: BodyMarks::default(),
        }
    }
}

/// Source of a mesh.
#[derive(Debug, Clone)]
pub enum Shape {
    /// Made by a generator.
    Generated {
        /// The generator.
        generator: &'static Generator,
        /// Given parameters; others have their defaults.
        parameters: BTreeMap<String, Value>,
    },
    /// Read from a file.
    File {
        /// Path of the file; a relative path starts from [`crate::Scene::directory`].
        path: PathBuf,
        /// Expected checksum of the file, if the scene gives one.
        checksum: Option<String>,
        /// Tets that fill a surface or shape.
        fill: Fill,
    },
    /// Put together from shapes.
    Parts(Solid),
    /// A mesh in memory, used as a mesh file would be: tets, or else cloth of its triangles, or else springs along its
    /// edges. A run keeps it as a file.
    Given(Arc<Mesh>),
}

impl Shape {
    /// Returns the mesh of a generator, with defaults for all parameters that are not given.
    pub fn generated(generator: &'static Generator, parameters: &[(&str, Value)]) -> Shape {
        let parameters = parameters.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        Shape::Generated { generator, parameters }
    }
}

/// Generators with equal parameters are equal, even if one spells out defaults and the other does not.
impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        match (self, other) {
            (Shape::Generated { generator: a, parameters: p }, Shape::Generated { generator: b, parameters: q }) => {
                let alike = || p == q || matches!((a.resolve(p), b.resolve(q)), (Ok(p), Ok(q)) if p == q);
                a.name == b.name && alike()
            }
            (Shape::File { path: a, checksum: c, fill: f }, Shape::File { path: b, checksum: d, fill: g }) => {
                (a, c, f) == (b, d, g)
            }
            (Shape::Parts(a), Shape::Parts(b)) => a == b,
            (Shape::Given(a), Shape::Given(b)) => a == b,
            _ => false,
        }
    }
}

/// Tets that fill a body, as far as the scene describes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fill {
    /// Approximate number of vertices; a surface without it is cloth.
    pub vertices: Option<usize>,
    /// Number of times tets may double in size from the surface to the middle.
    pub grading: Option<u32>,
    /// A finer surface that follows the tets, if there is one.
    pub surface: Option<Detail>,
}

impl Shape {
    /// Returns its name in messages: "a bar".
    pub(crate) fn noun(&self) -> String {
        match self {
            Shape::Generated { generator, .. } => format!("a {}", generator.name),
            Shape::File { path, .. } => format!("the mesh of {}", path.display()),
            Shape::Parts(_) => "a body of parts".to_string(),
            Shape::Given(_) => "the given mesh".to_string(),
        }
    }
}

/// Material of tets.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// A name of [`model::material::MATERIALS`].
    pub model: &'static str,
    /// Given parameters; directions are those of the shape before it is rotated.
    pub parameters: BTreeMap<String, Value>,
    /// Density [kg/m^3].
    pub density: f64,
}

impl Material {
    /// Returns a material by the names of its model and parameters, with its density [kg/m^3].
    pub fn new<const N: usize>(model: &'static str, parameters: [(&str, f64); N], density: f64) -> Material {
        let parameters = parameters.into_iter().map(|(name, value)| (name.to_string(), value.into())).collect();
        Material { model, parameters, density }
    }

    /// Returns the material law in a rotated body: directions rotate with it.
    pub fn law(&self, turn: Option<Turn>) -> Result<Arc<dyn material::Law>, MaterialError> {
        let (axis, angle) = Turn::radians(turn);
        let unknown = || MaterialError::UnknownName { name: self.model.to_string() };
        let facts = material::find(self.model).ok_or_else(unknown)?;
        let resolved = Parameters::resolve(facts.name, facts.parameters, &self.parameters);
        let turned = |(name, value): (&'static str, &Value)| {
            let is_direction = facts.parameter(name).is_some_and(|parameter| parameter.kind == Kind::Direction);
            let value = match value {
                Value::Numbers(d) if is_direction && d.len() == 3 && angle != 0.0 => {
                    Value::from(mat_vec(&rotation(axis, angle), [d[0], d[1], d[2]]))
                }
                _ => value.clone(),
            };
            (name.to_string(), value)
        };
        let given = resolved.map(|resolved| resolved.values().map(turned).collect::<BTreeMap<String, Value>>());
        given.and_then(|given| facts.law(&given)).map_err(MaterialError::Parameter)
    }

    /// Returns the material of a zone. One of another model keeps the parameters that both models have.
    pub(crate) fn changed(&self, zone: &Zone) -> Material {
        let model = zone.model.unwrap_or(self.model);
        let has = |name: &String| material::find(model).is_some_and(|facts| facts.parameter(name).is_some());
        let kept = self.parameters.iter().chain(&zone.parameters).filter(|(name, _)| has(name));
        Material {
            model,
            parameters: kept.map(|(name, value)| (name.clone(), value.clone())).collect(),
            density: zone.density.unwrap_or(self.density),
        }
    }
}

/// Returns the materials that have a parameter of this name.
pub(crate) fn materials_with(parameter: &str) -> Vec<&'static MaterialFacts> {
    material::MATERIALS.iter().filter(|facts| facts.parameter(parameter).is_some()).collect()
}

/// Springs of a body, stiffnesses in N/m; zero for none of that kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Springs {
    /// Force law.
    pub law: Law,
    /// Along structural edges, or along the edges of tets.
    pub stiffness: f64,
    /// Along the diagonals of cloth.
    pub shear: f64,
    /// Between second neighbours.
    pub bending: f64,
    /// From each vertex of a tet to the centroid of the opposite face.
    pub faces: f64,
    /// Marks of these four.
    pub at: [Mark; 4],
}

/// Source of the mass of a body without material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BodyMass {
    /// Along structural edges [kg/m].
    Line(f64),
    /// Over triangles [kg/m^2].
    Area(f64),
    /// At each node [kg].
    Node(f64),
    /// In tets [kg/m^3].
    Volume(f64),
}

/// A part of a body that differs from the rest of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone {
    /// Selector of the part.
    pub part: Selector,
    /// Another material model.
    pub model: Option<&'static str>,
    /// Other parameters of the material.
    pub parameters: BTreeMap<String, Value>,
    /// Another density [kg/m^3].
    pub density: Option<f64>,
    /// Another mass of each of its nodes [kg].
    pub node_mass: Option<f64>,
    /// Another stiffness of the structural springs [N/m].
    pub stiffness: Option<f64>,
    /// Another stiffness of the diagonal springs of cloth [N/m].
    pub shear: Option<f64>,
    /// Another stiffness of the bending springs [N/m].
    pub bending: Option<f64>,
    /// Mark of the part.
    pub at: Mark,
}
