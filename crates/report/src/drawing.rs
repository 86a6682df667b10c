//! Geometry that is drawn of a scene: the surface of its solids, its cloth, its ropes, or the finer surface of bodies
//! that have one; the centre lines of its fibres; and the particles of its fluids.

use geometry::Embedding;
use model::Model;
use numerics::mat3::{Vec3, add, scale};
use scene::{Built, FibreLines, Ground};

/// Points, the triangles and lines between them, and the source of the points.
pub struct Drawing {
    /// Corners of triangles, indices of drawn points.
    pub triangles: Vec<[u32; 3]>,
    /// Ends of lines, indices of drawn points.
    pub lines: Vec<[u32; 2]>,
    /// Mean thickness of the lines [m], 0 if some are not fibres.
    pub thickness: f64,
    /// Drawn points at rest [m].
    pub rest: Vec<Vec3>,
    /// Node of the model for each of the first points.
    nodes: Vec<u32>,
    /// Points after those, in the middle of four nodes of the model: rings of fibres.
    rings: Vec<[u32; 4]>,
    /// Points after those, which follow the tets.
    fine: Option<Embedding>,
    /// Bodies in Stokes flow whose way is drawn: the drawn points of each.
    pub trails: Vec<Vec<u32>>,
    /// Particles of fluids: the last points.
    pub particles: Particles,
    /// Node of the model for each of those.
    particle_nodes: Vec<u32>,
}

/// Limit of drawn rings of fibres: a page with more frames than a few would not open.
const MOST_RINGS: usize = 60_000;

/// Returns the middle of four points.
fn middle([a, b, c, d]: [Vec3; 4]) -> Vec3 {
    scale(0.25, add(add(a, b), add(c, d)))
}

/// Particles that are drawn, as balls.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Particles {
    /// Number drawn.
    pub count: usize,
    /// Radius [m].
    pub radius: f64,
    /// Number of particles that each stands for.
    pub every: usize,
}

impl Particles {
    /// Makes `count` particles a spacing [m] apart, each of which stands for `every` and is drawn with their volume.
    pub fn new(count: usize, spacing: f64, every: usize) -> Particles {
        Particles { count, radius: 0.5 * spacing * (every as f64).cbrt(), every }
    }
}

impl Drawing {
    /// Chooses what is drawn, and of particles at most so many.
    pub fn new(built: &Built, most_particles: usize) -> Drawing {
        let Ground { mesh, model, surface, bodies, .. } = &**built;
        let has_fine = |node: u32| {
            let body = bodies.iter().position(|body| body.nodes.contains(&(node as usize)));
            let fine = |body| surface.as_ref().is_some_and(|surface| surface.has_body(body));
            body.is_some_and(fine)
        };
        let mut triangles = mesh.boundary_triangles();
        triangles.retain(|triangle| !has_fine(triangle[0]));
        triangles.extend(&mesh.triangles);
        // The springs of cloth are drawn as its triangles; those of solids are inside.
        let mut covered = vec![false; mesh.points.len()];
        mesh.tets.iter().flatten().chain(mesh.triangles.iter().flatten()).for_each(|&i| covered[i as usize] = true);
        let mut lines = mesh.edges.clone();
        lines.retain(|line| !line.iter().all(|&i| covered[i as usize]));

        // Drawn points only, in the order of the mesh.
        let mut number = vec![u32::MAX; mesh.points.len()];
        triangles.iter().flatten().chain(lines.iter().flatten()).for_each(|&i| number[i as usize] = 0);
        let fluids = model.fluids();
        let all: Vec<u32> = fluids.iter().flat_map(|fluid| &fluid.nodes).copied().collect();
        let (particle_nodes, every) = scene::sample(&all, most_particles);
        let spacing = fluids.first().map_or(0.0, |fluid| fluid.liquid.spacing);
        let mut drawing = Drawing {
            triangles,
            lines,
            thickness: 0.0,
            rest: Vec::new(),
            nodes: Vec::new(),
            rings: Vec::new(),
            fine: None,
            trails: Vec::new(),
            particles: Particles::new(particle_nodes.len(), spacing, every),
            particle_nodes,
        };
        for (i, point) in mesh.points.iter().enumerate().filter(|(i, _)| number[*i] == 0).collect::<Vec<_>>() {
            number[i] = drawing.nodes.len() as u32;
            drawing.nodes.push(model.number(i) as u32);
            drawing.rest.push(*point);
        }
        drawing.triangles.iter_mut().flatten().for_each(|i| *i = number[*i as usize]);
        drawing.lines.iter_mut().flatten().for_each(|i| *i = number[*i as usize]);
        drawing.add_fibres(built);
        drawing.trails = drawing.trails(built);
        if let Some(surface) = surface {
            let first = drawing.rest.len() as u32;
            drawing.triangles.extend(surface.mesh.triangles.iter().map(|triangle| triangle.map(|i| i + first)));
            drawing.rest.extend(&surface.mesh.points);
            drawing.fine = Some(surface.embedding.clone());
        }
        let points = drawing.particle_nodes.iter().map(|&node| mesh.points[model.origin(node as usize)]);
        drawing.rest.extend(points);
        drawing
    }

    /// Finds the drawn points of each body in Stokes flow; fibres are drawn by other points.
    fn trails(&self, ground: &Ground) -> Vec<Vec<u32>> {
        let Some(stokes) = ground.model.stokes() else { return Vec::new() };
        let wet = stokes.nodes();
        let mut trails = vec![Vec::new(); ground.bodies.len()];
        for (point, node) in self.nodes.iter().enumerate().filter(|(_, node)| wet.binary_search(node).is_ok()) {
            let origin = ground.model.origin(*node as usize);
            if let Some(body) = ground.bodies.iter().position(|body| body.nodes.contains(&origin)) {
                trails[body].push(point as u32);
            }
        }
        trails.retain(|points| !points.is_empty());
        trails
    }

    /// Adds the centre lines of fibres, or of every few of them if there are too many.
    fn add_fibres(&mut self, ground: &Ground) {
        let Ground { mesh, model, lines: FibreLines { rings, thickness, .. }, .. } = ground;
        if self.lines.is_empty() && !thickness.is_empty() {
            self.thickness = thickness.iter().sum::<f64>() / thickness.len() as f64;
        }
        let every = rings.iter().map(|&rings| rings as usize).sum::<usize>().div_ceil(MOST_RINGS).max(1);
        let mut ring = 0;
        for (fibre, &count) in rings.iter().enumerate() {
            if fibre % every == 0 {
                let first = self.rest.len() as u32;
                self.lines.extend((first..first + count - 1).map(|point| [point, point + 1]));
                for node in (ring..ring + count as usize).map(|ring| ground.lines.node(ring)) {
                    let nodes: [usize; 4] = std::array::from_fn(|c| node + c);
                    self.rest.push(middle(nodes.map(|i| mesh.points[i])));
                    self.rings.push(nodes.map(|i| model.number(i) as u32));
                }
            }
            ring += count as usize;
        }
    }

    /// Returns the node of a drawn point, or, for a finer surface, the one that moves it most.
    pub fn node(&self, point: usize) -> Option<usize> {
        let particle = point.checked_sub(self.rest.len() - self.particle_nodes.len());
        let node = match particle {
            Some(particle) => self.particle_nodes.get(particle).copied(),
            None => {
                let after = |count: usize| point.checked_sub(count);
                let ring = || Some(self.rings.get(after(self.nodes.len())?)?[0]);
                let fine = || self.fine.as_ref()?.main_node(after(self.nodes.len() + self.rings.len())?);
                self.nodes.get(point).copied().or_else(ring).or_else(fine)
            }
        };
        node.map(|node| node as usize)
    }

    /// Returns the values of the drawn points, from values of all nodes in the order of the model.
    pub fn take(&self, model: &Model, nodes: &[Vec3]) -> Vec<Vec3> {
        debug_assert_eq!(nodes.len(), model.nodes());
        let mut points: Vec<Vec3> = self.nodes.iter().map(|&i| nodes[i as usize]).collect();
        points.extend(self.rings.iter().map(|ring| middle(ring.map(|i| nodes[i as usize]))));
        let first = points.len();
        points.resize(self.rest.len() - self.particle_nodes.len(), [0.0; 3]);
        if let Some(fine) = &self.fine {
            fine.follow(nodes, &mut points[first..]);
        }
        points.extend(self.particle_nodes.iter().map(|&i| nodes[i as usize]));
        points
    }
}
