//! Checks of elements, fluids, rigid bodies and joints.

use super::{Blueprint, ModelError, Numbering};
use crate::fluid::FluidError;
use crate::joint::{Anchor, Joint, JointKind};
use crate::rigid::RigidError;
use crate::stokes::StokesError;

impl Blueprint {
    /// Checks that the elements of user-supplied energies have distinct nodes of the mesh.
    pub(super) fn check_energies(&self) -> Result<(), ModelError> {
        for part in &self.energies {
            for element in 0..part.count() {
                let nodes = part.nodes(element);
                let is_wrong =
                    |(a, i): &(usize, &u32)| **i as usize >= self.mesh.points.len() || nodes[..*a].contains(*i);
                if let Some((_, &node)) = nodes.iter().enumerate().find(is_wrong) {
                    return Err(ModelError::Element { kind: part.kind(), element, node });
                }
            }
        }
        Ok(())
    }

    /// Checks that fluids have one particle size, and that each particle is free and in one fluid only.
    pub(super) fn check_fluids(&self, numbering: &Numbering) -> Result<(), FluidError> {
        let mut taken = vec![false; if self.fluids.is_empty() { 0 } else { self.mesh.points.len() }];
        for fluid in &self.fluids {
            fluid.check()?;
            let spacings = [self.fluids[0].liquid.spacing, fluid.liquid.spacing];
            if spacings[0] != spacings[1] {
                return Err(FluidError::TwoSpacings { spacings });
            }
            for &node in &fluid.nodes {
                let twice = std::mem::replace(&mut taken[node as usize], true);
                if twice || numbering.of(node) as usize >= numbering.free {
                    return Err(FluidError::NotFree { node: node as usize });
                }
            }
        }
        Ok(())
    }

    /// Checks the fluid without inertia, and the motors at rest.
    pub(super) fn check_stokes(&self) -> Result<(), StokesError> {
        self.stokes.as_ref().map_or(Ok(()), |stokes| stokes.check(self.mesh.points.len()))?;
        self.motors.iter().enumerate().try_for_each(|(k, motor)| motor.check(k, &self.mesh.points))
    }

    /// Checks that rigid bodies have nodes of their own, and that joints have valid ends, at least one of which can
    /// move.
    pub(super) fn check_rigids(&self, numbering: &Numbering) -> Result<(), RigidError> {
        if self.rigids.is_empty() && self.joints.is_empty() {
            return Ok(());
        }
        let mut in_elements = vec![false; self.mesh.points.len()];
        let tets = self.mesh.tets.as_flattened().iter();
        let springs = self.springs.iter().flat_map(|part| part.pairs.as_flattened());
        let others = self.energies.iter().flat_map(|part| (0..part.count()).flat_map(|e| part.nodes(e)));
        tets.chain(springs).chain(others).for_each(|&i| in_elements[i as usize] = true);
        for rigid in &self.rigids {
            let mut nodes = std::iter::once(rigid.node).chain(rigid.carried.iter().map(|(i, _)| *i));
            if let Some(node) = nodes.find(|&i| in_elements[i as usize]) {
                return Err(RigidError::Taken { node: node as usize });
            }
            rigid.check()?;
        }
        let moves = |anchor: &Anchor| match *anchor {
            Anchor::World(_) => Some(false),
            Anchor::Node(i) => numbering.number.get(i as usize).map(|&i| (i as usize) < numbering.free),
            Anchor::Rigid(k, _) => {
                self.rigids.get(k as usize).map(|rigid| (numbering.of(rigid.node) as usize) < numbering.free)
            }
        };
        for (joint, Joint { kind, ends, .. }) in self.joints.iter().enumerate() {
            match [moves(&ends[0]), moves(&ends[1])] {
                [Some(false), Some(false)] => return Err(RigidError::NothingMoves { joint }),
                [Some(_), Some(_)] => {}
                _ => return Err(RigidError::Nothing { joint }),
            }
            let directed = matches!(kind, JointKind::Hinge(_) | JointKind::Fixed(_));
            if directed && ends.iter().any(|end| matches!(end, Anchor::Node(_))) {
                return Err(RigidError::NoDirection { joint });
            }
        }
        Ok(())
    }
}
