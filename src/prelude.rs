//! The items that most programs need: `use impinge::prelude::*;`.

pub use crate::{
    Backend, Collider, ColliderId, ContactEvent, ContactPhase, ContactPoint, ContactRow, Impulse, Manifold,
    Material, Motion, Pair, PairAnswer, PairDistance, PairMaterial, PairQuery, Parity, PreparedShape,
    QueryFilter, QuerySettings, Shape, ShapeId, Solver, StepReport, Subscription, TriMesh, World,
};
pub use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
