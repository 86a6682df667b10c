//! Which body a node or a cause belongs to, for files and messages.

use crate::Simulation;
use crate::run::Cause;

impl Simulation {
    /// The number of the body that a node of the mesh belongs to.
    pub fn body_of_node(&self, node: usize) -> usize {
        self.bodies.partition_point(|body| body.nodes.end <= node)
    }

    /// The name of the body where a step failed, if a node or tet is known.
    pub fn body_of_cause(&self, cause: &Cause) -> Option<&str> {
        let body = match (cause.node(), cause.element()) {
            (Some(node), _) => self.bodies.get(self.body_of_node(node)),
            (_, Some(("tet", tet))) => self.bodies.iter().find(|body| body.tets.contains(&tet)),
            _ => None,
        };
        body.map(|body| body.name.as_str())
    }
}
