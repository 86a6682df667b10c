//! `pliant mesh`: fills a shape or a closed surface with tets.

use super::convert::{contents, counts, same_file};
use crate::failure::{DONE, Failure};
use crate::print;
use crate::progress::filling;
use formats::Encoding;
use geometry::{components, dihedral_angles};
use model::mesh::Mesh;
use scene::Scene;
use scene::body::{Detail, Fill};
use scene::files::{Loss, MeshFileError, fill_file, format_to_write, read_regular, reduce, write_mesh};
use scene::solid::{Made, is_shape_file};
use serde_json::json;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Arguments of `pliant mesh`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Shape file (.toml with [[part]]), closed surface (OBJ, PLY, STL ...), or a scene whose body is taken
    shape: PathBuf,
    /// Mesh file to write; its extension decides the format
    #[arg(short, long)]
    output: PathBuf,
    /// Approximate number of vertices [default: that of a shape file]
    #[arg(long, value_parser = clap::value_parser!(u32).range(8..=5_000_000))]
    vertices: Option<u32>,
    /// Number of times that tets may double in size from the surface to the middle; 0 for the same size everywhere
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=8))]
    grading: Option<u32>,
    /// Approximate number of vertices of a finer surface, for display and export; "given" for the original triangles
    /// [default: that of a shape file or scene]
    #[arg(long, value_name = "VERTICES", value_parser = detail, requires = "surface_output")]
    surface: Option<Detail>,
    /// File for the finer surface
    #[arg(long, value_name = "FILE")]
    surface_output: Option<PathBuf>,
    /// Body of a scene [default: the first]
    #[arg(long)]
    body: Option<String>,
    /// Write numbers as text, in formats that also have a binary form
    #[arg(long)]
    ascii: bool,
    /// Show no progress bar
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
}

/// Default number of vertices for a surface.
const VERTICES: usize = 10_000;

/// Parses the detail of a finer surface.
fn detail(word: &str) -> Result<Detail, String> {
    if word == "given" {
        return Ok(Detail::Given);
    }
    match word.parse() {
        Ok(vertices @ 8..=1_000_000) => Ok(Detail::Vertices(vertices)),
        _ => Err("give a whole number from 8 to 1000000, or the word given".to_string()),
    }
}

/// Makes the mesh.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    print::failure_json(arguments.json, mesh(arguments))
}

fn mesh(arguments: &Arguments) -> Result<u8, Failure> {
    // Checked before the work is done.
    for output in std::iter::once(&arguments.output).chain(&arguments.surface_output) {
        format_to_write(output).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    if let Some(other) = arguments.surface_output.as_ref().filter(|other| same_file(&arguments.output, other)) {
        let message = format!("{} cannot be both the mesh and its finer surface; name two files", other.display());
        return Err(Failure::Usage(message));
    }
    let start = Instant::now();
    let Made { mesh, spacing, surface } = make(arguments)?;
    let seconds = start.elapsed().as_secs_f64();
    let finer = match (&arguments.surface_output, surface) {
        (Some(output), Some(surface)) => Some((output, surface)),
        (None, _) => None,
        (Some(_), None) => {
            let message = "nothing says how fine the surface of --surface-output is; say --surface VERTICES, or \
                           `surface` for the body of the scene";
            return Err(Failure::Usage(message.to_string()));
        }
    };
    let encoding = if arguments.ascii { Encoding::Ascii } else { Encoding::Binary };
    let body = write(&arguments.output, &mesh, encoding)?;
    let finer = finer.as_ref().map(|(output, surface)| write(output, surface, encoding)).transpose()?;

    let (_, parts) = components(&mesh);
    let angles = (0..mesh.tets.len()).flat_map(|e| dihedral_angles(&mesh.tet_points(e)));
    let [smallest, largest] = angles.fold([180.0_f64, 0.0_f64], |[low, high], angle| [low.min(angle), high.max(angle)]);
    if arguments.json {
        let mut object = counts(&body.mesh);
        object["outcome"] = json!("done");
        object["parts"] = json!(parts);
        object["dihedral_angles"] = json!([smallest, largest]);
        object["spacing"] = json!(spacing);
        object["seconds"] = json!(seconds);
        object["lost"] = json!(body.lost());
        object["surface"] = json!(finer.as_ref().map(|surface| {
            let mut object = counts(&surface.mesh);
            object["lost"] = json!(surface.lost());
            object
        }));
        print::out(&format!("{object}\n"));
        return Ok(DONE);
    }
    let mut text = body.said(&format!(" in {seconds:.2} s"));
    text.extend(finer.map(|surface| surface.said("")));
    if !mesh.tets.is_empty() {
        text += &format!("angles between faces from {smallest:.1} to {largest:.1} degrees\n");
    }
    if let Some(spacing) = spacing {
        text += &format!("cells at the surface are {} m wide: what is thinner breaks\n", print::short(spacing));
    }
    if parts > 1 {
        text += &format!(
            "note   the mesh has {parts} parts that share no face; ask for more vertices if thin places broke\n"
        );
    }
    print::out(&text);
    Ok(DONE)
}

/// A mesh that was written.
struct Written<'a> {
    to: &'a Path,
    format: &'static str,
    mesh: Cow<'a, Mesh>,
    losses: Vec<Loss>,
}

fn write<'a>(to: &'a Path, mesh: &'a Mesh, encoding: Encoding) -> Result<Written<'a>, MeshFileError> {
    let format = format_to_write(to)?;
    let (mesh, losses) = reduce(mesh, format);
    write_mesh(to, &mesh, encoding)?;
    Ok(Written { to, format: format.name, mesh, losses })
}

impl Written<'_> {
    fn lost(&self) -> Vec<String> {
        self.losses.iter().map(Loss::to_string).collect()
    }

    fn said(&self, more: &str) -> String {
        let mut text = format!("wrote  {}: {}{more}\n", self.to.display(), contents(&self.mesh));
        self.losses.iter().for_each(|loss| text += &format!("note   {} {loss}\n", self.format));
        text
    }
}

fn make(arguments: &Arguments) -> Result<Made, Failure> {
    let Arguments { shape, vertices, grading, surface, body, quiet, .. } = arguments;
    let progress = filling(*quiet || arguments.json);
    let vertices = vertices.map(|n| n as usize);
    if is_scene(shape) {
        if vertices.is_some() || grading.is_some() || surface.is_some() {
            let message = "a scene says itself how fine its bodies are; leave out --vertices, --grading and --surface";
            return Err(Failure::Usage(message.to_string()));
        }
        return Ok(Scene::load(shape)?.mesh_of(body.as_deref(), &progress)?);
    }
    if body.is_some() {
        return Err(Failure::Usage("--body is for scenes, which have several; leave it out".to_string()));
    }
    let says_its_own = is_toml(shape);
    let vertices = vertices.or(if says_its_own { None } else { Some(VERTICES) });
    let fill = Fill { vertices, grading: *grading, surface: *surface };
    Ok(fill_file(shape, &fill, &progress)?.0)
}

/// Returns true for a TOML file without parts at its top: it is taken for a scene, whose errors explain what is wrong.
fn is_scene(path: &Path) -> bool {
    let text = || String::from_utf8(read_regular(path).ok()?).ok();
    is_toml(path) && text().is_some_and(|text| !is_shape_file(&text))
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}
