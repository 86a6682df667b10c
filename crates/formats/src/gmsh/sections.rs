//! Header of a file, and positions of its sections.

use memchr::memmem;

use super::NAME;
use crate::binary::Binary;
use crate::error::{Fault, FormatError};
use crate::text::{Text, quote};

/// Data of the header.
pub(super) struct Header {
    /// 2 or 4.
    pub version: u8,
    pub binary: bool,
    pub big_endian: bool,
    /// Bytes of a count in binary files of version 4.
    pub size: usize,
}

/// A part of the file between `$Name` and `$EndName`.
pub(super) struct Section<'a> {
    pub name: &'a [u8],
    /// First byte after the line of the name.
    pub start: usize,
    /// First byte after `$EndName`.
    pub end: usize,
}

/// Finds the sections by the words that end them: in a binary section they hardly occur by chance.
pub(super) fn sections(bytes: &[u8]) -> Result<(Header, Vec<Section<'_>>), FormatError> {
    let mut text = Text::new(NAME, bytes);
    let mut sections: Vec<Section> = Vec::new();
    let mut header = None;
    while let Some(word) = text.maybe_word() {
        let Some(name) = word.strip_prefix(b"$").filter(|_| header.is_some() || word == b"$MeshFormat") else {
            return Err(text.error_at(text.at - word.len(), unexpected(word, header.is_some())));
        };
        text.skip_line();
        let start = text.at;
        if header.is_none() {
            header = Some(read_header(&mut text)?);
        }
        let mark = [b"$End", name].concat();
        let end = memmem::find(&bytes[text.at..], &mark)
            .map(|i| text.at + i + mark.len())
            .ok_or_else(|| text.error_at(bytes.len(), Fault::Ended { what: quote(&mark) }))?;
        if matches!(name, b"Nodes" | b"Elements") && sections.iter().any(|section| section.name == name) {
            let what = format!("there is a second ${} section", String::from_utf8_lossy(name));
            return Err(text.error(Fault::Contradiction { what, cure: "join them into one".to_string() }));
        }
        sections.push(Section { name, start, end });
        text.at = end;
    }
    let header = header.ok_or_else(|| text.error(unexpected(b"", false)))?;
    Ok((header, sections))
}

fn unexpected(word: &[u8], begun: bool) -> Fault {
    match word {
        b"$NOD" | b"$ParametricNodes" => Fault::Unsupported {
            what: "this is version 1 of the format".to_string(),
            cure: "open it in Gmsh and save it as version 4.1".to_string(),
        },
        _ if begun => Fault::Expected { what: "a section, which begins with $".to_string(), found: quote(word) },
        _ => Fault::Expected { what: "$MeshFormat".to_string(), found: quote(word) },
    }
}

fn read_header(text: &mut Text) -> Result<Header, FormatError> {
    let version = text.word(|| "the version".to_string())?;
    let version = match version {
        b"2" | b"2.0" | b"2.1" | b"2.2" => 2,
        b"4.1" => 4,
        _ => {
            let what = format!("version {} of the format is not known", quote(version));
            let cure = "open it in Gmsh and save it as version 4.1 or 2.2".to_string();
            return Err(text.error(Fault::Unsupported { what, cure }));
        }
    };
    let binary = text.number::<u8>(|| "the file type".to_string())?;
    let size = text.number::<usize>(|| "the data size".to_string())?;
    let mut header = Header { version, binary: binary == 1, big_endian: false, size };
    if binary > 1 || !(size == 8 || size == 4 && version == 4) {
        let what = format!("file type {binary} with data size {size} is not known");
        let cure = "use 0 (text) or 1 (binary), and 8".to_string();
        return Err(text.error(Fault::Unsupported { what, cure }));
    }
    if header.binary {
        text.skip_line();
        let mut one = Binary::new(NAME, text.bytes, text.at);
        header.big_endian = match one.i32("the number 1 that shows the byte order")? {
            1 => false,
            0x0100_0000 => true,
            found => {
                let what = "the number 1 in either byte order".to_string();
                return Err(one.error(Fault::Expected { what, found: found.to_string() }));
            }
        };
        text.at = one.at;
    }
    Ok(header)
}
