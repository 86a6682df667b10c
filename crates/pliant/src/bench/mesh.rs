//! Reading meshes of a million tets, compared with meshio on the same files in the same run, and filling bodies of 100k
//! vertices.
//!
//! The mesh is a box of Kuhn tets whose nodes are shifted a little, each differently, so that coordinates have all
//! their digits. meshio, the independent program, writes the files where it can; opening them is part of reading. The
//! two take turns, pliant with two threads, and for each the fastest counts; files are in the system's cache. Memory is
//! that of a process that does nothing else.
//!
//! The ratio of a format is that of the file which programs write by default: .msh 4.1 (Gmsh) and .mesh (Medit) as
//! text, VTU compressed by zlib within base64 (meshio; ParaView's compressor too). All others are shown beside it.

mod alone;
mod filling;
mod meshio;
mod reading;

use super::bodies::Cuboid;
use super::{Findings, Folder, Report};
use crate::failure::Failure;
use meshio::Meshio;
use model::mesh::Mesh;
use serde_json::{Value, json};
use std::path::Path;

/// Threads of pliant.
const THREADS: usize = 2;
/// Cells along the edges of the box, six tets each: 1,008,000 tets.
const CELLS: [usize; 3] = [60, 56, 50];

/// Makes the box: tets alone, its nodes shifted by up to a tenth of a cell.
fn shaken_box() -> Result<Mesh, Failure> {
    let cuboid = Cuboid { size: [1.0; 3], cells: CELLS, young: 1.0, poisson: 0.0 };
    let Mesh { mut points, tets, .. } = cuboid.mesh()?;
    // A Weyl sequence: deterministic, with no two values alike.
    let mut phase = 0.0_f64;
    for x in points.as_flattened_mut() {
        phase = (phase + 0.618_033_988_749_894_9).fract();
        *x += 0.1 * (phase - 0.5) / 60.0;
    }
    Ok(Mesh { points, tets, ..Mesh::default() })
}

/// Returns the size of a file [MB].
fn megabytes(path: &Path) -> Result<f64, Failure> {
    let facts = std::fs::metadata(path).map_err(|error| Failure::bench(format!("{}: {error}", path.display())))?;
    Ok(facts.len() as f64 / 1e6)
}

/// Measures everything.
pub fn run() -> Result<Report, Failure> {
    if let Some(peak) = alone::asked() {
        return peak.map(|text| Report { text, json: Value::Null });
    }
    let mut findings = Findings::default();
    let folder = Folder::new("mesh")?;
    // Fails only if the pool exists already; then the report shows its number of threads.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build_global();
    let mut meshio = Meshio::start();
    if let Err(reason) = &meshio {
        findings.say(&format!("without meshio, only the files that pliant writes: {reason}"));
        findings.json.insert("error".into(), json!(reason));
    }
    reading::measure(&shaken_box()?, &folder, &mut meshio, &mut findings)?;
    filling::measure(&folder, &mut findings)?;
    findings.json.insert("threads".into(), json!(rayon::current_num_threads()));
    Ok(Report { text: findings.text, json: findings.json.into() })
}
