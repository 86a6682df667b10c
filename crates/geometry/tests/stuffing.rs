//! Tets from shapes: angles, volume, surface and conformity, on simple and on difficult functions.

mod sound;

use geometry::{Distance, Fineness, StuffError, Wanted, components, dihedral_angles, stuff};
use model::mesh::Mesh;
use numerics::mat3::{Vec3, norm, sub};
use sound::{check, euler};

/// A function with a box.
struct Bounded<F>(F, [Vec3; 2]);

impl<F: Fn(Vec3) -> f64 + Sync> Distance for Bounded<F> {
    fn at(&self, point: Vec3) -> f64 {
        self.0(point)
    }
    fn bounds(&self) -> [Vec3; 2] {
        self.1
    }
}

fn ball() -> Bounded<impl Fn(Vec3) -> f64 + Sync> {
    Bounded(|p| norm(p) - 1.0, [[-1.0; 3], [1.0; 3]])
}

fn torus() -> Bounded<impl Fn(Vec3) -> f64 + Sync> {
    let f = |[x, y, z]: Vec3| (x.hypot(y) - 1.0).hypot(z) - 0.4;
    Bounded(f, [[-1.4, -1.4, -0.4], [1.4, 1.4, 0.4]])
}

fn cuboid(half: Vec3) -> Bounded<impl Fn(Vec3) -> f64 + Sync> {
    let f = move |p: Vec3| {
        let q: Vec3 = std::array::from_fn(|k| p[k].abs() - half[k]);
        norm(q.map(|x| x.max(0.0))) + q[0].max(q[1]).max(q[2]).min(0.0)
    };
    Bounded(f, [half.map(|x| -x), half])
}

/// Returns a number from -1 to 1 that is independent of its neighbours.
fn noise(p: Vec3) -> f64 {
    let mut n = p.iter().fold(7_u64, |n, x| (n ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
    n = (n ^ (n >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (n >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn mesh_of(shape: &dyn Distance, wanted: Wanted) -> Mesh {
    stuff(shape, &wanted, &mut |_| {}).unwrap().mesh
}

#[test]
fn a_ball_is_filled_well_at_every_grading() {
    for grading in 0..=4 {
        let ball = ball();
        let mesh = mesh_of(&ball, Wanted::spacing(0.06).graded(grading));
        check(&mesh, &format!("ball, grading {grading}"));
        assert_eq!(euler(&mesh), 2);
        assert_eq!(components(&mesh).1, 1);
        // Away from the surface there are only tets of the lattice, of several sizes.
        for e in 0..mesh.tets.len() {
            if mesh.tet_points(e).iter().all(|&p| ball.at(p) < -0.12) {
                let angles = dihedral_angles(&mesh.tet_points(e));
                assert!(angles.iter().all(|a| (45.0 - 1e-9..120.0 + 1e-9).contains(a)), "{angles:?}");
            }
        }
        for i in mesh.boundary_triangles().iter().flatten() {
            assert!(ball.at(mesh.points[*i as usize]).abs() < 1e-6 * 0.06);
        }
    }
}

#[test]
fn grading_saves_vertices_and_keeps_the_surface() {
    let count = |grading| {
        let mesh = mesh_of(&ball(), Wanted::spacing(0.04).graded(grading));
        (mesh.points.len(), mesh.boundary_triangles().len())
    };
    let [uniform, one, two] = [0, 1, 2].map(count);
    assert_eq!(uniform.1, two.1);
    assert!(one.0 * 10 < uniform.0 * 7 && two.0 < one.0, "{uniform:?} {one:?} {two:?}");
}

#[test]
fn a_torus_has_a_hole() {
    let mesh = mesh_of(&torus(), Wanted::spacing(0.05));
    check(&mesh, "torus");
    assert_eq!(euler(&mesh), 0);
}

#[test]
fn volume_converges_with_the_square_of_the_spacing() {
    let exact = 4.0 / 3.0 * std::f64::consts::PI;
    let errors = [0.2, 0.1, 0.05].map(|h| (mesh_of(&ball(), Wanted::spacing(h)).volume() - exact).abs());
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.8..2.2).contains(&order), "order {order} of {errors:?}");
    }
}

#[test]
fn a_box_on_the_lattice_is_exact() {
    let mesh = mesh_of(&cuboid([0.5, 0.25, 0.75]), Wanted::spacing(0.0625));
    check(&mesh, "box on the lattice");
    assert!((mesh.volume() - 0.75).abs() < 1e-12);
    assert_eq!(euler(&mesh), 2);
}

#[test]
fn angles_hold_for_nasty_functions() {
    let wide = [[-1.0; 3], [1.0; 3]];
    // Sharp edges off the lattice, thin walls and needles, a crease of infinite slope, steps, noise of every strength.
    check(&mesh_of(&cuboid([0.511, 0.273, 0.747]), Wanted::spacing(0.0613)), "box");
    check(&mesh_of(&cuboid([0.9, 0.9, 0.03]), Wanted::spacing(0.06)), "plate");
    check(&mesh_of(&cuboid([0.9, 0.05, 0.04]), Wanted::spacing(0.06)), "needle");
    let tilted = Bounded(|[x, y, z]: Vec3| ((x + 0.7 * y - 0.4 * z).abs() - 0.05).max(norm([x, y, z]) - 0.95), wide);
    check(&mesh_of(&tilted, Wanted::spacing(0.06)), "tilted plate");
    let steep = Bounded(|p: Vec3| (norm(p) - 0.8).cbrt(), wide);
    check(&mesh_of(&steep, Wanted::spacing(0.07)), "crease");
    let flat = Bounded(|p: Vec3| (norm(p) - 0.8).powi(3), wide);
    check(&mesh_of(&flat, Wanted::spacing(0.07)), "flat");
    let step = Bounded(|p: Vec3| if norm(p) < 0.8 { -0.01 } else { 0.01 }, wide);
    check(&mesh_of(&step, Wanted::spacing(0.07)), "step");
    for strength in [0.01, 0.05, 0.1, 0.2] {
        for grading in [0, 2] {
            let rough = Bounded(move |p: Vec3| norm(p) - 0.7 + strength * noise(p), wide);
            check(&mesh_of(&rough, Wanted::spacing(0.06).graded(grading)), &format!("noise {strength}, {grading}"));
        }
    }
    let waves = Bounded(
        |[x, y, z]: Vec3| (norm([x, y, z]) - 0.9).max(0.1 * ((9.0 * x).sin() + (11.0 * y).sin() + (8.0 * z).cos())),
        wide,
    );
    check(&mesh_of(&waves, Wanted::spacing(0.05)), "waves");
}

#[test]
fn a_steep_function_is_mended_not_torn() {
    // Four times as steep as a distance: whole regions are first taken for inside or outside.
    let steep = Bounded(|p: Vec3| 4.0 * (norm(p) - 0.9), [[-1.0; 3], [1.0; 3]]);
    let mesh = mesh_of(&steep, Wanted::spacing(0.05).graded(3));
    check(&mesh, "steep ball");
    assert_eq!(euler(&mesh), 2);
    assert!((mesh.volume() / (4.0 / 3.0 * std::f64::consts::PI * 0.729) - 1.0).abs() < 0.01);
}

#[test]
fn the_wanted_number_of_vertices_comes_within_five_percent() {
    for wanted in [2_000, 5_000, 40_000] {
        for grading in [0, 2] {
            for (name, shape) in
                [("ball", &ball() as &dyn Distance), ("torus", &torus()), ("box", &cuboid([0.5, 0.4, 0.9]))]
            {
                let mesh = mesh_of(shape, Wanted::vertices(wanted).graded(grading));
                let share = mesh.points.len() as f64 / wanted as f64;
                assert!((0.95..=1.05).contains(&share), "{name}, {wanted}, grading {grading}: {}", mesh.points.len());
            }
        }
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let made = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| mesh_of(&torus(), Wanted::vertices(8_000)))
    };
    let one = made(1);
    assert_eq!(one, made(2));
    assert_eq!(one, made(4));
}

#[test]
fn points_are_in_an_order_that_keeps_neighbours_near() {
    let mesh = mesh_of(&ball(), Wanted::vertices(20_000));
    let step: f64 = mesh.points.windows(2).map(|p| norm(sub(p[0], p[1]))).sum();
    assert!(step / (mesh.points.len() as f64) < 3.0 * 0.06, "{}", step / mesh.points.len() as f64);
}

#[test]
fn pieces_are_counted_and_kept() {
    let two = Bounded(
        |[x, y, z]: Vec3| norm([x - 0.6, y, z]).min(norm([x + 0.6, y, z])) - 0.3,
        [[-0.9, -0.3, -0.3], [0.9, 0.3, 0.3]],
    );
    let mesh = mesh_of(&two, Wanted::spacing(0.05));
    let (of_tets, count) = components(&mesh);
    assert_eq!(count, 2);
    let first = mesh.tet_centroid(0)[0] > 0.0;
    for (e, &piece) in of_tets.iter().enumerate() {
        assert_eq!(piece == 0, (mesh.tet_centroid(e)[0] > 0.0) == first);
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let wide = [[-1.0; 3], [1.0; 3]];
    let made =
        |shape: &dyn Distance, fineness| stuff(shape, &Wanted { fineness, grading: 2 }, &mut |_| {}).unwrap_err();
    let coarse = Fineness::Spacing(0.1);
    let empty = Bounded(|_| 1.0, wide);
    assert!(matches!(made(&empty, coarse), StuffError::Nothing { .. }));
    assert!(matches!(made(&empty, Fineness::Vertices(1000)), StuffError::Nothing { .. }));
    let nan = Bounded(|p: Vec3| if p[0] > 0.3 { f64::NAN } else { norm(p) - 0.9 }, wide);
    assert!(matches!(made(&nan, coarse), StuffError::NotFinite { point, .. } if point[0] > 0.3));
    assert!(matches!(made(&Bounded(|_| -1.0, wide), coarse), StuffError::LeavesBounds { .. }));
    assert!(matches!(made(&ball(), Fineness::Spacing(0.0)), StuffError::Spacing { .. }));
    assert!(matches!(made(&ball(), Fineness::Spacing(f64::NAN)), StuffError::Spacing { .. }));
    assert!(matches!(made(&ball(), Fineness::Spacing(1e-9)), StuffError::TooFine { .. }));
    assert!(matches!(made(&ball(), Fineness::Vertices(usize::MAX)), StuffError::TooMany { .. }));
    assert!(matches!(made(&ball(), Fineness::Spacing(1e-4)), StuffError::TooMany { .. }));
    let endless = Bounded(|p: Vec3| p[0], [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]]);
    assert!(matches!(made(&endless, coarse), StuffError::Bounds { .. }));
}

#[test]
fn progress_grows_from_zero_to_one() {
    let mut seen = Vec::new();
    stuff(&ball(), &Wanted::vertices(3000), &mut |share| seen.push(share)).unwrap();
    assert_eq!((seen[0], seen[seen.len() - 1]), (0.0, 1.0));
    assert!(seen.windows(2).all(|pair| pair[0] <= pair[1]), "{seen:?}");
}
