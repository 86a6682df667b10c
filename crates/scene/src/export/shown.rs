//! The exported part of a run: the surfaces and lines of its bodies, or everything.

use super::body::ExportedBody;
use super::obstacles::Prop;
use super::skin::{Skin, TexturePoint};
use super::source::{Moment, Source};
use model::mesh::{Group, Mesh};
use std::collections::BTreeSet;
use std::ops::Range;

/// The mesh that is exported, body by body.
pub(super) struct Shown {
    /// Elements, and points of the frame that was placed last [m].
    pub mesh: Mesh,
    /// Number of the body of each tet, triangle and edge, in this order, then of each particle.
    pub bodies_of_cells: Vec<u32>,
    /// Bodies with something to show. Empty if everything is shown whole: nodes then keep their order.
    pub bodies: Vec<ExportedBody>,
    /// Nodes that are particles: the last ones, unless everything is shown whole.
    pub particles: Vec<u32>,
    /// Number of particles that each shown particle represents.
    pub every: usize,
    /// Thickness of the lines at each node [m], 0 where it is unknown; empty without fibres.
    pub thickness: Vec<f64>,
    /// Point of the frame that each node is; obstacles come after these.
    nodes: Vec<u32>,
    /// The obstacles.
    props: Vec<Prop>,
    /// Texture coordinates of the triangles of each body; empty without.
    textures: Vec<Vec<[TexturePoint; 3]>>,
}

impl Shown {
    /// Returns everything that is simulated, in the order of the frames.
    pub fn whole(source: &Source) -> Shown {
        let nodes = (0..source.mesh.points.len() as u32).collect();
        Shown {
            mesh: source.mesh.clone(),
            bodies_of_cells: source.bodies.clone(),
            bodies: Vec::new(),
            particles: source.particles.clone(),
            every: 1,
            thickness: source.thickness.clone(),
            nodes,
            props: Vec::new(),
            textures: Vec::new(),
        }
    }

    /// Returns the surfaces of the tets, the triangles, the edges that are not springs of a surface, and at most
    /// `most_particles` particles. Other nodes are left out.
    pub fn surface(source: &Source, names: &[String], with_lines: bool, most_particles: usize) -> Shown {
        let mut shown = Shown {
            mesh: Mesh::default(),
            bodies_of_cells: Vec::new(),
            bodies: Vec::new(),
            particles: Vec::new(),
            every: 1,
            thickness: Vec::new(),
            nodes: Vec::new(),
            props: Vec::new(),
            textures: Vec::new(),
        };
        let elements = source.bodies.len() - source.particles.len();
        let numbers: BTreeSet<u32> = source.bodies[..elements].iter().copied().collect();
        let name = |number: u32| {
            names.get(number as usize).cloned().unwrap_or_else(|| format!("body-{}", u64::from(number) + 1))
        };
        let by_body = Sorted::new(source);
        let mut cells = [const { Vec::new() }; 3];
        // Number of each point in the export, for the current body.
        let mut number_of = vec![u32::MAX; source.mesh.points.len()];
        for &number in &numbers {
            let (triangles, lines) = by_body.of(source, number, with_lines);
            let (nodes, corners) = (shown.nodes.len(), triangles.as_flattened().iter().chain(lines.as_flattened()));
            let mut used: Vec<u32> = corners.copied().collect();
            used.sort_unstable();
            used.dedup();
            if used.is_empty() {
                continue;
            }
            (nodes as u32..).zip(&used).for_each(|(n, &point)| number_of[point as usize] = n);
            let stretch = |from: usize, more: usize| -> Range<usize> { from..from + more };
            let (first_triangle, first_line) = (shown.mesh.triangles.len(), shown.mesh.edges.len());
            shown.bodies.push(ExportedBody {
                name: name(number),
                nodes: stretch(nodes, used.len()),
                triangles: stretch(first_triangle, triangles.len()),
                lines: stretch(first_line, lines.len()),
                still: false,
            });
            cells[0].resize(first_triangle + triangles.len(), number);
            cells[1].resize(first_line + lines.len(), number);
            let renumber = |point: u32| number_of[point as usize];
            shown.mesh.triangles.extend(triangles.iter().map(|triangle| triangle.map(renumber)));
            shown.mesh.edges.extend(lines.iter().map(|line| line.map(renumber)));
            shown.nodes.extend(used);
        }
        // Bodies that consist of particles only come last. Other loose nodes, such as a node of a solid without a tet,
        // are not shown.
        let particles: Vec<u32> = (0..source.particles.len() as u32).collect();
        let of = |p: u32| source.bodies[elements + p as usize];
        let fluid: Vec<u32> = particles.into_iter().filter(|&p| !numbers.contains(&of(p))).collect();
        let (few, every) = crate::sample(&fluid, most_particles);
        shown.every = every;
        for one in few.chunk_by(|&p, &q| of(p) == of(q)) {
            let first = shown.nodes.len();
            shown.nodes.extend(one.iter().map(|&p| source.particles[p as usize]));
            let (triangles, lines) = (shown.mesh.triangles.len(), shown.mesh.edges.len());
            shown.bodies.push(ExportedBody {
                name: name(of(one[0])),
                nodes: first..shown.nodes.len(),
                triangles: triangles..triangles,
                lines: lines..lines,
                still: false,
            });
            shown.particles.extend(first as u32..shown.nodes.len() as u32);
            cells[2].resize(shown.particles.len(), of(one[0]));
        }
        shown.bodies_of_cells = cells.concat();
        shown.mesh.points = shown.nodes.iter().map(|&point| source.mesh.points[point as usize]).collect();
        let thickness = shown.nodes.iter().filter_map(|&point| source.thickness.get(point as usize));
        shown.thickness = thickness.copied().collect();
        shown
    }

    /// Adds obstacles, numbered as bodies from `first` on. If everything is shown whole they are not separate bodies.
    pub fn add(&mut self, props: Vec<Prop>, first: u32, whole: bool) {
        let (tets, triangles) = (self.mesh.tets.len(), self.mesh.triangles.len());
        let mut numbers = Vec::new();
        for (number, prop) in (first..).zip(&props) {
            let (node, triangle, line) = (self.mesh.points.len(), self.mesh.triangles.len(), self.mesh.edges.len());
            self.mesh.points.extend(prop.at(0.0).map(|(point, _)| point));
            self.mesh.triangles.extend(prop.triangles.iter().map(|corners| corners.map(|i| i + node as u32)));
            numbers.resize(numbers.len() + prop.triangles.len(), number);
            if !whole {
                self.textures.resize(self.bodies.len(), Vec::new());
                self.textures.push(prop.texture.clone());
                self.bodies.push(ExportedBody {
                    name: prop.name.clone(),
                    nodes: node..self.mesh.points.len(),
                    triangles: triangle..self.mesh.triangles.len(),
                    lines: line..line,
                    still: prop.is_still(),
                });
            }
        }
        // Cells are tets, triangles, lines, particles.
        let behind = tets + triangles;
        self.bodies_of_cells.splice(behind..behind, numbers);
        self.props.extend(props);
    }

    /// Sets the texture coordinates of a body, by its number.
    pub fn lay(&mut self, body: usize, texture: Vec<[TexturePoint; 3]>) {
        self.textures.resize(self.bodies.len().max(body + 1), Vec::new());
        self.textures[body] = texture;
    }

    /// Returns the skin of each body at its current positions.
    pub fn skins(&self) -> Vec<Skin> {
        let skin = |(b, body): (usize, &ExportedBody)| {
            let texture = self.textures.get(b).map_or(&[][..], Vec::as_slice);
            Skin::of(&self.mesh.points[body.nodes.clone()], self.triangles_of(body).collect(), texture)
        };
        self.bodies.iter().enumerate().map(skin).collect()
    }

    /// Moves the nodes to the positions of a frame, and obstacles to theirs at its time [s].
    pub fn place(&mut self, moment: &Moment, time: f64) {
        let (nodes, props) = self.mesh.points.split_at_mut(self.nodes.len());
        for (to, &point) in nodes.iter_mut().zip(&self.nodes) {
            *to = moment.points[point as usize];
        }
        let placed = self.props.iter().flat_map(|prop| prop.at(time));
        props.iter_mut().zip(placed).for_each(|(to, (point, _))| *to = point);
    }

    /// Returns the velocities of the nodes at a time [s, m/s], if the frame has them.
    pub fn velocities<'a>(&'a self, moment: &'a Moment, time: f64) -> Option<impl Iterator<Item = [f64; 3]> + 'a> {
        let known = !moment.velocities.is_empty();
        let props = move || self.props.iter().flat_map(move |prop| prop.at(time).map(|(_, velocity)| velocity));
        known.then(|| self.nodes.iter().map(|&point| moment.velocities[point as usize]).chain(props()))
    }

    /// Names the triangles of each body, for formats that have groups.
    pub fn name_groups(&mut self) {
        for body in &self.bodies {
            let triangles: Vec<u32> = body.triangles.clone().map(|i| i as u32).collect();
            if !triangles.is_empty() {
                self.mesh.groups.insert(body.name.clone(), Group { triangles, ..Group::default() });
            }
        }
    }

    /// Returns the triangles of a body, in its own numbering.
    pub fn triangles_of(&self, body: &ExportedBody) -> impl Iterator<Item = [usize; 3]> {
        let first = body.nodes.start;
        self.mesh.triangles[body.triangles.clone()].iter().map(move |t| t.map(|i| i as usize - first))
    }

    /// Returns the lines of a body, in its own numbering.
    pub fn lines_of(&self, body: &ExportedBody) -> impl Iterator<Item = [usize; 2]> {
        let first = body.nodes.start;
        self.mesh.edges[body.lines.clone()].iter().map(move |l| l.map(|i| i as usize - first))
    }
}

/// Elements of each kind, sorted by body.
struct Sorted {
    tets: Vec<(u32, u32)>,
    triangles: Vec<(u32, u32)>,
    edges: Vec<(u32, u32)>,
}

impl Sorted {
    fn new(source: &Source) -> Sorted {
        let (tets, rest) = source.bodies.split_at(source.mesh.tets.len());
        let (triangles, rest) = rest.split_at(source.mesh.triangles.len());
        let edges = &rest[..source.mesh.edges.len()];
        let sorted = |bodies: &[u32]| {
            let mut pairs: Vec<(u32, u32)> = bodies.iter().copied().zip(0..).collect();
            pairs.sort_unstable();
            pairs
        };
        Sorted { tets: sorted(tets), triangles: sorted(triangles), edges: sorted(edges) }
    }

    /// Returns the triangles and lines that a body shows, in the numbering of the frames.
    fn of(&self, source: &Source, body: u32, with_lines: bool) -> (Vec<[u32; 3]>, Vec<[u32; 2]>) {
        let of_body = |pairs: &[(u32, u32)]| -> Range<usize> {
            pairs.partition_point(|pair| pair.0 < body)..pairs.partition_point(|pair| pair.0 <= body)
        };
        let mesh = &source.mesh;
        let tets = self.tets[of_body(&self.tets)].iter().map(|&(_, e)| mesh.tets[e as usize]).collect();
        let solid = Mesh { tets, ..Mesh::default() };
        let mut triangles = solid.boundary_triangles();
        triangles.extend(self.triangles[of_body(&self.triangles)].iter().map(|&(_, e)| mesh.triangles[e as usize]));
        let edges = self.edges[of_body(&self.edges)].iter().map(|&(_, e)| mesh.edges[e as usize]);
        // Edges between nodes of a solid or of cloth are its springs.
        let mut inner: Vec<u32> = solid.tets.as_flattened().iter().chain(triangles.as_flattened()).copied().collect();
        inner.sort_unstable();
        inner.dedup();
        let is_inner = |node: &u32| inner.binary_search(node).is_ok();
        let lines = edges.filter(|edge| with_lines && !edge.iter().all(is_inner)).collect();
        (triangles, lines)
    }
}
