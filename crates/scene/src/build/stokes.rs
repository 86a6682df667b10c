//! Bodies in Stokes flow, and motors: their share of the blueprint.

use super::body;
use super::nodes::PlacedBodies;
use crate::problem::Found;
use crate::scene::Scene;
use crate::stokes::{Motor, Wet};
use model::energy::spring::Law;
use model::mesh::Selector;
use model::stokes::{self, StokesError};
use model::{Blueprint, SpringPart};

impl PlacedBodies {
    /// Wets the bodies in Stokes flow, before the blueprint takes the fibres.
    pub fn wet(&self, scene: &Scene, blueprint: &mut Blueprint, found: &mut Found) {
        let Some(flow) = &scene.stokes else { return };
        let Ok((mut fluid, rules)) = flow.resolve() else { return };
        let bodies = scene.bodies.len();
        let named = |k: usize| flow.wet.iter().find(|wet| wet.body == self.ranges[k].name);
        for k in (0..bodies + scene.fibres.len()).filter(|&k| !self.missing[k]) {
            let wet: Option<&Wet> = named(k);
            if wet.is_none() && !flow.wet.is_empty() {
                continue;
            }
            let (mesh, first) = (&self.meshes[k], self.ranges[k].nodes.start as u32);
            if let Some((_, fibres)) = self.fibres.iter().find(|(begin, _)| k >= bodies && *begin == first) {
                fluid.wet_fibres(fibres, mesh, first, rules.fibre_spacing);
            } else if let Err(error) =
                fluid.wet_body(mesh, first, wet.and_then(|wet| wet.epsilon), rules.surface_epsilon)
            {
                let at = wet.map_or(&flow.at, |wet| &wet.at);
                found.add(at, format!("body \"{}\": {error}", self.ranges[k].name));
            }
        }
        if !scene.rigids.is_empty() || !scene.fluids.is_empty() {
            found.add(&flow.at, "Stokes flow drags bodies and fibres only; use no [[rigid]] and [[fluid]] with it");
        }
        let (points, nodes) = (fluid.points.len(), fluid.nodes().len());
        if points.max(nodes) > stokes::LARGEST {
            found.add(&flow.at, StokesError::TooMany { points, nodes }.to_string());
            return;
        }
        blueprint.stokes = Some(fluid);
    }

    /// Adds the motors, with the springs of their hinges.
    pub fn add_motors(&self, scene: &Scene, blueprint: &mut Blueprint, found: &mut Found) {
        for motor in &scene.motors {
            let Motor { fibres, body, axle, torque, hinge, at } = motor;
            let all = [body, fibres].map(|name| self.number(Some(name)).filter(|&k| !self.missing[k]));
            let [Some(head), Some(tail)] = all else { continue };
            let first = |k: usize| self.ranges[k].nodes.start as u32;
            let axle = match Selector::Group(axle.clone()).nodes(&self.meshes[head]) {
                Ok(nodes) => nodes,
                Err(error) => {
                    body::unselected(body, at, &error, found);
                    continue;
                }
            };
            let &[low, high] = &axle[..] else {
                let message =
                    format!("the axle of a motor has two nodes, and the group has {}; name another", axle.len());
                found.add(at, message);
                continue;
            };
            let count = self.fibres.iter().find(|(begin, _)| *begin == first(tail)).map_or(0, |(_, it)| it.rings.len());
            if count != 1 {
                let message = format!(
                    "a motor turns one fibre, and \"{fibres}\" has {count}; give each its own [[fibres]] and [[motor]]"
                );
                found.add(at, message);
                continue;
            }
            let axle = [low, high].map(|i| i + first(head));
            let ring: Vec<u32> = (0..4).map(|c| first(tail) + c).collect();
            let pairs = ring.iter().flat_map(|&c| axle.map(|i| [c, i])).collect();
            blueprint.springs.push(SpringPart { pairs, law: Law::Linear, stiffness: *hinge });
            let held = self.ranges[head].nodes.clone().map(|i| i as u32).filter(|i| !axle.contains(i)).collect();
            blueprint.motors.push(stokes::Motor { axle, turned: ring, held, torque: *torque });
        }
    }
}
