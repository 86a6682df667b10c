//! Data shared by all factors of one pattern.

use super::analysis::{Analysis, FEW_ZEROS, analyse};
use crate::blocks::Pattern;
use crate::linear::LinearError;
use crate::linear::ordering::Ordering;
use crate::linear::permuted::Layout;
use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use std::ops::Range;
use std::sync::Arc;

/// Data shared by all factors of one pattern: the order of elimination, the layout of the permuted matrix, the
/// supernodes and the cut of their tree into tasks.
pub struct Structure {
    pub(super) pattern: Arc<Pattern>,
    pub(in crate::linear) layout: Arc<Layout>,
    pub(in crate::linear) symbolic: SymbolicSupernodalCholesky<usize>,
    /// Supernodes of the tasks one after the other, then those of the top. Children come before their parents.
    pub(super) nodes: Vec<Node>,
    /// Children of the nodes, by node.
    pub(super) children: Vec<u32>,
    /// Positions of the blocks below the triangles in the vector of the node's task, by node.
    pub(super) local: Vec<u32>,
    /// Positions of the update matrix in the front of the parent, by node.
    pub(super) row_ranges: Vec<RowRange>,
    /// Block row of each block of the permuted matrix in the front of its node, in the order of [`Layout`].
    pub(super) row_in_front: Vec<u32>,
    /// Independent parts of the tree. The last one is the top, which needs all others.
    pub(super) tasks: Vec<Task>,
    /// Task of each node of the mesh, and its position in the vector of the task, in blocks.
    pub(super) home: Vec<[u32; 2]>,
    flops: f64,
}

/// A supernode: columns of the factor with equal rows below a dense triangle. Its panel is a `height` x `width` matrix,
/// column-major: the triangle, then the rows below. Its front adds `below` columns: the update for its ancestors.
pub(super) struct Node {
    /// First block column.
    pub column: usize,
    /// Scalar columns.
    pub width: usize,
    /// Scalar rows below the triangle.
    pub below: usize,
    /// Offset of the panel in the factor.
    pub values: usize,
    /// Offset of the `below` x `below` update matrix in the update memory.
    pub update: usize,
    /// Position of the columns in the vector of the task, in blocks.
    pub own: usize,
    /// Offset of the blocks below in `local`.
    pub rows: usize,
    pub row_ranges: Range<usize>,
    pub children: Range<usize>,
}

impl Node {
    pub fn height(&self) -> usize {
        self.width + self.below
    }

    /// Counts the multiplications and additions of its elimination.
    pub fn flops(&self) -> f64 {
        ((self.height() as f64).powi(3) - (self.below as f64).powi(3)) / 3.0
    }

    /// Returns the range of the panel in the factor.
    pub fn panel(&self) -> Range<usize> {
        self.values..self.values + self.height() * self.width
    }
}

/// Scalar rows of an update matrix that are adjacent in the front of the parent too.
pub(super) struct RowRange {
    pub from: usize,
    pub to: usize,
    pub len: usize,
}

/// A part of the tree that is processed by one thread at a time.
pub(super) struct Task {
    pub nodes: Range<usize>,
    /// Block columns of the permuted matrix it owns, ascending: the first part of its vector.
    pub blocks: Vec<u32>,
    /// Rows outside that its columns reach, as blocks of the vector of the top: the second part of its vector.
    pub boundary: Vec<u32>,
    /// Its part of the factor; all of it for the top.
    pub values: Range<usize>,
    /// Its part of the update memory; all of it for the top.
    pub updates: Range<usize>,
    /// Largest number of rows of a panel, of rows below a triangle, and of columns.
    pub height: usize,
    pub below: usize,
    pub width: usize,
}

impl Task {
    /// Returns the scalars in a column of the task's vector.
    pub fn length(&self) -> usize {
        3 * (self.blocks.len() + self.boundary.len())
    }
}

impl Structure {
    /// Analyses `pattern` for an order of elimination.
    pub fn new(pattern: &Arc<Pattern>, ordering: &Ordering) -> Result<Arc<Structure>, LinearError> {
        Structure::with_tasks(pattern, ordering, true)
    }

    /// The same without tasks: for small factors, or many that are used at the same time.
    pub fn undivided(pattern: &Arc<Pattern>, ordering: &Ordering) -> Result<Arc<Structure>, LinearError> {
        Structure::with_tasks(pattern, ordering, false)
    }

    fn with_tasks(
        pattern: &Arc<Pattern>,
        ordering: &Ordering,
        is_divided: bool,
    ) -> Result<Arc<Structure>, LinearError> {
        let layout = Arc::new(Layout::new(pattern, ordering));
        let zeros = (!is_divided).then_some(FEW_ZEROS);
        let symbolic = analyse(layout.upper().as_ref(), zeros);
        let symbolic = symbolic.ok_or(LinearError::TooLarge { entries: ordering.entries })?;
        let analysis = Analysis::new(&symbolic);
        let mut structure = Structure {
            pattern: pattern.clone(),
            nodes: Vec::with_capacity(symbolic.n_supernodes()),
            children: Vec::new(),
            local: Vec::new(),
            row_ranges: Vec::new(),
            row_in_front: Vec::new(),
            tasks: Vec::new(),
            home: vec![[0; 2]; pattern.rows()],
            flops: analysis.flops.iter().sum(),
            layout,
            symbolic,
        };
        structure.cut(&analysis, is_divided);
        structure.link(&analysis);
        structure.stack(&analysis);
        structure.row_in_front = (0..pattern.rows())
            .flat_map(|k| structure.layout.rows(k).map(move |row| (k, row)))
            .map(|(k, row)| analysis.row_in_front(analysis.owner[k] as usize, row as u32))
            .collect();
        Ok(Arc::new(structure))
    }

    /// Returns the multiplications and additions of a factorisation.
    pub fn flops(&self) -> f64 {
        self.flops
    }

    /// Returns the supernodes that wait if right-hand sides are known late at these nodes: theirs, all ancestors, and
    /// the top.
    pub(in crate::linear) fn late(&self, nodes: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut is_late = vec![false; self.nodes.len()];
        let supernode = |node: usize| {
            let [task, block] = self.home[node];
            let nodes = self.tasks[task as usize].nodes.clone();
            nodes.start + self.nodes[nodes].partition_point(|node| node.own <= block as usize) - 1
        };
        nodes.for_each(|node| is_late[supernode(node)] = true);
        for (at, node) in self.nodes.iter().enumerate() {
            is_late[at] |= self.children[node.children.clone()].iter().any(|&child| is_late[child as usize]);
        }
        is_late.iter_mut().skip(self.tasks.last().map_or(0, |top| top.nodes.start)).for_each(|late| *late = true);
        is_late
    }

    /// Counts the numbers of a factor in the top.
    pub(in crate::linear) fn top_entries(&self) -> f64 {
        let top = self.tasks.last().map_or(0..0, |top| top.nodes.clone());
        self.nodes[top].iter().map(|node| node.panel().len() as f64).sum()
    }

    /// Counts the numbers of a factor.
    pub fn entries(&self) -> f64 {
        self.symbolic.len_val() as f64
    }

    /// Returns the diagonal of a factor with its scalar columns.
    pub(in crate::linear) fn diagonal<'a, T: Copy>(&'a self, values: &'a [T]) -> impl Iterator<Item = (usize, T)> + 'a {
        (0..self.symbolic.n_supernodes()).flat_map(move |s| {
            let (begin, end) = (self.symbolic.supernode_begin()[s], self.symbolic.supernode_end()[s]);
            let first = self.symbolic.col_ptr_for_val()[s];
            let height = (self.symbolic.col_ptr_for_val()[s + 1] - first) / (end - begin);
            (begin..end).map(move |j| (j, values[first + (j - begin) * (height + 1)]))
        })
    }

    /// Assigns supernodes to tasks, and lays out each task's vector.
    fn cut(&mut self, analysis: &Analysis, is_divided: bool) {
        // Solves are more frequent than factorisations: the cut minimises what they read.
        let (columns, rows) = (|s: usize| analysis.columns[s].len() as f64, |s: usize| analysis.rows[s].len() as f64);
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut top: Vec<usize> = Vec::new();
        let mut next = 0;
        let entries = |s: usize| 9.0 * (columns(s) * (columns(s) / 2.0 + rows(s)));
        let work: Vec<f64> = (0..analysis.columns.len()).map(entries).collect();
        let tasks = if is_divided { analysis.tree.tasks(&work) } else { Vec::new() };
        for range in tasks {
            top.extend(next..range.start);
            next = range.end;
            parts.push(range.collect());
        }
        top.extend(next..analysis.columns.len());
        let mut in_top = vec![0_u32; self.pattern.rows()];
        let blocks_of = |part: &[usize]| -> Vec<u32> {
            part.iter().flat_map(|&s| analysis.columns[s].clone()).map(|k| k as u32).collect()
        };
        blocks_of(&top).iter().enumerate().for_each(|(at, &k)| in_top[k as usize] = at as u32);
        parts.push(top);
        let last = parts.len() - 1;
        for (t, part) in parts.iter().enumerate() {
            let blocks = blocks_of(part);
            let mut boundary: Vec<u32> = Vec::new();
            if t < last {
                let end = blocks[blocks.len() - 1];
                boundary = part.iter().flat_map(|&s| &analysis.rows[s]).copied().filter(|&k| k > end).collect();
                boundary.sort_unstable();
                boundary.dedup();
            }
            let at = |k: u32| match (t < last, boundary.binary_search(&k)) {
                (false, _) => in_top[k as usize],
                (true, Ok(b)) => (blocks.len() + b) as u32,
                (true, Err(_)) => k - blocks[0],
            };
            let first = self.nodes.len();
            for &s in part {
                let (columns, rows) = (&analysis.columns[s], &analysis.rows[s]);
                self.nodes.push(Node {
                    column: columns.start,
                    width: 3 * columns.len(),
                    below: 3 * rows.len(),
                    values: self.symbolic.col_ptr_for_val()[s],
                    update: 0,
                    own: at(columns.start as u32) as usize,
                    rows: self.local.len(),
                    row_ranges: 0..0,
                    children: 0..0,
                });
                self.local.extend(rows.iter().map(|&k| at(k)));
            }
            for &k in &blocks {
                self.home[self.layout.order()[k as usize] as usize] = [t as u32, at(k)];
            }
            let nodes = first..self.nodes.len();
            let panels = &self.nodes[nodes.clone()];
            self.tasks.push(Task {
                values: if t < last {
                    panels[0].values..panels[panels.len() - 1].panel().end
                } else {
                    0..self.symbolic.len_val()
                },
                updates: 0..0,
                height: panels.iter().map(Node::height).max().unwrap_or(0),
                below: panels.iter().map(|p| p.below).max().unwrap_or(0),
                width: panels.iter().map(|p| p.width).max().unwrap_or(0),
                nodes,
                blocks,
                boundary: boundary.into_iter().map(|k| in_top[k as usize]).collect(),
            });
        }
    }

    /// Links children, and the positions of their updates.
    fn link(&mut self, analysis: &Analysis) {
        let mut label = vec![0_u32; self.nodes.len()];
        let supernode: Vec<usize> = self.nodes.iter().map(|node| analysis.owner[node.column] as usize).collect();
        supernode.iter().enumerate().for_each(|(label_of, &s)| label[s] = label_of as u32);
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (s, parent) in analysis.tree.parent.iter().enumerate() {
            if let Some(p) = parent {
                children[label[*p] as usize].push(label[s]);
            }
        }
        for (node, (children, &s)) in self.nodes.iter_mut().zip(children.iter().zip(&supernode)) {
            let start = self.children.len();
            self.children.extend(children);
            node.children = start..self.children.len();
            let start = self.row_ranges.len();
            if let Some(p) = analysis.tree.parent[s] {
                for (at, &row) in analysis.rows[s].iter().enumerate() {
                    let (from, to) = (3 * at, 3 * analysis.row_in_front(p, row) as usize);
                    match self.row_ranges[start..].last_mut() {
                        Some(range) if range.to + range.len == to => range.len += 3,
                        _ => self.row_ranges.push(RowRange { from, to, len: 3 }),
                    }
                }
            }
            node.row_ranges = start..self.row_ranges.len();
        }
    }

    /// Assigns memory to the update matrices, which live until their parent has taken them. Those of odd depth are
    /// stacked from one end of a task's memory and those of even depth from the other, so that both stay stacks: a node
    /// pops its children from one and pushes itself on the other.
    fn stack(&mut self, analysis: &Analysis) {
        let mut depth = vec![0_usize; self.nodes.len()];
        for s in (0..self.nodes.len()).rev() {
            depth[s] = analysis.tree.parent[s].map_or(0, |p| depth[p] + 1);
        }
        let mut base = 0;
        for task in &mut self.tasks {
            let (mut used, mut peak) = ([0; 2], 0);
            let side = |node: &Node| depth[analysis.owner[node.column] as usize] % 2;
            for n in task.nodes.clone() {
                let node = &self.nodes[n];
                let (at, below, side) = (used[side(node)], node.below, side(node));
                let inside = |&&child: &&u32| task.nodes.contains(&(child as usize));
                let popped = self.children[node.children.clone()].iter().filter(inside);
                let popped: usize = popped.map(|&child| self.nodes[child as usize].below.pow(2)).sum();
                used[side] += below * below;
                peak = peak.max(used[0] + used[1]);
                used[1 - side] -= popped;
                self.nodes[n].update = at;
            }
            for node in &mut self.nodes[task.nodes.clone()] {
                let from_start = side(node) == 0;
                let size = node.below * node.below;
                node.update = base + if from_start { node.update } else { peak - node.update - size };
            }
            task.updates = base..base + peak;
            base += peak;
        }
        if let Some(top) = self.tasks.last_mut() {
            top.updates = 0..base;
        }
    }
}
