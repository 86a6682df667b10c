//! A frame of a run: its mesh, which body a cell belongs to, and how fast its points are.

use model::mesh::Mesh;
use numerics::mat3::Vec3;

use super::array::Decoder;
use super::xml;
use crate::error::{Fault, FormatError};

/// What a frame shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Its points [m], and what connects them.
    pub mesh: Mesh,
    /// The number of the body of each cell, in the order of the file; empty if it does not say.
    pub bodies: Vec<u32>,
    /// The velocity of each point [m/s]; empty if it does not say.
    pub velocities: Vec<Vec3>,
}

/// Reads a frame.
pub fn read_frame(bytes: &[u8]) -> Result<Frame, FormatError> {
    let file = xml::parse(bytes, &["body", "velocity"])?;
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
                _ => {}
            }
        }
    }
    // A piece that says nothing, or an array that stands twice, would leave the rest out of step.
    if frame.velocities.len() != frame.mesh.points.len() {
        frame.velocities.clear();
    }
    Ok(frame)
}
