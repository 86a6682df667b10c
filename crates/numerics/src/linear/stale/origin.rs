//! Origin of a stored inverse, and the decision that made or kept it.

/// Origin of a matrix, to make it again: numbers chosen by the caller, and the positions of the nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// Numbers chosen by the caller.
    pub tag: [f64; 4],
    /// Positions, three numbers per node; those of the block rows first.
    pub positions: Vec<f64>,
}

impl Origin {
    pub(super) fn set(&mut self, tag: [f64; 4], positions: &[f64]) {
        self.tag = tag;
        self.positions.clear();
        self.positions.extend_from_slice(positions);
    }
}

/// Decision about the factor, from the cheapest to the most expensive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Decision {
    /// No factor is stored.
    #[default]
    None,
    /// The old one was used.
    Kept,
    /// There was none before.
    First,
    /// A new one pays: the old one had come to cost as much as it saved.
    Worn,
    /// The old one took too many iterations, and was replaced during the solve.
    Slow,
    /// Single precision cannot represent it.
    Widened,
    /// The matrix has negative eigenvalues, and was solved directly.
    Indefinite,
}

impl Decision {
    /// All decisions, in order.
    pub const ALL: [Decision; 7] = [
        Decision::None,
        Decision::Kept,
        Decision::First,
        Decision::Worn,
        Decision::Slow,
        Decision::Widened,
        Decision::Indefinite,
    ];

    /// Returns a word for it.
    pub fn word(self) -> &'static str {
        match self {
            Decision::None => "-",
            Decision::Kept => "kept",
            Decision::First => "first",
            Decision::Worn => "worn",
            Decision::Slow => "slow",
            Decision::Widened => "widened",
            Decision::Indefinite => "indefinite",
        }
    }
}
