//! Files of other kinds, whatever their names.

use crate::error::{Fault, FormatError};

/// Signatures of other files, and their kinds.
const SIGNATURES: &[(&[u8], &str, &str)] = &[
    (b"\x89PNG", "a PNG picture", "give the mesh"),
    (b"\xff\xd8\xff", "a JPEG picture", "give the mesh"),
    (b"%PDF-", "a PDF document", "give the mesh"),
    (b"\x7fELF", "a program", "give the mesh"),
    (b"PK\x03\x04", "a ZIP archive", "unpack it first"),
    (b"\x1f\x8b", "packed by gzip", "unpack it first"),
    (b"\xfd7zXZ", "packed by xz", "unpack it first"),
    (b"BZh", "packed by bzip2", "unpack it first"),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
    (b"<!DOCTYPE html", "a web page", "download the mesh itself"),
    (b"<html", "a web page", "download the mesh itself"),
    (b"version https://git-lfs", "only a pointer of Git LFS", "fetch the mesh with 'git lfs pull'"),
];

/// Refuses files that are known not to be meshes.
pub(crate) fn refuse(format: &'static str, bytes: &[u8]) -> Result<(), FormatError> {
    let known = SIGNATURES.iter().find(|(start, ..)| bytes.starts_with(start));
    known.map_or(Ok(()), |(_, what, cure)| {
        let (what, cure) = (format!("this is {what}, no mesh"), cure.to_string());
        Err(FormatError::whole(format, Fault::Unsupported { what, cure }))
    })
}
