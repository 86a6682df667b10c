//! Vega's `.veg`: vertices and tets as tables like TetGen's, perhaps in included files, with sets, materials and
//! regions.
//!
//! A set becomes a group of tets of its name. A material becomes the group of the tets that the regions assign to it,
//! where later regions override earlier ones; its properties are ignored. Cubes are refused.

use std::collections::{BTreeMap, BTreeSet};

use model::mesh::Mesh;

use crate::care::Care;
use crate::error::{Fault, FormatError};
use crate::numbering::Numbering;
use crate::tetgen::{Nodes, Tets, read_nodes, read_tets};
use crate::text::{Text, quote};
use crate::{Format, Groups, Holds, Input};

const NAME: &str = "vega";
/// Limit of nested includes.
const MOST_NESTED: usize = 4;
/// Limit of included files in total.
const MOST_INCLUDED: usize = 16;
/// Name of the set that every file has.
const ALL: &str = "allElements";

/// Row of the table.
pub(crate) const FORMAT: Format = Format {
    name: NAME,
    extensions: &["veg"],
    description: "Vega's meshes; sets and materials become groups",
    holds: Holds { tets: true, triangles: false, edges: false, groups: Groups::Named, exact: true },
    read: Some(read),
    write: None,
    pair: None,
};

fn read(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let mut reader =
        Reader { beside: input.beside, care, included: 0, at: Section::Nothing, contents: Contents::default() };
    reader.file(input.bytes, 0)?;
    reader.contents.finish()
}

/// Section that the next lines belong to.
enum Section {
    Nothing,
    Vertices,
    ElementKind,
    Elements,
    Set,
    Region,
}

/// Content that was read.
#[derive(Default)]
struct Contents {
    nodes: Option<Nodes>,
    tets: Option<Tets>,
    /// Names, and numbers of tets.
    sets: Vec<(String, Vec<i64>)>,
    /// A set and its material.
    regions: Vec<(String, String)>,
}

struct Reader<'a> {
    beside: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
    care: Care<'a>,
    included: usize,
    at: Section,
    contents: Contents,
}

impl Reader<'_> {
    fn file(&mut self, bytes: &[u8], nested: usize) -> Result<(), FormatError> {
        let mut text = Text::new(NAME, bytes).with_comments(b'#').with_care(self.care);
        loop {
            let before = text.clone();
            let Some(word) = text.maybe_word() else { return Ok(()) };
            let start = text.at - word.len();
            if word[0] == b'*' {
                let keyword = word.to_ascii_uppercase();
                let rest = line(&mut text);
                self.keyword(&keyword, &rest, nested).map_err(|error| located(error, &text, start))?;
                continue;
            }
            let again = match self.at {
                Section::Vertices => self.contents.nodes.is_some(),
                Section::Elements => self.contents.tets.is_some(),
                _ => false,
            };
            if again {
                let what = "there are two tables of vertices or of elements".to_string();
                return Err(text.error(Fault::Contradiction { what, cure: "join them into one".to_string() }));
            }
            match self.at {
                Section::Vertices => {
                    text = before;
                    self.contents.nodes = Some(read_nodes(&mut text)?);
                    self.at = Section::Nothing;
                }
                Section::ElementKind => {
                    let kind = quote(word).to_ascii_uppercase();
                    if kind != "TET" {
                        let what = format!("elements of the kind {kind} cannot be used");
                        return Err(text.error(Fault::Unsupported { what, cure: "give a mesh of tets".to_string() }));
                    }
                    self.at = Section::Elements;
                }
                Section::Elements => {
                    let nodes = self
                        .contents
                        .nodes
                        .as_ref()
                        .ok_or_else(|| text.error(without("*VERTICES before *ELEMENTS")))?;
                    text = before;
                    self.contents.tets = Some(read_tets(&mut text, &nodes.numbering)?);
                    self.at = Section::Nothing;
                }
                Section::Set => {
                    text.at = start;
                    let Some((name, members)) = self.contents.sets.last_mut() else { continue };
                    for number in line(&mut text).split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
                        members.push(number.parse().map_err(|_| {
                            let what = format!("an element of the set {}", quote(name.as_bytes()));
                            text.error_at(start, Fault::NotNumber { what, found: quote(number.as_bytes()) })
                        })?);
                    }
                }
                Section::Region => {
                    text.at = start;
                    let line = line(&mut text);
                    let (set, material) = line.split_once(',').ok_or_else(|| {
                        let what = "a set, a comma and its material".to_string();
                        text.error_at(start, Fault::Expected { what, found: quote(line.as_bytes()) })
                    })?;
                    self.contents.regions.push((set.trim().to_string(), material.trim().to_string()));
                }
                Section::Nothing => text.skip_line(),
            }
        }
    }

    fn keyword(&mut self, keyword: &[u8], rest: &str, nested: usize) -> Result<(), FormatError> {
        if keyword == b"*SET" {
            self.contents.sets.push((rest.to_string(), Vec::new()));
        }
        self.at = match keyword {
            b"*VERTICES" => Section::Vertices,
            b"*ELEMENTS" => Section::ElementKind,
            b"*SET" => Section::Set,
            b"*REGION" => Section::Region,
            b"*INCLUDE" => return self.include(rest, nested),
            _ => Section::Nothing,
        };
        Ok(())
    }

    fn include(&mut self, name: &str, nested: usize) -> Result<(), FormatError> {
        let refuse = |what: String, cure: &str| {
            Err(FormatError::whole(NAME, Fault::Unsupported { what, cure: cure.to_string() }))
        };
        if name.is_empty() || name.contains(['/', '\\', ':', '\0']) || name.contains("..") {
            let name = quote(name.as_bytes());
            return refuse(format!("'{name}' is not the name of a file beside this one"), "include only such files");
        }
        self.included += 1;
        if nested >= MOST_NESTED || self.included > MOST_INCLUDED {
            return refuse("too many files include each other".to_string(), "put them into one file");
        }
        let bytes = (self.beside)(name)
            .map_err(|reason| FormatError::whole(NAME, Fault::Beside { name: quote(name.as_bytes()), reason }))?;
        self.file(&bytes, nested + 1).map_err(|error| error.within(name))
    }
}

/// Returns the rest of the line without a comment.
fn line(text: &mut Text) -> String {
    let line = text.line().unwrap_or_default();
    let line = line.split(|&byte| Some(byte) == text.comment).next().unwrap_or_default();
    String::from_utf8_lossy(line.trim_ascii()).into_owned()
}

/// Returns the same fault at a position of this text.
fn located(error: FormatError, text: &Text, at: usize) -> FormatError {
    text.error_at(at, error.fault)
}

fn without(what: &str) -> Fault {
    let what = format!("there is no {what}");
    Fault::Contradiction { what, cure: "add it, or export the mesh again".to_string() }
}

impl Contents {
    fn finish(self) -> Result<Mesh, FormatError> {
        let whole = |fault| FormatError::whole(NAME, fault);
        let nodes = self.nodes.ok_or_else(|| whole(without("*VERTICES")))?;
        let tets = self.tets.ok_or_else(|| whole(without("*ELEMENTS")))?;
        let numbering = if self.sets.is_empty() {
            Numbering::new(&[], Care::STRICT)
        } else {
            Numbering::new(&tets.numbers, Care::STRICT)
        };
        let numbering = numbering.map_err(whole)?;
        let mut sets: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (name, numbers) in self.sets {
            let index = |&number: &i64| {
                let what = || format!("the set '{}' names tet {number}, which there is not", quote(name.as_bytes()));
                let cure = || "add the tet, or correct the number".to_string();
                numbering.get(number).ok_or_else(|| whole(Fault::Contradiction { what: what(), cure: cure() }))
            };
            let members = numbers.iter().map(index).collect::<Result<Vec<u32>, _>>()?;
            sets.entry(name).or_default().extend(members);
        }
        let mut mesh = Mesh { points: nodes.points, tets: tets.cells.nodes, ..Mesh::default() };
        // The last region that holds a tet decides; only the last that names a set can.
        let mut free = vec![true; mesh.tets.len()];
        let mut seen = BTreeSet::new();
        let all: Vec<u32> = (0..mesh.tets.len() as u32).collect();
        for (set, material) in self.regions.iter().rev().filter(|(set, _)| seen.insert(set.clone())) {
            let members = sets.get(set).or((set == ALL).then_some(&all)).ok_or_else(|| {
                let what = format!("a region names the set '{}', which there is not", quote(set.as_bytes()));
                whole(Fault::Contradiction { what, cure: "add the set or correct the region".to_string() })
            })?;
            let group = mesh.groups.entry(material.clone()).or_default();
            group.tets.extend(members.iter().filter(|&&tet| std::mem::replace(&mut free[tet as usize], false)));
        }
        for (name, members) in sets {
            mesh.groups.entry(name).or_default().tets.extend(members);
        }
        for group in mesh.groups.values_mut() {
            group.tets.sort_unstable();
            group.tets.dedup();
        }
        Ok(mesh)
    }
}
