//! Medit's meshes in binary: keywords by number, each with the position of the next.
//!
//! Version 1 has single precision, 2 double, 3 positions of 64 bits, 4 counts, vertices and references of 64 bits.

use super::{Content, KEYWORDS, Keyword, NAME, missing, refuse, without_vertices};
use crate::binary::{Binary, Row};
use crate::care::Care;
use crate::cells::{Cells, Labels};
use crate::error::{Fault, FormatError};
use crate::numbering::few_enough;

/// A file and the sizes of its numbers in bytes.
struct File<'a> {
    binary: Binary<'a>,
    real: usize,
    integer: usize,
    offset: usize,
}

pub(super) fn read(bytes: &[u8], care: Care) -> Result<Content, FormatError> {
    let mut binary = Binary { care, ..Binary::new(NAME, bytes, 0) };
    binary.big_endian = bytes.first() == Some(&0);
    binary.i32("the number 1 that shows the byte order")?;
    let version = binary.i32("the version")?;
    if !(1..=4).contains(&version) {
        let what = format!("version {version} of the format is not known");
        return Err(binary.error(Fault::Unsupported { what, cure: "export it as version 2".to_string() }));
    }
    let wide = |from| if version >= from { 8 } else { 4 };
    let mut file = File { binary, real: wide(2), integer: wide(4), offset: wide(3) };
    let mut dimension = 3;
    let mut content = Content::default();
    let mut later = Vec::new();
    let mut vertices_read = false;
    // A file ends with the keyword End or with a next position of 0.
    loop {
        let code = file.binary.i32("the keyword End")?;
        let keyword = KEYWORDS.iter().find(|row| row.1 == code).map_or(Keyword::Other, |row| row.2);
        if keyword == Keyword::End {
            break;
        }
        let next = file.next_position()?;
        // The data of a keyword must end where the next begins: bytes are read once.
        let end = next.unwrap_or(bytes.len());
        file.binary.bytes = &bytes[..end];
        match keyword {
            Keyword::Dimension => dimension = file.dimension()?,
            Keyword::Vertices if vertices_read => {
                let what = "there are Vertices twice".to_string();
                return Err(file.binary.error(Fault::Contradiction { what, cure: "join them".to_string() }));
            }
            Keyword::Vertices => {
                file.vertices(dimension, &mut content)?;
                vertices_read = true;
            }
            Keyword::Refused(elements) => {
                let count = file.integer("the number of elements")?;
                refuse(elements, count.max(0) as u64).map_err(|fault| file.binary.error(fault))?;
            }
            Keyword::Other | Keyword::End => {}
            keyword => later.push((keyword, file.binary.at, end)),
        }
        file.binary.bytes = bytes;
        match next {
            Some(next) => file.binary.at = next,
            None => break,
        }
    }
    if !vertices_read {
        return Err(FormatError::whole(NAME, without_vertices()));
    }
    for (keyword, at, end) in later {
        file.binary.bytes = &bytes[..end];
        file.binary.at = at;
        match keyword {
            Keyword::Tetrahedra => file.cells("tet", content.points.len(), &mut content.tets)?,
            Keyword::Triangles => file.cells("triangle", content.points.len(), &mut content.triangles)?,
            Keyword::Quadrilaterals => {
                file.cells("quadrilateral", content.points.len(), &mut content.quadrilaterals)?
            }
            _ => file.cells("edge", content.points.len(), &mut content.edges)?,
        }
    }
    Ok(content)
}

impl File<'_> {
    fn integer(&mut self, what: &str) -> Result<i64, FormatError> {
        if self.integer == 8 {
            self.binary.u64(what).map(|value| value as i64)
        } else {
            self.binary.i32(what).map(i64::from)
        }
    }

    /// Reads the position of the next keyword, which must be further on; `None` if there is none.
    fn next_position(&mut self) -> Result<Option<usize>, FormatError> {
        let what = "the position of the next keyword";
        let next = match self.offset {
            8 => self.binary.u64(what)?,
            _ => u64::from(self.binary.i32(what)? as u32),
        };
        let (low, high) = (self.binary.at, self.binary.bytes.len());
        match usize::try_from(next) {
            Ok(0) => Ok(None),
            Ok(next) if (low..=high).contains(&next) => Ok(Some(next)),
            _ => {
                let fault = Fault::OutOfRange {
                    what: what.to_string(),
                    index: next.into(),
                    low: low as i128,
                    high: high as i128,
                };
                Err(self.binary.error(fault))
            }
        }
    }

    fn dimension(&mut self) -> Result<usize, FormatError> {
        match self.binary.i32("the dimension")? {
            dimension @ (2 | 3) => Ok(dimension as usize),
            index => {
                let what = "the dimension".to_string();
                Err(self.binary.error(Fault::OutOfRange { what, index: index.into(), low: 2, high: 3 }))
            }
        }
    }

    fn count(&mut self, things: &str, stride: usize) -> Result<usize, FormatError> {
        let what = format!("the number of {things}");
        let count = self.integer(&what)?;
        let negative = |_| self.binary.error(Fault::NotNumber { what, found: count.to_string() });
        self.binary.count(u64::try_from(count).map_err(negative)?, things, stride)
    }

    fn vertices(&mut self, dimension: usize, content: &mut Content) -> Result<(), FormatError> {
        let (real, integer, lenient) = (self.real, self.integer, self.binary.care.is_lenient());
        let stride = dimension * real + integer;
        let count = self.count("vertices", stride)?;
        few_enough("vertices", count).map_err(|fault| self.binary.error(fault))?;
        let table = self.binary.take(count * stride, "the vertices")?;
        let coordinate = |row: &Row, k: usize| match real {
            _ if k >= dimension => 0.0,
            8 => row.f64(8 * k),
            _ => f64::from(row.f32(4 * k)),
        };
        let points = self.binary.rows(table, stride, [0.0; 3], |row| {
            let point = [coordinate(&row, 0), coordinate(&row, 1), coordinate(&row, 2)];
            (lenient || point.iter().all(|x| x.is_finite())).then_some(point)
        });
        content.points = points.map_err(|(i, row)| {
            let axis = (0..3).find(|&k| !coordinate(&row, k).is_finite()).unwrap_or(0);
            let what = format!("the {} coordinate of vertex {}", ["x", "y", "z"][axis], i + 1);
            row.error(real * axis, Fault::NotFinite { what, value: coordinate(&row, axis) })
        })?;
        content.vertex_references = self.references(table, stride);
        Ok(())
    }

    /// Returns the last number of each row.
    fn references(&self, table: &[u8], stride: usize) -> Labels {
        let mut labels = Labels::default();
        for row in table.chunks_exact(stride) {
            labels.push(self.binary.row(row).integer(stride - self.integer, self.integer), 1);
        }
        labels
    }

    fn cells<const N: usize>(&mut self, name: &str, points: usize, cells: &mut Cells<N>) -> Result<(), FormatError> {
        let (size, lenient) = (self.integer, self.binary.care.is_lenient());
        let stride = (N + 1) * size;
        let count = self.count(&format!("{name}s"), stride)?;
        let table = self.binary.take(count * stride, name)?;
        let nodes = self.binary.rows(table, stride, [0; N], |row| {
            let mut nodes = [0; N];
            for (k, node) in nodes.iter_mut().enumerate() {
                *node = Content::index(row.integer(k * size, size), points, lenient)?;
            }
            Some(nodes)
        });
        let nodes = nodes.map_err(|(i, row)| {
            let node = |k: &usize| row.integer(k * size, size);
            let wrong = (0..N).find(|k| Content::index(node(k), points, false).is_none()).unwrap_or(0);
            row.error(wrong * size, missing(format!("{name} {}", i + 1), node(&wrong), points))
        })?;
        cells.append(Cells::new(nodes, self.references(table, stride)));
        Ok(())
    }
}
