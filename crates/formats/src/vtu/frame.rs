//! A frame of a run: its mesh, the body of each cell, and the velocities of its points.

use model::mesh::Mesh;
use numerics::mat3::Vec3;

use super::array::Decoder;
use super::xml;
use crate::error::{Fault, FormatError};

/// Content of a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Points [m] and elements.
    pub mesh: Mesh,
    /// Number of the body of each cell, in the order of the file; empty if not stored.
    pub bodies: Vec<u32>,
    /// Velocity of each point [m/s]; empty if not stored.
    pub velocities: Vec<Vec3>,
    /// Thickness of the lines at each point [m], 0 where there are none; empty if not stored.
    pub thickness: Vec<f64>,
}

/// Name of the array with the thickness of lines.
pub const THICKNESS: &str = "thickness";

/// Reads a frame.
pub fn read_frame(bytes: &[u8]) -> Result<Frame, FormatError> {
    let file = xml::parse(bytes, &["body", "velocity", THICKNESS])?;
    let decoder = Decoder::new(&file);
    let mut frame = Frame { mesh: super::mesh(&file, &decoder)?, ..Frame::default() };
    for piece in &file.pieces {
        for array in &piece.arrays {
            match (array.section.as_str(), array.name.as_str()) {
                ("CellData", "body") => {
                    frame.bodies.extend(decoder.read::<u32, 1>(array, piece.cells)?.as_flattened());
                }
                ("PointData", "velocity") if array.components != 3 => {
                    let what = format!("{} with 3 components", decoder.describe(array));
                    return Err(decoder.error(array, Fault::Expected { what, found: array.components.to_string() }));
                }
                ("PointData", "velocity") => frame.velocities.extend(decoder.read::<f64, 3>(array, piece.points)?),
                ("PointData", THICKNESS) if array.components == 1 => {
                    frame.thickness.extend(decoder.read::<f64, 1>(array, piece.points)?.as_flattened());
                }
                _ => {}
            }
        }
    }
    // A piece without the array, or with it twice, would shift the rest.
    if frame.velocities.len() != frame.mesh.points.len() {
        frame.velocities.clear();
    }
    if frame.thickness.len() != frame.mesh.points.len() {
        frame.thickness.clear();
    }
    Ok(frame)
}
