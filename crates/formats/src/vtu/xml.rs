//! XML around the arrays of a VTU file: their encoding and location.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::error::{Fault, FormatError};
use crate::scalar::Scalar;
use crate::text::{Text, quote, shorten};

/// Limit of nested elements; VTU files have 6 levels.
const DEEPEST: usize = 32;
/// Limit of bytes of a tag.
const LONGEST_TAG: usize = 1 << 16;
/// Limit of characters of the XML parser's message that we repeat.
const MOST_SAID: usize = 120;

/// A VTU file as described by its XML.
pub(super) struct File<'a> {
    /// The file, which is text up to the appended data.
    pub text: Text<'a>,
    pub big_endian: bool,
    /// Bytes of a number of the head of an array: 4 or 8.
    pub head: usize,
    /// True if the arrays are compressed.
    pub compressed: bool,
    pub appended: Option<Appended>,
    pub pieces: Vec<Piece>,
    /// Arrays of points and cells that are kept besides those of the mesh.
    kept: &'static [&'static str],
}

/// Data appended to the XML.
#[derive(Debug, Clone, Copy)]
pub(super) struct Appended {
    /// First byte, after the underscore.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    pub base64: bool,
}

/// A part of the grid.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub points: u64,
    pub cells: u64,
    pub arrays: Vec<Array>,
    /// First byte.
    pub at: usize,
}

/// An array, not yet decoded.
#[derive(Debug, Clone)]
pub(super) struct Array {
    /// Element around it: Points, Cells, PointData or CellData.
    pub section: String,
    pub name: String,
    pub scalar: Scalar,
    pub components: u64,
    /// First byte.
    pub at: usize,
    pub location: Location,
}

/// Location of the numbers of an array.
#[derive(Debug, Clone, Copy)]
pub(super) enum Location {
    /// Text from one byte to another.
    Ascii(usize, usize),
    /// Base64 from one byte to another.
    Base64(usize, usize),
    /// Offset in the appended data.
    Appended(u64),
}

/// Parses the XML up to its end or to the appended data, which need not be XML. Of the data of points and cells it
/// records groups, and the arrays to be `kept`.
pub(super) fn parse<'a>(bytes: &'a [u8], kept: &'static [&'static str]) -> Result<File<'a>, FormatError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = Text::new("vtu", bytes);
    let mut file =
        File { text, big_endian: false, head: 4, compressed: false, appended: None, pieces: Vec::new(), kept };
    let (mut reader, mut base) = (parser(bytes), 0);
    // Elements around this position.
    let mut path: Vec<String> = Vec::new();
    let mut seen_root = false;
    // True if the last array is the one around this position, with its numbers still to come.
    let mut awaited = false;
    loop {
        let at = base + reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| {
            let error_at = (base + reader.error_position() as usize).max(at);
            let cure = "correct it, or copy the file again if it was cut off".to_string();
            file.text.error_at(
                error_at,
                Fault::Unsupported {
                    what: format!("this is not XML: {}", shorten(&error.to_string(), MOST_SAID)),
                    cure,
                },
            )
        })?;
        match event {
            Event::Start(tag) | Event::Empty(tag) if tag.len() > LONGEST_TAG => {
                let what = format!("a tag of {} bytes", tag.len());
                return Err(unsupported(&file, at, what, "tags of VTU files are short; export the file again"));
            }
            Event::Start(tag) => {
                let name = tag.name().0.to_string();
                if name == "AppendedData" {
                    file.appended = Some(appended(&file, &tag, base + reader.buffer_position() as usize)?);
                    return Ok(file);
                }
                seen_root = true;
                let needed = open(&mut file, &path, &name, &tag, at)?;
                path.push(name);
                if path.len() > DEEPEST {
                    let what = format!("elements lie more than {DEEPEST} deep in each other");
                    return Err(unsupported(&file, at, what, "those of VTU files do not; export the file again"));
                }
                // The numbers of an array can be long, and are not XML: the XML parser continues after them.
                if needed {
                    let start = base + reader.buffer_position() as usize;
                    base = start + memchr::memchr(b'<', &bytes[start..]).unwrap_or(bytes.len() - start);
                    reader = parser(&bytes[base..]);
                    file.set_location(start, base);
                    awaited = is_blank(&bytes[start..base]);
                }
            }
            Event::Empty(tag) => {
                seen_root = true;
                open(&mut file, &path, tag.name().0, &tag, at)?;
            }
            Event::End(tag) => {
                awaited &= tag.name().0 != "DataArray";
                if path.pop().is_none_or(|name| name != tag.name().0) {
                    let found = format!("</{}>", quote(tag.name().0.as_bytes()));
                    let what = "the end of the element that was opened last".to_string();
                    return Err(file.text.error_at(at, Fault::Expected { what, found }));
                }
            }
            // Unless there is something else in an array before them.
            Event::Text(text)
                if awaited && path.last().is_some_and(|name| name == "DataArray") && !is_blank(text.as_bytes()) =>
            {
                file.set_location(at, at + text.len());
                awaited = false;
            }
            Event::DocType(_) => {
                let what = "a document type declaration".to_string();
                return Err(unsupported(&file, at, what, "VTU files have none; remove it"));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if let Some(name) = path.last() {
        return Err(file.text.error_at(
            bytes.len(),
            Fault::Ended { what: format!("the end of the element {}", quote(name.as_bytes())) },
        ));
    }
    if !seen_root {
        let what = "the element VTKFile".to_string();
        return Err(file.text.error_at(0, Fault::Expected { what, found: quote(bytes.trim_ascii()) }));
    }
    Ok(file)
}

impl File<'_> {
    /// Records the location of the text of the last array.
    fn set_location(&mut self, start: usize, end: usize) {
        let array = self.pieces.last_mut().and_then(|piece| piece.arrays.last_mut());
        if let Some(Location::Ascii(from, to) | Location::Base64(from, to)) = array.map(|array| &mut array.location) {
            (*from, *to) = (start, end);
        }
    }
}

fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

/// Makes an XML parser that begins anywhere; ends of elements are compared here.
fn parser(bytes: &[u8]) -> Reader<&[u8]> {
    let mut reader = Reader::from_reader(bytes);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    reader
}

/// Records an element that begins; returns true if it is a required array.
fn open(file: &mut File, path: &[String], name: &str, tag: &BytesStart, at: usize) -> Result<bool, FormatError> {
    let attribute = |key: &str| attribute(file, tag, key, at);
    let parent = path.last().map_or("", String::as_str);
    match name {
        _ if path.is_empty() => {
            if name != "VTKFile" {
                let (what, found) = ("the element VTKFile".to_string(), quote(name.as_bytes()));
                return Err(file.text.error_at(at, Fault::Expected { what, found }));
            }
            let kind = attribute("type")?.unwrap_or_default();
            if kind != "UnstructuredGrid" {
                let what = format!("VTK's XML of type '{}' is not read", quote(kind.as_bytes()));
                return Err(unsupported(file, at, what, "save it as an UnstructuredGrid (.vtu)"));
            }
            let big_endian = one_of(file, at, "byte_order", attribute("byte_order")?, &["LittleEndian", "BigEndian"])?;
            let head = one_of(file, at, "header_type", attribute("header_type")?, &["UInt32", "UInt64"])?;
            let compressor = attribute("compressor")?.unwrap_or_default();
            if !matches!(compressor.as_str(), "" | "vtkZLibDataCompressor") {
                let what = format!("arrays compressed by {} are not read", quote(compressor.as_bytes()));
                return Err(unsupported(file, at, what, "save it with the compressor ZLib, or with none"));
            }
            (file.big_endian, file.head) = (big_endian == 1, if head == 1 { 8 } else { 4 });
            file.compressed = !compressor.is_empty();
        }
        "Piece" if parent == "UnstructuredGrid" => {
            let count = |key: &str| {
                let value = attribute(key)?.unwrap_or_default();
                value.trim().parse::<u64>().map_err(|_| {
                    let what = format!("the attribute {key} of the element Piece");
                    file.text.error_at(at, Fault::NotNumber { what, found: quote(value.as_bytes()) })
                })
            };
            let (points, cells) = (count("NumberOfPoints")?, count("NumberOfCells")?);
            file.pieces.push(Piece { points, cells, arrays: Vec::new(), at });
        }
        "DataArray" if matches!(parent, "Points" | "Cells" | "PointData" | "CellData") => {
            let name = attribute("Name")?.unwrap_or_default();
            // Other data of points and cells, of any type, do not concern the mesh.
            if parent.ends_with("Data") && !name.starts_with(super::GROUP) && !file.kept.contains(&name.as_str()) {
                return Ok(false);
            }
            let array = array(file, parent, name, tag, at)?;
            match file.pieces.last_mut() {
                Some(piece) => {
                    piece.arrays.push(array);
                    return Ok(true);
                }
                None => {
                    let (what, found) =
                        ("the element Piece".to_string(), format!("the array '{}'", quote(array.name.as_bytes())));
                    return Err(file.text.error_at(at, Fault::Expected { what, found }));
                }
            }
        }
        _ => {}
    }
    Ok(false)
}

fn array(file: &File, section: &str, name: String, tag: &BytesStart, at: usize) -> Result<Array, FormatError> {
    let attribute = |key: &str| attribute(file, tag, key, at);
    let described = format!("the array '{}' of the element {section}", quote(name.as_bytes()));
    let kind = attribute("type")?.unwrap_or_default();
    let scalar = match kind.as_str() {
        "Int8" => Scalar::I8,
        "UInt8" => Scalar::U8,
        "Int16" => Scalar::I16,
        "UInt16" => Scalar::U16,
        "Int32" => Scalar::I32,
        "UInt32" => Scalar::U32,
        "Int64" => Scalar::I64,
        "UInt64" => Scalar::U64,
        "Float32" => Scalar::F32,
        "Float64" => Scalar::F64,
        _ => {
            let what = format!("a type of numbers (Int8 to UInt64, Float32, Float64) of {described}");
            return Err(file.text.error_at(at, Fault::Expected { what, found: quote(kind.as_bytes()) }));
        }
    };
    let number = |key: &str, otherwise: u64| match attribute(key)? {
        None => Ok(otherwise),
        Some(value) => value.trim().parse::<u64>().map_err(|_| {
            let what = format!("the attribute {key} of {described}");
            file.text.error_at(at, Fault::NotNumber { what, found: quote(value.as_bytes()) })
        }),
    };
    let format = attribute("format")?.unwrap_or_else(|| "ascii".to_string());
    let location = match format.as_str() {
        "ascii" => Location::Ascii(at, at),
        "binary" => Location::Base64(at, at),
        "appended" => Location::Appended(number("offset", 0)?),
        _ => {
            let what = format!("the format ascii, binary or appended of {described}");
            return Err(file.text.error_at(at, Fault::Expected { what, found: quote(format.as_bytes()) }));
        }
    };
    Ok(Array { section: section.to_string(), name, scalar, components: number("NumberOfComponents", 1)?, at, location })
}

/// Finds the appended data. Raw data may contain anything, so their end is that of the file.
fn appended(file: &File, tag: &BytesStart, at: usize) -> Result<Appended, FormatError> {
    let encoding = attribute(file, tag, "encoding", at)?;
    let base64 = one_of(file, at, "encoding", encoding, &["base64", "raw"])? == 0;
    let bytes = file.text.bytes;
    let start = at + 1 + bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if bytes.get(start - 1) != Some(&b'_') {
        let (what, found) = ("the underscore before the appended data".to_string(), "something else".to_string());
        return Err(file.text.error_at(at, Fault::Expected { what, found }));
    }
    let length = bytes[start..].iter().position(|&byte| byte == b'<').filter(|_| base64);
    Ok(Appended { start, end: length.map_or(bytes.len(), |length| start + length), base64 })
}

/// Returns the index of an attribute's word; 0 if it is missing.
fn one_of(file: &File, at: usize, key: &str, value: Option<String>, words: &[&str]) -> Result<usize, FormatError> {
    let Some(value) = value else { return Ok(0) };
    words.iter().position(|word| *word == value).ok_or_else(|| {
        let what = format!("{} as the attribute {key}", words.join(" or "));
        file.text.error_at(at, Fault::Expected { what, found: quote(value.as_bytes()) })
    })
}

/// Reads an attribute of an element, with its five built-in entities replaced; others are an error.
fn attribute(file: &File, tag: &BytesStart, key: &str, at: usize) -> Result<Option<String>, FormatError> {
    let wrong = |reason: String| {
        let reason = shorten(&reason, MOST_SAID);
        let what = format!("an attribute of the element {} is not XML: {reason}", quote(tag.name().0.as_bytes()));
        unsupported(file, at, what, "correct it")
    };
    // Checking for repeated attributes takes long where there are many.
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| wrong(error.to_string()))?;
        if attribute.key.0 == key {
            let value = quick_xml::escape::unescape(&attribute.value).map_err(|error| wrong(error.to_string()))?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}

fn unsupported(file: &File, at: usize, what: String, cure: &str) -> FormatError {
    file.text.error_at(at, Fault::Unsupported { what, cure: cure.to_string() })
}
