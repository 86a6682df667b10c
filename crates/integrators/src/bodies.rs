//! Bodies of a model: connected parts of the graph of its elements.

use model::Model;
use model::energy::ElementKind;

/// Nodes of a body.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub free: Vec<u32>,
    pub held: Vec<u32>,
    /// Elements are invariant under rotations and have a shape.
    pub may_turn: bool,
}

/// All bodies that have free nodes.
pub(crate) struct Bodies {
    pub bodies: Vec<Body>,
    /// Body of each node; held nodes without elements have that of nobody, whose number is the count of bodies.
    pub body: Vec<u32>,
}

impl Bodies {
    /// Finds the bodies of a model; `None` where none may turn.
    pub fn find(model: &Model) -> Option<Bodies> {
        let nodes = model.nodes();
        let mut parent: Vec<u32> = (0..nodes as u32).collect();
        let terms = || model.terms().iter().filter(|term| term.kind() != ElementKind::Contact);
        for term in terms() {
            for pair in (0..term.count()).flat_map(|e| term.nodes(e).windows(2)) {
                let [a, b] = [root(&mut parent, pair[0]), root(&mut parent, pair[1])];
                parent[a.max(b) as usize] = a.min(b);
            }
        }

        let (mut bodies, mut number) = (Vec::new(), vec![u32::MAX; nodes]);
        let mut body = vec![0; nodes];
        for i in 0..model.free_nodes() {
            let first = root(&mut parent, i as u32) as usize;
            if number[first] == u32::MAX {
                number[first] = bodies.len() as u32;
                bodies.push(Body::default());
            }
            body[i] = number[first];
            bodies[body[i] as usize].free.push(i as u32);
        }
        for i in model.free_nodes()..nodes {
            body[i] = number[root(&mut parent, i as u32) as usize].min(bodies.len() as u32);
            if let Some(body) = bodies.get_mut(body[i] as usize) {
                body.held.push(i as u32);
            }
        }

        // A body may turn if some element has a shape, and none is linear.
        let at_rest = |i: u32| &model.rest()[3 * i as usize..][..3];
        for element in terms().flat_map(|term| (0..term.count()).map(|e| term.nodes(e))) {
            if let Some(body) = bodies.get_mut(body[element[0] as usize] as usize) {
                body.may_turn |= element.iter().any(|&i| at_rest(i) != at_rest(element[0]));
            }
        }
        for term in terms().filter(|term| term.is_linear()) {
            for e in 0..term.count() {
                if let Some(body) = bodies.get_mut(body[term.nodes(e)[0] as usize] as usize) {
                    body.may_turn = false;
                }
            }
        }
        bodies.iter().any(|body| body.may_turn).then_some(Bodies { bodies, body })
    }
}

/// Finds the first node of the set of a node, and shortens the way to it.
fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        let above = parent[parent[node as usize] as usize];
        parent[node as usize] = above;
        node = above;
    }
    node
}
