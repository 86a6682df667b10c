//! Bodies of a scene, as the file says them: what they look like and what they are made of.

use crate::scene::Place;
use crate::solid::Solid;
use model::energy::spring::Law;
use model::material::{self, MaterialError, MaterialFacts};
use model::mesh::Selector;
use model::mesh::generate::{Generator, Value};
use model::parameter::{Kind, Parameters};
use numerics::mat3::{Vec3, mat_vec, rotation};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A body: a shape, where it is, and what it is made of.
#[derive(Clone)]
pub struct Body {
    /// Its name, unlike all others.
    pub name: String,
    /// Where its mesh comes from.
    pub shape: Shape,
    /// Added to all points, last [m].
    pub position: Vec3,
    /// Unit axis and angle [rad] of a rotation about the origin of the shape.
    pub rotation: (Vec3, f64),
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
    pub(crate) at: Place,
    pub(crate) shape_at: Place,
    pub(crate) material_at: Place,
    pub(crate) mass_at: Place,
}

/// Where a mesh comes from.
#[derive(Clone)]
pub enum Shape {
    /// A generator makes it.
    Generated {
        /// Which.
        generator: &'static Generator,
        /// The parameters given to it.
        parameters: BTreeMap<String, Value>,
    },
    /// A file holds it.
    File {
        /// Where it is; a relative path of the scene is that from the directory of the scene.
        path: PathBuf,
        /// The checksum it must have, if the scene says one.
        checksum: Option<String>,
        /// How the inside of a surface or shape is filled.
        fill: Fill,
    },
    /// It is put together from shapes.
    Parts(Solid),
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
    /// The material in a body that is turned by an angle [rad] about a unit axis: directions turn with it.
    pub fn law(&self, (axis, angle): (Vec3, f64)) -> Result<Arc<dyn material::Law>, MaterialError> {
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
    /// Where these four are said.
    pub(crate) at: [Place; 4],
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
    pub(crate) at: Place,
}
