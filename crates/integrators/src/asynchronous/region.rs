//! A region: its small steps, alone and with the rest's motion, and its contribution to the rest's matrix.
//!
//! Its reaction on the rest is K^T q, where q is a sum of y_1 to y_m with the weights of `border.rs` at its own side of
//! the border, if it is coupled by K alone. It is pushed by b_r = start + r slope, and the blocks of (H^SS)^-1 are
//! symmetric: they are the coefficients of [A - z M + s^2 K z / (1 - z)]^-1 in powers of z. So
//!
//!   q = R_0^T start + R_1^T slope
//!
//! where the columns of R_0 and R_1 are q, at all unknowns, of small steps pushed by 1, and by r, at an unknown of that
//! side. So the rest can be solved before the small steps are taken, or beside them.

use super::Rule;
use super::border::Border;
use super::columns::Columns;
use super::fall::Fall;
use super::partition::{Cut, Subdomain};
use super::storage;
use super::substeps::{Push, Substeps, System};
use super::touch::RegionContact;
use model::Model;
use model::mass::Mass;
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, Definiteness, LinearError, LinearSolver, Structure, Work};
use numerics::mat3::mat_scale;

/// Columns of the border that pass through the small steps together.
const PANEL: usize = 64;
/// Small steps from which a factor used for one large step deserves more work.
const MANY: usize = 4;
/// Limit of the size of R_0, and of R_1, as a share of the factor's numbers read in all small steps. Reading more takes
/// longer than waiting for the small steps, whose factor nearer caches hold.
const FORESIGHT: f64 = 0.25;

pub(super) struct Region {
    part: Subdomain,
    border: Border,
    system: System,
    matrix: BlockMatrix,
    /// Y of eq. 35, or Z: its last part and the sum of all. Kept where substituting with it reads less than repeating
    /// the small steps.
    columns: Option<Columns>,
    /// R_0 and R_1 where they pay; `foresees` is true once they belong to the current matrices.
    pub foresight: Option<Columns>,
    foresees: bool,
    /// q; `is_ahead` is true if it is known before the small steps are taken.
    foreseen: Vec<f64>,
    is_ahead: bool,
    /// Reaction on the interface for each column of Y or Z, row-major.
    reactions: Vec<f64>,
    /// H^LS Y: the part subtracted from the matrix of the interface, row-major.
    pub taken: Vec<f64>,
    steps: Substeps,
    panel: Substeps,
    /// Nodes whose displacements at all small steps act on the rest; and all nodes, where the reaction is foreseen.
    near: Vec<u32>,
    all: Vec<u32>,
    start: Vec<f64>,
    slope: Vec<f64>,
    /// Empty until the small steps are taken with the rest's motion.
    curve: Vec<f64>,
    /// Empty where nothing depends on time.
    pub later: Vec<f64>,
    /// Change of velocity of the interface, and the weight of each column for it.
    across: Vec<f64>,
    weights: Vec<f64>,
    /// Penalties evaluated at small steps.
    touch: Option<RegionContact>,
    /// Numbers read by all small steps.
    pub effort: f64,
}

impl Region {
    /// Makes the region of a cut. Penalties are evaluated at small steps if it `touches`.
    pub fn new(model: &Model, cut: Cut, rule: Rule, touches: bool) -> Result<Region, LinearError> {
        let (own, effort) = (cut.own(model), cut.work());
        let Cut { part, ordering, ratio, interface, links } = cut;
        let border = Border::new(model, interface, links, own, ratio, rule);
        let (n, columns, across) = (part.dofs(), border.columns(), 3 * border.interface.len());
        let structure = Structure::undivided(&part.pattern, &ordering)?;
        let factor = Cholesky::with_structure(&structure)?;
        let mass = part.mass(model.mass());
        let masses = match &mass {
            Mass::Lumped(mass) => mass.iter().flat_map(|&m| [m; 3]).collect(),
            Mass::Consistent(_) => Vec::new(),
        };
        let numbers = columns as f64 * n as f64;
        let keeps_columns = numbers <= effort && 2.0 * numbers <= storage::MOST;
        let damping = model.damping();
        let has_other_stiffness = damping.stiffness != 0.0 && damping.at_rest.is_some();
        let zeros = || BlockMatrix::zeros(part.pattern.clone());
        Ok(Region {
            system: System {
                mass,
                masses,
                factor: if model.is_linear() || ratio >= MANY { factor.for_many_solves() } else { factor },
                stiffness: has_other_stiffness.then(zeros),
                h: 0.0,
                inertia: 1.0,
                share: 1.0,
                ratio,
            },
            matrix: zeros(),
            columns: keeps_columns.then(|| Columns::new(n, columns)),
            foresight: None,
            foresees: false,
            foreseen: Vec::new(),
            is_ahead: false,
            reactions: vec![0.0; across * columns],
            taken: vec![0.0; across * across],
            steps: Substeps::new(n, 1),
            panel: Substeps::new(n, PANEL.min(columns)),
            near: border.near(),
            all: Vec::new(),
            start: vec![0.0; n],
            slope: vec![0.0; n],
            curve: Vec::new(),
            later: Vec::new(),
            across: vec![0.0; across],
            weights: vec![0.0; columns],
            touch: if touches { RegionContact::new(model, &part.nodes, &structure) } else { None },
            effort,
            part,
            border,
        })
    }

    pub fn part(&self) -> &Subdomain {
        &self.part
    }

    pub fn ratio(&self) -> usize {
        self.system.ratio
    }

    /// Nodes of the rest that it is linked to, in the numbers of the rest.
    pub fn interface(&self) -> &[u32] {
        &self.border.interface
    }

    /// Returns true if its reaction on the rest can be computed beforehand, and that pays.
    pub fn can_foresee(&self, model: &Model) -> bool {
        let is_worth_it = (self.part.dofs() * self.border.columns()) as f64 <= FORESIGHT * self.effort;
        is_worth_it && self.border.has_own_columns() && model.is_linear() && !model.changes_all_the_time()
    }

    /// Allocates what computing the reaction beforehand needs.
    pub fn foresee(&mut self) {
        let columns = self.border.columns();
        self.foresight = Some(Columns::new(self.part.dofs(), columns));
        self.foreseen.resize(columns, 0.0);
        if !self.near.is_empty() {
            self.all = (0..self.part.nodes.len() as u32).collect();
        }
    }

    /// Returns true if its reaction on the rest was known before its small steps.
    pub fn is_ahead(&self) -> bool {
        self.is_ahead
    }

    #[cfg(test)]
    pub fn columns(&self) -> Option<&Columns> {
        self.columns.as_ref()
    }

    pub fn work(&self) -> Work {
        let mut work = self.system.factor.work();
        work += self.touch.as_ref().map(RegionContact::work).unwrap_or_default();
        work
    }

    /// Counts the negative eigenvalues of its matrix.
    pub fn negative_pivots(&self) -> u64 {
        negative(self.system.factor.definiteness())
    }

    /// Takes the matrices of a large step of length h; `they_last` if they stay valid while h does.
    pub fn prepare(
        &mut self,
        model: &Model,
        stiffness: &BlockMatrix,
        h: f64,
        they_last: bool,
    ) -> Result<(), LinearError> {
        let (damping, system) = (model.damping(), &mut self.system);
        let small = h / system.ratio as f64;
        system.h = small;
        system.inertia = 1.0 + damping.mass * small;
        system.share = small / (small + damping.stiffness);
        self.part.take(stiffness, &mut self.matrix);
        match (&mut system.stiffness, &damping.at_rest) {
            (Some(own), Some(at_rest)) => {
                own.values.copy_from_slice(&self.matrix.values);
                self.part.take(at_rest, &mut self.matrix);
                self.matrix.values.iter_mut().for_each(|block| *block = mat_scale(small * damping.stiffness, block));
                self.matrix.add_scaled(small * small, own);
            }
            _ => {
                let scale = small * (small + damping.stiffness);
                self.matrix.values.iter_mut().for_each(|block| *block = mat_scale(scale, block));
            }
        }
        system.mass.add_to(system.inertia, &mut self.matrix);
        system.factor.prepare(&self.matrix)?;
        self.border.prepare(model, stiffness, h);
        self.solve_columns()?;
        self.foresees = they_last && self.foresight.is_some();
        if self.foresees { self.solve_foresight() } else { Ok(()) }
    }

    /// Computes Y or Z, and H^LS Y, some columns at a time.
    fn solve_columns(&mut self) -> Result<(), LinearError> {
        let Region { part, border, system, panel, near, reactions, columns, .. } = self;
        let (n, all) = (part.dofs(), border.columns());
        reactions.fill(0.0);
        for first in (0..all).step_by(PANEL) {
            let count = PANEL.min(all - first);
            panel.run(system, count, near, |r, rhs| border.push_columns(r, first, n, rhs))?;
            for (c, results) in panel.results(count).enumerate() {
                border.react(results, |to, force| {
                    (0..3).for_each(|k| reactions[(3 * to + k) * all + first + c] += force[k]);
                });
                if let Some(columns) = columns {
                    columns.put(0, first + c, results.last.iter().copied());
                    columns.put(1, first + c, results.sum.iter().copied());
                }
            }
        }
        border.taken(reactions, &mut self.taken);
        if let Some(columns) = columns {
            columns.keep();
        }
        Ok(())
    }

    /// Computes R_0 and R_1.
    fn solve_foresight(&mut self) -> Result<(), LinearError> {
        let Region { part, border, system, panel, all: nodes, foresight, .. } = self;
        let (Some(foresight), n, all) = (foresight, part.dofs(), border.columns()) else { return Ok(()) };
        for first in (0..all).step_by(PANEL) {
            let count = PANEL.min(all - first);
            for power in [0, 1] {
                panel.run(system, count, nodes, |r, rhs| border.push_units((r as f64).powi(power), first, n, rhs))?;
                for (c, results) in panel.results(count).enumerate() {
                    foresight.put(power as usize, first + c, border.impulse(results));
                }
            }
        }
        foresight.keep();
        Ok(())
    }

    /// Pushes it while the rest moves on by inertia: `push` is f - D v [N] and `pull` is K v [N/s], of all free nodes.
    /// Takes its small steps, or computes their reaction beforehand.
    pub fn begin(&mut self, push: &[f64], pull: &[f64]) -> Result<(), LinearError> {
        let h = self.system.h;
        self.part.gather(push, &mut self.start, |f| h * f);
        self.part.gather(pull, &mut self.slope, |f| -h * h * f);
        self.curve.clear();
        self.is_ahead = self.foresees && self.later.is_empty();
        match &mut self.foresight {
            Some(foresight) if self.is_ahead => {
                foresight.project([&self.start, &self.slope], &mut self.foreseen);
                Ok(())
            }
            _ => self.run(),
        }
    }

    /// Takes the small steps whose reaction was foreseen, unless they will be repeated with the rest's motion.
    pub fn end(&mut self) -> Result<(), LinearError> {
        if self.is_ahead && self.has_columns() { self.run() } else { Ok(()) }
    }

    /// Returns true if the rest's motion is added to small steps taken without it.
    fn has_columns(&self) -> bool {
        self.columns.is_some() && self.touch.is_none()
    }

    fn run(&mut self) -> Result<(), LinearError> {
        let Region { system, steps, near, start, slope, curve, later, .. } = self;
        let push = Push { start, slope, curve, later };
        steps.run(system, 1, near, |r, rhs| push.add(r, rhs))
    }

    /// rhs -= H^LS y: the reaction of the small steps on the rest.
    pub fn add_reaction(&self, rhs: &mut [f64]) {
        let push = |to: usize, force: [f64; 3]| {
            let to = 3 * self.border.interface[to] as usize;
            (0..3).for_each(|k| rhs[to + k] -= force[k]);
        };
        if self.is_ahead {
            self.border.react_to(&self.foreseen, push);
        } else {
            self.border.react(self.steps.result(), push);
        }
    }

    /// y -= Y dv, eq. 37, with the rest's change of velocity. Where penalties act at small steps, or columns are not
    /// kept, the small steps are repeated instead, from x with v.
    pub fn substitute(&mut self, dv: &[f64], x: &[f64], v: &[f64], fall: &Fall) -> Result<(), LinearError> {
        let has_columns = self.has_columns();
        let Region { border, across, weights, columns, steps, .. } = self;
        for (across, &i) in across.as_chunks_mut::<3>().0.iter_mut().zip(&border.interface) {
            *across = [dv[3 * i as usize], dv[3 * i as usize + 1], dv[3 * i as usize + 2]];
        }
        match columns {
            Some(columns) if has_columns => {
                border.weigh(across, weights);
                columns.subtract(weights, [&mut steps.last, &mut steps.sum]);
                Ok(())
            }
            _ => self.run_again(x, v, fall),
        }
    }

    /// Repeats the small steps from x with v, with the known motion of the rest and penalties evaluated at each.
    fn run_again(&mut self, x: &[f64], v: &[f64], fall: &Fall) -> Result<(), LinearError> {
        self.curve.resize(self.start.len(), 0.0);
        self.border.push(&self.across, [&mut self.start, &mut self.slope, &mut self.curve]);
        let Region { system, steps, start, slope, curve, later, touch, matrix, .. } = self;
        let Some(touch) = touch else { return self.run() };
        touch.run(system, steps, &Push { start, slope, curve, later }, matrix, [x, v], fall)
    }

    /// Returns the change of velocity over the large step, and the sum of those of all small steps.
    pub fn result(&self) -> [&[f64]; 2] {
        [&self.steps.last, &self.steps.sum]
    }
}

/// Counts the eigenvalues known to be negative.
pub(super) fn negative(signs: Definiteness) -> u64 {
    match signs {
        Definiteness::Indefinite { negative } => negative as u64,
        _ => 0,
    }
}
