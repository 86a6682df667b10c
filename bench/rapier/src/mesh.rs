//! The mesh as text: words between white space.
//!
//!   NODES TETS, then a node each  X Y Z MASS FIXED  ([m], [kg], 0 or 1), then a tet each four nodes, from 0

use std::error::Error;
use std::str::{FromStr, SplitWhitespace};

/// A body to be stepped.
pub struct Mesh {
    /// [m]
    pub points: Vec<[f32; 3]>,
    /// Of each node [kg].
    pub masses: Vec<f32>,
    /// Nodes that do not move.
    pub fixed: Vec<u32>,
    /// Nodes of each tet.
    pub tets: Vec<[u32; 4]>,
}

fn next<T: FromStr>(words: &mut SplitWhitespace) -> Result<T, Box<dyn Error>>
where
    T::Err: Error + 'static,
{
    Ok(words.next().ok_or("the mesh ends too early: write it again")?.parse::<T>()?)
}

impl Mesh {
    /// Reads the text.
    pub fn parse(text: &str) -> Result<Mesh, Box<dyn Error>> {
        let words = &mut text.split_whitespace();
        let (nodes, tets): (u32, u32) = (next(words)?, next(words)?);
        let mut mesh = Mesh { points: Vec::new(), masses: Vec::new(), fixed: Vec::new(), tets: Vec::new() };
        for node in 0..nodes {
            mesh.points.push([next(words)?, next(words)?, next(words)?]);
            mesh.masses.push(next(words)?);
            if next::<u8>(words)? == 1 {
                mesh.fixed.push(node);
            }
        }
        for _ in 0..tets {
            let tet = [next(words)?, next(words)?, next(words)?, next(words)?];
            if tet.iter().any(|&node| node >= nodes) {
                return Err(format!("a tet has a node beyond the {nodes} there are: write the mesh again").into());
            }
            mesh.tets.push(tet);
        }
        Ok(mesh)
    }

    /// The nodes with the largest x.
    pub fn tip(&self) -> Vec<usize> {
        let end = self.points.iter().fold(f32::MIN, |end, point| end.max(point[0]));
        (0..self.points.len()).filter(|&node| self.points[node][0] == end).collect()
    }
}
