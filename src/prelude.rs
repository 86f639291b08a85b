//! What most programs need: `use impinge::prelude::*;`.

pub use crate::{
    Backend, Collider, ColliderId, ContactPoint, ContactRow, Impulse, Manifold, Material, Pair, PairAnswer,
    PairQuery, QuerySettings, Shape, ShapeId, Solver, StepReport, TriMesh, World,
};
pub use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
