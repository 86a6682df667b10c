//! Bodies of a scene, as the file says them: what they look like and what they are made of.

use crate::mark::Mark;
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

/// A body: a shape, where it is, and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its name, unlike all others.
    pub name: String,
    /// Where its mesh comes from.
    pub shape: Shape,
    /// Added to all points, last [m].
    pub position: Vec3,
    /// A rotation about the origin of the shape.
    pub rotation: Option<Turn>,
    /// Factor of the shape's size.
    pub scale: f64,
    /// What its tets are made of.
    pub material: Option<Material>,
    /// Its springs.
    pub springs: Option<Springs>,
    /// Where the mass of a body without material comes from.
    pub mass: Option<BodyMass>,
    /// Parts that differ; later ones win.
    pub regions: Vec<Region>,
    /// Marks of the body and of what is said of it.
    pub marks: BodyMarks,
}

/// Marks of a body and of what is said of it.
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
    /// A body where its shape is, made of nothing yet.
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
            regions: Vec::new(),
            marks: BodyMarks::default(),
        }
    }
}

/// Where a mesh comes from.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A generator makes it.
    Generated {
        /// Which.
        generator: &'static Generator,
        /// The parameters given to it; others have their defaults.
        parameters: BTreeMap<String, Value>,
    },
    /// A file holds it.
    File {
        /// Where it is; a relative path starts from [`crate::Scene::directory`].
        path: PathBuf,
        /// The checksum it must have, if the scene says one.
        checksum: Option<String>,
        /// How the inside of a surface or shape is filled.
        fill: Fill,
    },
    /// It is put together from shapes.
    Parts(Solid),
    /// A mesh in memory, taken as that of a file would be: tets, or else cloth of its triangles, or else springs along its edges.
    /// A run keeps it as a file.
    Given(Arc<Mesh>),
}

impl Shape {
    /// The mesh of a generator, with the defaults of all parameters that are not given.
    pub fn generated(generator: &'static Generator, parameters: &[(&str, Value)]) -> Shape {
        let parameters = parameters.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        Shape::Generated { generator, parameters }
    }
}

/// Generators with equal parameters are equal, whether defaults are said or not.
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

/// How a body is filled with tets, where a scene says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fill {
    /// About how many vertices; a surface for which none are said is cloth.
    pub vertices: Option<usize>,
    /// How often tets may double in size from the surface to the middle.
    pub grading: Option<u32>,
    /// A finer surface that follows the tets, if there is one.
    pub surface: Option<Detail>,
}

/// How fine the surface is that follows the tets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// About so many vertices.
    Vertices(usize),
    /// The triangles of the file that is filled.
    Given,
}

impl Shape {
    /// What it is in messages: "a bar".
    pub(crate) fn noun(&self) -> String {
        match self {
            Shape::Generated { generator, .. } => format!("a {}", generator.name),
            Shape::File { path, .. } => format!("the mesh of {}", path.display()),
            Shape::Parts(_) => "a body of parts".to_string(),
            Shape::Given(_) => "the given mesh".to_string(),
        }
    }
}

/// What tets are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// A name of [`model::material::MATERIALS`].
    pub model: &'static str,
    /// The parameters given to it; directions are those of the shape before it is turned.
    pub parameters: BTreeMap<String, Value>,
    /// Density [kg/m^3].
    pub density: f64,
}

impl Material {
    /// A material by the names of its model and parameters, with its density [kg/m^3].
    pub fn new<const N: usize>(model: &'static str, parameters: [(&str, f64); N], density: f64) -> Material {
        let parameters = parameters.into_iter().map(|(name, value)| (name.to_string(), value.into())).collect();
        Material { model, parameters, density }
    }

    /// The material in a body that is turned: directions turn with it.
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

    /// The material of a region. One of another model keeps those parameters that both have.
    pub(crate) fn changed(&self, region: &Region) -> Material {
        let model = region.model.unwrap_or(self.model);
        let has = |name: &String| material::find(model).is_some_and(|facts| facts.parameter(name).is_some());
        let kept = self.parameters.iter().chain(&region.parameters).filter(|(name, _)| has(name));
        Material {
            model,
            parameters: kept.map(|(name, value)| (name.clone(), value.clone())).collect(),
            density: region.density.unwrap_or(self.density),
        }
    }
}

/// The materials that have a parameter of this name.
pub(crate) fn materials_with(parameter: &str) -> Vec<&'static MaterialFacts> {
    material::MATERIALS.iter().filter(|facts| facts.parameter(parameter).is_some()).collect()
}

/// The springs of a body, stiffnesses in N/m; zero for none of that kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Springs {
    /// How the pull grows.
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

/// Where the mass of a body without material comes from.
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
pub struct Region {
    /// Which part.
    pub part: Selector,
    /// Another material model.
    pub model: Option<&'static str>,
    /// Other parameters of the material.
    pub parameters: BTreeMap<String, Value>,
    /// Another density [kg/m^3].
    pub density: Option<f64>,
    /// Another stiffness of the structural springs [N/m].
    pub stiffness: Option<f64>,
    /// Another stiffness of the diagonal springs of cloth [N/m].
    pub shear: Option<f64>,
    /// Another stiffness of the bending springs [N/m].
    pub bending: Option<f64>,
    /// Mark of the part.
    pub at: Mark,
}
