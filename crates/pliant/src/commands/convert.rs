//! `pliant convert`: writes a mesh file in another format.

use crate::failure::{DONE, Failure};
use crate::print;
use formats::{Encoding, Format};
use model::mesh::{Mesh, MeshError};
use scene::files::{Loss, MeshFileError, format_to_write, read_mesh, reduce, write_mesh};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Arguments of `pliant convert`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Mesh file to read; see `pliant list formats`
    from: PathBuf,
    /// Mesh file to write; its extension decides the format
    to: PathBuf,
    /// Write numbers as text, in formats that also have a binary form
    #[arg(long)]
    ascii: bool,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
}

/// Converts the file.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    print::failure_json(arguments.json, convert(arguments))
}

fn convert(arguments: &Arguments) -> Result<u8, Failure> {
    let Arguments { from, to, ascii, json } = arguments;
    // Checked before minutes of reading.
    let format = format_to_write(to).map_err(|error| Failure::Usage(error.to_string()))?;
    let mesh = read_mesh(from)?;
    if let Err(error @ MeshError::RepeatedNode { .. }) = mesh.validate() {
        return Err(MeshFileError::Unusable { path: from.clone(), error: Box::new(error), fix: "degenerate" }.into());
    }
    let encoding = if *ascii { Encoding::Ascii } else { Encoding::Binary };
    let (written, losses) = reduce(&mesh, format);
    write_mesh(to, &written, encoding)?;
    if *json {
        let lost: Vec<String> = losses.iter().map(Loss::to_string).collect();
        print::out(&format!(
            "{}\n",
            json!({ "outcome": "done", "format": format.name, "read": counts(&mesh), "written": counts(&written), "lost": lost })
        ));
        return Ok(DONE);
    }
    let mut text = format!("read   {}: {}\n", from.display(), contents(&mesh));
    text += &format!("wrote  {}: {}\n", to.display(), contents(&written));
    losses.iter().for_each(|loss| text += &format!("note   {} {loss}\n", format.name));
    print::out(&text);
    Ok(DONE)
}

/// Counts the elements of each kind in a mesh.
pub(super) fn counts(mesh: &Mesh) -> serde_json::Value {
    let springs = mesh.shear.len() + mesh.bends.len();
    json!({
        "nodes": mesh.points.len(), "tets": mesh.tets.len(), "triangles": mesh.triangles.len(),
        "edges": mesh.edges.len(), "springs": springs, "groups": mesh.groups.len(),
    })
}

/// Describes the contents of a mesh in words.
pub(super) fn contents(mesh: &Mesh) -> String {
    let kinds = [
        (mesh.points.len(), "node"),
        (mesh.tets.len(), "tet"),
        (mesh.triangles.len(), "triangle"),
        (mesh.edges.len(), "edge"),
        (mesh.shear.len() + mesh.bends.len(), "spring"),
        (mesh.groups.len(), "group"),
    ];
    let there = kinds.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> =
        there.map(|(count, kind)| format!("{count} {kind}{}", if *count == 1 { "" } else { "s" })).collect();
    if words.is_empty() { "nothing".to_string() } else { words.join(", ") }
}

/// Returns true if two paths name one file, existing or not, or files of one pair.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    let pair = |path: &Path| Format::of(&path.file_name()?.to_string_lossy()).ok()?.pair.map(|pair| pair[0].0);
    if let (Some(ending), Some(other)) = (pair(a), pair(b))
        && ending == other
    {
        return is_one(&a.with_extension(ending), &b.with_extension(ending));
    }
    is_one(a, b)
}

fn is_one(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize().ok().or_else(|| Some(directory.canonicalize().ok()?.join(path.file_name()?)))
    };
    a == b || matches!((whole(a), whole(b)), (Some(a), Some(b)) if a == b)
}
