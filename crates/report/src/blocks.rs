//! Frames in the format of the page: quantised, as differences from the frame before, deflated, in base64.
//!
//! viewer/README.md describes the layout.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use libdeflater::{CompressionLvl, Compressor};
use numerics::mat3::Vec3;

/// Levels of a coordinate.
const LEVELS: f64 = 65535.0;
/// Compression level: higher ones cost seconds for a hundredth of the size.
const LEVEL: i32 = 8;

/// A zlib stream in base64.
pub(crate) fn pack(bytes: &[u8]) -> String {
    let mut compressor = Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default());
    let mut packed = vec![0; compressor.zlib_compress_bound(bytes.len())];
    // With a buffer of the bound's size it cannot fail.
    let length = compressor.zlib_compress(bytes, &mut packed).unwrap_or_default();
    packed.truncate(length);
    STANDARD.encode(&packed)
}

/// Encodes frames of points in a box: for each frame and axis the low bytes of all differences, then the high ones.
pub(crate) fn positions(frames: &[Vec<[f32; 3]>], [low, high]: [Vec3; 2]) -> Vec<u8> {
    let points = frames.first().map_or(0, Vec::len);
    let mut before = vec![[0_u16; 3]; points];
    let mut bytes = Vec::with_capacity(6 * points * frames.len());
    for frame in frames {
        for axis in 0..3 {
            let width = high[axis] - low[axis];
            let scale = if width > 0.0 { LEVELS / width } else { 0.0 };
            let start = bytes.len();
            bytes.resize(start + 2 * points, 0);
            let (lows, highs) = bytes[start..].split_at_mut(points);
            for (i, point) in frame.iter().enumerate() {
                let now = ((f64::from(point[axis]) - low[axis]) * scale).round().clamp(0.0, LEVELS) as u16;
                let [a, b] = now.wrapping_sub(before[i][axis]).to_le_bytes();
                (lows[i], highs[i]) = (a, b);
                before[i][axis] = now;
            }
        }
    }
    bytes
}

/// Encodes frames of one field: one byte v per point with value = (v / 255)^2 most, as differences from the frame
/// before.
pub(crate) fn field(frames: &[Vec<[f32; 3]>], which: usize, most: f64) -> Vec<u8> {
    let points = frames.first().map_or(0, Vec::len);
    let mut before = vec![0_u8; points];
    let mut bytes = Vec::with_capacity(points * frames.len());
    for frame in frames {
        for (i, values) in frame.iter().enumerate() {
            let share = if most > 0.0 { f64::from(values[which]) / most } else { 0.0 };
            let now = (255.0 * share.clamp(0.0, 1.0).sqrt()).round() as u8;
            bytes.push(now.wrapping_sub(before[i]));
            before[i] = now;
        }
    }
    bytes
}

/// Encodes frames of numbers, f32, with eleven bits after the leading one, so that they are packed smaller.
pub(crate) fn numbers(frames: &[Vec<[f32; 3]>]) -> Vec<u8> {
    let all = frames.iter().flatten().flatten();
    all.flat_map(|x| f32::from_bits(x.to_bits() & !0xfff).to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes as the page does.
    fn unpack_positions(bytes: &[u8], points: usize, [low, high]: [Vec3; 2]) -> Vec<Vec<Vec3>> {
        let mut q = vec![[0_u16; 3]; points];
        let frames = bytes.chunks_exact(6 * points).map(|frame| {
            for (axis, planes) in frame.chunks_exact(2 * points).enumerate() {
                for i in 0..points {
                    let d = u16::from_le_bytes([planes[i], planes[points + i]]);
                    q[i][axis] = q[i][axis].wrapping_add(d);
                }
            }
            let value = |q: u16, k: usize| low[k] + f64::from(q) / LEVELS * (high[k] - low[k]);
            q.iter().map(|q| std::array::from_fn(|k| value(q[k], k))).collect()
        });
        frames.collect()
    }

    #[test]
    fn positions_come_back_within_half_a_level() {
        let bounds = [[-1.0, 0.0, 5.0], [1.0, 3.0, 5.0]];
        let frames: Vec<Vec<[f32; 3]>> = (0..9)
            .map(|f| (0..50).map(|i| [(0.3 * (f * i) as f32).sin(), 0.04 * (f + i) as f32, 5.0]).collect())
            .collect();
        let back = unpack_positions(&positions(&frames, bounds), 50, bounds);
        assert_eq!(back.len(), frames.len());
        for (point, given) in back.iter().flatten().zip(frames.iter().flatten()) {
            for k in 0..3 {
                let level = (bounds[1][k] - bounds[0][k]) / LEVELS;
                assert!((point[k] - f64::from(given[k])).abs() <= 0.51 * level + 1e-9, "{point:?} for {given:?}");
            }
        }
        assert!(positions(&[], bounds).is_empty());
    }

    #[test]
    fn fields_are_finer_near_zero_and_end_at_the_top() {
        let frames = [vec![[0.0_f32, 1.0, 0.0]], vec![[0.0, 0.01, 0.0]], vec![[0.0, 9.0, 0.0]]];
        let mut v = 0_u8;
        let values: Vec<f64> = field(&frames, 1, 2.0)
            .iter()
            .map(|d| {
                v = v.wrapping_add(*d);
                (f64::from(v) / 255.0).powi(2) * 2.0
            })
            .collect();
        assert!((values[0] - 1.0).abs() < 0.01 && (values[1] - 0.01).abs() < 5e-4 && values[2] == 2.0, "{values:?}");
        assert_eq!(field(&frames, 0, 0.0), [0, 0, 0]);
    }

    #[test]
    fn a_block_is_a_zlib_stream_in_base64() {
        let bytes: Vec<u8> = (0..10_000_u32).map(|i| (i / 7 % 5) as u8).collect();
        let packed = STANDARD.decode(pack(&bytes)).unwrap();
        assert!(packed.len() < bytes.len() / 10);
        let mut back = vec![0; bytes.len()];
        let length = libdeflater::Decompressor::new().zlib_decompress(&packed, &mut back).unwrap();
        assert_eq!((length, &back), (bytes.len(), &bytes));
    }
}
