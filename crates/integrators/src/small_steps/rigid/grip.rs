//! Where constraints take hold: a place of a rigid body, a node, or the world; and what a push there does.

use model::Anchor;
use model::energy::Bodies;
use numerics::mat3::{Mat3, Vec3, add, cofactor, determinant, dot, mat_t_vec, sub};
use numerics::quaternion::{NONE, Quaternion, rotate, rotate_back};

/// Where it is now [m].
pub(in super::super) fn place(bodies: &Bodies, anchor: &Anchor) -> Vec3 {
    match *anchor {
        Anchor::World(at) => at,
        Anchor::Node(i) => bodies.position(i as usize),
        Anchor::Rigid(k, local) => {
            let rotor = &bodies.rotors[k as usize];
            add(bodies.position(rotor.node as usize), rotate(rotor.orientation, local))
        }
    }
}

/// Where it was when the substep began [m].
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

/// Where it is once the substep is over and nodes have begun the next one [m].
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

/// How far the material point that is at a place now has come in this substep [m].
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

/// How far a unit push along `n` at a point moves it along `n` [1/kg].
pub(in super::super) fn mobility(bodies: &Bodies, anchor: &Anchor, at: Vec3, n: Vec3) -> f64 {
    match *anchor {
        Anchor::World(_) => 0.0,
        Anchor::Node(i) => bodies.inverse_mass(i as usize) * dot(n, n),
        Anchor::Rigid(k, _) => bodies.mobility(k as usize, sub(at, bodies.centre(k as usize)), n),
    }
}

/// How far pushes at a point move it [1/kg].
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

/// Pushes at a point [kg m].
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

/// How it is turned.
pub(in super::super) fn orientation(bodies: &Bodies, anchor: &Anchor) -> Quaternion {
    match *anchor {
        Anchor::Rigid(k, _) => bodies.rotors[k as usize].orientation,
        _ => NONE,
    }
}

/// How far an angular push turns it, times a vector; nothing but rigid bodies turns.
pub(in super::super) fn turn_by(bodies: &Bodies, anchor: &Anchor, push: Vec3) -> Vec3 {
    match *anchor {
        Anchor::Rigid(k, _) => bodies.rotors[k as usize].inverse_times(push),
        _ => [0.0; 3],
    }
}

/// Turns it by an angular push [kg m^2].
pub(in super::super) fn twist(bodies: &mut Bodies, anchor: &Anchor, push: Vec3) {
    if let Anchor::Rigid(k, _) = *anchor {
        bodies.rotors[k as usize].twist(push);
    }
}

/// a^-1 b; none where the matrix is singular.
pub(in super::super) fn solved(a: &Mat3, b: Vec3) -> Option<Vec3> {
    let det = determinant(a);
    let x = mat_t_vec(&cofactor(a), b).map(|c| c / det);
    x.iter().all(|c| c.is_finite()).then_some(x)
}
