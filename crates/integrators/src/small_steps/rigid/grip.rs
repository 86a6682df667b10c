//! Anchors of constraints: a point of a rigid body, a node, or the world; and the effect of a push there.

use model::Anchor;
use model::energy::Bodies;
use numerics::mat3::{Mat3, Vec3, add, cofactor, determinant, dot, mat_t_vec, sub};
use numerics::quaternion::{NONE, Quaternion, rotate, rotate_back};

/// Returns its current position [m].
pub(in super::super) fn position(bodies: &Bodies, anchor: &Anchor) -> Vec3 {
    match *anchor {
        Anchor::World(at) => at,
        Anchor::Node(i) => bodies.position(i as usize),
        Anchor::Rigid(k, local) => {
            let rotor = &bodies.rotors[k as usize];
            add(bodies.position(rotor.node as usize), rotate(rotor.orientation, local))
        }
    }
}

/// Returns its position at the beginning of the substep [m].
pub(in super::super) fn start(bodies: &Bodies, anchor: &Anchor) -> Vec3 {
    let node = |i: u32| std::array::from_fn(|c| bodies.start[i as usize].0[c]);
    match *anchor {
        Anchor::World(at) => at,
        Anchor::Node(i) => node(i),
        Anchor::Rigid(k, local) => {
            let rotor = &bodies.rotors[k as usize];
            add(node(rotor.node), rotate(rotor.start, local))
        }
    }
}

/// Returns its position after the substep has ended [m].
pub(in super::super) fn end(bodies: &Bodies, anchor: &Anchor) -> Vec3 {
    match *anchor {
        Anchor::Rigid(k, local) => {
            let rotor = &bodies.rotors[k as usize];
            let centre = start(bodies, &Anchor::Node(rotor.node));
            add(centre, rotate(rotor.orientation, local))
        }
        _ => start(bodies, anchor),
    }
}

/// Returns the displacement in this substep of the material point now at a position [m].
pub(in super::super) fn path(bodies: &Bodies, anchor: &Anchor, at: Vec3) -> Vec3 {
    match *anchor {
        Anchor::World(_) => [0.0; 3],
        Anchor::Node(i) => bodies.shift(i as usize),
        Anchor::Rigid(k, _) => {
            let rotor = &bodies.rotors[k as usize];
            let arm = sub(at, bodies.centre(k as usize));
            let before = rotate(rotor.start, rotate_back(rotor.orientation, arm));
            add(bodies.shift(rotor.node as usize), sub(arm, before))
        }
    }
}

/// Returns the displacement along `n` by a unit push along `n` at a point [1/kg].
pub(in super::super) fn mobility(bodies: &Bodies, anchor: &Anchor, at: Vec3, n: Vec3) -> f64 {
    match *anchor {
        Anchor::World(_) => 0.0,
        Anchor::Node(i) => bodies.inverse_mass(i as usize) * dot(n, n),
        Anchor::Rigid(k, _) => bodies.mobility(k as usize, sub(at, bodies.centre(k as usize)), n),
    }
}

/// Returns the matrix from pushes at a point to its displacement [1/kg].
pub(in super::super) fn mobility_matrix(bodies: &Bodies, anchor: &Anchor, at: Vec3) -> Mat3 {
    match *anchor {
        Anchor::World(_) => [[0.0; 3]; 3],
        Anchor::Node(i) => {
            let w = bodies.inverse_mass(i as usize);
            [[w, 0.0, 0.0], [0.0, w, 0.0], [0.0, 0.0, w]]
        }
        Anchor::Rigid(k, _) => bodies.mobility_matrix(k as usize, sub(at, bodies.centre(k as usize))),
    }
}

/// Applies a push at a point [kg m].
pub(in super::super) fn push(bodies: &mut Bodies, anchor: &Anchor, at: Vec3, p: Vec3) {
    match *anchor {
        Anchor::World(_) => {}
        Anchor::Node(i) => bodies.push(i as usize, p),
        Anchor::Rigid(k, _) => {
            let arm = sub(at, bodies.centre(k as usize));
            bodies.push_rigid(k as usize, arm, p);
        }
    }
}

/// Returns its orientation.
pub(in super::super) fn orientation(bodies: &Bodies, anchor: &Anchor) -> Quaternion {
    match *anchor {
        Anchor::Rigid(k, _) => bodies.rotors[k as usize].orientation,
        _ => NONE,
    }
}

/// Returns the rotation by an angular push; only rigid bodies rotate.
pub(in super::super) fn turn_by(bodies: &Bodies, anchor: &Anchor, push: Vec3) -> Vec3 {
    match *anchor {
        Anchor::Rigid(k, _) => bodies.rotors[k as usize].inverse_times(push),
        _ => [0.0; 3],
    }
}

/// Applies an angular push [kg m^2].
pub(in super::super) fn twist(bodies: &mut Bodies, anchor: &Anchor, push: Vec3) {
    if let Anchor::Rigid(k, _) = *anchor {
        bodies.rotors[k as usize].twist(push);
    }
}

/// Returns a^-1 b; `None` where the matrix is singular.
pub(in super::super) fn solved(a: &Mat3, b: Vec3) -> Option<Vec3> {
    let det = determinant(a);
    let x = mat_t_vec(&cofactor(a), b).map(|c| c / det);
    x.iter().all(|c| c.is_finite()).then_some(x)
}
