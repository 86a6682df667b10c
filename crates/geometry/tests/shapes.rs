//! Contracts of every simple shape, and of bodies composed of them.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use geometry::Distance;
use geometry::shape::{
    Assembly, AssemblyError, Joined, Mirror, Operation, Part, Placement, Repeat, SHAPES, Shared, Twist, shape,
};
use model::mesh::generate::{self, Value};
use numerics::mat3::{Vec3, add, norm, scale, sub};

/// Points that fill a box evenly without a lattice's symmetry.
fn points_in([low, high]: [Vec3; 2], count: usize) -> impl Iterator<Item = Vec3> {
    // Powers of the inverse of the real root of x^4 = x + 1: the additive recurrence of lowest discrepancy in 3-D.
    let step = [0.8191725133961645, 0.6710436067037893, 0.5497004779019703];
    (1..=count).map(move |i| std::array::from_fn(|k| low[k] + (high[k] - low[k]) * (0.5 + step[k] * i as f64).fract()))
}

fn wider([low, high]: [Vec3; 2], by: f64) -> [Vec3; 2] {
    [low.map(|x| x - by), high.map(|x| x + by)]
}

/// Returns the volume by counting points [m^3].
fn volume(distance: &dyn Distance) -> f64 {
    let bounds = distance.bounds();
    let count = 200_000;
    let inside = points_in(bounds, count).filter(|&p| distance.at(p) < 0.0).count();
    let size = sub(bounds[1], bounds[0]);
    size[0] * size[1] * size[2] * inside as f64 / count as f64
}

/// Fails if something inside lies beyond the bounds, or a step changes the value by more than its length.
fn is_a_distance(name: &str, distance: &dyn Distance, steepest: f64) {
    let mut bounds = distance.bounds();
    if !bounds[0][0].is_finite() {
        bounds = [[-1.0; 3], [1.0; 3]];
    }
    let size = norm(sub(bounds[1], bounds[0]));
    let mut before = (bounds[0], distance.at(bounds[0]));
    for (i, p) in points_in(wider(bounds, 0.3 * size), 40_000).enumerate() {
        let d = distance.at(p);
        assert!(d.is_finite(), "{name} at {p:?}");
        let outside = (0..3).any(|k| p[k] < bounds[0][k] || p[k] > bounds[1][k]);
        assert!(!outside || d > 0.0 || size > 3.0, "{name} reaches {p:?}, beyond {bounds:?}");
        // Long steps and short ones.
        let near = add(p, scale(1e-3 * size, points_in([[-1.0; 3], [1.0; 3]], i % 50 + 1).last().unwrap_or_default()));
        for (q, e) in [before, (near, distance.at(near))] {
            let (rise, run) = ((d - e).abs(), norm(sub(p, q)));
            assert!(rise <= steepest * run + 1e-12 * size, "{name}: {rise} over {run} between {p:?} and {q:?}");
        }
        before = (p, d);
    }
}

#[test]
fn every_shape_is_a_distance_with_its_default_parameters() {
    for facts in SHAPES {
        let made = facts.with(&Default::default()).unwrap();
        let steepest = match facts.name {
            "ellipsoid" => 3.0, // right to first order at the surface only
            "ribbon" => 1.2,    // turns faster near its axis, where nothing of it is
            _ => 1.0,
        };
        is_a_distance(facts.name, made.as_ref(), steepest);
    }
}

#[test]
fn simple_shapes_have_their_volumes() {
    type Case = (&'static str, Vec<(&'static str, Value)>, f64);
    let cases: [Case; 9] = [
        ("ball", vec![("radius", 0.3.into()), ("center", [1.0, -2.0, 3.0].into())], 4.0 / 3.0 * PI * 0.027),
        ("ellipsoid", vec![("radii", [0.3, 0.2, 0.5].into())], 4.0 / 3.0 * PI * 0.03),
        ("box", vec![("size", [0.3, 0.2, 0.5].into())], 0.03),
        ("capsule", vec![("radius", 0.2.into()), ("to", [0.6, 0.0, 0.8].into())], PI * 0.04 + 4.0 / 3.0 * PI * 0.008),
        ("cone", vec![("radii", [0.3, 0.1].into()), ("to", [0.0, 2.0, 0.0].into())], PI * 2.0 / 3.0 * 0.13),
        ("torus", vec![("radius", 0.5.into()), ("tube", 0.2.into())], TAU * PI * 0.5 * 0.04),
        ("ribbon", vec![("half_turns", 0.0.into())], TAU * 0.5 * 0.2 * 0.04),
        ("extrusion", vec![("height", 0.4.into())], 0.2),
        ("tube", vec![("radii", 0.25.into())], PI * 0.0625 + 4.0 / 3.0 * PI * 0.015625),
    ];
    for (name, given, exact) in cases {
        let measured = volume(shape(name, given).unwrap().as_ref());
        assert!((measured / exact - 1.0).abs() < 0.01, "{name}: {measured} instead of {exact}");
    }
}

#[test]
fn distances_are_exact_where_a_closed_form_is() {
    let cone = shape("cone", [("radii", [1.0, 1.0].into()), ("to", [0.0, 0.0, 2.0].into())]).unwrap();
    for (p, d) in [([0.0, 0.0, 1.0], -1.0), ([2.0, 0.0, 1.0], 1.0), ([0.0, 0.0, 3.0], 1.0), ([4.0, 0.0, 6.0], 5.0)] {
        assert!((cone.at(p) - d).abs() < 1e-12, "{p:?}");
    }
    let pointed = shape("cone", [("radii", [1.0, 0.0].into()), ("to", [0.0, 0.0, 1.0].into())]).unwrap();
    assert!((pointed.at([1.0, 0.0, 1.0]) - 0.5_f64.sqrt()).abs() < 1e-12);
    assert!((pointed.at([0.0, 0.0, 3.0]) - 2.0).abs() < 1e-12);
    let outline = Value::Points(vec![[0.0; 3], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]]);
    let square = shape("extrusion", [("outline", outline), ("height", 2.0.into())]).unwrap();
    for (p, d) in [([1.0, 1.0, 0.0], -1.0), ([1.0, 1.5, 0.0], -0.5), ([5.0, 6.0, 0.0], 5.0), ([5.0, 2.0, 5.0], 5.0)] {
        assert!((square.at(p) - d).abs() < 1e-12, "{p:?}: {}", square.at(p));
    }
    // A tube whose balls lie in each other is the larger one.
    let points = Value::Points(vec![[0.0; 3], [0.1, 0.0, 0.0]]);
    let tube = shape("tube", [("points", points), ("radii", [1.0, 0.5].into())]).unwrap();
    assert!((tube.at([3.0, 0.0, 0.0]) - 2.0).abs() < 1e-12);
}

#[test]
fn parameters_that_make_no_shape_are_refused_with_what_to_do() {
    let far = [f64::NAN, 0.0, 0.0];
    let cases: [(&str, (&str, Value), &str); 9] = [
        ("ball", ("radius", 0.0.into()), "give a number above 0 [m]"),
        ("ball", ("center", far.into()), "center"),
        ("box", ("round", 0.6.into()), "at most half of the shortest side"),
        ("cone", ("to", [0.0; 3].into()), "a point away from `from`"),
        ("cone", ("radii", [0.0, 0.0].into()), "at least one above 0"),
        ("tube", ("radii", [1.0, 2.0, 3.0].into()), "one for each of the 2 points"),
        ("extrusion", ("outline", Value::Points(vec![[0.0; 3], [1.0; 3]])), "three or more corners"),
        ("ribbon", ("width", 3.0.into()), "at most twice the radius"),
        ("half-space", ("normal", [0.0; 3].into()), "not all 0"),
    ];
    for (name, given, words) in cases {
        let error = shape(name, [given]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(words), "{name}: {error}");
    }
    assert!(shape("bal", []).err().unwrap().to_string().contains("perhaps 'ball'"));
}

fn ball(radius: f64, center: Vec3) -> Shared {
    shape("ball", [("radius", radius.into()), ("center", center.into())]).unwrap()
}

#[test]
fn copies_are_where_the_screw_puts_them() {
    let repeat = Repeat { count: 4, offset: [0.0, 0.0, 1.0], turn: ([0.0, 0.0, 1.0], TAU / 4.0), factor: 0.5 };
    let placement = Placement { position: [10.0, 0.0, 0.0], scale: 2.0, ..Placement::default() };
    let part = Part::new(ball(0.1, [1.0, 0.0, 0.0]), None, Some(&repeat), &placement, Some(Mirror::X));
    is_a_distance("screw", &part, 1.0);
    // Copy k of x is R^k x / 2^k + (1 + 1/2 + ...) z; then twice as large and moved.
    for (at, radius) in [([12.0, 0.0, 0.0], 0.2), ([10.0, 1.0, 2.0], 0.1), ([9.5, 0.0, 3.0], 0.05)] {
        assert!((part.at(at) + radius).abs() < 1e-12, "{at:?}: {}", part.at(at));
        let mirrored = [-at[0], at[1], at[2]];
        assert!((part.at(mirrored) + radius).abs() < 1e-12, "{mirrored:?}: {}", part.at(mirrored));
    }
}

#[test]
fn a_twist_keeps_the_volume_and_turns_the_end() {
    let bar = shape("box", [("size", [0.4, 0.1, 2.0].into())]).unwrap();
    let twist = Twist { axis: [0.0, 0.0, 1.0], rate: PI / 2.0 };
    let part = Part::new(bar, Some(twist), None, &Placement::default(), None);
    // Far out, where a twist stretches more, the value may rise a little faster.
    is_a_distance("twisted box", &part, 1.1);
    assert!((volume(&part) / 0.08 - 1.0).abs() < 0.02, "{}", volume(&part));
    assert!(part.at([0.15, 0.0, 0.0]) < 0.0 && part.at([0.0, 0.15, 0.0]) > 0.0);
    assert!(part.at([0.15, 0.0, 0.99]) > 0.0 && part.at([0.0, 0.15, 0.99]) < 0.0);
}

fn join(parts: Vec<(Operation, f64, &str, Shared)>) -> Result<Assembly, AssemblyError> {
    let joined = parts.into_iter().map(|(operation, blend, name, shape)| {
        let name = (!name.is_empty()).then(|| name.to_string());
        Joined { operation, blend, name, part: Part::plain(shape) }
    });
    Assembly::new(joined.collect())
}

#[test]
fn parts_are_joined_in_their_order() {
    use Operation::{Difference, Intersection, Union};
    let (left, right) = (ball(1.0, [0.0; 3]), ball(1.0, [1.0, 0.0, 0.0]));
    // Two unit balls at distance 1 share 5 pi / 12.
    let (whole, lens) = (4.0 / 3.0 * PI, 5.0 / 12.0 * PI);
    for (operation, exact) in [(Union, 2.0 * whole - lens), (Difference, whole - lens), (Intersection, lens)] {
        let body = join(vec![(Union, 0.0, "", left.clone()), (operation, 0.0, "", right.clone())]).unwrap();
        is_a_distance("two balls", &body, 1.0);
        assert!((volume(&body) / exact - 1.0).abs() < 0.02, "{operation:?}: {} for {exact}", volume(&body));
        let smooth = join(vec![(Union, 0.0, "", left.clone()), (operation, 0.2, "", right.clone())]).unwrap();
        is_a_distance("two balls, blended", &smooth, 1.0);
        // A seam adds to a union and takes from the others.
        let grows = volume(&smooth) > volume(&body);
        assert_eq!(grows, operation == Union, "{operation:?}");
    }
}

#[test]
fn parts_far_away_are_not_looked_at_but_the_distance_is_the_same() {
    let centers: Vec<Vec3> = points_in([[-1.0; 3], [1.0; 3]], 30).collect();
    let parts = centers.iter().map(|&c| (Operation::Union, 0.05, "", ball(0.1, c))).collect();
    let body = join(parts).unwrap();
    for p in points_in([[-1.5; 3], [1.5; 3]], 2000) {
        let mut slow = f64::INFINITY;
        for &c in &centers {
            let d = norm(sub(p, c)) - 0.1;
            let overlap = (0.05 - (slow - d).abs()).max(0.0);
            slow = slow.min(d) - if overlap > 0.0 { 0.25 * overlap * overlap / 0.05 } else { 0.0 };
        }
        assert!((body.at(p) - slow).abs() < 1e-14, "{p:?}: {} or {slow}", body.at(p));
    }
}

#[test]
fn names_of_parts_become_groups_of_the_mesh() {
    use Operation::{Label, Union};
    let (left, right) = (ball(1.0, [0.0; 3]), ball(1.0, [2.0, 0.0, 0.0]));
    let slab = shape("half-space", [("normal", [0.0, 0.0, 1.0].into())]).unwrap();
    let body = join(vec![
        (Union, 0.0, "left", left),
        (Union, 0.0, "right", right),
        (Label, 0.0, "lower", slab.clone()),
        (Label, 0.0, "lower", slab),
    ])
    .unwrap();
    let mut mesh =
        generate::generate("box", [("size", [4.0, 2.0, 2.0].into()), ("cells", [8.0, 4.0, 4.0].into())]).unwrap();
    mesh.points.iter_mut().for_each(|p| *p = sub(*p, [1.0; 3]));
    body.name_groups(&mut mesh).unwrap();
    assert_eq!(mesh.groups["left"].tets.len() + mesh.groups["right"].tets.len(), mesh.tets.len());
    assert!(mesh.groups["left"].tets.iter().all(|&e| mesh.tet_centroid(e as usize)[0] < 1.0));
    assert_eq!(mesh.groups["lower"].tets.len(), mesh.tets.len() / 2);
    mesh.validate().unwrap();

    let far = join(vec![(Union, 0.0, "", ball(1.0, [0.0; 3])), (Label, 0.0, "horn", ball(0.1, [9.0; 3]))]).unwrap();
    assert_eq!(far.name_groups(&mut mesh), Err(AssemblyError::NamesNothing { name: "horn".into() }));
}

#[test]
fn what_is_no_body_is_refused() {
    use Operation::{Difference, Intersection, Union};
    let slab = || shape("half-space", []).unwrap();
    assert_eq!(join(vec![]).err(), Some(AssemblyError::NothingToCut { part: 1 }));
    assert_eq!(join(vec![(Difference, 0.0, "", slab())]).err(), Some(AssemblyError::NothingToCut { part: 1 }));
    assert_eq!(join(vec![(Union, 0.0, "", slab())]).err(), Some(AssemblyError::Unbounded));
    let cut = join(vec![(Union, 0.0, "", ball(1.0, [0.0; 3])), (Intersection, 0.0, "", slab())]).unwrap();
    assert!((volume(&cut) / (2.0 / 3.0 * PI) - 1.0).abs() < 0.01);
    let nested: Shared = Arc::new(cut);
    assert!(Part::plain(nested).at([0.0, 0.0, -0.5]) < 0.0);
}
