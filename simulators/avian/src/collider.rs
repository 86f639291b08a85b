//! The collider.

use avian3d::collision::collider::{AnyCollider, ColliderContext, ColliderPairContext, ScalableCollider};
use avian3d::collision::narrow_phase::NarrowPhaseConfig;
use avian3d::math::RVec3;
use avian3d::prelude::{ColliderAabb, ContactManifold, PhysicsLengthUnit};
use bevy::ecs::system::lifetimeless::SRes;
use bevy::log::warn;
use bevy::math::{Quat, Vec3};
use bevy::prelude::Component;
use impinge::geometry::MassProperties;
use impinge::nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};
use impinge::query::Lookahead;
use impinge::{MeshError, PreparedShape, Shape, TriMesh};

use crate::manifolds::write;
use crate::mass::PrincipalInertia;
use crate::pairs::FollowedPairs;
use crate::scale::scaled;

/// A shape that is no collider.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ColliderError {
    /// A mesh that is open has no inside to be pushed out of.
    #[error(
        "the shape has an open mesh, which has no inside: close it (TriMesh::repaired), or give a sheet a thickness (TriMesh::one_sided)"
    )]
    Open,
    /// No mesh can be made of the vertices and triangles.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// A collider whose contacts impinge finds: any shape with an inside, a closed mesh that is not convex above all.
///
/// Clones share what was made ready; spawn many bodies from clones of one. Its mass is that of its volume at
/// [`ColliderDensity`](avian3d::prelude::ColliderDensity); a half-space has none. It follows the scale of its entity's transform
/// ([`MeshCollider::scaling`]).
#[derive(Component, Clone, Debug)]
pub struct MeshCollider {
    source: PreparedShape,
    scaled: PreparedShape,
    /// What was asked for last, be it in use or not.
    asked: Vec3,
    used: Vec3,
    mass: MassProperties,
    inertia: PrincipalInertia,
}

/// Avian's plugins ask for one: the half-space below z = 0, which needs no size.
impl Default for MeshCollider {
    fn default() -> MeshCollider {
        MeshCollider::of_solid(PreparedShape::new(&Shape::half_space()))
    }
}

impl MeshCollider {
    /// A collider of a shape, made ready for queries.
    ///
    /// # Errors
    /// [`ColliderError::Open`] for a shape with an open mesh.
    pub fn new(shape: &Shape) -> Result<MeshCollider, ColliderError> {
        MeshCollider::prepared(PreparedShape::new(shape))
    }

    /// A collider of a shape that is ready.
    ///
    /// # Errors
    /// As [`MeshCollider::new`].
    pub fn prepared(shape: PreparedShape) -> Result<MeshCollider, ColliderError> {
        if !shape.is_solid() {
            return Err(ColliderError::Open);
        }
        Ok(MeshCollider::of_solid(shape))
    }

    fn of_solid(shape: PreparedShape) -> MeshCollider {
        let (mass, inertia) = PrincipalInertia::of(shape.shape());
        let scaled = shape.clone();
        MeshCollider { source: shape, scaled, asked: Vec3::ONE, used: Vec3::ONE, mass, inertia }
    }

    /// A collider of a closed mesh: `vertices` of three coordinates (m), triangles of three vertices each, counter-clockwise from
    /// outside.
    ///
    /// # Errors
    /// [`ColliderError::Mesh`] as [`TriMesh::new`], [`ColliderError::Open`] for a surface with a border.
    pub fn trimesh(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<MeshCollider, ColliderError> {
        let vertices = vertices.iter().map(|&v| Point3::from(v)).collect();
        MeshCollider::new(&TriMesh::new(vertices, triangles.to_vec())?.into())
    }

    /// The shape as it collides, with its scale.
    pub fn shape(&self) -> &PreparedShape {
        &self.scaled
    }

    /// The factors in use along the shape's axes. Meshes and boxes take any but 0, other shapes and composites the same three positive ones;
    /// what cannot be is left as it was, with a warning in the log.
    pub fn scaling(&self) -> Vec3 {
        self.used
    }

    pub(crate) fn mass_properties_at_unit_density(&self) -> (&MassProperties, &PrincipalInertia) {
        (&self.mass, &self.inertia)
    }
}

/// A pose of Avian's; its quaternion is normalised.
fn pose(position: RVec3, rotation: Quat) -> Isometry3<f64> {
    let translation = Translation3::new(position.x.into(), position.y.into(), position.z.into());
    let turn = Quaternion::new(rotation.w, rotation.x, rotation.y, rotation.z).cast();
    Isometry3::from_parts(translation, UnitQuaternion::new_normalize(turn))
}

impl AnyCollider for MeshCollider {
    type Context = (SRes<FollowedPairs>, SRes<NarrowPhaseConfig>, SRes<PhysicsLengthUnit>);

    fn aabb_with_context(
        &self,
        position: RVec3,
        rotation: impl Into<Quat>,
        margin: f32,
        _: ColliderContext<Self::Context>,
    ) -> ColliderAabb {
        let found = self.scaled.aabb_at(&pose(position, rotation.into()));
        // Avian's trees add and multiply bounds: what is unbounded here is large there.
        let bounds = |bound: [f32; 3]| Vec3::from(bound).clamp(Vec3::splat(-FAR), Vec3::splat(FAR));
        ColliderAabb { min: bounds(found.min) - margin, max: bounds(found.max) + margin }
    }

    fn contact_manifolds_with_context(
        &self,
        other: &Self,
        position1: RVec3,
        rotation1: impl Into<Quat>,
        position2: RVec3,
        rotation2: impl Into<Quat>,
        prediction_distance: f32,
        manifolds: &mut Vec<ContactManifold>,
        context: ColliderPairContext<Self::Context>,
    ) {
        let (pairs, config, unit) = &*context;
        let rotations = [rotation1.into(), rotation2.into()];
        let poses = [pose(position1, rotations[0]), pose(position2, rotations[1])];
        let tolerance = config.contact_tolerance * unit.0;
        // What is asked for beyond the tolerance are margins of colliders, and what continuous collision detection expects.
        let skin = prediction_distance - tolerance;
        let skin = if skin < 1e-6 * tolerance { 0.0 } else { skin };
        let ahead = Lookahead::new(f64::from(prediction_distance.max(0.0))).skin(f64::from(skin));
        let entities = [context.collider1, context.collider2];
        manifolds.clear();
        pairs.contacts(entities, [&self.scaled, &other.scaled], &poses, ahead, |found| {
            write(found, &poses, manifolds);
        });
    }
}

/// No collider reaches farther than this for Avian (m).
const FAR: f32 = 1e6;

impl ScalableCollider for MeshCollider {
    fn scale(&self) -> Vec3 {
        self.asked
    }

    fn set_scale(&mut self, scale: Vec3, _: u32) {
        if scale == self.asked {
            return;
        }
        self.asked = scale;
        // An entity without a transform is said to have no size.
        if scale == Vec3::ZERO || scale == self.used {
            return;
        }
        match scaled(self.source.shape(), scale) {
            Ok(shape) => {
                (self.mass, self.inertia) = PrincipalInertia::of(&shape);
                self.scaled =
                    if scale == Vec3::ONE { self.source.clone() } else { PreparedShape::new(&shape) };
                self.used = scale;
            }
            Err(error) => warn!("a collider cannot be scaled by {scale}: {error}; it stays at {}", self.used),
        }
    }
}
