//! From parts to tets.

use super::Detail;
use super::{PartKind, ShapePart, Solid, SolidRepeat};
use crate::mark::Mark;
use crate::turn::Turn;
use geometry::doctor::renumber::drop_unused;
use geometry::shape::{Assembly, AssemblyError, Joined, Part, Placement, Repeat, Shared, Twist};
use geometry::surface::{SurfaceDistance, SurfaceError};
use geometry::{Distance, Fineness, StuffError, Wanted, isosurface, stuff};
use model::mesh::{Mesh, ParameterError};
use numerics::mat3::unit;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Result of making a body.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its tets, with the names of its parts as groups.
    pub mesh: Mesh,
    /// Width of the cells at the surface [m], if it was filled.
    pub spacing: Option<f64>,
    /// A finer surface that follows the tets, if requested: triangles only.
    pub surface: Option<Mesh>,
}

/// Reason why parts form no body, or a body has no mesh.
#[derive(Debug)]
pub enum SolidError {
    /// A part cannot be made.
    Part {
        /// Span in its file.
        at: Mark,
        /// The reason.
        reason: String,
    },
    /// The parts form no body.
    Assembly(AssemblyError),
    /// A surface encloses nothing.
    Surface(SurfaceError),
    /// The body cannot be filled.
    Stuff(StuffError),
}

impl fmt::Display for SolidError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            SolidError::Part { reason, .. } => f.write_str(reason),
            SolidError::Assembly(error) => error.fmt(f),
            SolidError::Surface(error) => error.fmt(f),
            SolidError::Stuff(error) => error.fmt(f),
        }
    }
}

impl SolidError {
    /// Returns the span of the reason in its file.
    pub(crate) fn at(&self) -> Mark {
        match self {
            SolidError::Part { at, .. } => at.clone(),
            _ => Mark::default(),
        }
    }
}

/// Reads the mesh of a file by its bare name, or returns the reason why not.
pub(crate) type Fetch<'a> = &'a dyn Fn(&str) -> Result<Mesh, String>;

impl Solid {
    /// Puts the parts together and fills the body with tets. `progress` receives the finished share, from 0 to 1.
    pub(crate) fn make(&self, fetch: Fetch, progress: &dyn Fn(f64)) -> Result<Made, SolidError> {
        let body = self.body(fetch)?;
        let mut made = fill(&body, self.vertices, self.grading, self.surface, progress)?;
        body.name_groups(&mut made.mesh).map_err(SolidError::Assembly)?;
        Ok(made)
    }

    /// Returns the shape of the whole body.
    fn body(&self, fetch: Fetch) -> Result<Assembly, SolidError> {
        let mut assemblies: BTreeMap<&str, Vec<Joined>> = BTreeMap::new();
        self.check_assemblies()?;
        let mut whole = Vec::new();
        for part in &self.parts {
            let of_part = |reason: String| SolidError::Part { at: part.at.clone(), reason };
            let shape = shape_of(part, &assemblies, fetch).map_err(of_part)?;
            let ShapePart { operation, blend, ref name, mirror, .. } = *part;
            let placed = Part::new(shape, part.twist(), part.repeat().as_ref(), &part.placement(), mirror);
            let joined = Joined { operation, blend, name: name.clone(), part: placed };
            match &part.into {
                Some(name) => assemblies.entry(name).or_default().push(joined),
                None => whole.push(joined),
            }
        }
        Assembly::new(whole).map_err(SolidError::Assembly)
    }
}

impl Solid {
    /// Refuses names and assemblies without effect, and copies of copies without end.
    fn check_assemblies(&self) -> Result<(), SolidError> {
        let mut leaves: BTreeMap<&str, u64> = BTreeMap::new();
        for part in &self.parts {
            let refuse = |reason: String| Err(SolidError::Part { at: part.at.clone(), reason });
            if let (Some(name), Some(into)) = (&part.name, &part.into) {
                return refuse(format!(
                    "the name \"{name}\" of a part of the assembly \"{into}\" would name nothing; give it to the part \
                     that uses the assembly"
                ));
            }
            let shapes = match &part.kind {
                PartKind::Assembly { of } => leaves.get(of.as_str()).copied().unwrap_or(1),
                _ => 1,
            };
            let copies =
                u64::from(part.repeat.as_ref().map_or(1, |repeat| repeat.count)) << u32::from(part.mirror.is_some());
            let all = shapes.saturating_mul(copies);
            if all > MOST_SHAPES {
                return refuse(format!(
                    "it stands for {all} shapes, more than {MOST_SHAPES}; use fewer copies of copies"
                ));
            }
            if let Some(into) = &part.into {
                let sum = leaves.entry(into).or_default();
                *sum = sum.saturating_add(all);
            }
        }
        let used =
            |name: &str| self.parts.iter().any(|part| matches!(&part.kind, PartKind::Assembly { of } if of == name));
        match self.parts.iter().find(|part| part.into.as_deref().is_some_and(|name| !used(name))) {
            None => Ok(()),
            Some(part) => {
                let name = part.into.as_deref().unwrap_or_default();
                let reason = format!(
                    "no part uses the assembly \"{name}\"; add one of kind = \"assembly\", or leave out `into`"
                );
                Err(SolidError::Part { at: part.at.clone(), reason })
            }
        }
    }
}

impl ShapePart {
    fn placement(&self) -> Placement {
        Placement { position: self.position, rotation: Turn::radians(self.rotation), scale: self.scale }
    }

    fn twist(&self) -> Option<Twist> {
        let twist = self.twist.as_ref()?;
        Some(Twist { axis: unit(twist.axis), rate: twist.degrees_per_metre.to_radians() })
    }

    fn repeat(&self) -> Option<Repeat> {
        let SolidRepeat { count, offset, turn, factor } = *self.repeat.as_ref()?;
        Some(Repeat { count, offset, turn: Turn::radians(Some(turn)), factor })
    }
}

/// Largest number of shapes of a body, copies included: more would take hours to mesh.
const MOST_SHAPES: u64 = 100_000;

/// Returns the shape that a part places.
fn shape_of(part: &ShapePart, assemblies: &BTreeMap<&str, Vec<Joined>>, fetch: Fetch) -> Result<Shared, String> {
    match &part.kind {
        PartKind::Simple { shape, parameters } => {
            shape.with(parameters).map_err(|error: ParameterError| error.to_string())
        }
        PartKind::Assembly { of } => {
            let parts = assemblies.get(of.as_str()).ok_or_else(|| {
                format!("no part before this one says into = \"{of}\"; put the parts of the assembly before it")
            })?;
            Ok(Arc::new(Assembly::new(parts.clone()).map_err(|error| format!("the assembly \"{of}\": {error}"))?))
        }
        PartKind::Surface { file } => {
            let mesh = fetch(file)?;
            let surface = SurfaceDistance::new(&mesh.points, &mesh.triangles);
            Ok(Arc::new(surface.map_err(|error| format!("{file}: {error}"))?))
        }
    }
}

/// Fills the inside of a closed surface with tets.
pub(crate) fn fill_surface(
    mesh: Mesh,
    vertices: usize,
    grading: u32,
    detail: Option<Detail>,
    progress: &dyn Fn(f64),
) -> Result<Made, SolidError> {
    let shape = SurfaceDistance::new(&mesh.points, &mesh.triangles).map_err(SolidError::Surface)?;
    let finer = match detail {
        Some(Detail::Vertices(vertices)) => Some(vertices),
        Some(Detail::Given) | None => None,
    };
    let mut made = fill(&shape, vertices, grading, finer, progress)?;
    if detail == Some(Detail::Given) {
        let Mesh { points, triangles, .. } = mesh;
        let mut given = Mesh { points, triangles, ..Mesh::default() };
        drop_unused(&mut given);
        made.surface = Some(given);
    }
    Ok(made)
}

fn fill(
    shape: &dyn Distance,
    vertices: usize,
    grading: u32,
    finer: Option<usize>,
    progress: &dyn Fn(f64),
) -> Result<Made, SolidError> {
    let wanted = Wanted::vertices(vertices).graded(grading);
    let share = if finer.is_some() { 0.5 } else { 1.0 };
    let filled = stuff(shape, &wanted, &mut |done| progress(share * done)).map_err(SolidError::Stuff)?;
    let finer = finer.map(|vertices| {
        isosurface(shape, Fineness::Vertices(vertices), &mut |done| progress(share + (1.0 - share) * done))
    });
    let surface = finer.transpose().map_err(SolidError::Stuff)?;
    Ok(Made { mesh: filled.mesh, spacing: Some(filled.spacing), surface })
}
