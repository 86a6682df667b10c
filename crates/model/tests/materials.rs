//! Contracts of every row of the table of materials.

use model::material::{
    Defined, Lame, Law, MATERIALS, Majorant, MaterialFacts, Response, Row, Tangent, defaults, find, sample,
};
use numerics::mat3::{self, IDENTITY, Mat3, Vec3};
use numerics::real::{Lanes, Real};
use numerics::spectral3::svd;
use std::sync::Arc;

const YOUNG: f64 = 3e4;

/// A material, with one method per quantity.
struct Any(Arc<dyn Law>);

impl Any {
    fn density(&self, f: &Mat3) -> f64 {
        self.0.response(f).density
    }
    fn stress(&self, f: &Mat3) -> Mat3 {
        self.0.response(f).stress
    }
    fn tangent(&self, f: &Mat3) -> Tangent {
        self.0.response(f).tangent
    }
    fn tangent_psd(&self, f: &Mat3) -> Tangent {
        self.0.response(f).tangent_psd
    }
    fn rows(&self, f: &Mat3) -> Vec<Row> {
        self.0.response(f).rows
    }
    fn majorant(&self, f: &Mat3) -> Option<Majorant<f64>> {
        self.0.response(f).majorant
    }
    fn everything_in_lanes(&self, f: &Mat3<Lanes>) -> Vec<Lanes> {
        listed(self.0.responses(f))
    }
}

/// Lists the numbers of density, stress, both tangents and rows.
fn listed<R: Real>(response: Response<R>) -> Vec<R> {
    let mut all = vec![response.density];
    all.extend(response.stress.as_flattened());
    all.extend(response.tangent.as_flattened());
    all.extend(response.tangent_psd.as_flattened());
    for row in response.rows {
        all.push(row.c);
        all.extend(row.gradient.as_flattened());
    }
    all
}

fn everything(material: &Any, f: &Mat3) -> Vec<f64> {
    listed(material.0.response(f))
}

/// Runs `check` for every material and several Poisson's ratios.
fn for_each(check: impl Fn(&MaterialFacts, Lame, &Any)) {
    for facts in MATERIALS {
        for poisson in [-0.4, 0.0, 0.3, 0.47] {
            let mut lame = Lame::new(YOUNG, poisson);
            if facts.name == "arap" {
                lame.lambda = 0.0;
            }
            check(facts, lame, &Any(sample(facts.name, YOUNG, poisson).unwrap()));
        }
    }
}

/// Uniform random numbers in [-1, 1), the same on every machine (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn rotation(&mut self) -> Mat3 {
        let axis = [self.next(), self.next(), self.next() + 1e-3];
        mat3::rotation(mat3::scale(1.0 / mat3::norm(axis), axis), 4.0 * self.next())
    }
    fn with(&mut self, stretches: Vec3) -> Mat3 {
        let diagonal = std::array::from_fn(|i| mat3::scale(stretches[i], IDENTITY[i]));
        mat3::mat_mul_t(&mat3::mat_mul(&self.rotation(), &diagonal), &self.rotation())
    }
}

/// Computes the law of the authors' program from its formula alone; it has lambda in place of the bulk modulus.
fn density_of_gauss(Lame { mu, lambda }: Lame, f: &Mat3) -> f64 {
    let (j, squares) = (mat3::determinant(f), mat3::contract(f, f));
    let (c, d) = (0.5 * mu, 0.5 * lambda);
    c * (j.abs().powf(-2.0 / 3.0) * squares - 3.0) + d * (j - 1.0).powi(2)
}

#[test]
fn the_isochoric_law_is_that_of_the_authors_for_other_moduli() {
    let facts = find("neo-hookean-isochoric").unwrap();
    for poisson in [0.3, 0.45, 0.48] {
        let theirs = Lame::new(YOUNG, poisson);
        let Lame { mu, lambda } = theirs;
        let young = 9.0 * lambda * mu / (3.0 * lambda + mu);
        let ratio = (3.0 * lambda - 2.0 * mu) / (6.0 * lambda + 2.0 * mu);
        let material = Any(sample(facts.name, young, ratio).unwrap());
        for f in deformations(facts) {
            let (ours, theirs) = (material.density(&f), density_of_gauss(theirs, &f));
            assert!((ours - theirs).abs() < 1e-12 * theirs.abs().max(YOUNG), "{poisson} at {f:?}: {ours} and {theirs}");
        }
        println!("{YOUNG} Pa, {poisson}: {young} Pa, {ratio}");
    }
    // Values that scenes/untwisting-*.toml state for 1e5 Pa and .45.
    let Lame { mu, lambda } = Lame::new(1e5, 0.45);
    assert!((9.0 * lambda * mu / (3.0 * lambda + mu) - 99_753.69).abs() < 0.01);
    assert!(((3.0 * lambda - 2.0 * mu) / (6.0 * lambda + 2.0 * mu) - 25.0 / 56.0).abs() < 1e-12);
}

/// Returns deformations: mild, stretched, compressed, with equal or nearly equal stretches, and inverted where the
/// material is defined there. No two stretches add to less than 0.1, where the rotation of F almost jumps.
fn deformations(facts: &MaterialFacts) -> Vec<Mat3> {
    let mut random = Random(7);
    let mut all = vec![IDENTITY, mat3::mat_scale(1.3, &IDENTITY)];
    for close in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3] {
        for base in [1.0, 0.6, 1.7] {
            all.push(random.with([base, base + close, base - close]));
            all.push(random.with([base, base + close, 1.4]));
        }
    }
    for _ in 0..40 {
        let mild = std::array::from_fn(|_| 1.0 + 0.1 * random.next());
        all.push(random.with(mild));
        let wide = std::array::from_fn(|_| 1.2 + random.next());
        all.push(random.with(wide));
        let flat = [0.25 + 0.05 * random.next(), 1.0 + 0.5 * random.next(), 2.0 + random.next()];
        all.push(random.with(flat));
    }
    if facts.defined.survives_inversion() {
        for _ in 0..40 {
            let inverted = [1.5 + random.next(), 1.0 + 0.4 * random.next(), -0.2 + 0.15 * random.next()];
            all.push(random.with(inverted));
        }
        for close in [0.0, 1e-12, 1e-6] {
            all.push(random.with([1.0, 1.0 + close, -0.3]));
            let flat = random.with([0.7, 0.7 + close, 0.0]);
            all.extend((facts.defined == Defined::Everywhere).then_some(flat));
        }
    }
    all
}

/// Computes d g / d F_kl by central differences of fourth order.
fn difference<const N: usize>(f: &Mat3, k: usize, l: usize, g: impl Fn(&Mat3) -> [f64; N]) -> [f64; N] {
    let h = 2e-4;
    let at = |steps: f64| {
        let mut moved = *f;
        moved[k][l] += steps * h;
        g(&moved)
    };
    let (near, far) = ((at(1.0), at(-1.0)), (at(2.0), at(-2.0)));
    std::array::from_fn(|m| (8.0 * (near.0[m] - near.1[m]) - (far.0[m] - far.1[m])) / (12.0 * h))
}

fn flat(a: &Mat3) -> [f64; 9] {
    std::array::from_fn(|m| a[m / 3][m % 3])
}

fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) })
}

/// Returns the largest difference; NaN anywhere counts as infinite.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    largest(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// Worst error of a check; prints it, and fails above the tolerance.
struct Worst {
    what: String,
    error: f64,
}

impl Worst {
    fn of(what: &str, facts: &MaterialFacts) -> Worst {
        Worst { what: format!("{what}, {}", facts.name), error: 0.0 }
    }
    fn see(&mut self, error: f64) {
        self.error = self.error.max(if error.is_nan() { f64::INFINITY } else { error });
    }
    fn below(self, tolerance: f64) {
        println!("{}: {:.1e}", self.what, self.error);
        assert!(self.error < tolerance, "{}: {:e} is not below {tolerance:e}", self.what, self.error);
    }
}

#[test]
fn stress_is_the_derivative_of_the_density() {
    for_each(|facts, _, material| {
        let mut worst = Worst::of("P - dW", facts);
        for f in deformations(facts) {
            let p = flat(&material.stress(&f));
            let dw: [f64; 9] = std::array::from_fn(|m| difference(&f, m / 3, m % 3, |f| [material.density(f)])[0]);
            worst.see(apart(&p, &dw) / largest(&p).max(YOUNG));
        }
        worst.below(1e-9);
    });
}

#[test]
fn tangent_is_the_derivative_of_the_stress() {
    for_each(|facts, _, material| {
        let mut worst = Worst::of("T - dP", facts);
        for f in deformations(facts) {
            let tangent = material.tangent(&f);
            let dp: Tangent = std::array::from_fn(|m| difference(&f, m / 3, m % 3, |f| flat(&material.stress(f))));
            // Row m of dp is the derivative by F_m; the tangent is its own transpose.
            worst.see(apart(tangent.as_flattened(), dp.as_flattened()) / largest(tangent.as_flattened()));
            for (m, n) in (0..81).map(|mn| (mn / 9, mn % 9)) {
                assert_eq!(tangent[m][n], tangent[n][m], "{}: symmetric to the last bit", facts.name);
            }
        }
        worst.below(1e-8);
    });
}

#[test]
fn turning_the_body_or_the_material_changes_nothing() {
    let mut random = Random(11);
    let turns: Vec<(Mat3, Mat3)> = (0..5).map(|_| (random.rotation(), random.rotation())).collect();
    for_each(|facts, _, material| {
        let mut worst = Worst::of("W(QFR) - W(F)", facts);
        let mut across = Worst::of("W(FR) - W(F)", facts);
        for f in deformations(facts) {
            let (w, p) = (material.density(&f), material.stress(&f));
            let scale = largest(&flat(&p)).max(YOUNG);
            for (q, r) in &turns {
                across.see((material.density(&mat3::mat_mul(&f, r)) - w).abs() / scale);
                // A material with fibres along x may be rotated about x.
                let r = if facts.isotropic { *r } else { mat3::rotation([1.0, 0.0, 0.0], 4.0 * r[0][1]) };
                let turned = mat3::mat_mul(&mat3::mat_mul(q, &f), &r);
                worst.see((material.density(&turned) - w).abs() / scale);
                let p = mat3::mat_mul(&mat3::mat_mul(q, &p), &r);
                worst.see(apart(&flat(&material.stress(&turned)), &flat(&p)) / scale);
            }
        }
        if facts.rotation_invariant {
            worst.below(1e-12);
        } else {
            assert!(worst.error > 0.1, "{} is said to feel rotations, and does not", facts.name);
        }
        if facts.rotation_invariant && !facts.isotropic {
            assert!(across.error > 0.1, "{} is said to have a direction, and has none", facts.name);
        }
        assert_eq!(material.0.axis().is_none(), facts.isotropic, "{}", facts.name);
    });
}

#[test]
fn rest_is_hooke() {
    let mut random = Random(13);
    let turns: Vec<Mat3> = (0..5).map(|_| random.rotation()).collect();
    for_each(|facts, Lame { mu, lambda }, material| {
        assert_eq!(material.density(&IDENTITY), 0.0, "{}", facts.name);
        assert!(largest(&flat(&material.stress(&IDENTITY))) < 1e-15 * YOUNG, "{}", facts.name);
        let delta = |i: usize, j: usize| IDENTITY[i][j];
        let mut hooke: Tangent = std::array::from_fn(|m| {
            std::array::from_fn(|n| {
                let (i, j, k, l) = (m / 3, m % 3, n / 3, n % 3);
                mu * (delta(i, k) * delta(j, l) + delta(i, l) * delta(j, k)) + lambda * delta(i, j) * delta(k, l)
            })
        });
        let found = material.0.moduli();
        if facts.isotropic {
            assert!(
                (found.mu - mu).abs() < 1e-12 * YOUNG && (found.lambda - lambda).abs() < 1e-12 * YOUNG,
                "{found:?}"
            );
        } else {
            assert!(found.mu > mu && found.bulk() > lambda + 2.0 / 3.0 * mu, "fibres make it stiffer: {found:?}");
            hooke[0][0] += 2.0 * YOUNG;
        }
        let mut worst = Worst::of("T(I) - Hooke", facts);
        for tangent in [material.tangent(&IDENTITY), material.tangent_psd(&IDENTITY)] {
            worst.see(apart(tangent.as_flattened(), hooke.as_flattened()) / YOUNG);
        }
        worst.below(1e-13);
        for q in turns.iter().filter(|_| facts.rotation_invariant) {
            assert!(material.density(q).abs() < 1e-14 * YOUNG, "{}", facts.name);
            assert!(largest(&flat(&material.stress(q))) < 1e-13 * YOUNG, "{}", facts.name);
        }
    });
}

/// Computes eigenvalues and eigenvectors (rows) of a symmetric 9x9 matrix, by Jacobi: slow, short, and independent of
/// the code under test.
fn dense_eigen(a: &Tangent) -> ([f64; 9], Tangent) {
    let mut a = *a;
    let mut v: Tangent = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    for _ in 0..15 {
        for (p, q) in (0..9).flat_map(|p| (p + 1..9).map(move |q| (p, q))) {
            let angle = 0.5 * (2.0 * a[p][q]).atan2(a[p][p] - a[q][q]);
            let (s, c) = angle.sin_cos();
            for m in 0..9 {
                (a[p][m], a[q][m]) = (c * a[p][m] + s * a[q][m], c * a[q][m] - s * a[p][m]);
                (v[p][m], v[q][m]) = (c * v[p][m] + s * v[q][m], c * v[q][m] - s * v[p][m]);
            }
            for m in 0..9 {
                (a[m][p], a[m][q]) = (c * a[m][p] + s * a[m][q], c * a[m][q] - s * a[m][p]);
            }
        }
    }
    (std::array::from_fn(|i| a[i][i]), v)
}

#[test]
fn projected_tangent_is_the_exact_one_without_its_negative_part() {
    for_each(|facts, _, material| {
        let mut worst = Worst::of("projected T", facts);
        let (mut already, mut indefinite) = (0, 0);
        for f in deformations(facts) {
            let (tangent, projected) = (material.tangent(&f), material.tangent_psd(&f));
            let scale = largest(tangent.as_flattened());
            let (values, vectors) = dense_eigen(&tangent);
            let clamped: Tangent = std::array::from_fn(|m| {
                std::array::from_fn(|n| (0..9).map(|e| values[e].max(0.0) * vectors[e][m] * vectors[e][n]).sum())
            });
            worst.see(apart(projected.as_flattened(), clamped.as_flattened()) / scale);
            worst.see(-dense_eigen(&projected).0.into_iter().fold(0.0, f64::min) / scale);
            if values.iter().all(|&value| value > -1e-13 * scale) {
                already += 1;
                worst.see(apart(projected.as_flattened(), tangent.as_flattened()) / scale);
            } else {
                indefinite += 1;
            }
        }
        assert!(already >= 2, "{}: rest and expansion are stable", facts.name);
        assert!(indefinite > 10 || facts.name == "linear", "{}: nothing was projected", facts.name);
        worst.below(1e-12);
    });
}

#[test]
fn rows_are_the_same_energy() {
    for_each(|facts, lame, material| {
        let mut worst = Worst::of("rows", facts);
        let squares = |f: &Mat3| -> f64 { material.rows(f).iter().map(|row| 0.5 * row.k * row.c * row.c).sum() };
        let rest = squares(&IDENTITY);
        // A row with a huge C and a tiny k carries a constant force; its square has no digits left for the energy.
        let forced = material.rows(&IDENTITY).iter().any(|row| row.c.abs() > 1e3);
        assert!(!forced || (facts.name == "neo-hookean" && lame.lambda == 0.0));
        for f in deformations(facts) {
            let rows = material.rows(&f);
            assert!(!rows.is_empty());
            // Position-based steps solve only rows with k > 0. A row with k = 0 occurs only where lambda is zero, one
            // with k < 0 only where lambda is negative.
            let sound = |k: f64| k > 0.0 || (k == 0.0 && lame.lambda == 0.0) || (k < 0.0 && lame.lambda < 0.0);
            assert!(rows.iter().all(|row| sound(row.k)), "{}", facts.name);
            let sum = rows
                .iter()
                .fold([[0.0; 3]; 3], |sum, row| mat3::mat_add(&sum, &mat3::mat_scale(row.k * row.c, &row.gradient)));
            let p = flat(&material.stress(&f));
            worst.see(apart(&flat(&sum), &p) / largest(&p).max(YOUNG));
            if !forced {
                worst.see((squares(&f) - rest - material.density(&f)).abs() / largest(&p).max(YOUNG));
            }
            // The gradient of each row is that of its own C: a correct sum is not enough.
            for (r, row) in rows.iter().enumerate().filter(|_| !forced && distinct(&f)) {
                let dc: [f64; 9] =
                    std::array::from_fn(|m| difference(&f, m / 3, m % 3, |f| [material.rows(f)[r].c])[0]);
                assert!(apart(&flat(&row.gradient), &dc) < 1e-8 * largest(&dc).max(1.0), "{} row {r}", facts.name);
            }
        }
        worst.below(if forced { 1e-8 } else { 1e-13 });
    });
}

#[test]
fn majorants_have_the_stress_and_are_nowhere_below_half_the_tangent() {
    for_each(|facts, Lame { mu, .. }, material| {
        let Some(at_rest) = material.majorant(&IDENTITY) else { return };
        if facts.isotropic {
            assert!((at_rest.shape / (2.0 * mu) - 1.0).abs() < 1e-12, "{}: Hooke's shear at rest", facts.name);
        }
        let (mut worst, mut largest_share) = (Worst::of("P of the majorant", facts), 0.0_f64);
        for f in deformations(facts) {
            let Some(Majorant { stress, cofactor, shape, volume }) = material.majorant(&f) else { continue };
            let p = flat(&material.stress(&f));
            worst.see(apart(&flat(&stress), &p) / largest(&p).max(YOUNG));
            assert!(shape >= 0.0 && volume >= 0.0, "{}", facts.name);
            let bound = Majorant { stress, cofactor, shape, volume };
            largest_share = largest_share.max(share(&material.tangent(&f), &bound));
        }
        worst.below(1e-13);
        println!("tangent over majorant, {}: {largest_share:.3}", facts.name);
        assert!(largest_share < 2.0, "{}: {largest_share}", facts.name);
    });
}

/// Returns the smallest multiple of a bound that is nowhere below the tangent.
fn share(tangent: &Tangent, Majorant { cofactor, shape, volume, .. }: &Majorant<f64>) -> f64 {
    let c = flat(cofactor);
    let least = |share: f64| -> f64 {
        let rest: Tangent = std::array::from_fn(|m| {
            let bound = |n: usize| if m == n { *shape } else { 0.0 } + volume * c[m] * c[n];
            std::array::from_fn(|n| share * bound(n) - tangent[m][n])
        });
        dense_eigen(&rest).0.into_iter().fold(f64::INFINITY, f64::min)
    };
    let (mut low, mut high) = (0.0, 16.0);
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        if least(middle) < -1e-12 * shape { low = middle } else { high = middle }
    }
    high
}

/// Returns true if stretches differ clearly: only then are single ones smooth functions of F.
fn distinct(f: &Mat3) -> bool {
    let s = svd(f).sigma;
    s[0] - s[1] > 0.05 && s[1] - s[2].abs() > 0.05
}

#[test]
fn lanes_are_scalars_side_by_side() {
    for_each(|facts, _, material| {
        let mut worst = Worst::of("lanes", facts);
        for eight in deformations(facts).chunks_exact(8) {
            let f: Mat3<Lanes> = std::array::from_fn(|i| std::array::from_fn(|j| Lanes::from_fn(|l| eight[l][i][j])));
            let together = material.everything_in_lanes(&f);
            for (lane, f) in eight.iter().enumerate() {
                let alone = everything(material, f);
                let together: Vec<f64> = together.iter().map(|x| x.lane(lane)).collect();
                worst.see(apart(&together, &alone) / largest(&alone).max(YOUNG));
            }
        }
        worst.below(1e-13);
    });
}

#[test]
fn inversion_and_collapse_are_finite_or_seen() {
    let mirror = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]; // two stretches add to zero
    let crushed = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
    let mut random = Random(17);
    let mut bad =
        [mirror, mat3::mat_scale(-1.0, &IDENTITY), crushed, [[0.0; 3]; 3], IDENTITY, IDENTITY, IDENTITY, IDENTITY];
    bad[4] = random.with([2.0, 1.0, -1e-3]);
    bad[5] = random.with([1.0, 0.5, -0.5]);
    bad[6] = random.with([1e-3, 1e-3, -1e-3]);
    bad[7] = random.with([1.5, 1.0, -0.9]);
    let lanes: Mat3<Lanes> = std::array::from_fn(|i| std::array::from_fn(|j| Lanes::from_fn(|l| bad[l][i][j])));
    for_each(|facts, _, material| {
        let together = material.everything_in_lanes(&lanes);
        for (lane, f) in bad.iter().enumerate() {
            let values: [Vec<f64>; 2] = [everything(material, f), together.iter().map(|x| x.lane(lane)).collect()];
            for values in values {
                let (density, derivatives) = (values[0], &values[1..]);
                if facts.defined == Defined::Everywhere
                    || facts.defined == Defined::ForNonzeroVolume && mat3::determinant(f) != 0.0
                {
                    assert!(values.iter().all(|x| x.is_finite()), "{} at {f:?}", facts.name);
                } else {
                    assert!(!density.is_finite(), "{} at {f:?}: {density}", facts.name);
                    assert!(derivatives.iter().any(|x| !x.is_finite()), "{} at {f:?}", facts.name);
                }
            }
        }
    });
}

#[test]
fn not_a_number_is_not_hidden() {
    let mut f = IDENTITY;
    f[1][2] = f64::NAN;
    for_each(|facts, _, material| {
        assert!(material.density(&f).is_nan(), "{}", facts.name);
        assert!(material.stress(&f).as_flattened().iter().any(|x| x.is_nan()), "{}", facts.name);
        if facts.name != "linear" {
            assert!(material.tangent_psd(&f).as_flattened().iter().any(|x| x.is_nan()), "{}", facts.name);
        }
    });
}

#[test]
fn the_defaults_say_what_the_overrides_say() {
    for_each(|facts, Lame { mu, .. }, material| {
        let [mut projected, mut row, mut lanes] =
            ["default projection", "default row", "defaults in lanes"].map(|what| Worst::of(what, facts));
        let modulus = material.tangent(&IDENTITY)[0][0];
        let mut largest_share = 0.0_f64;
        for eight in deformations(facts).chunks_exact(8) {
            let packed: Mat3<Lanes> =
                std::array::from_fn(|i| std::array::from_fn(|j| Lanes::from_fn(|l| eight[l][i][j])));
            let together = material.0.responses(&packed);
            let of_lanes = defaults::majorant(&packed, &together.stress, &together.tangent);
            let in_lanes = defaults::projected(&together.tangent);
            for (lane, f) in eight.iter().enumerate() {
                let Response { density, stress, tangent, tangent_psd, .. } = material.0.response(f);
                let scale = largest(tangent.as_flattened());
                let alone = defaults::projected(&tangent);
                projected.see(apart(alone.as_flattened(), tangent_psd.as_flattened()) / scale);
                let side_by_side: Vec<f64> = in_lanes.as_flattened().iter().map(|x| x.lane(lane)).collect();
                lanes.see(apart(&side_by_side, alone.as_flattened()) / scale);

                let [Row { c, gradient, k }] = defaults::rows(density, &stress, modulus);
                let (p, size) = (flat(&stress), largest(&flat(&stress)).max(YOUNG));
                row.see(apart(&flat(&mat3::mat_scale(k * c, &gradient)), &p) / size);
                assert!(largest(&flat(&gradient)).is_finite());
                if density > 0.0 {
                    row.see((0.5 * k * c * c - density).abs() / size);
                }

                let bound = defaults::majorant(f, &stress, &tangent);
                assert!(bound.shape >= 0.0 && bound.volume >= 0.0, "{}", facts.name);
                lanes.see((of_lanes.shape.lane(lane) - bound.shape).abs() / scale);
                largest_share = largest_share.max(share(&tangent, &bound));
            }
        }
        projected.below(1e-12);
        row.below(1e-13);
        lanes.below(1e-12);
        println!("tangent over the default bound, {}: {largest_share:.3}", facts.name);
        assert!(largest_share < 1.2, "{}: {largest_share}", facts.name);
        let at_rest = defaults::majorant(&IDENTITY, &material.stress(&IDENTITY), &material.tangent(&IDENTITY));
        assert!(!facts.isotropic || (at_rest.shape / (2.0 * mu) - 1.0).abs() < 1e-12, "{}: at rest", facts.name);
        // No 0/0 at rest, and NaN is not hidden.
        let [at_rest] = defaults::rows::<f64, 1>(0.0, &material.stress(&IDENTITY), modulus);
        assert!(largest(&flat(&at_rest.gradient)).is_finite() && at_rest.c > 0.0);
        let [second, third] = [1, 2].map(|r| defaults::rows::<f64, 3>(1.0, &IDENTITY, modulus)[r]);
        assert!(second == third && second.k == 0.0 && second.c == 0.0);
        assert!(defaults::projected(&[[f64::NAN; 9]; 9]).as_flattened().iter().all(|x| x.is_nan()));
    });
}
