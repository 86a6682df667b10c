//! Damped Newton for r(u) = 0.
//!
//! A step is shortened until the residual shrinks or, where the residual is the gradient of a potential, until the
//! potential shrinks. The first is the cheap test and is valid near a solution; the second is reliable far from it,
//! where r may have to grow on the way.

/// A system of equations with its linearisation.
pub trait Equations {
    /// Error of a linear solve.
    type Error;

    /// Computes r(u) into `r` and measures it.
    fn residual(&mut self, u: &[f64], r: &mut [f64]) -> Residual;

    /// Overwrites `r` with J(u)^-1 r. Called after `residual` at the same `u`.
    fn solve(&mut self, u: &[f64], r: &mut [f64]) -> Result<(), Self::Error>;

    /// Returns a potential with the gradient r, not finite where it is undefined; `None` if there is none.
    fn potential(&mut self, u: &[f64]) -> Option<f64>;

    /// Returns the norm of the residual's rounding error, as far as known.
    fn rounding(&self) -> f64;
}

/// Size of a residual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Norm; not finite where r is undefined.
    pub norm: f64,
    /// Norm of the terms that cancel in it.
    pub scale: f64,
}

impl Residual {
    /// Returns norm over scale.
    pub fn relative(self) -> f64 {
        if self.norm == 0.0 { 0.0 } else { self.norm / self.scale.max(f64::MIN_POSITIVE) }
    }
}

/// Stopping rule and line search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Limit of iterations.
    pub iterations: usize,
    /// Shorten steps; otherwise every step is taken whole.
    pub line_search: bool,
}

/// Work of a solve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NewtonWork {
    /// Linear solves.
    pub iterations: u64,
    /// Residuals evaluated.
    pub residuals: u64,
    /// Times a step was shortened.
    pub backtracks: u64,
}

/// Reason why Newton's method failed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NewtonError<E> {
    /// r is not defined at the first guess, or a whole step left its domain.
    Undefined,
    /// Out of iterations, or no shorter step helps.
    Stalled {
        /// Iterations done.
        iterations: usize,
        /// Relative residual reached.
        residual: f64,
    },
    /// The linear solver failed.
    Linear(E),
}

/// Shortest step tried, as a share of Newton's step.
const SHORTEST: f64 = 1.0 / (1 << 20) as f64;
/// Share of the promised decrease that a step must bring (Armijo).
const DECREASE: f64 = 1e-4;
/// Factor of the rounding estimate up to which a residual that no step reduces counts as rounding.
const NOISE: f64 = 4.0;

/// Newton's method with its scratch memory.
#[derive(Debug, Clone)]
pub struct Newton {
    r: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
}

impl Newton {
    /// Allocates scratch memory for `dim` unknowns.
    pub fn new(dim: usize) -> Newton {
        Newton { r: vec![0.0; dim], direction: vec![0.0; dim], trial: vec![0.0; dim] }
    }

    /// Returns the last residual.
    pub fn residual(&self) -> &[f64] {
        &self.r
    }

    /// Solves r(u) = 0 from the guess in `u`; the counts in `work` grow even on an error.
    pub fn solve<P: Equations>(
        &mut self,
        equations: &mut P,
        settings: Settings,
        u: &mut [f64],
        work: &mut NewtonWork,
    ) -> Result<(), NewtonError<P::Error>> {
        let mut size = equations.residual(u, &mut self.r);
        work.residuals += 1;
        if !size.norm.is_finite() {
            return Err(NewtonError::Undefined);
        }
        for iteration in 0..=settings.iterations {
            if size.relative() <= settings.tolerance || size.norm <= equations.rounding() {
                return Ok(());
            }
            let stalled = NewtonError::Stalled { iterations: iteration, residual: size.relative() };
            if iteration == settings.iterations {
                return Err(stalled);
            }
            self.direction.copy_from_slice(&self.r);
            equations.solve(u, &mut self.direction).map_err(NewtonError::Linear)?;
            work.iterations += 1;
            let slope: f64 = self.r.iter().zip(&self.direction).map(|(r, d)| r * d).sum();
            let mut here = None;
            let mut share = 1.0;
            size = loop {
                for ((trial, u), d) in self.trial.iter_mut().zip(&*u).zip(&self.direction) {
                    *trial = u - share * d;
                }
                let trial = equations.residual(&self.trial, &mut self.r);
                work.residuals += 1;
                if !settings.line_search {
                    break trial;
                }
                let smaller = trial.norm <= (1.0 - DECREASE * share) * size.norm || trial.norm <= equations.rounding();
                if trial.norm.is_finite()
                    && (smaller || {
                        let here = *here.get_or_insert_with(|| equations.potential(u));
                        let there = equations.potential(&self.trial);
                        here.zip(there)
                            .is_some_and(|(here, there)| slope > 0.0 && there <= here - DECREASE * share * slope)
                    })
                {
                    break trial;
                }
                share *= 0.5;
                work.backtracks += 1;
                if share < SHORTEST {
                    // This near rounding neither residuals nor potentials can be compared.
                    let is_noise = size.norm <= NOISE * equations.rounding();
                    return if is_noise { Ok(()) } else { Err(stalled) };
                }
            };
            if !size.norm.is_finite() {
                return Err(NewtonError::Undefined);
            }
            u.copy_from_slice(&self.trial);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// atan(u) = 0: plain Newton diverges from |u| > 1.39; the potential is convex.
    struct Arctangent;

    impl Equations for Arctangent {
        type Error = ();
        fn residual(&mut self, u: &[f64], r: &mut [f64]) -> Residual {
            r[0] = u[0].atan();
            Residual { norm: r[0].abs(), scale: 1.0 }
        }
        fn solve(&mut self, u: &[f64], r: &mut [f64]) -> Result<(), ()> {
            r[0] *= 1.0 + u[0] * u[0];
            Ok(())
        }
        fn potential(&mut self, u: &[f64]) -> Option<f64> {
            Some(u[0] * u[0].atan() - 0.5 * (1.0 + u[0] * u[0]).ln())
        }
        fn rounding(&self) -> f64 {
            0.0
        }
    }

    const SETTINGS: Settings = Settings { tolerance: 1e-12, iterations: 20, line_search: true };

    #[test]
    fn line_search_converges_where_plain_newton_does_not() {
        let mut work = NewtonWork::default();
        let mut u = [20.0];
        Newton::new(1).solve(&mut Arctangent, SETTINGS, &mut u, &mut work).unwrap();
        assert!(u[0].abs() < 1e-12 && work.backtracks > 0);
        let plain = Settings { line_search: false, ..SETTINGS };
        assert!(Newton::new(1).solve(&mut Arctangent, plain, &mut [20.0], &mut work).is_err());
    }

    /// u = 0 with a residual that is off by one unit of noise, and a potential without information.
    struct Noisy {
        noise: f64,
    }

    impl Equations for Noisy {
        type Error = ();
        fn residual(&mut self, u: &[f64], r: &mut [f64]) -> Residual {
            r[0] = u[0] + self.noise;
            Residual { norm: self.noise + u[0].abs(), scale: self.noise }
        }
        fn solve(&mut self, _: &[f64], _: &mut [f64]) -> Result<(), ()> {
            Ok(())
        }
        fn potential(&mut self, _: &[f64]) -> Option<f64> {
            Some(0.0)
        }
        fn rounding(&self) -> f64 {
            1e-15
        }
    }

    #[test]
    fn what_no_step_makes_smaller_is_converged_if_it_is_rounding_and_stalled_if_not() {
        let solve =
            |noise| Newton::new(1).solve(&mut Noisy { noise }, SETTINGS, &mut [0.0], &mut NewtonWork::default());
        assert_eq!(solve(2e-15), Ok(()));
        assert!(matches!(solve(2e-14), Err(NewtonError::Stalled { .. })));
    }

    #[test]
    fn undefined_and_out_of_iterations_are_told_apart() {
        let mut work = NewtonWork::default();
        let result = Newton::new(1).solve(&mut Arctangent, SETTINGS, &mut [f64::NAN], &mut work);
        assert_eq!(result, Err(NewtonError::Undefined));
        let short = Settings { iterations: 1, ..SETTINGS };
        let result = Newton::new(1).solve(&mut Arctangent, short, &mut [1.3], &mut work);
        assert!(matches!(result, Err(NewtonError::Stalled { iterations: 1, residual }) if residual > 0.1));
    }
}
