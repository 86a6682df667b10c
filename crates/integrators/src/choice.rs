//! Options that are words: one mechanism for all of them.

use model::energy::Order;
use numerics::linear::SolverKind;

/// A type whose values are written as words in scenes.
pub trait Words: Copy + PartialEq + 'static {
    /// Every word and what it stands for.
    const WORDS: &'static [(&'static str, Self)];
}

/// A value that is one of some words, whatever its type.
pub trait Choice {
    /// The word for it.
    fn word(&self) -> &'static str;

    /// Becomes what the word stands for; false, and nothing happens, when it stands for nothing.
    fn choose(&mut self, word: &str) -> bool;
}

impl<T: Words> Choice for T {
    fn word(&self) -> &'static str {
        T::WORDS.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word)
    }

    fn choose(&mut self, word: &str) -> bool {
        let found = T::WORDS.iter().find(|(known, _)| *known == word);
        if let Some((_, value)) = found {
            *self = *value;
        }
        found.is_some()
    }
}

/// The words of a table of N, for the table of options: made by the compiler, which checks N.
pub(crate) const fn words<T: Copy, const N: usize>(table: &[(&'static str, T)]) -> [&'static str; N] {
    assert!(table.len() == N);
    let mut words = [""; N];
    let mut i = 0;
    while i < N {
        words[i] = table[i].0;
        i += 1;
    }
    words
}

impl Words for SolverKind {
    const WORDS: &'static [(&'static str, SolverKind)] = &SolverKind::NAMES;
}

/// How actions of matrix functions are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Krylov {
    /// By what the system allows and costs.
    #[default]
    Auto,
    /// Polynomial Krylov spaces of the symmetric operator.
    Lanczos,
    /// Krylov spaces of a shifted inverse.
    Rational,
    /// Arnoldi with time steps, as Expokit does.
    Expokit,
    /// Arnoldi with adaptive basis and incomplete orthogonalisation.
    Kiops,
    /// Truncated Taylor series.
    Taylor,
    /// Interpolation at Leja points.
    Leja,
}

impl Words for Krylov {
    const WORDS: &'static [(&'static str, Krylov)] = &[
        ("auto", Krylov::Auto),
        ("lanczos", Krylov::Lanczos),
        ("rational", Krylov::Rational),
        ("expokit", Krylov::Expokit),
        ("kiops", Krylov::Kiops),
        ("taylor", Krylov::Taylor),
        ("leja", Krylov::Leja),
    ];
}

/// Where linearly implicit Euler takes force and stiffness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineariseAt {
    /// Where the step begins.
    #[default]
    Current,
    /// Where it would end if nothing accelerated: one Newton iteration of backward Euler from there.
    Predicted,
}

impl Words for LineariseAt {
    const WORDS: &'static [(&'static str, LineariseAt)] =
        &[("current", LineariseAt::Current), ("predicted", LineariseAt::Predicted)];
}

/// Which constant stiffness is integrated exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinearPart {
    /// That of the undeformed body.
    #[default]
    Rest,
    /// That of the undeformed body, turned with it.
    Corotational,
}

impl Words for LinearPart {
    const WORDS: &'static [(&'static str, LinearPart)] =
        &[("rest", LinearPart::Rest), ("corotational", LinearPart::Corotational)];
}

/// In which way constraints are relaxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sweep {
    /// One after the other, each seeing what those before it have moved.
    #[default]
    GaussSeidel,
    /// All at the same time, each reckoning with the share of its nodes' mass that is left by the others at them.
    JacobiAveraged,
    /// All at the same time, each reckoning with the same share of mass.
    Jacobi,
}

impl Words for Sweep {
    const WORDS: &'static [(&'static str, Sweep)] =
        &[("gauss-seidel", Sweep::GaussSeidel), ("jacobi-averaged", Sweep::JacobiAveraged), ("jacobi", Sweep::Jacobi)];
}

/// At which steps penalties of regions are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactStep {
    /// At the beginning of the large one.
    #[default]
    Large,
    /// At every small one.
    Small,
}

impl Words for ContactStep {
    const WORDS: &'static [(&'static str, ContactStep)] =
        &[("large", ContactStep::Large), ("small", ContactStep::Small)];
}

/// How regions and the rest feel each other within a large step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coupling {
    /// Force for force at every small step: linear momentum is conserved, free bodies fall exactly, and motions of linear
    /// bodies do not grow.
    Conserving,
    /// As the paper has it: regions feel the rest at every small step, the rest feels regions at the end of the large one.
    #[default]
    Paper,
}

impl Coupling {
    /// Whether the linear momentum of a free body with regions is conserved.
    pub fn conserves_momentum(self) -> bool {
        self == Coupling::Conserving
    }
}

impl Words for Coupling {
    const WORDS: &'static [(&'static str, Coupling)] =
        &[("paper", Coupling::Paper), ("conserving", Coupling::Conserving)];
}

impl Words for Order {
    const WORDS: &'static [(&'static str, Order)] =
        &[("coloured", Order::Coloured), ("forward", Order::Forward), ("backward", Order::Backward)];
}

/// How many modes are treated on their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modes {
    /// This many, from the slowest.
    Count(usize),
    /// As many as the step cannot resolve well otherwise.
    Auto,
}

impl Modes {
    /// The word for [`Modes::Auto`].
    pub const AUTO: &'static str = "auto";
}

impl Default for Modes {
    fn default() -> Modes {
        Modes::Count(5)
    }
}
