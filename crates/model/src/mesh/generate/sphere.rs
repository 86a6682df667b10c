//! Spheres of points with an axle inside, for bodies in Stokes flow: the surface alone pushes the fluid.
//!
//! Points lie on a Fibonacci spiral, each for the same area. The edges of their hull and spokes to two nodes of the axle make it
//! rigid.

use super::{Generator, Kind, Parameter, Parameters, Preset};
use crate::mesh::{Mesh, MeshError};
use collision::shape::Hull;
use numerics::mat3::Vec3;
use std::collections::{BTreeSet, HashMap};
use std::f64::consts::PI;

/// A sphere of points.
pub(super) const SPHERE: Generator = Generator {
    name: "sphere",
    description: "A hollow sphere around the origin: triangles, edges along them, and spokes to the two nodes of an axle along z. \
                  Groups: surface, axle (the lower node first).",
    parameters: &[
        Parameter {
            name: "radius",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[1.0]),
            doc: "radius of the sphere",
            unit: "m",
        },
        Parameter {
            name: "count",
            kind: Kind::count_within(12, 100_000),
            default: Preset::Numbers(&[60.0]),
            doc: "points of the surface, at equal distances",
            unit: "",
        },
        Parameter {
            name: "axle",
            kind: Kind::within(0.05, 0.95),
            default: Preset::Numbers(&[0.8]),
            doc: "distance of the two nodes of the axle from the centre, over the radius",
            unit: "",
        },
    ],
    is_sheet: false,
    elements: |p| Ok((7 * u128::from(p.count("count")?)).saturating_sub(9)),
    build,
};

fn build(p: &Parameters) -> Result<Mesh, MeshError> {
    let (radius, count) = (p.length("radius")?, p.count("count")?);
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let place = |k: u32| -> Vec3 {
        let z = 1.0 - f64::from(2 * k + 1) / f64::from(count);
        let (sin, cos) = (golden * f64::from(k)).sin_cos();
        let across = (1.0 - z * z).sqrt();
        [across * cos, across * sin, z]
    };
    let points: Vec<Vec3> = (0..count).map(place).collect();
    let refuse = || p.refuse("count", "a number of points whose hull can be found: try one more".to_string());
    let hull = Hull::new(&points).map_err(|_| refuse())?;
    let key = |point: &Vec3| point.map(f64::to_bits);
    let number: HashMap<[u64; 3], u32> = points.iter().map(key).zip(0..).collect();
    let corners: Vec<u32> = hull.mesh().points().iter().filter_map(|point| number.get(&key(point)).copied()).collect();
    if corners.len() != points.len() || hull.mesh().points().len() != points.len() {
        return Err(refuse().into());
    }
    let mut triangles: Vec<[u32; 3]> = hull.mesh().triangles().iter().map(|t| t.map(|i| corners[i as usize])).collect();
    triangles.sort_unstable();
    let sides: BTreeSet<[u32; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    let mut edges: Vec<[u32; 2]> = sides.into_iter().collect();
    edges.extend((0..count).flat_map(|i| [[i, count], [i, count + 1]]));
    edges.push([count, count + 1]);

    let mut points: Vec<Vec3> = points.into_iter().map(|point| point.map(|c| radius * c)).collect();
    let pole = radius * p.number("axle")?;
    points.extend([[0.0, 0.0, -pole], [0.0, 0.0, pole]]);
    let mut mesh = Mesh { points, triangles, edges, ..Mesh::default() };
    mesh.group_nodes("surface", (0..count).collect());
    mesh.group_nodes("axle", vec![count, count + 1]);
    Ok(mesh)
}
