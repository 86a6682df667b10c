//! Mesh files: bytes in, mesh out, and back.
//!
//! Useful on its own: reads Gmsh (2.2 and 4.1), Medit, TetGen, Vega, VTU, VTK, OBJ, PLY and STL, text and binary, and writes most of them.
//! Tets, triangles, edges and named groups are kept where a format can hold them.
//!
//! ```
//! use formats::{Encoding, Format, Input, read};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bytes = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat
//! $Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes
//! $Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";
//! let beside = |name: &str| Err(format!("{name} is not needed"));
//! let mesh = read(&Input { name: "one.msh", bytes, beside: &beside })?;
//! assert_eq!((mesh.points.len(), mesh.tets.len()), (4, 1));
//! assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
//!
//! let vtu = Format::of("one.vtu")?.write.ok_or("it cannot be written")?;
//! let written: Vec<u8> = vtu(&mesh, Encoding::Binary);
//! assert_eq!(read(&Input { name: "one.vtu", bytes: &written, beside: &beside })?.tets, mesh.tets);
//!
//! // Errors name the line or byte.
//! let broken = &bytes[..bytes.len() - 20];
//! let error = read(&Input { name: "one.msh", bytes: broken, beside: &beside }).unwrap_err();
//! assert!(error.to_string().contains("line 13"), "{error}");
//! # Ok(())
//! # }
//! ```
//!
//! A format is a file and a row of [`FORMATS`]. Readers are given bytes and never touch the file system; what lies beside
//! a file (the `.node` of an `.ele`) they ask for by name. No bytes make them panic or allocate more than a small
//! multiple of the file: every count is checked against what is left of it first.
//!
//! A mesh that was read has finite points and indices in range. [`read_leniently`] also reads meshes that have not, so that
//! they can be examined and mended. [`model::mesh::Mesh::validate`] checks if a mesh can be simulated: flat, inverted or
//! repeated-node elements are its errors.

use model::mesh::{Mesh, closest_name};

mod binary;
mod care;
mod cells;
mod error;
mod foreign;
mod gmsh;
mod medit;
mod numbering;
mod numbers;
mod obj;
mod ply;
mod quote;
mod rows;
mod scalar;
mod stl;
mod surface;
mod tetgen;
mod text;
mod vega;
mod vtk;
mod vtk_cells;
pub mod vtu;

pub use care::{Care, Doubt};
pub use error::{Fault, FormatError, Position};
pub use obj::{FORMAT as OBJ, texture as obj_texture};

/// Input of a reader.
pub struct Input<'a> {
    /// The file's name without its directory: `liver.ele`.
    pub name: &'a str,
    /// The file.
    pub bytes: &'a [u8],
    /// Fetches a file of the same directory by its bare name; says why it cannot.
    pub beside: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
}

/// Encoding of a file, for formats that have both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Numbers as the machine has them: exact, small, fast.
    #[default]
    Binary,
    /// Numbers as text, with as many digits as it takes to read them back to the bit.
    Ascii,
}

/// Parts of a mesh that a format can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holds {
    /// Tets; without them it is a format of surfaces.
    pub tets: bool,
    /// Triangles beside the tets.
    pub triangles: bool,
    /// Edges: springs.
    pub edges: bool,
    /// Groups.
    pub groups: Groups,
    /// True if coordinates come back to the bit; STL has single precision.
    pub exact: bool,
}

/// Kinds of groups that a format can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// Nothing.
    None,
    /// A number for each node and element: that of the first group that it is in. Names are lost.
    Numbered,
    /// Names of triangles.
    OfTriangles,
    /// Names of anything.
    Named,
}

/// A mesh file format.
#[derive(Debug)]
pub struct Format {
    /// Its name: `gmsh`.
    pub name: &'static str,
    /// File name extensions, the usual one first, without the dot.
    pub extensions: &'static [&'static str],
    /// Description in a sentence.
    pub description: &'static str,
    /// Parts of a mesh that it can hold.
    pub holds: Holds,
    /// Reads it.
    pub read: Option<Reader>,
    /// Writes it; what the format cannot say is left out.
    pub write: Option<Writer>,
    /// Extensions and writers of both files, for formats that have two beside each other.
    pub pair: Option<[(&'static str, Writer); 2]>,
}

/// Bytes to a mesh.
pub type Reader = fn(&Input, Care) -> Result<Mesh, FormatError>;
/// A mesh to bytes.
pub type Writer = fn(&Mesh, Encoding) -> Vec<u8>;

/// Every format.
#[rustfmt::skip]
pub const FORMATS: &[Format] = &[
    gmsh::FORMAT,
    medit::FORMAT,
    medit::BINARY_FORMAT,
    tetgen::FORMAT,
    vega::FORMAT,
    vtu::FORMAT,
    vtk::FORMAT,
    obj::FORMAT,
    ply::FORMAT,
    stl::FORMAT,
];

impl Format {
    /// The format of a file of this name, by how it ends.
    pub fn of(name: &str) -> Result<&'static Format, FormatError> {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        FORMATS.iter().find(|format| format.extensions.contains(&ending.as_str())).ok_or_else(|| {
            let known = || FORMATS.iter().flat_map(|format| format.extensions).copied();
            let closest = closest_name(&ending, known()).filter(|_| !ending.is_empty()).map(str::to_string);
            let ending = text::quote(ending.as_bytes());
            FormatError::whole("", Fault::UnknownEnding { ending, known: known().collect(), closest })
        })
    }
}

/// Reads a mesh file, its format known by its name. Says as error what makes it unreadable, and where.
pub fn read(input: &Input) -> Result<Mesh, FormatError> {
    read_with(input, Care::STRICT)
}

/// Reads a mesh file for a doctor: points may be NaN or infinite, and elements may name nodes beyond the points. What else
/// was wrong, and how it was read nevertheless, is said beside the mesh. Groups name only nodes that are there.
pub fn read_leniently(input: &Input) -> Result<(Mesh, Vec<Doubt>), FormatError> {
    let doubts = care::Doubts::default();
    let mut mesh = read_with(input, Care::lenient(&doubts))?;
    let points = mesh.points.len();
    mesh.groups.values_mut().for_each(|group| group.nodes.retain(|&node| (node as usize) < points));
    Ok((mesh, doubts.into_list()))
}

fn read_with(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let format = Format::of(input.name)?;
    let read = format.read.ok_or_else(|| FormatError::whole(format.name, Fault::WriteOnly))?;
    if input.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(FormatError::whole(format.name, Fault::Empty));
    }
    foreign::refuse(format.name, input.bytes)?;
    read(input, care)
}
