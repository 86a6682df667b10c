//! VTU in every encoding: round trips, and files of other programs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use formats::{Encoding, Fault, Format, FormatError, Input};
use model::mesh::{Group, Mesh};

fn read(bytes: &[u8]) -> Result<Mesh, FormatError> {
    formats::read(&Input { name: "a.vtu", bytes, beside: &|_| Err("nothing is beside it".to_string()) })
}

/// Two tets, a triangle, an edge and groups of each kind.
fn sample() -> Mesh {
    let mut mesh = Mesh {
        points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.1, 1.0 / 3.0], [1e-300, 5.0, -1e200]],
        tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
        triangles: vec![[0, 1, 4], [2, 3, 4]],
        edges: vec![[3, 4]],
        ..Mesh::default()
    };
    mesh.groups.insert("a & <b>".to_string(), Group { nodes: vec![0, 3], tets: vec![1], triangles: vec![0] });
    mesh.groups.insert("tip".to_string(), Group { nodes: vec![4], ..Group::default() });
    mesh.groups.insert("sheet".to_string(), Group { triangles: vec![0, 1], ..Group::default() });
    mesh
}

#[test]
fn what_is_written_comes_back() {
    let write = Format::of("a.vtu").unwrap().write.unwrap();
    for encoding in [Encoding::Binary, Encoding::Ascii] {
        assert_eq!(read(&write(&sample(), encoding)).unwrap(), sample(), "{encoding:?}");
    }
    let mut tets = sample();
    tets.triangles.clear();
    tets.edges.clear();
    tets.groups.clear();
    assert_eq!(read(&write(&tets, Encoding::Binary)).unwrap(), tets);
    assert_eq!(read(&write(&Mesh::default(), Encoding::Binary)).unwrap(), Mesh::default());
}

/// Encoding of a file of arrays.
#[derive(Debug, Clone, Copy)]
struct Variant {
    big_endian: bool,
    wide_head: bool,
    zlib: bool,
    /// 0 inline, 1 appended base64, 2 appended raw.
    encoding: usize,
    /// True if a head is encoded separately though nothing is compressed.
    head_apart: bool,
}

impl Variant {
    fn number(&self, value: u64, size: usize) -> Vec<u8> {
        let mut bytes = value.to_le_bytes()[..size].to_vec();
        if self.big_endian {
            bytes.reverse();
        }
        bytes
    }

    /// Returns an array's head and its data.
    fn encode(&self, bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let head = |numbers: &[usize]| -> Vec<u8> {
            numbers.iter().flat_map(|&n| self.number(n as u64, if self.wide_head { 8 } else { 4 })).collect()
        };
        if !self.zlib {
            return (head(&[bytes.len()]), bytes.to_vec());
        }
        // Blocks of 16 bytes, the last shorter.
        let mut deflate = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
        let blocks: Vec<Vec<u8>> = bytes
            .chunks(16)
            .map(|block| {
                let mut packed = vec![0; deflate.zlib_compress_bound(block.len())];
                let length = deflate.zlib_compress(block, &mut packed).unwrap();
                packed.truncate(length);
                packed
            })
            .collect();
        let mut numbers = vec![blocks.len(), 16, bytes.len() % 16];
        numbers.extend(blocks.iter().map(Vec::len));
        (head(&numbers), blocks.concat())
    }

    /// Two pieces of a tet, a quad and a vertex; points are Float32 and nodes Int16.
    fn file(&self) -> Vec<u8> {
        let points: Vec<u8> = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]
            .iter()
            .flat_map(|&x: &f32| self.number(x.to_bits().into(), 4))
            .collect();
        let nodes: Vec<u8> = [0, 1, 2, 3, 0, 1, 2, 3, 2].iter().flat_map(|&i| self.number(i, 2)).collect();
        let ends: Vec<u8> = [4, 8, 9].iter().flat_map(|&i| self.number(i, 8)).collect();
        let mut appended = Vec::new();
        let mut array = |kind: &str, name: &str, bytes: &[u8]| {
            let (head, data) = self.encode(bytes);
            let base64 = if self.zlib || self.head_apart {
                STANDARD.encode(&head) + &STANDARD.encode(&data)
            } else {
                STANDARD.encode([head.clone(), data.clone()].concat())
            };
            let tag = format!("<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"3\"");
            if self.encoding == 0 {
                return format!("{tag} format=\"binary\">\n  {base64}\n</DataArray>\n");
            }
            let offset = appended.len();
            appended.extend(if self.encoding == 1 { base64.into_bytes() } else { [head, data].concat() });
            format!("{tag} format=\"appended\" offset=\"{offset}\" />\n")
        };
        let mut pieces = String::new();
        for _ in 0..2 {
            pieces += "<Piece NumberOfPoints=\"4\" NumberOfCells=\"3\">\n<Points>\n";
            pieces += &array("Float32", "any", &points);
            pieces += "</Points>\n<Cells>\n";
            pieces += &array("Int16", "connectivity", &nodes);
            pieces += &array("UInt64", "offsets", &ends);
            pieces += &array("UInt8", "types", &[10, 9, 1]);
            pieces += "</Cells>\n<CellData>\n";
            pieces += &array("UInt8", "group:flat", &[0, 1, 0]);
            pieces += "</CellData>\n</Piece>\n";
        }
        let mut file = format!(
            "<?xml version=\"1.0\"?>\r\n<VTKFile type=\"UnstructuredGrid\" byte_order=\"{}\" header_type=\"{}\"{}>\n\
             <UnstructuredGrid>\n{pieces}</UnstructuredGrid>\n",
            if self.big_endian { "BigEndian" } else { "LittleEndian" },
            if self.wide_head { "UInt64" } else { "UInt32" },
            if self.zlib { " compressor=\"vtkZLibDataCompressor\"" } else { "" },
        )
        .into_bytes();
        if self.encoding > 0 {
            let encoding = ["base64", "raw"][self.encoding - 1];
            file.extend(format!("<AppendedData encoding=\"{encoding}\">\n _").bytes());
            file.extend(appended);
            file.extend(b"\n</AppendedData>\n");
        }
        file.extend(b"</VTKFile>\n");
        file
    }
}

fn variants() -> impl Iterator<Item = Variant> {
    (0..48).map(|i| Variant {
        big_endian: i & 1 > 0,
        wide_head: i & 2 > 0,
        zlib: i & 4 > 0,
        head_apart: i & 8 > 0,
        encoding: i / 16,
    })
}

#[test]
fn every_encoding_is_read() {
    for variant in variants() {
        let mesh = read(&variant.file()).unwrap_or_else(|error| panic!("{variant:?}: {error}"));
        assert_eq!(mesh.points.len(), 8, "{variant:?}");
        assert_eq!(mesh.points[7], [0.0, 0.0, 1.0]);
        assert_eq!(mesh.tets, [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]);
        assert_eq!(mesh.groups["flat"], Group { triangles: vec![0, 1, 2, 3], ..Group::default() });
    }
}

/// A file of compressed arrays inline: a row of tets by their types and offsets, both in numbers of `size` bytes.
fn compressed_tets(variant: &Variant, size: usize, kinds: &[u64], ends: &[u64]) -> Vec<u8> {
    let array = |kind: &str, name: &str, bytes: Vec<u8>| {
        let (head, data) = variant.encode(&bytes);
        let base64 = STANDARD.encode(&head) + &STANDARD.encode(&data);
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"3\" format=\"binary\">{base64}</DataArray>"
        )
    };
    let numbers =
        |values: &[u64], size: usize| values.iter().flat_map(|&i| variant.number(i, size)).collect::<Vec<_>>();
    let whole = format!("Int{}", 8 * size);
    let points: Vec<u64> = (0..24).map(|i| f64::to_bits((i % 7) as f64)).collect();
    let nodes: Vec<u64> = (0..kinds.len() as u64).flat_map(|i| [i, i + 1, i + 2, i + 3]).collect();
    format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"{}\" header_type=\"{}\" compressor=\"vtkZLibDataCompressor\">\
         <UnstructuredGrid><Piece NumberOfPoints=\"8\" NumberOfCells=\"{}\"><Points>{}</Points><Cells>{}{}{}</Cells></Piece>\
         </UnstructuredGrid></VTKFile>",
        if variant.big_endian { "BigEndian" } else { "LittleEndian" },
        if variant.wide_head { "UInt64" } else { "UInt32" },
        kinds.len(),
        array("Float64", "points", numbers(&points, 8)),
        array("Int64", "connectivity", numbers(&nodes, 8)),
        array(&whole, "offsets", numbers(ends, size)),
        array(&whole, "types", numbers(kinds, size)),
    )
    .into_bytes()
}

/// Types and offsets of tets alone are recognised by their checksums; others are decoded.
#[test]
fn compressed_tets_are_read() {
    let tets: Vec<[u32; 4]> = (0..5).map(|i| [i, i + 1, i + 2, i + 3]).collect();
    for variant in variants().filter(|variant| variant.zlib) {
        for size in [1, 2, 4, 8] {
            let file = |kinds: &[u64], ends: &[u64]| read(&compressed_tets(&variant, size, kinds, ends));
            assert_eq!(file(&[10; 5], &[4, 8, 12, 16, 20]).unwrap().tets, tets, "{variant:?} {size}");
            let mixed = file(&[10, 10, 10, 9, 10], &[4, 8, 12, 16, 20]).unwrap();
            assert_eq!((mixed.tets.len(), mixed.triangles.len()), (4, 2), "{variant:?} {size}");
            for ends in [[4, 8, 12, 16, 21], [4, 8, 13, 16, 20], [0, 8, 12, 16, 20], [8, 4, 12, 16, 20]] {
                assert!(file(&[10; 5], &ends).is_err(), "{variant:?} {size} {ends:?}");
            }
            assert!(file(&[10; 5], &[4, 8, 12, 16]).is_err() && file(&[10; 5], &[4, 8, 12, 16, 20, 24]).is_err());
        }
    }
}

/// Files truncated anywhere and with any byte changed are errors or meshes, never a panic.
#[test]
fn broken_files_do_no_harm() {
    for variant in variants().filter(|variant| !variant.head_apart) {
        let file = variant.file();
        for length in 0..file.len() {
            let _ = read(&file[..length]);
        }
        for at in 0..file.len() {
            let mut broken = file.clone();
            broken[at] ^= 0x41;
            if let Ok(mesh) = read(&broken) {
                assert!(mesh.points.iter().flatten().all(|x| x.is_finite()));
                assert!(mesh.tets.iter().flatten().all(|&i| (i as usize) < mesh.points.len()));
                assert!(mesh.triangles.iter().flatten().all(|&i| (i as usize) < mesh.points.len()));
            }
        }
    }
}

/// A file with one Piece around these arrays.
fn with(points: &str, nodes: &str, ends: &str, kinds: &str) -> Result<Mesh, FormatError> {
    let array = |kind: &str, name: &str, body: &str| {
        format!("<DataArray type='{kind}' Name='{name}' NumberOfComponents='3' format='ascii'>{body}</DataArray>")
    };
    let text = format!(
        "<VTKFile type='UnstructuredGrid'><UnstructuredGrid>\n<Piece NumberOfPoints='4' NumberOfCells='1'>\n<Points>{}\
         </Points><Cells>\n{}\n{}\n{}</Cells></Piece></UnstructuredGrid></VTKFile>",
        array("Float64", "Points", points),
        array("Int32", "connectivity", nodes),
        array("Int32", "offsets", ends),
        array("UInt8", "types", kinds),
    );
    read(text.as_bytes())
}

#[test]
fn what_is_wrong_is_named() {
    let points = "0 0 0  1 0 0  0 1 0\r\n0 0 1";
    assert_eq!(with(points, "0 1 2 3", "4", "10").unwrap().tets, [[0, 1, 2, 3]]);
    assert_eq!(with(points, "0 1 2 3", "4", "8").unwrap().triangles, [[0, 1, 3], [0, 3, 2]]);
    assert_eq!(with(points, "0 1 2 3", "4", "4").unwrap().edges, [[0, 1], [1, 2], [2, 3]]);
    assert_eq!(with(points, "0 1 2 3", "4", "6").unwrap().triangles, [[0, 1, 2], [2, 1, 3]]);
    let keyed = format!("{}{points}", "\n<InformationKey name='k'><Value index='0'> 7 </Value></InformationKey>\n");
    assert_eq!(with(&keyed, "0 1 2 3", "4", "10").unwrap().tets, [[0, 1, 2, 3]]);
    let message = |result: Result<Mesh, FormatError>| result.unwrap_err().to_string();
    for (result, parts) in [
        (with("0 0 0 1 0 0 0 1 0\n0 0 nan", "0 1 2 3", "4", "10"), ["line 4", "'nan'", "'Points'"]),
        (with("0 0 0 1 0 0 0 1 0 0 0", "0 1 2 3", "4", "10"), ["line 3", "11 numbers", "12 are needed"]),
        (with(points, "0 1 2 4", "4", "10"), ["line 5", "cell 0 is 4", "0 to 3"]),
        (with(points, "0 1 2 -1", "4", "10"), ["line 5", "'-1'", "'connectivity'"]),
        (with(points, "0 1 2 3", "9", "10"), ["line 5", "4 numbers", "9 are needed"]),
        (with(points, "0 1 2 3", "4", "24"), ["type 24", "quadratic tetrahedron", "export linear"]),
        (with(points, "0 1 2 3", "4", "12"), ["type 12", "hexahedron", "Tetrahedralize"]),
        (with(points, "0 1 2", "3", "10"), ["cell 0", "a tetrahedron of 3 nodes", "correct"]),
    ] {
        let message = message(result);
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
    let lz4 = message(read(b"<VTKFile type='UnstructuredGrid' compressor='vtkLZ4DataCompressor'></VTKFile>"));
    assert!(lz4.contains("vtkLZ4DataCompressor") && lz4.contains("ZLib"), "{lz4}");
    let image = message(read(b"<VTKFile type='ImageData'></VTKFile>"));
    assert!(image.contains("ImageData") && image.contains(".vtu"), "{image}");
    let deep = message(read(("<VTKFile type='UnstructuredGrid'>".to_string() + &"<a>".repeat(100_000)).as_bytes()));
    assert!(deep.contains("deep"), "{deep}");
    let entity = message(read(b"<!DOCTYPE a [<!ENTITY b 'c'>]><VTKFile type='UnstructuredGrid'/>"));
    assert!(entity.contains("document type"), "{entity}");
    assert!(matches!(read(b"hello").unwrap_err().fault, Fault::Expected { .. }));
}

/// Announced sizes without the bytes for them are refused before memory is allocated.
#[test]
fn absurd_sizes_are_refused() {
    let plain = |points: &str, head: &[u8]| {
        format!(
            "<VTKFile type='UnstructuredGrid' header_type='UInt64' compressor='vtkZLibDataCompressor'><UnstructuredGrid>\
             <Piece NumberOfPoints='{points}' NumberOfCells='0'><Points><DataArray type='Float64' \
             NumberOfComponents='3' format='binary'>{}</DataArray></Points></Piece></UnstructuredGrid></VTKFile>",
            STANDARD.encode(head)
        )
    };
    let heads = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    for (points, numbers) in [
        ("99999999999", vec![1u64, 1 << 40, 0, 8]),
        ("4000000000", vec![1, 1 << 40, 0, 8]),
        ("4000000000", vec![u64::MAX, u64::MAX, u64::MAX, u64::MAX]),
        ("4000000000", vec![1, u64::MAX - 7, u64::MAX - 7, u64::MAX]),
        ("4000000000", vec![2, 1 << 63, 0, 1 << 63, 1 << 63]),
    ] {
        assert!(read(plain(points, &heads(&numbers)).as_bytes()).is_err());
    }
}
