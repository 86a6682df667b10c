//! Matrices of a pack in lanes, made, factorised and solved without main memory.

use super::pack::{self, Block, Source, Triangle};
use super::packs::Packs;
use super::shape::Shape;
use crate::mat3::Vec3;
use crate::real::Lanes;

/// Mark of a [`Place`] that holds the transposed block.
const TRANSPOSED: u32 = 1 << 31;

/// Place of a block in the matrices of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(u32);

/// Symmetric matrices of the eight components of a pack, one per lane: the blocks of the lower triangle and the fill of their
/// factors, and the blocks on the diagonal after them.
#[derive(Debug, Clone)]
pub struct PackMatrix {
    values: Vec<Block>,
    /// Number of blocks left of the diagonal.
    left: usize,
}

/// Factors of the matrices of a pack.
#[derive(Debug, Clone)]
pub struct PackFactor {
    blocks: Vec<Block>,
    triangles: Vec<Triangle>,
}

impl Packs {
    /// Returns the place of block (i, j) of a component; `None` outside of the pattern.
    pub fn place(&self, i: usize, j: usize) -> Option<Place> {
        let (below, above) = (i.max(j), i.min(j));
        let index = if i == j {
            self.shape.blocks() + i
        } else {
            let row = self.shape.row(below);
            row.start + self.shape.column[row].binary_search(&(above as u32)).ok()?
        };
        Some(Place(index as u32 | if i < j { TRANSPOSED } else { 0 }))
    }

    /// Makes the zero matrices of a pack.
    pub fn matrix(&self) -> PackMatrix {
        let left = self.shape.blocks();
        PackMatrix { values: vec![[[Lanes::splat(0.0); 3]; 3]; left + self.shape.rows()], left }
    }

    /// Makes memory for the factors of a pack.
    pub fn factor(&self) -> PackFactor {
        let zero = Lanes::splat(0.0);
        PackFactor { blocks: vec![[[zero; 3]; 3]; self.shape.blocks()], triangles: vec![[zero; 6]; self.shape.rows()] }
    }
}

impl PackMatrix {
    /// Sets all blocks to zero.
    pub fn clear(&mut self) {
        self.values.fill([[Lanes::splat(0.0); 3]; 3]);
    }

    /// Adds to a block.
    #[inline(always)]
    pub fn add(&mut self, Place(place): Place, block: &Block) {
        let to = &mut self.values[(place & !TRANSPOSED) as usize];
        if place & TRANSPOSED == 0 {
            (0..3).for_each(|r| (0..3).for_each(|c| to[r][c] += block[r][c]));
        } else {
            (0..3).for_each(|r| (0..3).for_each(|c| to[r][c] += block[c][r]));
        }
    }

    /// y -= A x, row by row of the components.
    pub fn subtract_product(&self, packs: &Packs, x: &[Vec3<Lanes>], y: &mut [Vec3<Lanes>]) {
        let shape = &packs.shape;
        for i in 0..shape.rows() {
            let (own, mut sum) = (x[i], y[i]);
            let diagonal = &self.values[self.left + i];
            for r in 0..3 {
                (0..3).for_each(|c| sum[r] = diagonal[r][c].mul_neg_add(own[c], sum[r]));
            }
            for b in shape.row(i).filter(|&b| shape.slot[b].is_some()) {
                let (block, j) = (&self.values[b], shape.column[b] as usize);
                let (other, to) = (x[j], &mut y[j]);
                for r in 0..3 {
                    for c in 0..3 {
                        sum[r] = block[r][c].mul_neg_add(other[c], sum[r]);
                        to[c] = block[r][c].mul_neg_add(own[r], to[c]);
                    }
                }
            }
            y[i] = sum;
        }
    }

    /// Overwrites the blocks with those of a matrix in main memory.
    pub(super) fn gather(&mut self, source: &mut impl Source) {
        let (left, diagonal) = self.values.split_at_mut(self.left);
        left.iter_mut().enumerate().for_each(|(b, to)| *to = source.left(b));
        diagonal.iter_mut().enumerate().for_each(|(i, to)| *to = source.diagonal(i));
    }

    /// Returns the largest number on the diagonal of row `i`, without its sign.
    pub(super) fn largest(&self, i: usize) -> Lanes {
        let block = &self.values[self.left + i];
        let [a, b, c] = std::array::from_fn(|k| block[k][k].max(-block[k][k]));
        a.max(b).max(c)
    }
}

/// The matrices c A + diag(m), with one m for each row.
struct Sum<'a> {
    a: &'a PackMatrix,
    c: Lanes,
    mass: &'a [Lanes],
    by: Lanes,
}

impl Source for Sum<'_> {
    #[inline(always)]
    fn left(&mut self, b: usize) -> Block {
        self.a.values[b].map(|row| row.map(|x| self.c * x))
    }

    #[inline(always)]
    fn diagonal(&mut self, i: usize) -> Block {
        let mut block = self.a.values[self.a.left + i].map(|row| row.map(|x| self.c * x));
        (0..3).for_each(|k| block[k][k] = self.by.mul_add(self.mass[i], block[k][k]));
        block
    }
}

impl PackFactor {
    /// Factorises c A + `by` M in each lane, M with these masses of the rows. Returns the bits of the lanes in which that is not
    /// positive definite, or too nearly so to tell.
    pub fn factorise(&mut self, packs: &Packs, c: Lanes, a: &PackMatrix, by: Lanes, mass: &[Lanes]) -> u8 {
        self.factorise_shape(&packs.shape, c, a, by, mass)
    }

    pub(super) fn factorise_shape(&mut self, shape: &Shape, c: Lanes, a: &PackMatrix, by: Lanes, mass: &[Lanes]) -> u8 {
        pack::factorise(shape, &mut Sum { a, c, mass, by }, &mut self.blocks, &mut self.triangles)
    }

    /// Solves C right-hand sides, row by row of the components, column by column within a row.
    pub fn solve<const C: usize>(&self, packs: &Packs, x: &mut [[[Lanes; 3]; C]]) {
        self.solve_shape(&packs.shape, x);
    }

    pub(super) fn solve_shape<const C: usize>(&self, shape: &Shape, x: &mut [[[Lanes; 3]; C]]) {
        pack::solve(shape, &self.blocks, &self.triangles, x);
    }
}
