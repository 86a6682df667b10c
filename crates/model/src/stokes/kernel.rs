//! Regularised Stokeslet: the flow around a force that is spread over a blob (Cortez, Fauci, Medovikov 2005).
//!
//!   blob   15 e^4 / (8 pi (r^2 + e^2)^(7/2))
//!   8 pi mu u(x) = [(r^2 + 2 e^2) f + (f . r) r] / (r^2 + e^2)^(3/2),   r = x - y
//!
//! u is the velocity at x caused by a force f at y. Between points with blobs of different size the mobility is the mean of both
//! kernels, so that it is symmetric.

use numerics::real::Real;

/// Computes the factors of f and of (f . r) r, times 8 pi mu, from r^2 and e^2 [m^2].
#[inline(always)]
pub(super) fn stokeslet<R: Real>(square: R, epsilon_square: R) -> [R; 2] {
    let blunt = square + epsilon_square;
    let inverse = R::splat(1.0) / (blunt * blunt.sqrt());
    [(blunt + epsilon_square) * inverse, inverse]
}

/// Computes both factors between points with blobs of two sizes.
#[inline(always)]
pub(super) fn between<R: Real>(square: R, [a, b]: [R; 2]) -> [R; 2] {
    let ([f, along], [g, other]) = (stokeslet(square, a), stokeslet(square, b));
    let half = R::splat(0.5);
    [half * (f + g), half * (along + other)]
}
