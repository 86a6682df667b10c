//! A small reader for files of runs, which shares no code with the writer.
#![allow(dead_code)] // each test file uses some of it

use std::collections::BTreeMap;
use std::path::Path;

/// A frame, arrays by name.
pub struct Frame {
    pub points: usize,
    pub cells: usize,
    pub time: f64,
    /// True if it lies between two computed states.
    pub is_interpolated: bool,
    arrays: BTreeMap<String, (String, Vec<u8>)>,
}

impl Frame {
    pub fn read(path: &Path) -> Frame {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.trim_end().ends_with("</VTKFile>"), "{} is not whole", path.display());
        let mut arrays = BTreeMap::new();
        let (mut time, mut is_interpolated) = (f64::NAN, false);
        for part in text.split("<DataArray ").skip(1) {
            let (head, rest) = part.split_once('>').unwrap();
            let data = rest.split_once("</DataArray>").unwrap().0.trim();
            if attribute(head, "format") == "ascii" {
                match attribute(head, "Name") {
                    "TimeValue" => time = data.parse().unwrap(),
                    "interpolated" => is_interpolated = data == "1",
                    other => panic!("{other} is text"),
                }
                continue;
            }
            let bytes = base64(data);
            let length = u64::from_le_bytes(bytes[..8].try_into().unwrap());
            assert_eq!(length as usize, bytes.len() - 8);
            arrays.insert(
                attribute(head, "Name").to_string(),
                (attribute(head, "type").to_string(), bytes[8..].to_vec()),
            );
        }
        let piece = text.split_once("<Piece ").unwrap().1.split_once('>').unwrap().0;
        let count = |name| attribute(piece, name).parse().unwrap();
        Frame { points: count("NumberOfPoints"), cells: count("NumberOfCells"), time, is_interpolated, arrays }
    }

    /// Returns an array of 64-bit floats, all of them finite.
    pub fn floats(&self, name: &str) -> Vec<f64> {
        let (kind, bytes) = &self.arrays[name];
        assert_eq!(kind, "Float64");
        let values: Vec<f64> = bytes.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect();
        assert!(values.iter().all(|x| x.is_finite()), "{name} holds what is no number");
        values
    }

    /// Returns an array of whole numbers.
    pub fn integers(&self, name: &str) -> Vec<i64> {
        let (kind, bytes) = &self.arrays[name];
        match kind.as_str() {
            "Int64" => bytes.chunks(8).map(|c| i64::from_le_bytes(c.try_into().unwrap())).collect(),
            "Int32" => bytes.chunks(4).map(|c| i32::from_le_bytes(c.try_into().unwrap()).into()).collect(),
            "UInt8" => bytes.iter().map(|&byte| byte.into()).collect(),
            other => panic!("{other}"),
        }
    }
}

/// Returns the times and files of a collection.
pub fn collection(path: &Path) -> Vec<(f64, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.trim_end().ends_with("</VTKFile>"), "{} is not whole", path.display());
    let sets = text.split("<DataSet ").skip(1);
    sets.map(|part| (attribute(part, "timestep").parse().unwrap(), attribute(part, "file").to_string())).collect()
}

/// Returns the columns and rows of a series; every number is finite, every row whole. The one word, about the factor,
/// is read as its length.
pub fn series(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "the last row is not whole");
    let mut lines = text.lines();
    let columns: Vec<String> = lines.next().unwrap().split(',').map(str::to_string).collect();
    let number = |(column, cell): (&String, &str)| match column.as_str() {
        "factor" => cell.len() as f64,
        _ => cell.parse().unwrap(),
    };
    let rows: Vec<Vec<f64>> = lines.map(|line| columns.iter().zip(line.split(',')).map(number).collect()).collect();
    for row in &rows {
        assert_eq!(row.len(), columns.len());
        assert!(row.iter().all(|x| x.is_finite()), "{row:?}");
    }
    (columns, rows)
}

/// Reads all files of a run: they must be whole and finite, and every listed frame must exist. Returns the rows of the
/// series and the frames.
pub fn whole_run(directory: &Path) -> (Vec<Vec<f64>>, Vec<Frame>) {
    let (_, rows) = series(&directory.join("series.csv"));
    let listed = collection(&directory.join("frames.pvd"));
    let frames: Vec<Frame> = listed.iter().map(|(_, file)| Frame::read(&directory.join(file))).collect();
    for ((time, _), frame) in listed.iter().zip(&frames) {
        assert_eq!(*time, frame.time);
        ["Points", "velocity", "displacement"]
            .iter()
            .for_each(|name| assert_eq!(frame.floats(name).len(), 3 * frame.points));
        assert_eq!(frame.integers("types").len(), frame.cells);
    }
    assert_eq!(std::fs::read_dir(directory.join("frames")).unwrap().count(), frames.len(), "no stray files");
    (rows, frames)
}

fn attribute<'a>(head: &'a str, name: &str) -> &'a str {
    let start = head.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
    head[start..].split_once('"').unwrap().0
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} is no base64"),
    };
    assert_eq!(text.len() % 4, 0);
    let digits: Vec<u8> = text.bytes().take_while(|&c| c != b'=').map(digit).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let bits = group.iter().enumerate().fold(0u32, |bits, (i, &d)| bits | u32::from(d) << (18 - 6 * i));
        bytes.extend(bits.to_be_bytes()[1..].iter().take(group.len() - 1));
    }
    bytes
}
