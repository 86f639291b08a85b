//! On which triangles a contact lies.

use impinge_contacts::{ContactPoint, Manifold};
use impinge_exact::nearest_point::nearest_triangle;
use nalgebra::Isometry3;

use super::World;
use crate::WorldError;

impl World {
    /// The triangles on which a contact point of the last step lies, of each collider the one nearest to its place there, so that the bone can be
    /// named that a [skin](crate::Skin) follows there ([`Skin::bone_of`](crate::Skin::bone_of)). Of primitives there are none. Searches a tree for each.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// use impinge::Skin;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// // A strip of two squares; the second follows bone 1.
    /// let corners = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0]];
    /// let strip = TriMesh::new(corners.map(Point3::from).to_vec(), vec![[0, 2, 1], [2, 3, 1], [2, 4, 3], [4, 5, 3]])?;
    /// let of = |bone: u32| ([bone; 4], [1.0, 0.0, 0.0, 0.0]);
    /// let skin = Skin::new(&strip, 2, &[of(0), of(0), of(0), of(0), of(1), of(1)])?;
    /// let shape = world.add_shape(strip.one_sided(1.0, Vector3::z())?)?;
    /// let ball = world.add_shape(Shape::sphere(0.25)?)?;
    /// world.add_collider(Collider::new(shape).fixed(true))?;
    /// world.add_collider(Collider::new(ball).position([1.75, 0.75, 0.2]))?;
    /// world.step();
    /// let contact = &world.manifolds()[0];
    /// let [on_strip, on_ball] = world.contact_triangles(contact, &contact.points[0])?;
    /// assert_eq!((on_strip, on_ball), (Some(3), None));
    /// assert_eq!(skin.bone_of(&strip, 3), 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`] for the manifold of an earlier step whose collider is gone.
    pub fn contact_triangles(
        &self,
        manifold: &Manifold,
        point: &ContactPoint,
    ) -> Result<[Option<u32>; 2], WorldError> {
        let mut found = [None; 2];
        for (side, local) in [point.local_a, point.local_b].into_iter().enumerate() {
            let held = self.state.collider(manifold.colliders[side])?;
            let Some(part) = held.prepared.parts().get(manifold.subshapes[side] as usize) else { continue };
            let at = part.pose.inverse_transform_point(&local.cast());
            found[side] = nearest_triangle(part, &Isometry3::identity(), &at);
        }
        Ok(found)
    }
}
