//! Fibres: their roots, their nodes, and their part of the blueprint.

use super::nodes::PlacedBodies;
use super::shape::expect_checksum;
use crate::fibres::{Fibres, Roots, Scatter};
use crate::files::read_file;
use crate::solid::Made;
use model::Blueprint;
use model::fibre::{self, Random, Root, RootSurface};
use model::mesh::{Mesh, SelectError};
use numerics::mat3::{IDENTITY, add, cross, scale, unit};
use std::ops::Range;
use std::path::Path;

/// Rounds of random roots, of which some are in the wanted part, before the search ends.
const ROUNDS: u64 = 200;

/// Centre lines of all fibres: a point per ring of four nodes, which follow each other ring by ring.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FibreLines {
    /// Nodes of the rings, in the mesh.
    pub nodes: Range<usize>,
    /// Number of rings of each fibre.
    pub rings: Vec<u32>,
    /// Diameter at each ring [m].
    pub thickness: Vec<f64>,
}

impl FibreLines {
    /// Returns the segments of all fibres: pairs of rings, counted from 0.
    pub fn segments(&self) -> impl Iterator<Item = [u32; 2]> {
        let fibre = |end: &mut u32, rings: &u32| {
            *end += rings;
            Some(*end - rings..*end - 1)
        };
        self.rings.iter().scan(0, fibre).flatten().map(|ring| [ring, ring + 1])
    }

    /// Returns the first of the four nodes of a ring, in the mesh.
    pub fn node(&self, ring: usize) -> usize {
        self.nodes.start + 4 * ring
    }
}

impl PlacedBodies {
    /// Adds fibres.
    pub fn push_fibres(&mut self, name: &str, mut fibres: fibre::Fibres) {
        let mesh = std::mem::take(&mut fibres.mesh);
        let first = self.all.points.len();
        if self.lines.rings.is_empty() {
            self.lines.nodes = first..first;
        }
        self.lines.nodes.end += mesh.points.len();
        self.lines.rings.extend_from_slice(&fibres.rings);
        self.lines.thickness.extend_from_slice(&fibres.thickness);
        self.push(name, Made { mesh, spacing: None, surface: None });
        self.fibres.push((first as u32, fibres));
    }

    /// Moves the energies and masses of the fibres to the blueprint.
    pub fn add_fibres(&mut self, blueprint: &mut Blueprint) {
        for (first, mut fibres) in std::mem::take(&mut self.fibres) {
            blueprint.energies.extend(fibres.energies(first));
            blueprint.node_masses.extend((first..).zip(fibres.masses));
        }
    }
}

/// Makes the fibres, or returns the reason why not. Bodies that they grow on are placed already.
pub(super) fn made(
    fibres: &Fibres,
    directory: &Path,
    placed: &mut PlacedBodies,
) -> Result<Option<fibre::Fibres>, String> {
    let kind = fibres.kind().map_err(|error| error.to_string())?;
    let mut roots = match &fibres.roots {
        Roots::Points { points, directions } => {
            let along = directions.iter().copied().chain(std::iter::repeat([0.0; 3]));
            points.iter().zip(along).map(|(&point, direction)| Root { point, direction: unit(direction) }).collect()
        }
        Roots::Rows { center, sides: [a, b], counts: [m, n] } => {
            let direction = unit(cross(*a, *b));
            let middle = |k: usize, count: usize| (k as f64 + 0.5) / count as f64 - 0.5;
            let at = |k: usize| add(scale(middle(k % m, *m), *a), scale(middle(k / m, *n), *b));
            (0..m * n).map(|k| Root { point: add(*center, at(k)), direction }).collect()
        }
        Roots::Ball { center, radius, scatter } => {
            scattered(&RootSurface::Ball { center: *center, radius: *radius }, scatter, kind.seed)?
        }
        Roots::Body { body, scatter } => {
            let Some(number) = placed.number(Some(body)).filter(|&number| !placed.missing[number]) else {
                return Ok(None);
            };
            let surface = RootSurface::of_mesh(&placed.meshes[number]);
            let none = || format!("body \"{body}\" has no surface to grow on; use one of tets or triangles");
            scattered(&surface.ok_or_else(none)?, scatter, kind.seed)?
        }
        Roots::File { path, checksum, scale, position, scatter } => {
            let path = directory.join(path);
            let (mut mesh, file) = read_file(&path).map_err(|error| error.to_string())?;
            expect_checksum(&path, checksum.as_deref(), &file).map_err(|error| error.to_string())?;
            // Files name the faces of tets to mark boundaries.
            if !mesh.tets.is_empty() {
                mesh.triangles.clear();
            }
            mesh.transform(&IDENTITY, *position, *scale);
            let none = || format!("{} has no surface to grow on; use one of tets or triangles", path.display());
            let roots = scattered(&RootSurface::of_mesh(&mesh).ok_or_else(none)?, scatter, kind.seed)?;
            if !placed.files.iter().any(|known| known.path == path) {
                placed.files.push(file);
            }
            roots
        }
    };
    if let Some(direction) = fibres.direction {
        roots.iter_mut().for_each(|root| root.direction = unit(direction));
    }
    let made = fibre::Fibres::new(&kind, &roots);
    made.mesh.validate().map_err(|error| error.to_string())?;
    Ok(Some(made))
}

/// Returns roots at random places of the wanted part of a surface.
fn scattered(surface: &RootSurface, Scatter { count, part }: &Scatter, seed: u64) -> Result<Vec<Root>, String> {
    let mut roots: Vec<Root> = Vec::with_capacity(*count);
    let each = (*count).max(1000) as u64;
    for round in 0..ROUNDS {
        let tries = round * each..(round + 1) * each;
        // Fibres take their own random numbers from the seed itself.
        let tried: Vec<Root> = tries.map(|item| surface.root(&mut Random::new(!seed, item))).collect();
        let points = tried.iter().map(|root| root.point).collect();
        match part.nodes(&Mesh { points, ..Mesh::default() }) {
            Ok(inside) => roots.extend(inside.into_iter().take(count - roots.len()).map(|i| tried[i as usize])),
            Err(SelectError::Nothing { .. }) => {}
            Err(error) => return Err(format!("`where` of the roots: {error}")),
        }
        if roots.len() == *count {
            return Ok(roots);
        }
    }
    Err(format!(
        "{part} holds {} of {} random places of the surface, too few for {count} roots; move or enlarge it",
        roots.len(),
        ROUNDS * each
    ))
}
