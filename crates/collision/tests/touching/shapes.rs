use crate::{Dice, near};
use collision::shape::Measure;
use collision::{Shape, ShapeError};
use numerics::mat3::{IDENTITY, Vec3, add, mat_add, mat_mul, mat_mul_t, mat_scale, mat_sub, norm, outer, scale, sub};
use numerics::quaternion::to_matrix;

fn cube_hull() -> Shape {
    let mut points = Shape::Box { half: [0.5, 0.4, 0.3] }.triangles(1).0;
    points.extend([[0.0; 3], [0.1, 0.2, 0.1], [0.5, 0.4, 0.3]]);
    Shape::hull(&points).unwrap()
}

fn all() -> Vec<Shape> {
    let mut dice = Dice(9);
    let cloud: Vec<Vec3> = (0..60).map(|_| dice.point(0.6)).collect();
    let (points, triangles) = Shape::Capsule { half_length: 0.4, radius: 0.3 }.triangles(8);
    vec![
        Shape::HalfSpace,
        Shape::Ball { radius: 0.5 },
        Shape::Box { half: [0.5, 0.4, 0.3] },
        Shape::Capsule { half_length: 0.4, radius: 0.3 },
        cube_hull(),
        Shape::hull(&cloud).unwrap(),
        Shape::mesh(&points, &triangles).unwrap(),
    ]
}

#[test]
fn distance_is_that_of_the_point_and_its_gradient_the_normal() {
    let mut dice = Dice(3);
    for shape in all() {
        for _ in 0..300 {
            let p = dice.point(1.0);
            let at = shape.near(p);
            assert!((norm(at.normal) - 1.0).abs() < 1e-12);
            near(&add(at.point, scale(at.distance, at.normal)), &p, 1e-9);
            assert!(shape.near(at.point).distance.abs() < 1e-9);
            let step = 1e-6;
            let forward = shape.near(add(p, scale(step, at.normal))).distance;
            assert!((forward - at.distance - step).abs() < 1e-9, "{shape:?} {p:?}");
            // The distance changes no faster than the point moves.
            let q = dice.point(1.0);
            assert!((shape.near(q).distance - at.distance).abs() <= norm(sub(p, q)) + 1e-12);
            assert_eq!(shape.near_within(p, at.distance.abs() + 1e-9), Some(at));
        }
    }
}

#[test]
fn known_distances() {
    let of = |shape: &Shape, p: Vec3| shape.near(p).distance;
    for cube in [Shape::Box { half: [0.5, 0.4, 0.3] }, cube_hull()] {
        near(&[of(&cube, [0.0; 3]), of(&cube, [0.5, 0.4, 0.8])], &[-0.3, 0.5], 1e-12);
        near(&[of(&cube, [0.8, 0.8, 0.0]), of(&cube, [0.45, 0.0, 0.0])], &[0.5, -0.05], 1e-12);
    }
    let capsule = Shape::Capsule { half_length: 0.4, radius: 0.3 };
    near(&[of(&capsule, [0.0, 0.0, 0.9]), of(&capsule, [1.0, 0.0, 0.2])], &[0.2, 0.7], 1e-12);
    near(&[of(&Shape::HalfSpace, [3.0, 1.0, -2.0])], &[-2.0], 0.0);
    // An open square: one-sided, and outside beyond its rim.
    let (points, triangles) = Shape::HalfSpace.triangles(1);
    let square = Shape::mesh(&points, &triangles).unwrap();
    near(&[of(&square, [0.2, 0.3, 0.5]), of(&square, [0.0, 0.0, -0.5])], &[0.5, -0.5], 1e-12);
    near(&[of(&square, [4.0, 0.0, -4.0])], &[5.0], 1e-12);
}

#[test]
fn middles_have_a_normal() {
    for shape in all() {
        for p in [[0.0; 3], [0.0, 0.0, 0.1]] {
            let at = shape.near(p);
            assert!(at.distance.is_finite() && (norm(at.normal) - 1.0).abs() < 1e-12, "{shape:?}");
        }
    }
}

fn close(a: &Measure, b: &Measure, tolerance: f64) {
    near(&[a.volume], &[b.volume], tolerance * b.volume);
    near(&a.centre, &b.centre, tolerance);
    near(a.inertia.as_flattened(), b.inertia.as_flattened(), tolerance * b.inertia[0][0]);
}

#[test]
fn mass_of_round_shapes_is_the_limit_of_their_meshes() {
    let of_mesh = |shape: &Shape, fineness: usize| {
        let (points, triangles) = shape.triangles(fineness);
        Shape::mesh(&points, &triangles).unwrap().measure().unwrap()
    };
    for shape in [Shape::Ball { radius: 0.5 }, Shape::Capsule { half_length: 0.4, radius: 0.3 }] {
        // Errors are of second order in the fineness.
        let (coarse, fine) = (of_mesh(&shape, 24), of_mesh(&shape, 48));
        let limit = |coarse: f64, fine: f64| (4.0 * fine - coarse) / 3.0;
        let inertia: [[f64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| limit(coarse.inertia[i][j], fine.inertia[i][j])));
        let volume = limit(coarse.volume, fine.volume);
        close(&Measure { volume, centre: fine.centre, inertia }, &shape.measure().unwrap(), 1e-5);
    }
    let cuboid = Shape::Box { half: [0.5, 0.4, 0.3] };
    close(&of_mesh(&cuboid, 1), &cuboid.measure().unwrap(), 1e-13);
    close(&cube_hull().measure().unwrap(), &cuboid.measure().unwrap(), 1e-13);
}

#[test]
fn inertia_of_a_hull_is_that_of_samples_and_its_axes_are_principal() {
    let hull = &all()[5];
    let m = hull.measure().unwrap();
    let (n, mut inside, mut sum, mut second) = (60, 0.0, [0.0; 3], [[0.0; 3]; 3]);
    let side = 1.2 / n as f64;
    for k in 0..n * n * n {
        let p = [k % n, k / n % n, k / n / n].map(|i| (i as f64 + 0.5) * side - 0.6);
        if hull.near(p).distance < 0.0 {
            inside += 1.0;
            sum = add(sum, p);
            second = mat_add(&second, &outer(sub(p, m.centre), sub(p, m.centre)));
        }
    }
    let cell = side.powi(3);
    let trace = second[0][0] + second[1][1] + second[2][2];
    let inertia = mat_scale(cell, &mat_sub(&mat_scale(trace, &IDENTITY), &second));
    close(&Measure { volume: inside * cell, centre: scale(1.0 / inside, sum), inertia }, &m, 3e-3);
    let (moments, axes) = m.principal();
    let r = to_matrix(axes);
    let diagonal = [[moments[0], 0.0, 0.0], [0.0, moments[1], 0.0], [0.0, 0.0, moments[2]]];
    let back = mat_mul_t(&mat_mul(&r, &diagonal), &r);
    near(back.as_flattened(), m.inertia.as_flattened(), 1e-12 * moments[0]);
}

#[test]
fn a_far_mesh_keeps_its_inertia() {
    let shape = Shape::Box { half: [0.5, 0.4, 0.3] };
    let (points, triangles) = shape.triangles(1);
    let far: Vec<Vec3> = points.iter().map(|p| add(*p, [1e4, -2e4, 5e3])).collect();
    let m = Shape::mesh(&far, &triangles).unwrap().measure().unwrap();
    near(m.inertia.as_flattened(), shape.measure().unwrap().inertia.as_flattened(), 1e-10);
}

#[test]
fn surfaces_are_closed_look_outwards_and_lie_on_the_shape() {
    for shape in all().iter().skip(1) {
        for fineness in [0, 1, 5] {
            let (points, triangles) = shape.triangles(fineness);
            assert!(points.iter().all(|p| shape.near(*p).distance.abs() < 1e-12));
            let mesh = Shape::mesh(&points, &triangles).unwrap();
            assert!(mesh.measure().unwrap().volume > 0.0);
            let bounds = shape.bounds();
            let fits = |p: &Vec3| bounds.fattened(1e-12).squared_distance(*p) == 0.0;
            assert!(points.iter().all(fits));
        }
    }
    assert_eq!(Shape::Box { half: [1.0; 3] }.triangles(3).1.len(), 12);
}

#[test]
fn bad_shapes_are_refused_with_what_to_do() {
    let square = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let mut nan = square;
    nan[3][2] = f64::NAN;
    let line: Vec<Vec3> = (0..9).map(|k| [k as f64, 2.0 * k as f64, 0.0]).collect();
    let (points, triangles) = Shape::Box { half: [1.0; 3] }.triangles(1);
    let turned: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let size = |shape: Shape| shape.check().unwrap_err();
    let mesh = |triangles: &[[u32; 3]]| Shape::mesh(&points, triangles);
    let open = mesh(&triangles[1..]).unwrap().measure().unwrap_err();
    let errors = [
        size(Shape::Ball { radius: 0.0 }),
        size(Shape::Ball { radius: f64::NAN }),
        size(Shape::Box { half: [1.0, -1.0, 1.0] }),
        size(Shape::Capsule { half_length: 0.0, radius: 1.0 }),
        size(Shape::Capsule { half_length: 1.0, radius: f64::INFINITY }),
        Shape::hull(&square).unwrap_err(),
        Shape::hull(&nan).unwrap_err(),
        Shape::hull(&line).unwrap_err(),
        Shape::hull(&[[1.0; 3]; 7]).unwrap_err(),
        Shape::hull(&[]).unwrap_err(),
        mesh(&[]).unwrap_err(),
        mesh(&[[0, 1, 99]]).unwrap_err(),
        mesh(&[[0, 1, 1]]).unwrap_err(),
        open.clone(),
        mesh(&turned).unwrap().measure().unwrap_err(),
        Shape::HalfSpace.measure().unwrap_err(),
    ];
    for error in &errors {
        assert!(error.to_string().contains("; "), "{error}");
    }
    assert!(matches!(open, ShapeError::Open { edges: 3 }));
    assert!(matches!(errors[5], ShapeError::Flat { .. }) && matches!(errors[7], ShapeError::Flat { .. }));
    assert!(matches!(errors[8], ShapeError::TooFewPoints { points: 1 }));
}
