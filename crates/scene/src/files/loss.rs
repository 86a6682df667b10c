//! Losses: parts of a mesh that a format cannot hold.

use formats::{Format, Groups};
use geometry::doctor::renumber;
use model::mesh::Mesh;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Part of a mesh that a file will not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Tets; the triangles around them are written.
    Tets {
        /// Number of tets.
        count: usize,
        /// Triangles of their surface.
        surface: usize,
    },
    /// Triangles beside the tets.
    Triangles {
        /// Number of triangles.
        count: usize,
    },
    /// Edges.
    Edges {
        /// Number of edges.
        count: usize,
    },
    /// Springs of cloth across its triangles: shear and bending.
    Springs {
        /// Number of springs.
        count: usize,
    },
    /// Groups.
    Groups {
        /// Number of groups.
        count: usize,
    },
    /// Groups without triangles, in formats that have groups of triangles only.
    GroupsWithoutTriangles {
        /// Number of groups.
        count: usize,
    },
    /// Names of groups; an element in several groups gets the number of the first.
    Names {
        /// Number of names.
        count: usize,
    },
    /// Digits of the coordinates.
    Digits,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Tets { count, surface } => {
                write!(f, "holds no tets: instead of {count} tets their surface of {surface} triangles is written")
            }
            Loss::Triangles { count } => write!(f, "holds no triangles: {count} are left out"),
            Loss::Edges { count } => write!(f, "holds no edges: {count} are left out"),
            Loss::Springs { count } => write!(f, "holds no shear and bending springs: {count} are left out"),
            Loss::Groups { count } => write!(f, "holds no groups: {count} are left out"),
            Loss::GroupsWithoutTriangles { count } => {
                write!(f, "holds groups of triangles only: {count} without are left out")
            }
            Loss::Names { count } => {
                write!(f, "holds one number, no name, for what is in a group: {count} names are left out")
            }
            Loss::Digits => f.write_str("holds coordinates in single precision: seven digits"),
        }
    }
}

/// Returns the part of a mesh that a format can hold, and the losses.
pub fn reduce<'m>(mesh: &'m Mesh, format: &Format) -> (Cow<'m, Mesh>, Vec<Loss>) {
    let (mut mesh, mut losses) = (Cow::Borrowed(mesh), Vec::new());
    if !format.holds.tets && !mesh.tets.is_empty() {
        let solid = mesh.to_mut();
        renumber::name_corners(solid);
        let surface = add_surface(solid);
        let count = renumber::retain_tets(solid, |_, _| false);
        losses.push(Loss::Tets { count, surface });
    }
    if !format.holds.triangles && !mesh.triangles.is_empty() {
        let count = renumber::retain_triangles(mesh.to_mut(), |_, _| false);
        losses.push(Loss::Triangles { count });
    }
    if !format.holds.edges && !mesh.edges.is_empty() {
        losses.push(Loss::Edges { count: mesh.edges.len() });
        mesh.to_mut().edges.clear();
    }
    let springs = mesh.shear.len() + mesh.bends.len();
    if springs > 0 {
        losses.push(Loss::Springs { count: springs });
        let cloth = mesh.to_mut();
        (cloth.shear, cloth.bends) = (Vec::new(), Vec::new());
    }
    let groups = mesh.groups.len();
    match format.holds.groups {
        Groups::None if groups > 0 => {
            losses.push(Loss::Groups { count: groups });
            mesh.to_mut().groups.clear();
        }
        Groups::OfTriangles if groups > 0 => {
            let kept = &mut mesh.to_mut().groups;
            kept.retain(|_, group| !group.triangles.is_empty());
            kept.values_mut().for_each(|group| (group.nodes, group.tets) = (Vec::new(), Vec::new()));
            let count = groups - kept.len();
            losses.extend((count > 0).then_some(Loss::GroupsWithoutTriangles { count }));
        }
        Groups::Numbered if groups > 0 => losses.push(Loss::Names { count: groups }),
        _ => {}
    }
    // Nodes of removed elements would be loose in the file.
    if matches!(losses.first(), Some(Loss::Tets { .. } | Loss::Triangles { .. } | Loss::Edges { .. })) {
        renumber::drop_unused(mesh.to_mut());
        renumber::drop_empty_groups(mesh.to_mut());
    }
    if !format.holds.exact && mesh.points.iter().flatten().any(|&x| f64::from(x as f32) != x) {
        losses.push(Loss::Digits);
    }
    (mesh, losses)
}

/// Adds missing triangles of the surface of the tets; returns the number of triangles of the surface.
fn add_surface(mesh: &mut Mesh) -> usize {
    let sorted = |triangle: &[u32; 3]| {
        let mut key = *triangle;
        key.sort_unstable();
        key
    };
    let given: HashSet<[u32; 3]> = mesh.triangles.iter().map(sorted).collect();
    let surface = mesh.boundary_triangles();
    let count = surface.len();
    mesh.triangles.extend(surface.into_iter().filter(|triangle| !given.contains(&sorted(triangle))));
    count
}
