//! checkpoint.bin: everything that is needed to continue a run, bit for bit.
//!
//! Numbers of 8 bytes, least significant first; lists and texts have their length before them:
//!
//! | what | numbers |
//! |---|---|
//! | "PLIANTCP", version, length of the file | 3 |
//! | fingerprint of the scene | 2 |
//! | state: time, positions, velocities, turns of rigid bodies, seven numbers each; the stepper's memory | 1, four lists |
//! | progress: steps, first and last energies, budget, seconds, frames warped, seconds of that, work of the last step and of all | 11 + 2 * 26 |
//! | steps that were halved: how many, and of each step, time, halvings, cause | a list |
//! | where series.csv, frames.pvd and surface.pvd ended, with checksums; frames written | 10 |
//! | the program that wrote it: version, commit, instructions | three texts |
//! | checksum of all before | 2 |
//!
//! The files are marked where they ended before the step of the checkpoint was written into them. A resumed run shows
//! that step again, and files that an interrupt closed early continue as if it had not happened.

use super::bytes::{Reader, Write};
use super::fault::Fault;
use super::mark::Mark;
use super::{Program, meshes, work};
use crate::disk::{Checksum, open_regular};
use crate::{Built, Scene};
use model::{State, Turn};
use simulation::{Energies, Moment, Progress, Recovery, Warping};
use std::io::{ErrorKind, Read};
use std::path::Path;

const MAGIC: u64 = u64::from_le_bytes(*b"PLIANTCP");
/// Version of this layout.
pub(super) const VERSION: u64 = 12;
/// Length of the part before the fingerprint, and of the checksum [bytes].
const HEAD: usize = 24;
const TAIL: usize = 16;

/// Ends of the files of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks {
    pub series: Mark,
    pub list: Mark,
    /// Mark of surface.pvd; empty if there is none.
    pub surface: Mark,
    /// Frames written.
    pub frames: u64,
}

/// A checkpoint as it is read.
#[derive(Debug)]
pub(super) struct Checkpoint {
    pub fingerprint: u128,
    pub state: State,
    pub memory: Vec<f64>,
    pub progress: Progress,
    pub marks: Marks,
    /// Program that wrote it.
    pub program: Program,
}

/// Returns a hash of everything in a scene but its duration, to tell scenes apart.
pub(super) fn fingerprint(scene: &Scene, built: &Built) -> u128 {
    let toml = meshes::run_toml(scene, &built.files);
    let mut section = "";
    let mut sum = Checksum::new();
    for line in toml.lines() {
        section = if line.starts_with('[') { line } else { section };
        if section != "[run]" || !line.starts_with("duration =") {
            sum = sum.with(line.as_bytes()).with(b"\n");
        }
    }
    sum.sum()
}

/// Encodes the checkpoint of a moment; `warping` is the cost of warping before the moment was shown.
pub(super) fn encode(fingerprint: u128, moment: &Moment, marks: &Marks, warping: Warping) -> Vec<u8> {
    let (state, progress) = (moment.state, moment.progress);
    let memory = moment.stepper.memory();
    let mut out = Vec::with_capacity(8 * (state.x.len() + state.v.len() + memory.len()) + 1024);
    [MAGIC, VERSION, 0].into_iter().for_each(|number| out.whole(number));
    out.sum(fingerprint);
    out.number(state.t);
    let turns: Vec<f64> = state.turns.iter().flat_map(|turn| turn.orientation.into_iter().chain(turn.spin)).collect();
    [&state.x, &state.v, &turns, &memory].into_iter().for_each(|list| out.numbers(list));

    out.whole(progress.steps);
    for Energies { kinetic, elastic, load } in [progress.first, progress.last] {
        [kinetic, elastic, load].into_iter().for_each(|energy| out.number(energy));
    }
    [progress.budget, progress.seconds].into_iter().for_each(|number| out.number(number));
    out.whole(warping.frames);
    out.number(warping.seconds);
    for report in [&progress.step_work, &progress.work] {
        work::write(report, &mut out);
    }
    out.whole(progress.recoveries.len() as u64);
    for Recovery { step, time, halvings, cause } in &progress.recoveries {
        out.whole(*step);
        out.number(*time);
        out.whole((*halvings).into());
        out.text(cause);
    }

    for mark in [marks.series, marks.list, marks.surface] {
        out.whole(mark.length);
        out.sum(mark.checksum);
    }
    out.whole(marks.frames);
    let Program { version, commit, instructions } = Program::this();
    [version, commit, instructions].iter().for_each(|text| out.text(text));
    let length = (out.len() + TAIL) as u64;
    out[HEAD - 8..HEAD].copy_from_slice(&length.to_le_bytes());
    let sum = Checksum::new().with(&out);
    out.sum(sum.sum());
    out
}

/// Reads a checkpoint. Allocates no more than the file holds.
pub(super) fn read(path: &Path) -> Result<Checkpoint, Fault> {
    let io = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Fault::NoCheckpoint,
        _ => Fault::Unreadable { error: error.to_string() },
    };
    let mut file = open_regular(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let mut bytes = Vec::new();
    file.by_ref().take(HEAD as u64).read_to_end(&mut bytes).map_err(io)?;
    let mut head = Reader { rest: &bytes };
    match (head.whole(), head.whole(), head.whole()) {
        (Some(MAGIC), Some(VERSION), Some(length)) if length == size => {}
        (Some(MAGIC), Some(VERSION), length) => return Err(Fault::Length { length: length.unwrap_or(0), size }),
        (Some(MAGIC), Some(version), _) => return Err(Fault::Version { version }),
        _ => return Err(Fault::NoMagic),
    }
    file.read_to_end(&mut bytes).map_err(io)?;
    let (all, sum) = bytes.split_at_checked(bytes.len().saturating_sub(TAIL)).ok_or(Fault::Corrupted)?;
    if (Reader { rest: sum }.sum()) != Some(Checksum::new().with(all).sum()) {
        return Err(Fault::Corrupted);
    }
    let mut reader = Reader { rest: all.get(HEAD..).ok_or(Fault::Corrupted)? };
    let checkpoint = decode(&mut reader).ok_or(Fault::Corrupted)?;
    if reader.rest.is_empty() { Ok(checkpoint) } else { Err(Fault::Corrupted) }
}

/// Decodes the output of [`encode`] after the head.
fn decode(from: &mut Reader) -> Option<Checkpoint> {
    let fingerprint = from.sum()?;
    let state = State { t: from.number()?, x: from.numbers()?, v: from.numbers()?, turns: turns(&from.numbers()?)? };
    let memory = from.numbers()?;

    let steps = from.whole()?;
    let (first, last) = (energies(from)?, energies(from)?);
    let (budget, seconds) = (from.number()?, from.number()?);
    let warping = Warping { frames: from.whole()?, seconds: from.number()? };
    let (step_work, work) = (work::read(from)?, work::read(from)?);
    let mut recoveries = Vec::new();
    for _ in 0..from.whole()? {
        let (step, time, halvings) = (from.whole()?, from.number()?, from.whole()?.try_into().ok()?);
        recoveries.push(Recovery { step, time, halvings, cause: from.text()? });
    }
    let progress = Progress { steps, first, last, budget, step_work, work, recoveries, seconds, warping };

    let marks = Marks { series: mark(from)?, list: mark(from)?, surface: mark(from)?, frames: from.whole()? };
    let program = Program { version: from.text()?, commit: from.text()?, instructions: from.text()? };
    Some(Checkpoint { fingerprint, state, memory, progress, marks, program })
}

/// Decodes turns: four numbers of the orientation and three of the spin.
fn turns(numbers: &[f64]) -> Option<Vec<Turn>> {
    let (turns, []) = numbers.as_chunks::<7>() else { return None };
    let turn = |&[w, x, y, z, a, b, c]: &[f64; 7]| Turn { orientation: [w, x, y, z], spin: [a, b, c] };
    Some(turns.iter().map(turn).collect())
}

fn energies(from: &mut Reader) -> Option<Energies> {
    Some(Energies { kinetic: from.number()?, elastic: from.number()?, load: from.number()? })
}

fn mark(from: &mut Reader) -> Option<Mark> {
    Some(Mark { length: from.whole()?, checksum: from.sum()? })
}
