//! What is remembered of a pair, in rapier's workspace: it goes when the pair goes.

use std::sync::Arc;

use impinge::query::{Lookahead, SteppedPair};
use impinge::{Manifold, PairQuery};
use nalgebra::Isometry3;
use rapier3d::geometry::Shape;
use rapier3d::parry::query::details::{TypedWorkspaceData, WorkspaceData};

use crate::scratch::with_scratch;
use crate::shapes::KnownShape;

/// One pair, followed from step to step.
#[derive(Debug)]
pub(crate) struct FollowedPair {
    shapes: [Arc<KnownShape>; 2],
    stepped: SteppedPair,
}

impl FollowedPair {
    pub fn new(shapes: [Arc<KnownShape>; 2], query: &PairQuery) -> FollowedPair {
        FollowedPair { shapes, stepped: SteppedPair::new(query) }
    }

    /// Whether the shapes are those that the pair was made of.
    pub fn is_of(&self, g1: &dyn Shape, g2: &dyn Shape) -> bool {
        self.shapes[0].is_still(g1) && self.shapes[1].is_still(g2)
    }

    /// Hands `write` the manifolds with B `there` in A's frame (m), none where it cannot stand there.
    pub fn contacts(&mut self, there: &Isometry3<f64>, ahead: Lookahead, write: impl FnOnce(&[Manifold])) {
        let here = Isometry3::identity();
        write(with_scratch(|scratch| self.stepped.contacts(&here, there, ahead, scratch)).unwrap_or(&[]));
    }
}

impl WorkspaceData for FollowedPair {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        TypedWorkspaceData::Custom
    }

    /// A clone of a narrow phase keeps the shapes, not what was found of them: its contacts begin as new ones.
    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        Box::new(FollowedPair { shapes: self.shapes.clone(), stepped: self.stepped.begun_again() })
    }
}
