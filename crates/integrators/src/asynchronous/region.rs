//! A region: its small steps, what the rest's motion does to it (B_r of eq. 26) and it to the rest (E and F of eq. 28).

use super::partition::{Cut, Link, Part};
use super::room;
use super::substeps::{Substeps, System};
use super::touch::Touch;
use model::Model;
use model::mass::Mass;
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, Definiteness, LinearError, LinearSolver, Structure, Work};
use numerics::mat3::{Mat3, mat_scale, mat_t_vec, mat_vec};

/// Columns of the interface that go through the small steps together.
const PANEL: usize = 24;
/// Entries of a column below this share of the largest are nothing but its rounding errors.
const NOTHING: f64 = f64::EPSILON;

/// K, M and D between a node of the region and one of the interface.
#[derive(Clone, Copy, Default)]
pub(super) struct Coupling {
    mass: Mat3,
    damping: Mat3,
    stiffness: Mat3,
}

pub(super) struct Region {
    cut: Cut,
    system: System,
    matrix: BlockMatrix,
    couplings: Vec<Coupling>,
    /// Y = (H^SS)^-1 H^SL of eq. 35, a column an unknown of the interface: its last part and the sum of all.
    last: Vec<f64>,
    sum: Vec<f64>,
    /// The nodes whose rows are in them: what an interface does within a step does not reach far.
    reached: Vec<u32>,
    /// Whether these are kept to substitute with, which reads less than going through the small steps again.
    keeps_columns: bool,
    /// H^LS Y: what the region takes from the matrix of the interface, row-major.
    pub taken: Vec<f64>,
    steps: Substeps,
    panel: Substeps,
    /// b_r = start + r slope + later[r - 1].
    start: Vec<f64>,
    slope: Vec<f64>,
    /// Empty where nothing depends on time.
    pub later: Vec<f64>,
    across: Vec<f64>,
    /// Room for two products.
    product: Vec<f64>,
    /// Where penalties act at small steps.
    touch: Option<Touch>,
}

impl Region {
    /// Of a cut, whose sweeps are shared among threads or not. Penalties act at small steps where it `touches` there.
    pub fn new(model: &Model, cut: Cut, is_shared: bool, touches: bool) -> Result<Region, LinearError> {
        let Cut { part, ordering, ratio, interface, links } = &cut;
        let (n, columns) = (part.dofs(), 3 * interface.len());
        let analyse = if is_shared { Structure::new } else { Structure::undivided };
        let structure = analyse(&part.pattern, ordering)?;
        let mass = part.mass(model.mass());
        let masses = match &mass {
            Mass::Lumped(mass) => mass.iter().flat_map(|&m| [m; 3]).collect(),
            Mass::Consistent(_) => Vec::new(),
        };
        let numbers = columns as f64 * n as f64;
        let keeps_columns = numbers <= *ratio as f64 * ordering.entries && 2.0 * numbers <= room::MOST;
        let damping = model.damping();
        let has_other_stiffness = damping.stiffness != 0.0 && damping.at_rest.is_some();
        let zeros = || BlockMatrix::zeros(part.pattern.clone());
        Ok(Region {
            system: System {
                mass,
                masses,
                factor: Cholesky::with_structure(&structure)?,
                stiffness: has_other_stiffness.then(zeros),
                h: 0.0,
                inertia: 1.0,
                share: 1.0,
                ratio: *ratio,
            },
            matrix: zeros(),
            couplings: vec![Coupling::default(); links.len()],
            last: vec![0.0; if keeps_columns { n * columns } else { 0 }],
            sum: vec![0.0; if keeps_columns { n * columns } else { 0 }],
            reached: Vec::with_capacity(part.nodes.len()),
            keeps_columns,
            taken: vec![0.0; columns * columns],
            steps: Substeps::new(n, 1),
            panel: Substeps::new(n, PANEL.min(columns)),
            start: vec![0.0; n],
            slope: vec![0.0; n],
            later: Vec::new(),
            across: vec![0.0; columns],
            product: vec![0.0; 2 * n],
            touch: if touches { Touch::new(model, &part.nodes, &structure) } else { None },
            cut,
        })
    }

    pub fn part(&self) -> &Part {
        &self.cut.part
    }

    pub fn ratio(&self) -> usize {
        self.cut.ratio
    }

    /// Nodes of the rest that it hangs on, in the numbers of the rest.
    pub fn interface(&self) -> &[u32] {
        &self.cut.interface
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
        let small = h / self.cut.ratio as f64;
        system.h = small;
        system.inertia = 1.0 + damping.mass * small;
        system.share = small / (small + damping.stiffness);
        self.cut.part.take(stiffness, &mut self.matrix);
        match (&mut system.stiffness, &damping.at_rest) {
            (Some(own), Some(at_rest)) => {
                own.values.copy_from_slice(&self.matrix.values);
                self.cut.part.take(at_rest, &mut self.matrix);
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
        self.touch.iter_mut().for_each(Touch::forget);
        let of_damping = damping.at_rest.as_ref().unwrap_or(stiffness);
        for (link, coupling) in self.cut.links.iter().zip(&mut self.couplings) {
            coupling.stiffness = link.of(stiffness);
            coupling.mass = match model.mass() {
                Mass::Lumped(_) => Mat3::default(),
                Mass::Consistent(mass) => link.of(mass),
            };
            let of_damping = link.of(of_damping);
            coupling.damping = std::array::from_fn(|r| {
                std::array::from_fn(|c| damping.mass * coupling.mass[r][c] + damping.stiffness * of_damping[r][c])
            });
        }
        self.solve_columns(h)
    }

    /// Y and H^LS Y, some columns at a time.
    fn solve_columns(&mut self, h: f64) -> Result<(), LinearError> {
        let (n, all) = (self.cut.part.dofs(), self.across.len());
        self.taken.fill(0.0);
        for first in (0..all).step_by(PANEL) {
            let columns = PANEL.min(all - first);
            let (couplings, links, ratio) = (&self.couplings, &self.cut.links, self.cut.ratio);
            let small = h / ratio as f64;
            self.panel.run(&mut self.system, columns, |r, rhs| {
                for (coupling, link) in couplings.iter().zip(links) {
                    let block = forward(coupling, r, small, ratio);
                    for c in (0..3).filter(|c| (first..first + columns).contains(&(3 * link.across as usize + c))) {
                        let column = &mut rhs[(3 * link.across as usize + c - first) * n..];
                        (0..3).for_each(|k| column[3 * link.node as usize + k] += block[k][c]);
                    }
                }
            })?;
            for (coupling, link) in couplings.iter().zip(links) {
                let (at, to) = (3 * link.node as usize, 3 * link.across as usize);
                for c in 0..columns {
                    let of = |y: &[f64]| [y[c * n + at], y[c * n + at + 1], y[c * n + at + 2]];
                    let taken = backward(coupling, h, small, of(&self.panel.sum), of(&self.panel.last));
                    (0..3).for_each(|k| self.taken[(to + k) * all + first + c] += taken[k]);
                }
            }
            if self.keeps_columns {
                let here = first * n..(first + columns) * n;
                self.last[here.clone()].copy_from_slice(&self.panel.last[..columns * n]);
                self.sum[here].copy_from_slice(&self.panel.sum[..columns * n]);
            }
        }
        if self.keeps_columns {
            self.keep_what_is_reached(n);
        }
        Ok(())
    }

    /// Leaves out the rows of Y that are nothing.
    fn keep_what_is_reached(&mut self, n: usize) {
        let Region { last, sum, reached, across, .. } = self;
        let limit = |y: &[f64]| NOTHING * y.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
        let limits = [limit(last), limit(sum)];
        let is_reached = |a: usize| {
            let above = |y: &[f64], limit: f64| {
                y.chunks_exact(n).any(|column| column[3 * a..3 * a + 3].iter().any(|y| y.abs() > limit))
            };
            above(last, limits[0]) || above(sum, limits[1])
        };
        reached.clear();
        reached.extend((0..n / 3).filter(|&a| is_reached(a)).map(|a| a as u32));
        let kept = 3 * reached.len();
        for c in 0..across.len() {
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
        self.cut.part.gather(push, &mut self.start, |f| h * f);
        self.cut.part.gather(pull, &mut self.slope, |f| -h * h * f);
        self.run(None)
    }

    fn run(&mut self, across: Option<&[f64]>) -> Result<(), LinearError> {
        let Region { system, steps, start, slope, later, couplings, cut, .. } = self;
        let push = Push { start, slope, later, couplings, links: &cut.links, across, h: system.h, ratio: system.ratio };
        steps.run(system, 1, |r, rhs| push.add(r, rhs))
    }

    /// The small steps of a large step from x with v, with penalties as they are at each and the rest as it was found to move.
    fn run_touching(&mut self, x: &[f64], v: &[f64]) -> Result<(), LinearError> {
        let Region { system, steps, start, slope, later, couplings, cut, across, touch, matrix, .. } = self;
        let Some(touch) = touch else { return Ok(()) };
        let (links, across) = (&cut.links, Some(&across[..]));
        let push = Push { start, slope, later, couplings, links, across, h: system.h, ratio: system.ratio };
        touch.run(system, steps, &push, matrix, [x, v])
    }

    /// rhs -= H^LS y: what the small steps do to the rest, of large step h.
    pub fn add_reaction(&self, h: f64, rhs: &mut [f64]) {
        for (coupling, link) in self.couplings.iter().zip(&self.cut.links) {
            let at = 3 * link.node as usize;
            let to = 3 * self.cut.interface[link.across as usize] as usize;
            let of = |y: &[f64]| [y[at], y[at + 1], y[at + 2]];
            let force = backward(coupling, h, self.system.h, of(&self.steps.sum), of(&self.steps.last));
            (0..3).for_each(|k| rhs[to + k] -= force[k]);
        }
    }

    /// y -= Y dv, eq. 37, with the rest's change of velocity. Where penalties act at small steps these are taken again instead,
    /// from x with v.
    pub fn substitute(&mut self, dv: &[f64], x: &[f64], v: &[f64]) -> Result<(), LinearError> {
        for (across, &i) in self.across.as_chunks_mut::<3>().0.iter_mut().zip(&self.cut.interface) {
            *across = [dv[3 * i as usize], dv[3 * i as usize + 1], dv[3 * i as usize + 2]];
        }
        if self.touch.is_some() {
            return self.run_touching(x, v);
        }
        if !self.keeps_columns {
            let across = std::mem::take(&mut self.across);
            let done = self.run(Some(&across));
            self.across = across;
            return done;
        }
        let Region { last, sum, reached, across, product, steps, .. } = self;
        // Y is larger than caches and read once: two threads read it faster than one.
        let n = steps.last.len();
        let (one, other) = product.split_at_mut(n);
        rayon::join(
            || subtract_product(last, across, reached, one, &mut steps.last),
            || subtract_product(sum, across, reached, other, &mut steps.sum),
        );
        Ok(())
    }

    /// The change of velocity over the large step, and the sum of those of all small steps.
    pub fn result(&self) -> [&[f64]; 2] {
        [&self.steps.last, &self.steps.sum]
    }
}

/// y -= Y dv, with the rows of Y that are kept, by columns.
fn subtract_product(columns: &[f64], across: &[f64], reached: &[u32], product: &mut [f64], y: &mut [f64]) {
    let kept = 3 * reached.len();
    let product = &mut product[..kept];
    product.fill(0.0);
    // Four columns at a time: the product is read and written less often.
    let (mut across, mut left) = (across, &columns[..kept * across.len()]);
    while let ([p, q, r, s, rest @ ..], true) = (across, kept > 0) {
        let [a, b, c, d] = std::array::from_fn(|k| &left[k * kept..(k + 1) * kept]);
        for (i, y) in product.iter_mut().enumerate() {
            *y += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i]);
        }
        (across, left) = (rest, &left[4 * kept..]);
    }
    for (dv, column) in across.iter().zip(left.chunks_exact(kept.max(1))) {
        product.iter_mut().zip(column).for_each(|(y, c)| *y += dv * c);
    }
    for (product, &a) in product.as_chunks::<3>().0.iter().zip(reached) {
        (0..3).for_each(|c| y[3 * a as usize + c] -= product[c]);
    }
}

/// What pushes a region in its small steps.
pub(super) struct Push<'a> {
    start: &'a [f64],
    slope: &'a [f64],
    later: &'a [f64],
    couplings: &'a [Coupling],
    links: &'a [Link],
    /// The change of velocity of the interface, where it is known.
    across: Option<&'a [f64]>,
    h: f64,
    ratio: usize,
}

impl Push<'_> {
    /// rhs += b_r - B_r dv.
    pub fn add(&self, r: usize, rhs: &mut [f64]) {
        let n = self.start.len();
        let b = self.start.iter().zip(self.slope).map(|(start, slope)| start + r as f64 * slope);
        rhs.iter_mut().zip(b).for_each(|(rhs, b)| *rhs += b);
        if let Some(later) = self.later.get((r - 1) * n..r * n) {
            rhs.iter_mut().zip(later).for_each(|(rhs, later)| *rhs += later);
        }
        let Some(across) = self.across else { return };
        for (coupling, link) in self.couplings.iter().zip(self.links) {
            let to = 3 * link.across as usize;
            let dv = [across[to], across[to + 1], across[to + 2]];
            let back = mat_vec(&forward(coupling, r, self.h, self.ratio), dv);
            (0..3).for_each(|k| rhs[3 * link.node as usize + k] -= back[k]);
        }
    }
}

/// How many eigenvalues are known to be negative.
pub(super) fn negative(signs: Definiteness) -> u64 {
    match signs {
        Definiteness::Indefinite { negative } => negative as u64,
        _ => 0,
    }
}

/// B_r = (M + r h D + r^2 h^2 K) / m, h the small step: the rest, a large step of linear velocity on its way, pushes.
fn forward(coupling: &Coupling, r: usize, h: f64, ratio: usize) -> Mat3 {
    let (t, share) = (r as f64 * h, 1.0 / ratio as f64);
    let Coupling { mass, damping, stiffness } = coupling;
    std::array::from_fn(|i| std::array::from_fn(|j| share * (mass[i][j] + t * (damping[i][j] + t * stiffness[i][j]))))
}

/// E sum + (F - E) last, E = h small K^T, F - E = M^T + h D^T.
fn backward(coupling: &Coupling, h: f64, small: f64, sum: [f64; 3], last: [f64; 3]) -> [f64; 3] {
    let elastic = mat_t_vec(&coupling.stiffness, sum);
    let (damped, inert) = (mat_t_vec(&coupling.damping, last), mat_t_vec(&coupling.mass, last));
    std::array::from_fn(|k| h * small * elastic[k] + (inert[k] + h * damped[k]))
}
