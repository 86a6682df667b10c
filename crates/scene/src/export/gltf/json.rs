//! The JSON of a glTF file, which describes its bytes.

use crate::export::shown::Shown;
use crate::export::skin::Vertices;
use serde_json::{Value, json as object};

/// Constants of the format: types of components, uses of bytes, kinds of primitives.
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
const POINTS: u32 = 0;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

/// Colours of the bodies, in turn; linear red, green, blue, opacity.
const COLOURS: [[f64; 4]; 6] = [
    [0.05, 0.24, 0.56, 1.0],
    [0.80, 0.19, 0.03, 1.0],
    [0.03, 0.37, 0.22, 1.0],
    [0.78, 0.48, 0.02, 1.0],
    [0.32, 0.10, 0.45, 1.0],
    [0.35, 0.35, 0.35, 1.0],
];

/// The box around each list of points, body by body in every frame.
pub(super) struct Bounds {
    boxes: Vec<[[f32; 3]; 2]>,
}

impl Bounds {
    pub fn of(boxes: Vec<[[f32; 3]; 2]>) -> Bounds {
        Bounds { boxes }
    }

    /// Returns bounds of the greatest possible number of characters.
    pub fn longest() -> Bounds {
        Bounds { boxes: Vec::new() }
    }

    /// Returns the low and the high corner.
    fn get(&self, list: usize) -> [[f64; 3]; 2] {
        // Seventeen digits, a sign and an exponent of three digits: no number has more.
        self.boxes
            .get(list)
            .map_or([[-1.234_567_890_123_456_7e-300; 3]; 2], |[low, high]| [low.map(f64::from), high.map(f64::from)])
    }
}

/// Allocates consecutive ranges of the bytes.
#[derive(Default)]
struct Buffer {
    length: usize,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Allocates `count` rows; returns the number of their accessor.
    fn take(&mut self, count: usize, kind: &str, component: u32, target: Option<u32>) -> usize {
        let width = match kind {
            "VEC3" => 12,
            "VEC2" => 8,
            _ => 4,
        };
        let bytes = count * width;
        let mut view = object!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.length += bytes;
        let view_number = self.views.len();
        self.views.push(view);
        self.accessors
            .push(object!({ "bufferView": view_number, "componentType": component, "count": count, "type": kind }));
        view_number
    }

    /// Allocates rows whose bounds must be stated.
    fn bounded(&mut self, count: usize, kind: &str, target: Option<u32>, low: Value, high: Value) -> usize {
        let accessor = self.take(count, kind, FLOAT, target);
        self.accessors[accessor]["min"] = low;
        self.accessors[accessor]["max"] = high;
        accessor
    }
}

/// Returns the JSON of an export at some times [s].
pub(super) fn json(shown: &Shown, vertices: &[Vertices], times: &[f32], bounds: &Bounds) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let targets = times.len().saturating_sub(1);
    let clock = times.last().filter(|_| targets > 0).map(|last| {
        let (low, high) = (object!([f64::from(times[0])]), object!([f64::from(*last)]));
        [
            buffer.bounded(times.len(), "SCALAR", None, low, high),
            buffer.take(times.len() * targets, "SCALAR", FLOAT, None),
        ]
    });

    // One primitive for triangles, one for lines, each with its indices; particles are all points and need none.
    let mut meshes: Vec<Vec<Value>> = Vec::new();
    let mut pictures: Vec<Option<usize>> = Vec::new();
    for (b, body) in shown.bodies.iter().enumerate() {
        let mut primitives = Vec::new();
        for (count, mode) in [(3 * body.triangles.len(), TRIANGLES), (2 * body.lines.len(), LINES)] {
            if count > 0 {
                let indices = buffer.take(count, "SCALAR", UNSIGNED, Some(INDICES));
                let material = b % COLOURS.len();
                primitives.push(object!({ "mode": mode, "indices": indices, "material": material }));
            }
        }
        if body.is_fluid() {
            primitives.push(object!({ "mode": POINTS, "material": b % COLOURS.len() }));
        }
        meshes.push(primitives);
        let has_picture = vertices[b].texture_points.iter().any(Option::is_some);
        let count = vertices[b].texture_points.len();
        pictures.push(has_picture.then(|| buffer.take(count, "VEC2", FLOAT, Some(VERTICES))));
    }
    for frame in 0..times.len() {
        for (b, body) in shown.bodies.iter().enumerate().filter(|(_, body)| frame == 0 || !body.still) {
            let count = vertices[b].nodes.len();
            let [low, high] = bounds.get(frame * shown.bodies.len() + b);
            let points = buffer.bounded(count, "VEC3", Some(VERTICES), low.to_vec().into(), high.to_vec().into());
            let of_points = object!({ "POSITION": points });
            let mut of_triangles = of_points.clone();
            if !body.triangles.is_empty() {
                if let (0, Some(picture)) = (frame, pictures[b]) {
                    of_triangles["TEXCOORD_0"] = picture.into();
                }
                of_triangles["NORMAL"] = buffer.take(count, "VEC3", FLOAT, Some(VERTICES)).into();
            }
            for primitive in &mut meshes[b] {
                let attributes = if primitive["mode"] == TRIANGLES { &of_triangles } else { &of_points };
                // Not by index, which would insert a null for a missing key.
                match (frame, primitive.get_mut("targets").and_then(Value::as_array_mut)) {
                    (0, _) => primitive["attributes"] = attributes.clone(),
                    (_, Some(targets)) => targets.push(attributes.clone()),
                    (_, None) => primitive["targets"] = vec![attributes.clone()].into(),
                }
            }
        }
    }

    let named =
        |(primitives, b): (Vec<Value>, usize)| object!({ "name": shown.bodies[b].name, "primitives": primitives });
    let materials = COLOURS.iter().take(shown.bodies.len()).map(|colour| {
        let surface = object!({ "baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.6 });
        object!({ "doubleSided": true, "pbrMetallicRoughness": surface })
    });
    // z is up in pliant, y in glTF: a quarter turn about x.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let children: Vec<usize> = (1..=shown.bodies.len()).collect();
    let root = object!({ "name": "z up", "rotation": [-half, 0.0, 0.0, half], "children": children });
    let nodes = shown.bodies.iter().enumerate().map(|(b, body)| object!({ "name": body.name, "mesh": b }));
    let mut file = object!({
        "asset": { "version": "2.0", "generator": concat!("pliant ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": std::iter::once(root).chain(nodes).collect::<Vec<_>>(),
        "meshes": meshes.into_iter().zip(0..).map(named).collect::<Vec<_>>(),
        "materials": materials.collect::<Vec<_>>(),
        "buffers": [{ "byteLength": buffer.length }],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    });
    if let Some([input, output]) = clock {
        // All bodies share one clock.
        let channel = |node: &usize| object!({ "sampler": 0, "target": { "node": node, "path": "weights" } });
        file["animations"] = object!([{
            "name": "run",
            "samplers": [{ "input": input, "output": output, "interpolation": "LINEAR" }],
            "channels": children.iter().filter(|&&node| !shown.bodies[node - 1].still).map(channel).collect::<Vec<_>>(),
        }]);
    }
    file.to_string().into_bytes()
}
