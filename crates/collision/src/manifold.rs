//! Contacts of two shapes.
//!
//! Shapes are sorted by kind, and those of one kind by their poses, so that the contacts of b with a mirror those of a
//! with b, to the bit.
//!
//! A mesh is tested triangle by triangle, from its outer side: contacts that would push a body through to the back are
//! left out, and so are those at edges where a nearer triangle continues. Two meshes, or two half spaces, have none:
//! give one of them as its hull.

use crate::polyhedron::{Polyhedron, contacts};
use crate::shape::Mesh;
use crate::{Bounds, Pose, Shape, closest};
use numerics::mat3::{IDENTITY, Vec3, add, cross, dot, norm, scale, sub};
use std::cmp::Ordering;

/// Limit of contacts with one normal.
const MOST: usize = 8;
/// Squared sine of the angle below which two capsules touch along a line.
const PARALLEL: f64 = 0.01;
/// Cosine above which two normals count as one.
const ONE_NORMAL: f64 = 0.999;

/// Two points of two bodies that touch or nearly touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Point of a, in its frame [m].
    pub on_a: Vec3,
    /// Point of b, in its frame [m].
    pub on_b: Vec3,
    /// Unit normal in the world, from b to a.
    pub normal: Vec3,
    /// Distance of a from b along the normal [m], negative where they overlap.
    pub separation: f64,
}

impl Contact {
    /// Returns the contact with both bodies exchanged.
    pub fn mirrored(&self) -> Self {
        Contact { on_a: self.on_b, on_b: self.on_a, normal: self.normal.map(|c| -c), separation: self.separation }
    }
}

/// A shape at a pose.
#[derive(Clone, Copy)]
struct Posed<'a> {
    shape: &'a Shape,
    pose: &'a Pose,
}

/// Fills `out` with the contacts of a and b that are nearer than `margin` [m]: one for balls and corners, two for edges
/// along something, up to 8 for faces.
pub fn manifold(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64, out: &mut Vec<Contact>) {
    out.clear();
    let (a, b) = (Posed { shape: a, pose: pose_a }, Posed { shape: b, pose: pose_b });
    let swapped = order(&a, &b) == Ordering::Greater;
    let (first, second) = if swapped { (b, a) } else { (a, b) };
    match (first.shape, second.shape) {
        (Shape::HalfSpace, _) => with_half_space(&first, &second, margin, out),
        (Shape::Ball { radius }, Shape::Mesh(mesh)) => ball_on_mesh(&first, *radius, &second, mesh, margin, out),
        (Shape::Ball { radius }, _) => ball(&first, *radius, &second, margin, out),
        (Shape::Capsule { half_length: g, radius: r }, Shape::Capsule { half_length: h, radius: s }) => {
            capsules(&first, [*g, *r], &second, [*h, *s], margin, out);
        }
        (_, Shape::Mesh(mesh)) => polyhedron_on_mesh(&first, &second, mesh, margin, out),
        _ => polyhedra(&first, &second, margin, out),
    }
    thin(out, &second);
    if swapped {
        out.iter_mut().for_each(|contact| *contact = contact.mirrored());
    }
}

fn rank(shape: &Shape) -> usize {
    match shape {
        Shape::HalfSpace => 0,
        Shape::Ball { .. } => 1,
        Shape::Capsule { .. } => 2,
        Shape::Box { .. } => 3,
        Shape::Hull(_) => 4,
        Shape::Mesh(_) => 5,
    }
}

fn order(a: &Posed, b: &Posed) -> Ordering {
    let numbers = |body: &Posed| -> [f64; 10] {
        let Bounds { high, .. } = body.shape.bounds();
        let (p, q) = (body.pose.position, body.pose.rotation);
        [p[0], p[1], p[2], q[0], q[1], q[2], q[3], high[0], high[1], high[2]]
    };
    let by_numbers = || {
        let (a, b) = (numbers(a), numbers(b));
        a.iter().zip(&b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    };
    rank(a.shape).cmp(&rank(b.shape)).then_with(by_numbers)
}

/// Makes a contact from points of both in the world.
fn contact(a: &Posed, on_a: Vec3, b: &Posed, on_b: Vec3, normal: Vec3, separation: f64) -> Contact {
    Contact { on_a: a.pose.local_point(on_a), on_b: b.pose.local_point(on_b), normal, separation }
}

/// Finds the corners of a body, or the ends of its axis, within the margin of the plane.
fn with_half_space(plane: &Posed, body: &Posed, margin: f64, out: &mut Vec<Contact>) {
    let up = plane.pose.vector([0.0, 0.0, 1.0]);
    let mut corner = |local: Vec3, radius: f64| {
        let at = sub(body.pose.point(local), scale(radius, up));
        let separation = dot(sub(at, plane.pose.position), up);
        if separation <= margin {
            let below = sub(at, scale(separation, up));
            out.push(contact(plane, below, body, at, up.map(|c| -c), separation));
        }
    };
    match body.shape {
        Shape::HalfSpace => {}
        Shape::Ball { radius } => corner([0.0; 3], *radius),
        Shape::Capsule { half_length, radius } => {
            [-half_length, *half_length].into_iter().for_each(|z| corner([0.0, 0.0, z], *radius));
        }
        Shape::Box { half } => (0..8).for_each(|i| {
            corner(std::array::from_fn(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] }), 0.0);
        }),
        Shape::Hull(hull) => hull.mesh().points().iter().for_each(|p| corner(*p, 0.0)),
        Shape::Mesh(mesh) => mesh.points().iter().for_each(|p| corner(*p, 0.0)),
    }
}

/// Uses the distance of the centre.
fn ball(ball: &Posed, radius: f64, other: &Posed, margin: f64, out: &mut Vec<Contact>) {
    let near = other.shape.near(other.pose.local_point(ball.pose.position));
    let separation = near.distance - radius;
    if separation <= margin {
        let normal = other.pose.vector(near.normal);
        let on_ball = ball.pose.local_vector(scale(-radius, normal));
        out.push(Contact { on_a: on_ball, on_b: near.point, normal, separation });
    }
}

/// Tests each triangle in front of the centre; uses the nearest surface where the centre is inside.
fn ball_on_mesh(centre: &Posed, radius: f64, body: &Posed, mesh: &Mesh, margin: f64, out: &mut Vec<Contact>) {
    let p = body.pose.local_point(centre.pose.position);
    let reach = radius + margin;
    let Some(near) = mesh.near_within(p, reach) else { return };
    if near.distance <= 0.0 {
        return ball(centre, radius, body, margin, out);
    }
    let mut found = Vec::new();
    mesh.tree().visit(&Bounds::around([p]).fattened(reach), |t| {
        let corners = mesh.corners(t);
        let point = closest::blend(closest::on_triangle(p, corners), corners);
        let (d, face) = (sub(p, point), mesh.normals()[t as usize]);
        let distance = norm(d);
        if distance > 0.0 && distance <= reach && dot(d, face) >= 0.0 {
            let normal = body.pose.vector(scale(1.0 / distance, d));
            let on_ball = centre.pose.local_vector(scale(-radius, normal));
            found.push((t, Contact { on_a: on_ball, on_b: point, normal, separation: distance - radius }));
        }
    });
    // A ball touches a flat surface once, however little the normals differ.
    nearest_of(found, body, radius, f64::INFINITY, out);
}

/// Tests each triangle that overlaps the box around a body.
fn polyhedron_on_mesh(first: &Posed, second: &Posed, mesh: &Mesh, margin: f64, out: &mut Vec<Contact>) {
    let Some(polyhedron) = Polyhedron::of(first.shape) else { return };
    let back = first.pose.inverse();
    let pose = back.compose(second.pose);
    let bounds = first.shape.bounds().posed(&second.pose.inverse().compose(first.pose)).fattened(margin);
    let mut found = Vec::new();
    mesh.tree().visit(&bounds, |t| {
        let face = second.pose.vector(mesh.normals()[t as usize]);
        contacts(&polyhedron, &Polyhedron::triangle(mesh.corners(t)), &pose, margin, |c| {
            let normal = first.pose.vector(c.normal);
            if dot(normal, face) >= 0.0 {
                found.push((t, Contact { on_a: c.on_first, on_b: c.on_second, normal, separation: c.separation }));
            }
        });
    });
    let Bounds { low, high } = first.shape.bounds();
    nearest_of(found, second, norm(sub(high, low)), ONE_NORMAL, out);
}

/// Keeps the contacts of triangles that are not behind a nearer one with another normal (cosine below `one_normal`),
/// each position once. `size` is that of the body on the mesh [m].
fn nearest_of(mut found: Vec<(u32, Contact)>, mesh: &Posed, size: f64, one_normal: f64, out: &mut Vec<Contact>) {
    found.sort_by(|(t, a), (u, b)| a.separation.total_cmp(&b.separation).then(t.cmp(u)));
    for (_, c) in found {
        let hidden = out.iter().any(|nearer| {
            let d = mesh.pose.vector(sub(c.on_b, nearer.on_b));
            let slack = 1e-9 * (size + norm(c.on_b));
            let behind = dot(d, nearer.normal) <= slack && dot(c.normal, nearer.normal) < one_normal;
            behind || norm(d) <= slack
        });
        if !hidden {
            out.push(c);
        }
    }
}

/// Finds the closest points, and both ends of the parallel part.
fn capsules(a: &Posed, [g, r]: [f64; 2], b: &Posed, [h, s]: [f64; 2], margin: f64, out: &mut Vec<Contact>) {
    let ends = |body: &Posed, half: f64| [-half, half].map(|z| body.pose.point([0.0, 0.0, z]));
    let ([a0, a1], [b0, b1]) = (ends(a, g), ends(b, h));
    let (u, v) = (sub(a1, a0), sub(b1, b0));
    let n = cross(u, v);
    // Across both axes; if these are parallel, across one.
    let across = if dot(n, n) > 1e-20 * dot(u, u) * dot(v, v) { n } else { any_across(u) };
    let apart = sub(a.pose.position, b.pose.position);
    let across = scale(1f64.copysign(dot(across, apart)) / norm(across), across);
    let mut at = |x: f64| {
        let on_a = add(a0, scale(x, u));
        let on_b = add(b0, scale(closest::on_segment(on_a, b0, b1), v));
        let d = sub(on_a, on_b);
        let distance = norm(d);
        let normal = if distance > 1e-12 * (r + s) { scale(1.0 / distance, d) } else { across };
        let separation = distance - r - s;
        if separation <= margin {
            let (on_a, on_b) = (sub(on_a, scale(r, normal)), add(on_b, scale(s, normal)));
            out.push(contact(a, on_a, b, on_b, normal, separation));
        }
    };
    let [x, _] = closest::of_segments([a0, a1], [b0, b1]);
    let common = closest::common_part([a0, a1], [b0, b1]);
    match common.filter(|_| dot(n, n) <= PARALLEL * dot(u, u) * dot(v, v)) {
        Some([from, to]) => {
            at(from);
            at(to);
            // Lines that cross at a small angle are nearest between the ends.
            if dot(n, n) > 1e-6 * dot(u, u) * dot(v, v) && x > from + 0.01 && x < to - 0.01 {
                at(x);
            }
        }
        None => at(x),
    }
}

fn any_across(u: Vec3) -> Vec3 {
    let least = (0..3).fold(0, |k, c| if u[c].abs() < u[k].abs() { c } else { k });
    let across = cross(u, IDENTITY[least]);
    if norm(across) > 0.0 { across } else { IDENTITY[2] }
}

fn polyhedra(a: &Posed, b: &Posed, margin: f64, out: &mut Vec<Contact>) {
    let (Some(first), Some(second)) = (Polyhedron::of(a.shape), Polyhedron::of(b.shape)) else { return };
    contacts(&first, &second, &a.pose.inverse().compose(b.pose), margin, |c| {
        let normal = a.pose.vector(c.normal);
        out.push(Contact { on_a: c.on_first, on_b: c.on_second, normal, separation: c.separation });
    });
}

/// Reduces contacts with one normal to [`MOST`]: the deepest, then repeatedly the one farthest from those kept.
fn thin(contacts: &mut Vec<Contact>, second: &Posed) {
    if contacts.len() <= MOST {
        return;
    }
    let mut rest = std::mem::take(contacts);
    while let Some(first) = rest.first().map(|c| c.normal) {
        let (mut one, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|c| dot(c.normal, first) > ONE_NORMAL);
        rest = others;
        if one.len() > MOST {
            one.sort_by(|a, b| a.separation.total_cmp(&b.separation));
            let point = |c: &Contact| second.pose.point(c.on_b);
            let away = |c: &Contact, kept: &Contact| norm(sub(point(c), point(kept)));
            for k in 1..MOST {
                let (kept, open) = one.split_at(k);
                let clear = |c: &Contact| kept.iter().map(|kept| away(c, kept)).fold(f64::INFINITY, f64::min);
                let best = (0..open.len()).fold(0, |b, i| if clear(&open[i]) > clear(&open[b]) { i } else { b });
                one.swap(k, k + best);
            }
            one.truncate(MOST);
        }
        contacts.extend(one);
    }
}
