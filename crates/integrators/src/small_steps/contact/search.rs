//! Search for contacts possible within a step.

use super::super::constraints::Ahead;
use super::faces::Faces;
use super::point::Contact;
use collision::pairs::rest_distance;
use collision::{CollisionSurface, Kind, Lists, Reach, ShapeTouch, Touch, Vertices};
use model::Model;
use model::collisions::{Collider, Collisions};
use model::energy::Bodies;

/// Depth to which nodes inside a mesh are detected, as a share of its diagonal.
const DEPTH: f64 = 0.05;

/// Features of a model, and scratch for searching them.
pub(super) struct Search {
    surface: CollisionSurface,
    body: Vec<u32>,
    rest: Vec<f64>,
    free: usize,
    within: bool,
    between: bool,
    reach: Reach,
    friction: f64,
    /// Positions now and at the end of the step [m].
    now: Vec<f64>,
    then: Vec<f64>,
    /// Velocities of placed nodes, which are not used.
    unused: Vec<f64>,
    touches: Vec<Touch>,
    shape_touches: Vec<ShapeTouch>,
    /// Faces that may meet each collider.
    faces: Vec<Faces>,
    lists: Lists<ShapeTouch>,
}

impl Search {
    pub fn new(model: &Model, collisions: &Collisions) -> Search {
        let Collisions { thickness, margin, .. } = *collisions;
        let (within, between) = (collisions.within, collisions.between);
        let several = collisions.body.iter().any(|body| *body != collisions.body[0]);
        let between = between && several;
        let surface = || CollisionSurface::new(&collisions.triangles, &collisions.edges, &collisions.points);
        let surface = match (within, between) {
            (true, _) => surface(),
            (false, true) => surface().between_bodies(&collisions.body),
            (false, false) => CollisionSurface::default(),
        };
        let size = 3 * model.nodes();
        Search {
            surface,
            body: collisions.body.clone(),
            rest: model.rest().to_vec(),
            free: model.free_nodes(),
            within,
            between,
            reach: Reach { thickness, margin, depth: 0.0 },
            friction: collisions.friction,
            now: vec![0.0; size],
            then: vec![0.0; size],
            unused: vec![0.0; if model.is_scripted() { size } else { 0 }],
            touches: Vec::new(),
            shape_touches: Vec::new(),
            faces: collisions.colliders.iter().map(|c| Faces::new(c, collisions, model.rest())).collect(),
            lists: Lists::default(),
        }
    }

    /// Computes current positions, and those at the end of the step predicted from velocities and loads alone.
    pub fn foresee(&mut self, model: &Model, bodies: &Bodies, ahead: &Ahead) {
        let Search { now, then, unused, .. } = self;
        let (h, along) = (ahead.h, ahead.h / ahead.dt);
        for (i, (start, shift)) in bodies.start.iter().zip(&bodies.shift).enumerate() {
            let half = 0.5 * h * h * shift.0[3];
            for c in 0..3 {
                let at = 3 * i + c;
                let load = ahead.loads.get(at).map_or(0.0, |f| half * f);
                now[at] = start.0[c];
                then[at] = start.0[c] + if i < model.free_nodes() { along * shift.0[c] + load } else { 0.0 };
            }
        }
        if model.is_scripted() {
            model.place(ahead.t + h, then, unused);
        }
    }

    /// Finds contacts among bodies, including self-contact.
    pub fn among(&mut self, out: &mut Vec<Contact>) {
        out.clear();
        let Search { surface, body, rest, free, within, between, reach, .. } = self;
        if !*within && !*between {
            return;
        }
        let keep = |kind: Kind, nodes: [u32; 4]| {
            let second = if kind == Kind::VertexTriangle { 1 } else { 2 };
            let same = body[nodes[0] as usize] == body[nodes[second] as usize];
            let moves = nodes.iter().any(|&node| (node as usize) < *free);
            // Features closer than the thickness at rest are kept apart by their material.
            moves && if same { *within && rest_distance(kind, nodes, rest) > reach.thickness } else { *between }
        };
        surface.touches(&self.now, &self.then, reach, keep, &mut self.touches);
        out.extend(self.touches.iter().map(|touch| Contact::among(touch, self.friction)));
    }

    /// Finds contacts with shapes.
    pub fn against(&mut self, colliders: &[Collider], ahead: &Ahead, out: &mut Vec<Contact>) {
        out.clear();
        for (k, collider) in colliders.iter().enumerate() {
            let [before, after] = [ahead.t, ahead.t + ahead.h].map(|t| collider.pose_at(t));
            let bounds = collider.shape.bounds();
            let diagonal = (0..3).map(|c| (bounds.high[c] - bounds.low[c]).powi(2)).sum::<f64>().sqrt();
            let reach = Reach {
                thickness: 0.5 * self.reach.thickness,
                depth: if diagonal.is_finite() { DEPTH * diagonal } else { 0.0 },
                ..self.reach
            };
            let Search { now, then, lists, shape_touches, faces, .. } = self;
            let vertices = Vertices { nodes: &collider.nodes, now, predicted: then };
            collider.shape.touches([&before, &after], vertices, &reach, lists, shape_touches);
            let contact = |touch| Contact::against(touch, k, &collider.shape, collider.friction);
            out.extend(shape_touches.iter().map(contact));
            let faces = &mut faces[k];
            faces.search(&collider.shape, [&before, &after], now, then, &reach);
            out.extend(faces.found.iter().map(|touch| Contact::face(touch, k, collider.friction)));
        }
    }
}
