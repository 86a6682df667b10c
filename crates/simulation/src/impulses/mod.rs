//! Contact by impulses: a filter of the state after each step of any method with forces.
//!
//! The method takes its step as if nothing were in the way. Then, with x0 the positions before and u the displacements of
//! the step,
//!
//! 1. pairs that are nearer than the thickness at x0 approach no further and separate softly; points near obstacles stay
//!    outside;
//! 2. rounds: pairs that come as near as the gap on the straight way from x0 to x0 + u get contacts, and passes over all
//!    contacts change u and v by impulses along the normal and friction (Bridson, Fedkiw and Anderson 2002);
//! 3. pairs that still meet move as rigid zones ([`zones`]).
//!
//! The last round found no pair as near as the gap, a tenth of the thickness. So, by induction, a scene that begins without
//! such pairs never has one. A contact changes displacements and velocities by separate multipliers ([`row`]): velocities
//! lose kinetic energy only, whatever displacements it takes to keep things apart. Impulses are equal and opposite.
//!
//! Nothing here knows a method, and a step without contacts keeps every bit.

mod obstacles;
mod pairs;
mod points;
mod response;
mod row;
mod zones;

use collision::Colours;
use integrators::{StepError, StepReport, Stepper};
use model::collisions::Collisions;
use model::energy::{Quad, Shared};
use model::{Model, State};
use numerics::interrupt::{Interrupted, check};
use numerics::mat3::{dot, sub};
use obstacles::Obstacles;
use pairs::{Hit, Pairs};
use points::Points;
use response::Contacts;
use row::{NONE, Row};
use zones::Zones;

/// Passes over all contacts per round.
const PASSES: usize = 10;
/// Rounds of impulses before zones.
const ROUNDS: usize = 12;
/// Displacement that does not make other contacts look again, as a share of the thickness.
const NEGLIGIBLE: f64 = 1e-5;
/// Room of contacts that count as touching where whole bodies respond, as a share of the thickness.
const TOUCHING: f64 = 0.01;
/// Round from which features may not approach at all.
const LATE: usize = 3;
/// Limit of rounds of zones.
const ZONE_ROUNDS: usize = 200;

/// Contact by impulses for one model; its memory is reused from step to step, and nothing is remembered.
pub(crate) struct Impulses {
    points: Points,
    pairs: Pairs,
    obstacles: Obstacles,
    contacts: Colours<Row>,
    hits: Vec<Hit>,
    zones: Zones,
    speed: f64,
    thickness: f64,
    restitution: f64,
    moves_bodies: bool,
}

/// Contacts of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Met {
    /// Contacts that pushed.
    pub contacts: u64,
    /// Rounds of the search for pairs that meet.
    pub rounds: u64,
    /// Zones that moved as rigid bodies.
    pub zones: u64,
    /// Kinetic energy that contacts added [J]; negative but where obstacles move.
    pub work: f64,
    /// Sum of the impulses along normals [N s].
    pub impulse: f64,
    /// Something was changed.
    pub is_changed: bool,
}

/// Reason why contacts of a step were not resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Unresolved {
    /// Asked to stop.
    Interrupted,
    /// The response of whole bodies could not be solved for.
    Step(StepError),
    /// A node, numbered as in the model, is caught between things that move against each other.
    Caught { node: usize },
}

impl From<Interrupted> for Unresolved {
    fn from(_: Interrupted) -> Unresolved {
        Unresolved::Interrupted
    }
}

/// Two features that are too near before the first step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TooNear {
    /// Nodes of both, numbered as in the model.
    pub nodes: [usize; 4],
    /// Their distance [m]; 0 if they cross.
    pub distance: f64,
}

impl Impulses {
    /// Makes the contacts of a model, if it has contact by impulses.
    pub fn new(model: &Model) -> Option<Impulses> {
        let collisions: &Collisions = model.collisions()?;
        let &model::collisions::Impulses { restitution, moves_bodies, .. } = collisions.impulses.as_ref()?;
        let (points, features, point_of) = Points::new(model, collisions);
        Some(Impulses {
            pairs: Pairs::new(&features, &points, collisions),
            obstacles: Obstacles::new(collisions, &point_of),
            contacts: Colours::new(points.len()),
            hits: Vec::new(),
            zones: Zones::default(),
            speed: collisions.max_separation_speed,
            thickness: collisions.thickness,
            restitution,
            moves_bodies,
            points,
        })
    }

    /// Returns the nearest pair of features that are as near as the gap already.
    pub fn too_near(&mut self, state: &State) -> Option<TooNear> {
        let Impulses { points, pairs, .. } = self;
        points.read(state, state);
        pairs.list(points);
        let found = pairs.too_near(points)?;
        let nodes = found.points.map(|point| points.nodes[point as usize][0] as usize);
        Some(TooNear { nodes, distance: found.distance })
    }

    /// Keeps things apart in the step of length `h` [s] from one state to the other, which it changes.
    pub fn apply(
        &mut self,
        (model, stepper): (&Model, &mut dyn Stepper),
        before: &State,
        after: &mut State,
        h: f64,
        report: &mut StepReport,
    ) -> Result<Met, Unresolved> {
        let mut moved = Met::default();
        if self.moves_bodies {
            moved.rounds = self.search(before, after, h)?.rounds;
            let tolerance = TOUCHING * self.thickness;
            let mut contacts = Contacts::new(&self.contacts.found, model.dofs(), tolerance);
            let failed = |error| Unresolved::Step(StepError::linear(model, error));
            if self.contacts.found.iter().any(|row| row.push > 0.0)
                && let Some(response) = stepper.response(model, before, h).map_err(Unresolved::Step)?
            {
                let kinetic = model.kinetic(after);
                let (count, impulse) =
                    contacts.move_bodies(&self.points, response, (h, tolerance), after, report).map_err(failed)?;
                let work = model.kinetic(after) - kinetic;
                moved = Met { contacts: count, work, impulse, is_changed: true, ..moved };
            }
        }
        // What is left, or all of it.
        let mut met = self.search(before, after, h)?;
        met.zones = self.zones.len() as u64;
        self.settle_speeds(h, &mut met);
        met.is_changed = self.points.write(after) || moved.is_changed;
        Ok(Met {
            contacts: met.contacts.max(moved.contacts),
            rounds: met.rounds + moved.rounds,
            work: met.work + moved.work,
            impulse: met.impulse + moved.impulse,
            ..met
        })
    }

    /// Finds displacements of the points that keep things apart, and the contacts that do.
    fn search(&mut self, before: &State, after: &State, h: f64) -> Result<Met, Unresolved> {
        let (fastest, negligible) = (h * self.speed, NEGLIGIBLE * self.thickness);
        let mut pass = 0;
        let Impulses { points, pairs, obstacles, contacts, hits, zones, .. } = self;
        points.read(before, after);
        obstacles.begin(before.t, h);
        pairs.list(points);
        zones.clear();
        contacts.found.clear();
        pairs.repel(points, fastest, &mut contacts.found);
        obstacles.resist(points, fastest, &mut contacts.found);
        let mut met = Met::default();
        relax(contacts, points, &mut pass, negligible);
        points.settle();
        loop {
            check()?;
            met.rounds += 1;
            pairs.complete(points);
            pairs.hits(points, hits);
            let known = contacts.found.len();
            let violations = obstacles.violations(points, fastest, &mut contacts.found);
            if hits.is_empty() && violations == 0 {
                break;
            }
            let round = met.rounds as usize;
            if round > ROUNDS {
                if round > ROUNDS + ZONE_ROUNDS {
                    return Err(caught(points, hits.first().map_or(0, |hit| hit.points[0])));
                }
                for row in &contacts.found[known..] {
                    if !zones.link(row.points, row.obstacle, points) {
                        return Err(caught(points, row.points[0]));
                    }
                }
                contacts.found.truncate(known);
                for hit in hits.iter() {
                    if !zones.link(hit.points, NONE, points) {
                        return Err(caught(points, hit.points[0]));
                    }
                }
                zones.solve(points, obstacles).map_err(|point| caught(points, point))?;
            } else {
                pairs.resist(hits, round >= LATE, points, &mut contacts.found);
                relax(contacts, points, &mut pass, negligible);
            }
            points.settle();
        }
        Ok(met)
    }

    /// Changes the velocities by inelastic impulses at the contacts that pushed, and by restitution.
    fn settle_speeds(&mut self, h: f64, met: &mut Met) {
        let Impulses { points, contacts, zones, restitution, .. } = self;
        contacts.found.retain(|row| row.push > 0.0);
        let mut bounces = false;
        for row in &mut contacts.found {
            let wanted = if row.obstacle == NONE { *restitution } else { row.restitution };
            // Only what approached before the step bounces: weight presses, it does not hit.
            let has_hit = wanted > 0.0 && pairs::speed_before(row, points) < 0.5 * speed(row, points).min(0.0);
            row.restitution = if has_hit { wanted } else { 0.0 };
            bounces |= has_hit;
        }
        if !contacts.found.is_empty() {
            contacts.sort();
            let shared = Shared::new(&mut points.speed);
            for _ in 0..PASSES {
                // SAFETY: contacts of one colour share no point that they move.
                contacts.for_each(|row| unsafe { row.relax_speed(&shared) });
            }
            if bounces {
                // SAFETY: as above.
                contacts.for_each(|row| unsafe { row.bounce(&shared) });
            }
            if contacts.sorted().iter().all(|row| row.carried[1] == [0.0; 3]) {
                points.lose_energy();
            }
            met.contacts = contacts.sorted().len() as u64;
            met.impulse = contacts.sorted().iter().map(|row| row.impulse).sum();
        }
        zones.settle_speeds(points, h);
        met.work = points.work();
    }
}

/// Changes the displacements by passes over all contacts, which keep their multipliers.
fn relax(contacts: &mut Colours<Row>, points: &mut Points, pass: &mut u32, negligible: f64) {
    if contacts.found.is_empty() {
        return;
    }
    contacts.sort();
    let (shift, stirred) = (Shared::new(&mut points.shift), Shared::new(&mut points.stirred));
    for _ in 0..PASSES {
        *pass += 1;
        let pass = *pass;
        // SAFETY: contacts of one colour share no point that they move.
        contacts.for_each(|row| unsafe { row.relax_shift(&shift, &stirred, pass, negligible) });
    }
    contacts.keep();
}

/// Returns the relative velocity along the normal [m/s].
fn speed(row: &Row, points: &Points) -> f64 {
    let mut sum = [0.0; 3];
    for (point, weight) in row.sides() {
        let Quad(v) = points.speed[point];
        (0..3).for_each(|c| sum[c] += weight * v[c]);
    }
    dot(row.normal, sub(sum, row.carried[1]))
}

fn caught(points: &Points, point: u32) -> Unresolved {
    Unresolved::Caught { node: points.nodes[point as usize][0] as usize }
}
