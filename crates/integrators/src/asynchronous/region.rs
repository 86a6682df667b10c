//! A region: its small steps, by themselves and with the rest's motion, and what it takes from the rest's matrix.

use super::border::Border;
use super::partition::{Cut, Part};
use super::room;
use super::substeps::{Push, Substeps, System};
use super::touch::Touch;
use model::Model;
use model::mass::Mass;
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, Definiteness, LinearError, LinearSolver, Structure, Work};
use numerics::mat3::mat_scale;

/// Columns of the border that go through the small steps together.
const PANEL: usize = 64;
/// Small steps for which a factor that lives for one large step is worth more work.
const MANY: usize = 4;
/// Entries of a column below this share of its largest are nothing but rounding errors.
const NOTHING: f64 = f64::EPSILON;

pub(super) struct Region {
    part: Part,
    border: Border,
    system: System,
    matrix: BlockMatrix,
    /// Y of eq. 35, or Z, by columns: its last part and the sum of all.
    last: Vec<f64>,
    sum: Vec<f64>,
    /// The nodes whose rows are in them: what a border does within a step does not reach far.
    reached: Vec<u32>,
    /// Whether these are kept to substitute with, which reads less than going through the small steps again.
    keeps_columns: bool,
    /// What the region does to the interface for each of these columns, row-major.
    reactions: Vec<f64>,
    /// H^LS Y: what the region takes from the matrix of the interface, row-major.
    pub taken: Vec<f64>,
    steps: Substeps,
    panel: Substeps,
    start: Vec<f64>,
    slope: Vec<f64>,
    /// Empty until the small steps are to be taken with the rest's motion.
    curve: Vec<f64>,
    /// Empty where nothing depends on time.
    pub later: Vec<f64>,
    /// The change of velocity of the interface, and how much of each column it makes.
    across: Vec<f64>,
    weights: Vec<f64>,
    /// Room for two products.
    product: Vec<f64>,
    /// Where penalties act at small steps.
    touch: Option<Touch>,
    /// Numbers that all small steps read.
    pub effort: f64,
}

impl Region {
    /// Of a cut. Penalties act at small steps where it `touches` there.
    pub fn new(model: &Model, cut: Cut, touches: bool) -> Result<Region, LinearError> {
        let (own, effort) = (cut.own(model), cut.work());
        let Cut { part, ordering, ratio, interface, links } = cut;
        let border = Border::new(model, interface, links, own, ratio);
        let (n, columns, across) = (part.dofs(), border.columns(), 3 * border.interface.len());
        let structure = Structure::undivided(&part.pattern, &ordering)?;
        let factor = Cholesky::with_structure(&structure)?;
        let mass = part.mass(model.mass());
        let masses = match &mass {
            Mass::Lumped(mass) => mass.iter().flat_map(|&m| [m; 3]).collect(),
            Mass::Consistent(_) => Vec::new(),
        };
        let numbers = columns as f64 * n as f64;
        let keeps_columns = numbers <= ratio as f64 * ordering.entries && 2.0 * numbers <= room::MOST;
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
            last: vec![0.0; if keeps_columns { n * columns } else { 0 }],
            sum: vec![0.0; if keeps_columns { n * columns } else { 0 }],
            reached: Vec::with_capacity(part.nodes.len()),
            keeps_columns,
            reactions: vec![0.0; across * columns],
            taken: vec![0.0; across * across],
            steps: Substeps::new(n, 1),
            panel: Substeps::new(n, PANEL.min(columns)),
            start: vec![0.0; n],
            slope: vec![0.0; n],
            curve: Vec::new(),
            later: Vec::new(),
            across: vec![0.0; across],
            weights: vec![0.0; columns],
            product: vec![0.0; 2 * n],
            touch: if touches { Touch::new(model, &part.nodes, &structure) } else { None },
            effort,
            part,
            border,
        })
    }

    pub fn part(&self) -> &Part {
        &self.part
    }

    pub fn ratio(&self) -> usize {
        self.system.ratio
    }

    /// Nodes of the rest that it hangs on, in the numbers of the rest.
    pub fn interface(&self) -> &[u32] {
        &self.border.interface
    }

    #[cfg(test)]
    pub fn reached(&self) -> &[u32] {
        &self.reached
    }

    pub fn work(&self) -> Work {
        let mut work = self.system.factor.work();
        work += self.touch.as_ref().map(Touch::work).unwrap_or_default();
        work
    }

    /// Negative eigenvalues of its matrix.
    pub fn negative_pivots(&self) -> u64 {
        negative(self.system.factor.definiteness())
    }

    /// Takes up the matrices of a large step of length h.
    pub fn prepare(&mut self, model: &Model, stiffness: &BlockMatrix, h: f64) -> Result<(), LinearError> {
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
        self.solve_columns()
    }

    /// Y or Z, and H^LS Y, some columns at a time.
    fn solve_columns(&mut self) -> Result<(), LinearError> {
        let Region { part, border, system, panel, reactions, .. } = self;
        let (n, all) = (part.dofs(), border.columns());
        reactions.fill(0.0);
        for first in (0..all).step_by(PANEL) {
            let columns = PANEL.min(all - first);
            panel.run(system, columns, |r, rhs| border.push_columns(r, first, n, rhs))?;
            for (c, (last, sum)) in panel.last.chunks_exact(n).zip(panel.sum.chunks_exact(n)).take(columns).enumerate()
            {
                border.react(last, sum, |to, force| {
                    (0..3).for_each(|k| reactions[(3 * to + k) * all + first + c] += force[k]);
                });
            }
            if self.keeps_columns {
                let here = first * n..(first + columns) * n;
                self.last[here.clone()].copy_from_slice(&panel.last[..columns * n]);
                self.sum[here].copy_from_slice(&panel.sum[..columns * n]);
            }
        }
        border.taken(reactions, &mut self.taken);
        if self.keeps_columns {
            self.keep_what_is_reached(n);
        }
        Ok(())
    }

    /// Leaves out the rows of Y that are nothing.
    fn keep_what_is_reached(&mut self, n: usize) {
        let Region { last, sum, reached, weights, .. } = self;
        reached.clear();
        reached.extend(rows_reached([last, sum], n));
        let kept = 3 * reached.len();
        for c in 0..weights.len() {
            for (k, &a) in reached.iter().enumerate() {
                let (from, to) = (c * n + 3 * a as usize, c * kept + 3 * k);
                last.copy_within(from..from + 3, to);
                sum.copy_within(from..from + 3, to);
            }
        }
    }

    /// The small steps with the rest held where it is going by itself: `push` is f - D v [N] and `pull` K v [N/s], of all
    /// free nodes.
    pub fn advance(&mut self, push: &[f64], pull: &[f64]) -> Result<(), LinearError> {
        let h = self.system.h;
        self.part.gather(push, &mut self.start, |f| h * f);
        self.part.gather(pull, &mut self.slope, |f| -h * h * f);
        self.curve.clear();
        self.run()
    }

    fn run(&mut self) -> Result<(), LinearError> {
        let Region { system, steps, start, slope, curve, later, .. } = self;
        let push = Push { start, slope, curve, later };
        steps.run(system, 1, |r, rhs| push.add(r, rhs))
    }

    /// rhs -= H^LS y: what the small steps do to the rest.
    pub fn add_reaction(&self, rhs: &mut [f64]) {
        self.border.react(&self.steps.last, &self.steps.sum, |to, force| {
            let to = 3 * self.border.interface[to] as usize;
            (0..3).for_each(|k| rhs[to + k] -= force[k]);
        });
    }

    /// y -= Y dv, eq. 37, with the rest's change of velocity. Where penalties act at small steps, or columns are not kept, the
    /// small steps are taken again instead, from x with v.
    pub fn substitute(&mut self, dv: &[f64], x: &[f64], v: &[f64]) -> Result<(), LinearError> {
        let Region { border, across, weights, .. } = self;
        for (across, &i) in across.as_chunks_mut::<3>().0.iter_mut().zip(&border.interface) {
            *across = [dv[3 * i as usize], dv[3 * i as usize + 1], dv[3 * i as usize + 2]];
        }
        if self.touch.is_some() || !self.keeps_columns {
            return self.run_again(x, v);
        }
        border.weigh(across, weights);
        let Region { last, sum, reached, weights, product, steps, .. } = self;
        // Y is larger than caches and read once: two threads read it faster than one.
        let n = steps.last.len();
        let (one, other) = product.split_at_mut(n);
        rayon::join(
            || subtract_product(last, weights, reached, one, &mut steps.last),
            || subtract_product(sum, weights, reached, other, &mut steps.sum),
        );
        Ok(())
    }

    /// The small steps of a large step from x with v, with the rest as it was found to move and penalties as they are at each.
    fn run_again(&mut self, x: &[f64], v: &[f64]) -> Result<(), LinearError> {
        self.curve.resize(self.start.len(), 0.0);
        self.border.push(&self.across, [&mut self.start, &mut self.slope, &mut self.curve]);
        let Region { system, steps, start, slope, curve, later, touch, matrix, .. } = self;
        let Some(touch) = touch else { return self.run() };
        touch.run(system, steps, &Push { start, slope, curve, later }, matrix, [x, v])
    }

    /// The change of velocity over the large step, and the sum of those of all small steps.
    pub fn result(&self) -> [&[f64]; 2] {
        [&self.steps.last, &self.steps.sum]
    }
}

/// The nodes with a number in any column of n that is more than nothing, in any of these matrices. Columns have limits of
/// their own: those of stiff nodes are smaller than those of soft ones.
pub(super) fn rows_reached(matrices: [&[f64]; 2], n: usize) -> impl Iterator<Item = u32> {
    let largest = |column: &[f64]| column.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
    let columns =
        matrices.map(|y| y.chunks_exact(n).map(|column| (column, NOTHING * largest(column))).collect::<Vec<_>>());
    let is_reached = move |a: usize| {
        let mut all = columns.iter().flatten();
        all.any(|(column, limit)| column[3 * a..3 * a + 3].iter().any(|y| y.abs() > *limit))
    };
    (0..n / 3).filter(move |&a| is_reached(a)).map(|a| a as u32)
}

/// y -= Y dv, with the rows of Y that are kept, by columns.
fn subtract_product(columns: &[f64], weights: &[f64], reached: &[u32], product: &mut [f64], y: &mut [f64]) {
    let kept = 3 * reached.len();
    let product = &mut product[..kept];
    product.fill(0.0);
    // Four columns at a time: the product is read and written less often.
    let (mut weights, mut left) = (weights, &columns[..kept * weights.len()]);
    while let ([p, q, r, s, rest @ ..], true) = (weights, kept > 0) {
        let [a, b, c, d] = std::array::from_fn(|k| &left[k * kept..(k + 1) * kept]);
        for (i, y) in product.iter_mut().enumerate() {
            *y += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i]);
        }
        (weights, left) = (rest, &left[4 * kept..]);
    }
    for (weight, column) in weights.iter().zip(left.chunks_exact(kept.max(1))) {
        product.iter_mut().zip(column).for_each(|(y, c)| *y += weight * c);
    }
    for (product, &a) in product.as_chunks::<3>().0.iter().zip(reached) {
        (0..3).for_each(|c| y[3 * a as usize + c] -= product[c]);
    }
}

/// How many eigenvalues are known to be negative.
pub(super) fn negative(signs: Definiteness) -> u64 {
    match signs {
        Definiteness::Indefinite { negative } => negative as u64,
        _ => 0,
    }
}
