//! Surfaces of triangles: orientation, borders, enclosed volume.

use super::elements::{duplicates, repeats};
use super::faces::{Edge, edges_of_triangles};
use super::nesting::enclosing;
use super::nodes::NONE;
use model::mesh::Mesh;
use numerics::mat3::{Vec3, cross, dot, norm, sub};
use std::collections::HashMap;
use std::f64::consts::PI;

/// Share of its shell's area below which the disc of a loop's length makes it a hole, else a border.
const SMALL: f64 = 0.05;

/// The triangles of a mesh at three different positions, each once, with their neighbours across edges of two.
pub(super) struct SurfaceTopology {
    /// Corners, each by the first node of its position.
    pub triangles: Vec<[u32; 3]>,
    /// Their indices in the mesh.
    pub ids: Vec<u32>,
    /// The shell of each.
    pub shell_of: Vec<u32>,
    /// True for triangles oriented against most of their shell.
    pub turned: Vec<bool>,
    pub shells: Vec<Shell>,
    /// Edges of more than two triangles, by their ends.
    pub non_manifold: Vec<[u32; 2]>,
    /// Edges whose triangles disagree whichever way they are oriented, by their ends.
    pub one_sided: Vec<[u32; 2]>,
    pub loops: Vec<Loop>,
}

/// Triangles connected across edges of two.
pub(super) struct Shell {
    pub triangles: usize,
    pub area: f64,
    /// Enclosed volume if all are oriented as most are; 0 if it is open or one-sided.
    pub volume: f64,
    /// True if it is closed and, oriented as most are, inside out.
    pub inside_out: bool,
    /// Its first triangle.
    first: usize,
    /// For a cavity the shell that it is in.
    cavity_of: Option<usize>,
}

/// A loop of edges with a triangle on one side only.
pub(super) struct Loop {
    /// Edges in the direction of their triangles.
    pub edges: Vec<[u32; 2]>,
    pub length: f64,
    pub is_hole: bool,
}

pub(super) fn surface(mesh: &Mesh, first_nodes: &[u32]) -> SurfaceTopology {
    let merged = |nodes: &[u32; 3]| nodes.map(|i| first_nodes[i as usize]);
    let all: Vec<[u32; 3]> = mesh.triangles.iter().map(merged).collect();
    let mut sound: Vec<bool> = all.iter().map(|nodes| !repeats(nodes)).collect();
    duplicates(&all).into_iter().for_each(|(e, _)| sound[e as usize] = false);
    let ids: Vec<u32> = (0..all.len() as u32).filter(|&e| sound[e as usize]).collect();
    let triangles: Vec<[u32; 3]> = ids.iter().map(|&e| all[e as usize]).collect();

    // Across each edge of two triangles: the other, and true if both run along it the same way.
    let mut beside = vec![[(NONE, false); 3]; triangles.len()];
    let (mut non_manifold, mut border) = (Vec::new(), Vec::new());
    let edges = edges_of_triangles(&triangles);
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        match same {
            [(_, id, _)] => border.push(*id),
            [(_, a, up), (_, b, also)] => {
                beside[*a as usize / 3][*a as usize % 3] = (b / 3, up == also);
                beside[*b as usize / 3][*b as usize % 3] = (a / 3, up == also);
            }
            [(ends, ..), ..] => non_manifold.push(*ends),
            [] => {}
        }
    }
    border.sort_unstable();

    let mut surface = SurfaceTopology {
        shell_of: vec![NONE; triangles.len()],
        turned: vec![false; triangles.len()],
        triangles,
        ids,
        shells: Vec::new(),
        non_manifold,
        one_sided: Vec::new(),
        loops: Vec::new(),
    };
    let mut closed = surface.walk(mesh, &beside);
    border.iter().for_each(|&id| closed[surface.shell_of[id as usize / 3] as usize] = false);
    for same in edges.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 2) {
        surface.ends_at(same).for_each(|shell| closed[shell] = false);
    }
    surface.measure(mesh, &closed);
    surface.close_loops(mesh, &border);
    surface
}

impl SurfaceTopology {
    /// Finds the shells and the triangles oriented against most of theirs; returns true for those with two sides.
    fn walk(&mut self, mesh: &Mesh, beside: &[[(u32, bool); 3]]) -> Vec<bool> {
        let mut two_sided = Vec::new();
        for seed in 0..self.triangles.len() {
            if self.shell_of[seed] != NONE {
                continue;
            }
            let shell = self.shells.len() as u32;
            let (mut members, mut at, mut sides) = (vec![seed], 0, true);
            self.shell_of[seed] = shell;
            while at < members.len() {
                let t = members[at];
                at += 1;
                for (k, &(other, same)) in beside[t].iter().enumerate().filter(|(_, (other, _))| *other != NONE) {
                    let (other, turned) = (other as usize, self.turned[t] != same);
                    if self.shell_of[other] == NONE {
                        (self.shell_of[other], self.turned[other]) = (shell, turned);
                        members.push(other);
                    } else if self.turned[other] != turned {
                        sides = false;
                        let ends = [self.triangles[t][k], self.triangles[t][(k + 1) % 3]];
                        self.one_sided.extend((t < other).then_some(ends));
                    }
                }
            }
            // The first may be wrong: the majority is right.
            if 2 * members.iter().filter(|&&t| self.turned[t]).count() > members.len() {
                members.iter().for_each(|&t| self.turned[t] = !self.turned[t]);
            }
            if !sides {
                members.iter().for_each(|&t| self.turned[t] = false);
            }
            let area = members.iter().map(|&t| mesh.triangle_area(self.triangles[t])).sum();
            self.shells.push(Shell {
                triangles: members.len(),
                area,
                volume: 0.0,
                inside_out: false,
                first: seed,
                cavity_of: None,
            });
            two_sided.push(sides);
        }
        two_sided
    }

    /// Returns the shells that end at an edge of several triangles: those with unequal numbers in both directions.
    fn ends_at(&self, same: &[Edge]) -> impl Iterator<Item = usize> + use<> {
        let mut sides: Vec<(usize, i32)> = Vec::with_capacity(same.len());
        for (_, id, up) in same {
            let t = *id as usize / 3;
            sides.push((self.shell_of[t] as usize, if *up != self.turned[t] { 1 } else { -1 }));
        }
        sides.sort_unstable();
        let open = |of: &&[(usize, i32)]| of.iter().map(|(_, way)| way).sum::<i32>() != 0;
        let shells: Vec<usize> = sides.chunk_by(|a, b| a.0 == b.0).filter(open).map(|of| of[0].0).collect();
        shells.into_iter()
    }

    /// Returns the corners of a triangle oriented as most of its shell [m].
    fn corners(&self, mesh: &Mesh, t: usize) -> [Vec3; 3] {
        let [a, b, c] = self.triangles[t].map(|i| mesh.points[i as usize]);
        if self.turned[t] { [a, c, b] } else { [a, b, c] }
    }

    /// Computes volumes of closed shells, and which of them are inside out: a shell within another is its cavity.
    fn measure(&mut self, mesh: &Mesh, closed: &[bool]) {
        let mut members = vec![Vec::new(); self.shells.len()];
        self.shell_of.iter().enumerate().for_each(|(t, &shell)| members[shell as usize].push(t));
        for (shell, members) in
            self.shells.iter_mut().zip(&members).zip(closed).filter(|(_, closed)| **closed).map(|x| x.0)
        {
            let origin = mesh.points[self.triangles[members[0]][0] as usize];
            for &t in members {
                let [a, b, c] = self.triangles[t].map(|i| sub(mesh.points[i as usize], origin));
                let sixth = dot(a, cross(b, c)) / 6.0;
                shell.volume += if self.turned[t] { -sixth } else { sixth };
            }
        }
        let whole: Vec<usize> = (0..self.shells.len()).filter(|&shell| closed[shell]).collect();
        let corners = |shell: &usize| members[*shell].iter().map(|&t| self.corners(mesh, t)).collect::<Vec<_>>();
        // Where nesting is unknown, none is called inside out.
        let Some(around) = enclosing(&whole.iter().map(corners).collect::<Vec<_>>()) else { return };
        for (&shell, others) in whole.iter().zip(&around) {
            let is_cavity = others.len() % 2 == 1;
            // The innermost of the shells around it is itself within most.
            let innermost = others.iter().max_by_key(|&&other| around[other].len());
            self.shells[shell].cavity_of = innermost.filter(|_| is_cavity).map(|&other| whole[other]);
            self.shells[shell].inside_out = (self.shells[shell].volume < 0.0) != is_cavity;
        }
    }

    /// Joins the edges of one triangle, by 3 triangle + edge, to loops.
    fn close_loops(&mut self, mesh: &Mesh, border: &[u32]) {
        let ends = |id: u32| {
            let (t, k) = (id as usize / 3, id as usize % 3);
            [self.triangles[t][k], self.triangles[t][(k + 1) % 3]]
        };
        // Edges at a node, the first on top; used ones are dropped when they come up.
        let mut at: HashMap<u32, Vec<usize>> = HashMap::new();
        for (e, &id) in border.iter().enumerate().rev() {
            ends(id).iter().for_each(|&node| at.entry(node).or_default().push(e));
        }
        let mut taken = vec![false; border.len()];
        let mut loops = Vec::new();
        for first in 0..border.len() {
            if taken[first] {
                continue;
            }
            let (start, mut node) = (ends(border[first])[0], ends(border[first])[1]);
            let mut edges = vec![ends(border[first])];
            taken[first] = true;
            while node != start {
                let Some(waiting) = at.get_mut(&node) else { break };
                while waiting.pop_if(|e| taken[*e]).is_some() {}
                let Some(next) = waiting.pop() else { break };
                taken[next] = true;
                let [a, b] = ends(border[next]);
                edges.push([a, b]);
                node = if a == node { b } else { a };
            }
            let length = edges.iter().map(|e| norm(sub(mesh.points[e[0] as usize], mesh.points[e[1] as usize]))).sum();
            let area = self.shells[self.shell_of[border[first] as usize / 3] as usize].area;
            // A chain that does not return to its start cannot be filled.
            let is_hole = node == start && length * length / (4.0 * PI) < SMALL * area;
            loops.push(Loop { edges, length, is_hole });
        }
        self.loops = loops;
    }

    /// Returns a node of each cavity and one of its shell: they are connected.
    pub fn cavities(&self, mesh: &Mesh) -> Vec<[u32; 2]> {
        let node = |shell: &Shell| mesh.triangles[self.ids[shell.first] as usize][0];
        let pair = |shell: &Shell| Some([node(shell), node(&self.shells[shell.cavity_of?])]);
        self.shells.iter().filter_map(pair).collect()
    }

    /// Returns the volume of all closed shells, without cavities.
    pub fn volume(&self) -> f64 {
        self.shells.iter().map(|shell| if shell.inside_out { -shell.volume } else { shell.volume }).sum()
    }
}
