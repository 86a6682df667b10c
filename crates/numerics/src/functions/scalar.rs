//! Scalar functions of one mode: Stumpff functions, and the response of a damped oscillator to an impulse and to powers
//! of time.
//!
//! Everything is scaled by the time: with x = t^2 lam, a = t d / 2 the functions G_k(a, x), k = 0 .. 5, are
//!
//!   S' = G_0,  S = t G_1,  R_j = t^(j+2) G_(j+2),      G_k + 2 a G_(k+1) + x G_(k+2) = 1/k!                      (1)
//!
//! and G_k = phi_(k-1)[r_1, r_2], a divided difference at the roots of r^2 + 2 a r + x = 0. No formula is accurate
//! everywhere:
//!
//! - without damping G_k is the Stumpff function c_k(x);
//! - |a|, sqrt|x| small: the power series in time;
//! - real roots far apart: the divided difference as it stands;
//! - otherwise the roots are large and close to each other or complex: G_0 and G_1 in closed form, then (1) upward, which
//!   amplifies errors by |1/r_1 + 1/r_2| < 1.

/// 1/k!, k = 0 .. 5.
const INVERSE_FACTORIAL: [f64; 6] = [1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0];

/// Largest |a|, and root of the largest |x|, for the power series in time: it loses two digits at most there.
const SERIES: f64 = 2.0;

/// |x| below which the Stumpff functions c_3, c_4, c_5 are summed as series.
const STUMPFF_SERIES: f64 = 9.0;

/// Computes the Stumpff functions c_k(x) = sum_i (-x)^i / (2i + k)!, k = 0 .. 5: cos sqrt x, sin sqrt x / sqrt x, (1 -
/// cos sqrt x) / x, ...; infinite where cosh sqrt(-x) overflows.
pub fn stumpff(x: f64) -> [f64; 6] {
    let sine = |x: f64| {
        let root = x.abs().sqrt();
        match x {
            _ if root < 1e-4 => 1.0 - x / 6.0,
            _ if x > 0.0 => root.sin() / root,
            _ => root.sinh() / root,
        }
    };
    let root = x.abs().sqrt();
    let c0 = if x > 0.0 { root.cos() } else { root.cosh() };
    let c1 = sine(x);
    // 1 - cos = 2 sin^2 of half the angle: nothing cancels.
    let c2 = 0.5 * sine(0.25 * x).powi(2);
    if x.abs() > STUMPFF_SERIES {
        let c3 = (1.0 - c1) / x;
        let c4 = (0.5 - c2) / x;
        let c5 = (INVERSE_FACTORIAL[3] - c3) / x;
        return [c0, c1, c2, c3, c4, c5];
    }
    // From the last term inward (Horner).
    let series = |k: usize| {
        let mut sum = 1.0;
        for i in (1..=14).rev() {
            sum = 1.0 - sum * x / ((2 * i + k) * (2 * i + k - 1)) as f64;
        }
        sum * INVERSE_FACTORIAL[k]
    };
    [c0, c1, c2, series(3), series(4), series(5)]
}

/// Solutions of y'' + d y' + lam y = 0 or t^j/j! at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// S'(t).
    pub impulse_rate: f64,
    /// S(t), the motion with y(0) = 0, y'(0) = 1 and no load.
    pub impulse: f64,
    /// R_j(t), the motion from rest under the load t^j/j!. R_0 is the integral of S, R_(j+1) that of R_j.
    pub loaded: [f64; 4],
}

/// Computes the response at `time` t of the mode with eigenvalue `lam` [1/s^2] of any sign and damping `d` [1/s].
/// Numbers too large for `f64` become infinities or NaN.
pub fn response(time: f64, lam: f64, d: f64) -> Response {
    let g = scaled(0.5 * time * d, time * time * lam);
    let t2 = time * time;
    Response {
        impulse_rate: g[0],
        impulse: time * g[1],
        loaded: [t2 * g[2], t2 * time * g[3], t2 * t2 * g[4], t2 * t2 * time * g[5]],
    }
}

/// G_k(a, x), k = 0 .. 5.
fn scaled(a: f64, x: f64) -> [f64; 6] {
    if a == 0.0 {
        return stumpff(x);
    }
    if a.abs() <= SERIES && x.abs() <= SERIES * SERIES {
        return series(a, x);
    }
    let discriminant = a * a - x;
    let half = discriminant.abs().sqrt();
    if discriminant > 0.0 && half > a.abs() / 3.0 {
        return divided_differences(a, x, half);
    }
    let (g0, g1) = if discriminant > 0.0 {
        // Close real roots: the larger exponential times the rest of the difference.
        let larger = half - a;
        let g1 = larger.exp() * if half > 0.0 { -(-2.0 * half).exp_m1() / (2.0 * half) } else { 1.0 };
        (larger * g1 + (-a - half).exp(), g1)
    } else {
        let decay = (-a).exp();
        let sine = if half > 1e-4 { half.sin() / half } else { 1.0 + discriminant / 6.0 };
        (decay * (half.cos() - a * sine), decay * sine)
    };
    let mut g = [g0, g1, 0.0, 0.0, 0.0, 0.0];
    for k in 0..4 {
        g[k + 2] = (INVERSE_FACTORIAL[k] - g[k] - 2.0 * a * g[k + 1]) / x;
    }
    g
}

/// S = sum c_j s^j with c_(j+2) = -(2 a (j+1) c_(j+1) + x c_j) / ((j+1)(j+2)), and its derivative and integrals, at s = 1.
fn series(a: f64, x: f64) -> [f64; 6] {
    let mut g = [0.0; 6];
    let (mut c, mut next) = (0.0, 1.0);
    for j in 0..44 {
        let j = j as f64;
        // c s^j; then its derivative is j c, its integrals c/(j+1), c/((j+1)(j+2)), ...
        g[0] += j * c;
        let mut term = c;
        for k in 1..6 {
            g[k] += term;
            term /= j + k as f64;
        }
        (c, next) = (next, -(2.0 * a * (j + 1.0) * next + x * c) / ((j + 1.0) * (j + 2.0)));
    }
    g
}

/// phi_(k-1)[r_1, r_2] for real roots far apart; `half` is half their distance.
fn divided_differences(a: f64, x: f64, half: f64) -> [f64; 6] {
    // The root of larger size without cancellation, the other from the product of both.
    let (upper, lower) = if a >= 0.0 { (-x / (a + half), -a - half) } else { (half - a, x / (half - a)) };
    let (p, q) = (phi(upper), phi(lower));
    let mut g = [0.0; 6];
    g[0] = upper * ((p[0] - q[0]) / (2.0 * half)) + q[0];
    for k in 1..6 {
        g[k] = (p[k - 1] - q[k - 1]) / (2.0 * half);
    }
    g
}

/// phi_0 .. phi_4: exp, (exp - 1)/z, ..., phi_(k+1) = (phi_k - 1/k!)/z.
fn phi(z: f64) -> [f64; 5] {
    let mut phi = [z.exp(), 1.0, 0.0, 0.0, 0.0];
    if z != 0.0 {
        phi[1] = z.exp_m1() / z;
    }
    for k in 2..5 {
        phi[k] = if z.abs() > 2.0 {
            (phi[k - 1] - INVERSE_FACTORIAL[k - 1]) / z
        } else {
            let mut sum = 1.0;
            for i in (1..=24).rev() {
                sum = 1.0 + sum * z / (i + k) as f64;
            }
            sum * INVERSE_FACTORIAL[k]
        };
    }
    phi
}

#[cfg(test)]
mod tests;
