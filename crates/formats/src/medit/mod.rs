//! Medit's `.mesh` (text) and `.meshb` (binary, versions 1 to 4, of either byte order).
//!
//! Elements have a reference, a number, where other formats have groups. Reference N of a tet or triangle becomes the group
//! `ref-N`, that of a vertex the group `vertex-ref-N` of nodes; 0 is none, and references of edges are ignored.
//! References that are all different (more than some thousands) number something else and become no groups. A
//! quadrilateral becomes two triangles; curved elements and other shapes are refused; keywords that do not concern the
//! mesh itself (normals, ridges, required vertices) are ignored.
//!
//! References are written: the position, from 1, of the first group in order of names that holds the element. Names are
//! kept in comments at most. Shear and bending springs are left out.

use model::mesh::Mesh;

use crate::care::{Care, NOWHERE};
use crate::cells::{Cells, Labels, name_labels};
use crate::error::{Fault, FormatError};
use crate::numbering::few_enough;
use crate::{Format, Groups, Holds, Input};

mod binary;
mod text;
pub(crate) mod write;

const NAME: &str = "medit";
const HOLDS: Holds = Holds { tets: true, triangles: true, edges: true, groups: Groups::Numbered, exact: true };

/// Row of the table for text files.
pub(crate) const FORMAT: Format = Format {
    name: NAME,
    extensions: &["mesh"],
    description: "Medit's meshes as text; references become groups",
    holds: HOLDS,
    read: Some(read),
    write: Some(|mesh, _| write::text(mesh)),
    pair: None,
};

/// Row of the table for binary files.
pub(crate) const BINARY_FORMAT: Format = Format {
    name: "medit-binary",
    extensions: &["meshb"],
    description: "Medit's meshes in binary; references become groups",
    holds: HOLDS,
    read: Some(read),
    write: Some(|mesh, _| write::binary(mesh)),
    pair: None,
};

/// Reads either kind by its content, whatever its name.
fn read(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let content = match input.bytes {
        [1, 0, 0, 0, ..] | [0, 0, 0, 1, ..] => binary::read(input.bytes, care)?,
        _ => text::read(input.bytes, care)?,
    };
    content.finish().map_err(|fault| FormatError::whole(NAME, fault))
}

/// Content announced by a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Vertices,
    Edges,
    Triangles,
    Quadrilaterals,
    Tetrahedra,
    /// Unsupported elements.
    Refused(&'static str),
    Dimension,
    End,
    /// Ignored content.
    Other,
}

/// Keywords as text and as number.
const KEYWORDS: &[(&str, i32, Keyword)] = &[
    ("Dimension", 3, Keyword::Dimension),
    ("Vertices", 4, Keyword::Vertices),
    ("Edges", 5, Keyword::Edges),
    ("Triangles", 6, Keyword::Triangles),
    ("Quadrilaterals", 7, Keyword::Quadrilaterals),
    ("Tetrahedra", 8, Keyword::Tetrahedra),
    ("Prisms", 9, Keyword::Refused("prisms")),
    ("Pentahedra", 9, Keyword::Refused("prisms")),
    ("Hexahedra", 10, Keyword::Refused("hexahedra")),
    ("Hexaedra", 10, Keyword::Refused("hexahedra")),
    ("TrianglesP2", 24, Keyword::Refused("curved triangles")),
    ("EdgesP2", 25, Keyword::Refused("curved edges")),
    ("QuadrilateralsQ2", 27, Keyword::Refused("curved quadrilaterals")),
    ("TetrahedraP2", 30, Keyword::Refused("curved tets")),
    ("HexahedraQ2", 33, Keyword::Refused("curved hexahedra")),
    ("Pyramids", 49, Keyword::Refused("pyramids")),
    ("End", 54, Keyword::End),
];

/// Refuses unsupported elements if there are any.
fn refuse(elements: &str, count: u64) -> Result<(), Fault> {
    if count == 0 {
        return Ok(());
    }
    let what = format!("the mesh has {count} {elements}, which cannot be used");
    Err(Fault::Unsupported { what, cure: "mesh it with straight tets and export it again".to_string() })
}

/// Content that was read, node numbers from 0.
#[derive(Default)]
struct Content {
    points: Vec<[f64; 3]>,
    vertex_references: Labels,
    tets: Cells<4>,
    triangles: Cells<3>,
    quadrilaterals: Cells<4>,
    edges: Cells<2>,
}

impl Content {
    fn finish(mut self) -> Result<Mesh, Fault> {
        for (label, run) in self.quadrilaterals.labels().runs() {
            for &[a, b, c, d] in &self.quadrilaterals.nodes[run.start as usize..run.end as usize] {
                self.triangles.push([a, b, c], label);
                self.triangles.push([a, c, d], label);
            }
        }
        few_enough("tets", self.tets.nodes.len())?;
        few_enough("triangles", self.triangles.nodes.len())?;
        let mut mesh = Mesh { points: self.points, ..Mesh::default() };
        let groups = &mut mesh.groups;
        name_labels(groups, "ref-", self.tets.labels(), Some(0), |group| &mut group.tets);
        name_labels(groups, "ref-", self.triangles.labels(), Some(0), |group| &mut group.triangles);
        name_labels(groups, "vertex-ref-", &self.vertex_references, Some(0), |group| &mut group.nodes);
        mesh.tets = self.tets.nodes;
        mesh.triangles = self.triangles.nodes;
        mesh.edges = self.edges.nodes;
        Ok(mesh)
    }

    /// Returns the index of the node with this number; a lenient reader has one for every number.
    #[inline]
    fn index(number: i64, points: usize, lenient: bool) -> Option<u32> {
        let index = (1..=points as i64).contains(&number).then(|| (number - 1) as u32);
        index.or(lenient.then_some(NOWHERE))
    }
}

/// Makes the fault of an element that names a missing node.
fn missing(what: String, number: i64, points: usize) -> Fault {
    Fault::OutOfRange { what: format!("a vertex of {what}"), index: number.into(), low: 1, high: points as i128 }
}

fn without_vertices() -> Fault {
    let what = "there are no Vertices".to_string();
    Fault::Contradiction { what, cure: "copy or export the file again".to_string() }
}
