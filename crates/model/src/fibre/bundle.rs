//! Nodes, springs, shears and masses of many fibres.

use super::curve::{Curve, across};
use super::{FibreKind, Random};
use crate::energy::face_shear::{self, FaceShear};
use crate::energy::spring::{self, Law, Spring};
use crate::energy::{ElementKind, EnergyPart, part_of};
use crate::mesh::{Group, Mesh};
use numerics::mat3::{Vec3, add, norm, scale, sub};
use std::f64::consts::TAU;

/// Beginning of a fibre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Root {
    /// Position [m].
    pub point: Vec3,
    /// Direction, of length 1.
    pub direction: Vec3,
}

/// Springs between two nodes: nodes, rest length [m] and stiffness [N/m].
type Springs = Vec<([u32; 2], [f64; spring::REST])>;

/// Shears of faces: nodes and rest state.
type Shears = Vec<([u32; 4], [f64; face_shear::REST])>;

/// Fibres in a numbering of their own: ring by ring, four nodes each, from root to tip.
#[derive(Debug, Clone, Default)]
pub struct Fibres {
    /// Nodes, and the groups "roots" and "tips": the first and the last rings.
    pub mesh: Mesh,
    /// Number of rings of each fibre.
    pub rings: Vec<u32>,
    /// Diameter of each ring's section [m], along the long axis.
    pub thickness: Vec<f64>,
    /// Mass of each node [kg].
    pub masses: Vec<f64>,
    springs: Springs,
    shears: Shears,
}

impl Fibres {
    /// Number of elements of a segment and of a ring: four edges and four faces, four sides and two diagonals.
    pub const ELEMENTS: [u32; 2] = [8, 6];

    /// Makes a fibre of this kind at every root.
    pub fn new(kind: &FibreKind, roots: &[Root]) -> Fibres {
        let mut all = Fibres::default();
        for (number, root) in roots.iter().enumerate() {
            all.grow(kind, root, Random::new(kind.seed, number as u64));
        }
        let ring = |first: u32| (4 * first..4 * first + 4).collect::<Vec<u32>>();
        let ends: Vec<u32> = all
            .rings
            .iter()
            .scan(0, |end, rings| {
                Some({
                    *end += rings;
                    *end
                })
            })
            .collect();
        let roots = ends.iter().zip(&all.rings).flat_map(|(end, rings)| ring(end - rings)).collect();
        let tips = ends.iter().flat_map(|end| ring(end - 1)).collect();
        for (name, nodes) in [("roots", roots), ("tips", tips)] {
            all.mesh.groups.insert(name.to_string(), Group { nodes, ..Group::default() });
        }
        all
    }

    /// Adds one fibre.
    fn grow(&mut self, kind: &FibreKind, root: &Root, mut random: Random) {
        let [turn, lean, way, longer] = std::array::from_fn(|_| random.unit());
        let length = kind.length[0] + longer * (kind.length[1] - kind.length[0]);
        let direction = leaning(root.direction, kind.direction_jitter * lean.sqrt(), TAU * way);
        let curve = Curve::new(root.point, direction, kind.curl_jitter * (2.0 * turn - 1.0), kind.curl);
        let segments = kind.segments_of(length);
        let share = |k: f64| k / f64::from(segments);
        let [a, b] = kind.ring(length);

        let first = self.mesh.points.len() as u32;
        let mut centers = Vec::with_capacity(segments as usize + 1);
        for k in 0..=segments {
            let (center, [u, v]) = curve.at(length * share(k.into()));
            for [side, other] in [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]] {
                self.mesh.points.push(add(center, add(scale(side * a, u), scale(other * b, v))));
            }
            centers.push(center);
            self.thickness.push(kind.diameter_at(share(k.into())));
        }
        self.rings.push(segments + 1);
        self.masses.resize(self.mesh.points.len(), 0.0);

        let mut around = vec![0.0; centers.len()];
        for k in 0..segments as usize {
            let diameter = kind.diameter_at(share(k as f64 + 0.5));
            let l = norm(sub(centers[k + 1], centers[k]));
            // Second moments are those of the ring at scale 1: I / a^2 is the same for both sides.
            let ring = kind.section.ring(diameter)[0];
            let edge = kind.young * kind.section.area(diameter) * (ring * ring) / (4.0 * l * (a * a));
            let shear = kind.shear * kind.section.torsion(diameter) / (l * (a * a) * (b * b));
            let corner = kind.density * kind.section.area(diameter) * length * share(1.0) / 8.0;
            let below = first + 4 * k as u32;
            for c in 0..4 {
                let next = (c + 1) % 4;
                self.spring([below + c, below + 4 + c], edge);
                self.shear([below + c, below + next, below + 4 + c, below + 4 + next], shear);
                self.masses[(below + c) as usize] += corner;
                self.masses[(below + 4 + c) as usize] += corner;
            }
            around[k] += 0.5 * shear * l * l;
            around[k + 1] += 0.5 * shear * l * l;
        }
        // The rings at both ends belong to one segment only.
        around[0] *= 2.0;
        around[segments as usize] *= 2.0;
        for (ring, &stiffness) in (first..).step_by(4).zip(&around) {
            for [i, j] in [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]] {
                self.spring([ring + i, ring + j], stiffness);
            }
        }
    }

    fn point(&self, node: u32) -> Vec3 {
        self.mesh.points[node as usize]
    }

    fn spring(&mut self, nodes: [u32; 2], stiffness: f64) {
        let length = norm(sub(self.point(nodes[0]), self.point(nodes[1])));
        self.springs.push((nodes, [length, stiffness]));
    }

    fn shear(&mut self, nodes: [u32; 4], kappa: f64) {
        self.shears.push((nodes, FaceShear::at_rest(kappa, &nodes.map(|i| self.point(i)))));
    }

    /// Takes its energies as parts of a [`crate::Blueprint`] in which its nodes begin at `first`.
    pub fn energies(&mut self, first: u32) -> [Box<dyn EnergyPart>; 2] {
        let mut springs = std::mem::take(&mut self.springs);
        let mut shears = std::mem::take(&mut self.shears);
        springs.iter_mut().flat_map(|(nodes, _)| nodes).for_each(|i| *i += first);
        shears.iter_mut().flat_map(|(nodes, _)| nodes).for_each(|i| *i += first);
        [
            part_of(ElementKind::Spring, Spring::between_nodes(Law::Linear), springs),
            part_of(ElementKind::FaceShear, FaceShear, shears),
        ]
    }
}

/// Returns a direction at an angle to another one, on the side given by a second angle [rad].
fn leaning(direction: Vec3, angle: f64, side: f64) -> Vec3 {
    if angle == 0.0 {
        return direction;
    }
    let [u, v] = across(direction);
    let ([sin, cos], (up, over)) = ([angle.sin(), angle.cos()], side.sin_cos());
    add(scale(cos, direction), scale(sin, add(scale(over, u), scale(up, v))))
}
