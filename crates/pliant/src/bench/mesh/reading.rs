//! Time to read one mesh from many kinds of files, by pliant and by meshio.

use super::super::time;
use super::meshio::Meshio;
use super::{Findings, Folder, alone, megabytes};
use crate::failure::Failure;
use formats::Encoding;
use model::mesh::Mesh;
use scene::files::{read_mesh, write_mesh};
use serde_json::{Value, json};
use std::path::Path;

/// Largest and least number of turns.
const TURNS: [usize; 2] = [7, 3];
/// Time of meshio after which only the least number of turns is run [ms].
const PATIENCE: f64 = 4e3;
/// Goal for the speed relative to meshio, for the main file of a format.
const GOAL: f64 = 10.0;

/// Program that writes a file.
enum By {
    Pliant(Encoding),
    /// Its options, as JSON.
    Meshio(&'static str),
}

/// A format in one of its forms. The first form of a format is its main one.
struct Variant {
    format: &'static str,
    name: &'static str,
    ending: &'static str,
    by: By,
}

const fn variant(format: &'static str, name: &'static str, ending: &'static str, by: By) -> Variant {
    Variant { format, name, ending, by }
}

#[rustfmt::skip]
const VARIANTS: &[Variant] = &[
    variant("read_msh", "text", "msh", By::Meshio(r#"{ "file_format": "gmsh", "binary": false }"#)),
    variant("read_msh", "binary", "msh", By::Meshio(r#"{ "file_format": "gmsh", "binary": true }"#)),
    variant("read_msh", "text_22", "msh", By::Meshio(r#"{ "file_format": "gmsh22", "binary": false }"#)),
    variant("read_mesh", "text", "mesh", By::Meshio("{}")),
    variant("read_mesh", "binary", "meshb", By::Meshio("{}")),
    variant("read_vtu", "zlib", "vtu", By::Meshio("{}")),
    variant("read_vtu", "base64", "vtu", By::Meshio(r#"{ "compression": null }"#)),
    variant("read_vtu", "pliant", "vtu", By::Pliant(Encoding::Binary)),
    variant("read_vtu", "text", "vtu", By::Pliant(Encoding::Ascii)),
    variant("read_vtk", "binary", "vtk", By::Meshio(r#"{ "file_format": "vtk42" }"#)),
    variant("read_vtk", "text", "vtk", By::Meshio(r#"{ "file_format": "vtk42", "binary": false }"#)),
];

/// Reads the mesh from files of every variant.
pub(super) fn measure(
    mesh: &Mesh,
    folder: &Folder,
    meshio: &mut Result<Meshio, String>,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let version = meshio.as_ref().map_or(String::new(), |meshio| format!(" beside meshio {}", meshio.version));
    findings.say(&format!("reading {} points and {} tets{version}:", mesh.points.len(), mesh.tets.len()));
    let source = folder.file("source.vtu");
    write_mesh(&source, mesh, Encoding::Binary)?;
    for Variant { format, name, ending, by } in VARIANTS {
        let file = folder.file(&format!("{name}.{ending}"));
        match (by, &mut *meshio) {
            (By::Pliant(encoding), _) => write_mesh(&file, mesh, *encoding)?,
            (By::Meshio(options), Ok(meshio)) => {
                let options: Value = serde_json::from_str(options).map_err(Failure::bench)?;
                meshio.write(&source, &file, &options).map_err(Failure::bench)?;
            }
            (By::Meshio(_), Err(_)) => continue,
        }
        let row = read(mesh, &file, meshio, &format!("{format}.{name}"), findings)?;
        let of_format = findings.json.entry(*format).or_insert_with(|| json!({}));
        if of_format.get("variant").is_none() {
            of_format["ratio"] = row["ratio"].clone();
            of_format["variant"] = json!(name);
        }
        of_format[*name] = row;
        // One file at a time: temporary folders may be small.
        std::fs::remove_file(&file).map_err(Failure::bench)?;
    }
    Ok(())
}

/// Reads one file in turns.
fn read(
    mesh: &Mesh,
    file: &Path,
    meshio: &mut Result<Meshio, String>,
    name: &str,
    findings: &mut Findings,
) -> Result<Value, Failure> {
    let megabytes = megabytes(file)?;
    let first = read_mesh(file)?;
    // Text of other programs may have fewer digits.
    let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
    let same_points = first.points.as_flattened().iter().zip(mesh.points.as_flattened()).all(close);
    if first.tets != mesh.tets || first.points.len() != mesh.points.len() || !same_points {
        return Err(Failure::bench(format!("{name}: what was read is not what was written")));
    }
    drop(first);
    let peak = alone::peak(file, None);
    let [mut ours, mut theirs, mut patience] = [f64::INFINITY, f64::INFINITY, PATIENCE];
    for turn in 0..TURNS[0] {
        let (read, ms) = time(|| read_mesh(file));
        read?;
        ours = ours.min(ms);
        if let Ok(meshio) = &mut *meshio {
            let read = meshio.read(file).map_err(Failure::bench)?;
            if [read.points, read.tets] != [mesh.points.len() as u64, mesh.tets.len() as u64] {
                return Err(Failure::bench(format!("{name}: meshio read another mesh")));
            }
            theirs = theirs.min(read.ms);
            patience -= read.ms;
        }
        if turn + 1 >= TURNS[1] && patience < 0.0 {
            break;
        }
    }
    let mb_per_s = |ms: f64| 1e3 * megabytes / ms;
    let mut row = json!({
        "megabytes": megabytes, "pliant_ms": ours, "pliant_mb_per_s": mb_per_s(ours), "pliant_peak_mib": peak,
    });
    let mut said = format!("  {name:17} {megabytes:6.1} MB: pliant {ours:6.1} ms, {:5.0} MB/s", mb_per_s(ours));
    if meshio.is_ok() {
        let ratio = theirs / ours;
        row["meshio_ms"] = json!(theirs);
        row["meshio_mb_per_s"] = json!(mb_per_s(theirs));
        row["ratio"] = json!(ratio);
        said += &format!("; meshio {theirs:6.0} ms, {:5.0} MB/s; ratio {ratio:.1}", mb_per_s(theirs));
    }
    if matches!(name, "read_msh.text" | "read_mesh.text" | "read_vtu.zlib") {
        said += &format!(" (to reach: {GOAL})");
    }
    if let Some(peak) = peak {
        said += &format!("; peak memory {peak:.0} MiB");
    }
    findings.say(&said);
    Ok(row)
}
