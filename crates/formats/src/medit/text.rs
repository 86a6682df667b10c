//! Medit's meshes as text: keywords, each with a count and rows.

use super::{Content, KEYWORDS, Keyword, NAME, missing, refuse, without_vertices};
use crate::care::Care;
use crate::cells::{Cells, Labels};
use crate::error::{Fault, FormatError};
use crate::numbering::few_enough;
use crate::rows::{self, Rows, Source};
use crate::text::{Text, quote};

pub(super) fn read(bytes: &[u8], care: Care) -> Result<Content, FormatError> {
    let mut text = Text::new(NAME, bytes).with_comments(b'#').with_care(care);
    let first = text.word(|| "MeshVersionFormatted".to_string())?;
    if !first.eq_ignore_ascii_case(b"MeshVersionFormatted") {
        let what = "MeshVersionFormatted".to_string();
        return Err(text.error(Fault::Expected { what, found: quote(first) }));
    }
    text.integer(|| "the version".to_string())?;
    // Elements may come before the vertices that they name, so the tables are found first.
    let mut dimension = None;
    let mut content = Content::default();
    let mut points = None;
    let mut later = Vec::new();
    while let Some(word) = text.maybe_word() {
        let keyword = KEYWORDS.iter().find(|(name, ..)| word.eq_ignore_ascii_case(name.as_bytes()));
        match keyword.map_or(Keyword::Other, |&(.., keyword)| keyword) {
            Keyword::End => break,
            Keyword::Dimension => dimension = Some(read_dimension(&mut text)?),
            Keyword::Vertices => {
                let dimension = dimension.ok_or_else(|| {
                    let what = "the vertices come before Dimension".to_string();
                    text.error(Fault::Contradiction { what, cure: "put Dimension first".to_string() })
                })?;
                if points.is_some() {
                    let what = "there are Vertices twice".to_string();
                    return Err(text.error(Fault::Contradiction { what, cure: "join them".to_string() }));
                }
                read_vertices(&mut text, dimension, &mut content)?;
                points = Some(content.points.len());
            }
            Keyword::Refused(elements) => {
                let count = text.number(|| format!("the number of {elements}"))?;
                refuse(elements, count).map_err(|fault| text.error(fault))?;
            }
            Keyword::Other if !word[0].is_ascii_alphabetic() => {
                return Err(text.error(Fault::Expected { what: "a keyword".to_string(), found: quote(word) }));
            }
            Keyword::Other => skip_numbers(&mut text),
            keyword => match points {
                Some(points) => read_elements(&mut text, keyword, points, &mut content)?,
                None => {
                    later.push((keyword, text.at));
                    skip_numbers(&mut text);
                }
            },
        }
    }
    if points.is_none() {
        return Err(text.error(without_vertices()));
    }
    for (keyword, at) in later {
        text.at = at;
        read_elements(&mut text, keyword, content.points.len(), &mut content)?;
    }
    Ok(content)
}

fn read_dimension(text: &mut Text) -> Result<usize, FormatError> {
    match text.integer(|| "the dimension".to_string())? {
        dimension @ (2 | 3) => Ok(dimension as usize),
        index => Err(text.error(Fault::OutOfRange {
            what: "the dimension".to_string(),
            index: index.into(),
            low: 2,
            high: 3,
        })),
    }
}

/// Skips to the next word that begins with a letter: the next keyword. Texts in quotation marks are skipped.
fn skip_numbers(text: &mut Text) {
    loop {
        let before = text.at;
        match text.maybe_word() {
            None => return,
            Some(word) if word[0].is_ascii_alphabetic() => {
                text.at = before;
                return;
            }
            Some(word) if word[0] == b'"' && (word.len() == 1 || !word.ends_with(b"\"")) => {
                let rest = &text.bytes[text.at..];
                let stop = memchr::memchr2(b'"', b'\n', rest).map_or(rest.len(), |i| i + 1);
                text.at += stop;
            }
            Some(_) => {}
        }
    }
}

fn read_vertices(text: &mut Text, dimension: usize, content: &mut Content) -> Result<(), FormatError> {
    let count = text.count("vertices", 2 * (dimension + 1))?;
    few_enough("vertices", count).map_err(|fault| text.error(fault))?;
    for (points, references) in rows::read_table(&VertexRows { dimension }, text, "vertices", count)? {
        content.points.extend(points);
        content.vertex_references.append(references);
    }
    Ok(())
}

fn read_elements(text: &mut Text, keyword: Keyword, points: usize, content: &mut Content) -> Result<(), FormatError> {
    match keyword {
        Keyword::Tetrahedra => read_cells(text, "tet", points, &mut content.tets),
        Keyword::Triangles => read_cells(text, "triangle", points, &mut content.triangles),
        Keyword::Quadrilaterals => read_cells(text, "quadrilateral", points, &mut content.quadrilaterals),
        _ => read_cells(text, "edge", points, &mut content.edges),
    }
}

fn read_cells<const N: usize>(
    text: &mut Text,
    name: &'static str,
    points: usize,
    cells: &mut Cells<N>,
) -> Result<(), FormatError> {
    let things = format!("{name}s");
    let count = text.count(&things, 2 * (N + 1))?;
    for part in rows::read_table(&CellRows { name, points }, text, &things, count)? {
        cells.append(part);
    }
    Ok(())
}

struct VertexRows {
    dimension: usize,
}

impl Rows for VertexRows {
    type Output = (Vec<[f64; 3]>, Labels);

    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Self::Output) -> Result<(), S::Error> {
        let what = || format!("vertex {}", number + 1);
        let mut point = [0.0; 3];
        for (x, axis) in point.iter_mut().zip(["x", "y", "z"]).take(self.dimension) {
            *x = source.coordinate(|| format!("the {axis} coordinate of {}", what()))?;
        }
        part.0.push(point);
        part.1.push(source.integer(|| format!("the reference of {}", what()))?, 1);
        Ok(())
    }
}

struct CellRows<const N: usize> {
    name: &'static str,
    points: usize,
}

impl<const N: usize> Rows for CellRows<N> {
    type Output = Cells<N>;

    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Cells<N>) -> Result<(), S::Error> {
        let what = || format!("{} {}", self.name, number + 1);
        let mut nodes = [0; N];
        for node in &mut nodes {
            let tag = source.integer(|| format!("a vertex of {}", what()))?;
            let index = Content::index(tag, self.points, source.is_lenient());
            *node = index.ok_or_else(|| source.fault(|| missing(what(), tag, self.points)))?;
        }
        part.push(nodes, source.integer(|| format!("the reference of {}", what()))?);
        Ok(())
    }
}
