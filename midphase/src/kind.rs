//! Which test two parts take.

use impinge_geometry::{Primitive, Side};

use crate::{Part, Solid, Surface};

/// Which test two parts take: made once from the parts, matched once per question.
#[derive(Clone, Copy, Debug)]
pub enum PairKind<'s> {
    /// Two convex solids: primitives and hulls.
    Convex,
    /// Two surfaces of triangles.
    Surfaces([&'s Surface; 2]),
    /// A surface of triangles and a primitive that has none: a half-space, sphere, capsule or cylinder.
    MeshSolid {
        /// The side of the surface.
        mesh: Side,
        /// The surface.
        surface: &'s Surface,
        /// The primitive on the other side.
        primitive: Primitive,
    },
}

impl<'s> PairKind<'s> {
    /// The kind of two parts whose contacts are asked for: boxes and hulls are convex solids, unless they meet a
    /// mesh. `None` where a mesh has no surface, which no [`PreparedShape`](crate::PreparedShape) makes.
    pub fn new(parts: [&'s Part; 2]) -> Option<PairKind<'s>> {
        if parts.iter().all(|part| part.solid.is_convex()) {
            return Some(PairKind::Convex);
        }
        PairKind::with_features(parts)
    }

    /// As [`PairKind::new`], with the surfaces of boxes and hulls wherever there are any, so that an answer names
    /// features of their meshes: what a distance asks for.
    pub fn with_features(parts: [&'s Part; 2]) -> Option<PairKind<'s>> {
        let mesh_solid = |mesh: Side, surface: &'s Surface| match parts[mesh.other().index()].solid {
            Solid::Primitive(primitive) => Some(PairKind::MeshSolid { mesh, surface, primitive }),
            Solid::Hull | Solid::Mesh => None,
        };
        match parts.map(|part| part.surface.as_ref()) {
            [Some(a), Some(b)] => Some(PairKind::Surfaces([a, b])),
            [Some(surface), None] => mesh_solid(Side::A, surface),
            [None, Some(surface)] => mesh_solid(Side::B, surface),
            [None, None] => Some(PairKind::Convex),
        }
    }
}
