//! Arrows of the flow around bodies in Stokes flow, on an upright plane that goes along with them.

use crate::extent::around;
use model::stokes::Flow;
use model::{Model, State};
use numerics::mat3::{Vec3, add, scale, sub};
use numerics::vectors::is_finite;
use rayon::prelude::*;
use serde_json::{Value, json};

/// Arrows along the longer and the shorter edge of the plane.
const COUNT: [usize; 2] = [24, 15];
/// Width of the plane over the length of the bodies.
const WIDTH: f64 = 1.7;
/// Limit of points in the fluid: beyond it a frame would cost more than a second.
const MOST_POINTS: usize = 1500;

/// Plane with arrows, and the flow on it.
pub struct FlowPlane {
    flow: Flow,
    /// Nodes in the fluid, in the model.
    nodes: Vec<u32>,
    /// Steps from arrow to arrow along both edges [m].
    steps: [Vec3; 2],
}

impl FlowPlane {
    /// Makes the plane of the longer horizontal edge of the bodies and of z, which faces a page at first; `None` where there
    /// is no Stokes flow, or one of too many points.
    pub fn new(model: &Model) -> Option<FlowPlane> {
        let stokes = model.stokes().filter(|stokes| stokes.points.len() <= MOST_POINTS)?;
        let nodes = stokes.nodes();
        let [low, high] = around(nodes.iter().map(|&i| at(model.rest(), i)))?;
        let size = sub(high, low);
        let level = usize::from(size[1] > size[0]);
        let step = WIDTH * size.into_iter().fold(0.0, f64::max) / COUNT[0] as f64;
        let edge = |axis: usize| std::array::from_fn(|c| if c == axis { step } else { 0.0 });
        let axes = if size[2] > size[level] { [2, level] } else { [level, 2] };
        let flow = model.flow().ok().flatten()?;
        (step > 0.0).then(|| FlowPlane { flow, nodes, steps: axes.map(edge) })
    }

    /// Returns the centre of the plane [m], then the velocity at each arrow [m/s], line by line along the longer edge; zeros
    /// where there is no flow.
    pub fn at(&mut self, state: &State) -> Vec<Vec3> {
        let centre = around(self.nodes.iter().map(|&i| at(&state.x, i)));
        let centre = centre.map_or([0.0; 3], |[low, high]| scale(0.5, add(low, high)));
        let count = COUNT[0] * COUNT[1];
        let mut values = vec![centre];
        let known = is_finite(&state.x) && is_finite(&state.v) && self.flow.take(&state.x, &state.v).is_ok();
        if known {
            let FlowPlane { flow, steps, .. } = self;
            let from = |k: usize, axis: usize| scale(k as f64 - 0.5 * (COUNT[axis] - 1) as f64, steps[axis]);
            let place = |k: usize| add(centre, add(from(k % COUNT[0], 0), from(k / COUNT[0], 1)));
            values.par_extend((0..count).into_par_iter().map(|k| flow.velocity(place(k))));
        }
        if !is_finite(values.as_flattened()) {
            values.truncate(1);
        }
        values.resize(1 + count, [0.0; 3]);
        values
    }

    /// Returns the facts about the plane for the page; `most` is the speed of the longest arrows [m/s], 0 where it is not known yet.
    pub fn facts(&self, most: f64) -> Value {
        json!({ "count": COUNT, "steps": self.steps, "max": most })
    }
}

fn at(x: &[f64], node: u32) -> Vec3 {
    std::array::from_fn(|c| x[3 * node as usize + c])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Blueprint;
    use model::mesh::Mesh;
    use model::stokes::{Point, Stokes};
    use numerics::mat3::norm;
    use std::f64::consts::PI;

    #[test]
    fn arrows_around_a_bead_and_its_still_neighbour() {
        // Blobs of size e at rest but for one: Stokeslets in closed form, with the background flow.
        let (e, mu, speed) = (0.1, 0.5, 2.0);
        let points = (0..2).map(|i| Point { of: vec![(i, 1.0)], epsilon: e }).collect();
        let stokes = Stokes { viscosity: mu, flow: [0.0, 0.0, 0.3], points, ..Stokes::default() };
        let mesh = Mesh { points: vec![[0.0; 3], [50.0, 1.0, 0.0]], ..Mesh::default() };
        let node_masses = vec![(0, 1.0), (1, 1.0)];
        let model = Blueprint { mesh, node_masses, stokes: Some(stokes), ..Blueprint::default() }.build().unwrap();
        let mut plane = FlowPlane::new(&model).unwrap();
        let mut state = model.state_at_rest();
        state.v.copy_from_slice(&[speed, 0.0, 0.3, 0.0, 0.0, 0.3]);
        let values = plane.at(&state);
        assert_eq!((values.len(), values[0]), (1 + COUNT[0] * COUNT[1], [25.0, 0.5, 0.0]));
        let arrow = 7 + 11 * COUNT[0];
        let place = add(values[0], add(scale(7.0 - 11.5, plane.steps[0]), scale(11.0 - 7.0, plane.steps[1])));
        // The neighbour is so far that it pushes back with a thousandth of the force.
        let force = 4.0 * PI * mu * e * speed;
        let blunt = norm(place).hypot(e);
        let pull = force * place[0] / blunt.powi(3);
        let expected: Vec3 = std::array::from_fn(|c| {
            let whole = if c == 0 { force * (blunt * blunt + e * e) / blunt.powi(3) } else { 0.3 * 8.0 * PI * mu };
            (whole + pull * place[c]) / (8.0 * PI * mu)
        });
        let found = values[1 + arrow];
        assert!(norm(sub(found, expected)) < 0.02 * norm(sub(expected, [0.0, 0.0, 0.3])), "{found:?} {expected:?}");
        state.v[0] = f64::NAN;
        assert!(plane.at(&state)[1..].iter().all(|u| *u == [0.0; 3]));
    }
}
