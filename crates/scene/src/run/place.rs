//! Which body a node or a cause belongs to, for files and messages.

use crate::Simulation;
use crate::expect::Position;
use crate::run::Cause;
use model::energy::ElementKind;
use numerics::mat3::Vec3;

impl Simulation {
    /// The number of the body that a node of the mesh belongs to.
    pub fn body_of_node(&self, node: usize) -> usize {
        self.bodies.partition_point(|body| body.nodes.end <= node)
    }

    /// The name of the body where a step failed, if a node or tet is known.
    pub fn body_of_cause(&self, cause: &Cause) -> Option<&str> {
        let body = match (cause.node(), cause.element()) {
            (Some(node), _) => self.bodies.get(self.body_of_node(node)),
            (_, Some((ElementKind::Tet, tet))) => self.bodies.iter().find(|body| body.tets.contains(&tet)),
            _ => None,
        };
        body.map(|body| body.name.as_str())
    }

    /// How far the node that went farthest is from where it began [m].
    pub fn moved(&self) -> f64 {
        let way = |(x, from): (&[f64], &[f64])| (0..3).map(|c| (x[c] - from[c]).powi(2)).sum::<f64>().sqrt();
        self.state.x.chunks_exact(3).zip(self.start.chunks_exact(3)).map(way).fold(0.0, f64::max)
    }
}

impl Position {
    /// Where the centre of mass of the part is [m]; NaN for one without mass.
    pub fn found(&self, simulation: &Simulation) -> Vec3 {
        let Simulation { model, state, bodies, mesh, .. } = simulation;
        let range = bodies.iter().find(|body| body.name == self.body).map_or(0..0, |body| body.nodes.clone());
        let (mut sum, mut all) = ([0.0; 3], 0.0);
        // That it selects something was seen when the scene was built.
        let chosen = self.part.nodes(mesh).unwrap_or_default();
        let nodes = chosen.into_iter().map(|node| node as usize).filter(|node| range.contains(node));
        for i in nodes.map(|node| model.number(node)) {
            let mass = model.node_mass()[i];
            all += mass;
            (0..3).for_each(|c| sum[c] += mass * state.x[3 * i + c]);
        }
        sum.map(|c| c / all)
    }

    /// Whether it is where it is expected.
    pub fn holds(&self, simulation: &Simulation) -> bool {
        let place = self.found(simulation);
        (0..3).all(|c| (self.low[c]..=self.high[c]).contains(&place[c]))
    }
}
