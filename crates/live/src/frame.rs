//! Frames as the page draws them, and answers made of frames. viewer/README.md describes the layout.

use numerics::mat3::Vec3;
use numerics::vectors::is_finite;
use report::around;
use serde_json::{Value, json};

/// Levels of a coordinate.
const LEVELS: f64 = 65535.0;
/// Limit of an answer [bytes]; it always holds at least one frame.
const MOST_BYTES: usize = 8 << 20;

/// One moment as the page draws it.
pub(crate) struct Frame {
    /// Number, from 1, increasing.
    pub number: u64,
    /// Data for the head of an answer.
    facts: Value,
    /// Positions, then one byte per point for each field, padded to a multiple of four.
    bytes: Vec<u8>,
}

/// Time of a frame, and its energies.
pub(crate) struct Facts {
    /// Time [s].
    pub time: f64,
    /// Kinetic and elastic energy and that of the loads [J], where they are known.
    pub energies: Option<[f64; 3]>,
    /// Plane of the arrows of Stokes flow, as [`report::FlowPlane::at`] returns it.
    pub flow: Option<Vec<Vec3>>,
}

impl Frame {
    /// Makes a frame of points [m]; `fields` are values and the value of the largest byte. `None` if a number is not
    /// finite.
    pub fn new(number: u64, facts: &Facts, points: &[Vec3], fields: &[(Vec<f64>, f64)]) -> Option<Frame> {
        // The minimum of floats ignores NaN.
        let [low, high] = around(points.iter().copied()).filter(|_| is_finite(points.as_flattened()))?;
        let levels: [f64; 3] =
            std::array::from_fn(|k| if high[k] > low[k] { LEVELS / (high[k] - low[k]) } else { 0.0 });
        let mut bytes = Vec::with_capacity(8 * points.len() + fields.len() * points.len() + 3);
        for point in points {
            let level = |k: usize| ((point[k] - low[k]) * levels[k]).round().clamp(0.0, LEVELS) as u16;
            (0..3).for_each(|k| bytes.extend(level(k).to_le_bytes()));
            // Space where the page puts the normal.
            bytes.extend([0; 2]);
        }
        for (values, most) in fields {
            let level = |x: f64| if *most > 0.0 { 255.0 * (x / most).clamp(0.0, 1.0).sqrt() } else { 0.0 };
            bytes.extend(values.iter().map(|&x| level(x).round() as u8));
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let tops: Vec<f64> = fields.iter().map(|(_, most)| *most).collect();
        let flow = facts.flow.as_ref().map(|flow| flow.iter().flatten().map(|x| *x as f32).collect::<Vec<_>>());
        let facts = json!({
            "number": number, "t": facts.time, "energies": facts.energies, "low": low, "high": high, "max": tops, "flow": flow,
        });
        Some(Frame { number, facts, bytes })
    }

    /// Returns its size [bytes].
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// Makes an answer: the length of the head, the head as JSON, the frames. Of too many frames it takes the last.
pub(crate) fn answer<'f>(
    version: u64,
    epoch: u64,
    state: &Value,
    frames: impl DoubleEndedIterator<Item = &'f Frame>,
) -> Vec<u8> {
    let mut size = 0;
    let mut sent: Vec<&Frame> = Vec::new();
    for frame in frames.rev() {
        size += frame.len();
        if size > MOST_BYTES && !sent.is_empty() {
            break;
        }
        sent.push(frame);
    }
    sent.reverse();
    let facts: Vec<&Value> = sent.iter().map(|frame| &frame.facts).collect();
    let mut head =
        json!({ "version": version, "epoch": epoch, "state": state, "frames": facts }).to_string().into_bytes();
    // The page reads numbers of two bytes in place.
    head.resize(head.len().next_multiple_of(4), b' ');
    let mut bytes = (head.len() as u32).to_le_bytes().to_vec();
    bytes.extend(head);
    sent.iter().for_each(|frame| bytes.extend(&frame.bytes));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_laid_out_as_the_page_reads_them() {
        let facts = Facts { time: 0.5, energies: Some([1.0, 2.0, 3.0]), flow: None };
        let points = [[0.0, 1.0, 2.0], [1.0, 1.0, 0.0], [0.25, 1.0, 1.0]];
        let frame = Frame::new(7, &facts, &points, &[(vec![0.0, 4.0, 1.0], 4.0)]).unwrap();
        let bytes = answer(9, 2, &json!({}), [&frame].into_iter());
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert_eq!(length % 4, 0);
        let head: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        assert_eq!(
            (&head["version"], &head["frames"][0]["number"], &head["frames"][0]["t"]),
            (&json!(9), &json!(7), &json!(0.5))
        );
        let body = &bytes[4 + length..];
        assert_eq!(body.len(), 8 * 3 + 4);
        let level = |at: usize| u16::from_le_bytes(body[2 * at..2 * at + 2].try_into().unwrap());
        assert_eq!(
            [level(0), level(1), level(2), level(4), level(5), level(6), level(8)],
            [0, 0, 65535, 65535, 0, 0, 16384]
        );
        assert_eq!(body[24..], [0, 255, 128, 0]);
    }

    #[test]
    fn what_is_not_finite_is_not_sent() {
        let facts = Facts { time: 0.0, energies: None, flow: None };
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(Frame::new(1, &facts, &[[0.0; 3], [0.0, bad, 0.0]], &[]).is_none());
        }
        assert!(Frame::new(1, &facts, &[], &[]).is_none());
    }

    #[test]
    fn an_answer_has_an_end() {
        let facts = Facts { time: 0.0, energies: None, flow: None };
        let points = vec![[1.0, 2.0, 3.0]; 200_000];
        let frames: Vec<Frame> = (1..=20).map(|n| Frame::new(n, &facts, &points, &[]).unwrap()).collect();
        let bytes = answer(20, 0, &json!({}), frames.iter());
        assert!(bytes.len() < MOST_BYTES + 10_000, "{}", bytes.len());
    }
}
