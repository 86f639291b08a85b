//! The colliders of a world as bodies of the classic tests.

use impinge_geometry::{ColliderId, TriMesh};
use impinge_image_space::classic::{
    self, ClassicBody, ClassicError, ClassicRaster, CullideSettings, PotentialSet,
};
use nalgebra::Isometry3;

use super::filter::CullideFilter;
use crate::{ColliderView, World};

/// The surfaces of a world's colliders where they stand; see [`World::classic_scene`].
#[derive(Clone, Debug)]
pub struct ClassicScene<'w> {
    surfaces: Vec<PlacedSurface<'w>>,
    views: Vec<ColliderView>,
    without_surface: Vec<ColliderId>,
}

/// A subshape of a collider.
#[derive(Clone, Debug)]
struct PlacedSurface<'w> {
    collider: ColliderId,
    mesh: &'w TriMesh,
    pose: Isometry3<f64>,
}

/// Colliders that may touch another; see [`ClassicScene::cullide`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColliderSet {
    /// The colliders, in rising order of their slots.
    pub colliders: Vec<ColliderId>,
    /// The set as the bodies of the scene have it, with its passes and queries.
    pub bodies: PotentialSet,
    /// The colliders of the scene as they stood, but for those without a surface.
    views: Vec<ColliderView>,
}

impl World {
    /// The surfaces of all colliders where they stand, for the tests in [`query::classic`](crate::query::classic): meshes,
    /// hulls and cuboids, and those children of composites that are such. Others have no triangles, or none that are stored, and are named by
    /// [`ClassicScene::without_surface`].
    ///
    /// ```
    /// use impinge::prelude::*;
    /// use impinge::query::classic::{CullideSettings, FrameBuffer};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let cube = world.add_shape(Shape::cuboid([0.5; 3])?)?;
    /// let mut at = |x: f64| world.add_collider(Collider::new(cube).position([x, 0.1 * x, 0.0]));
    /// let crowd = [at(0.0)?, at(0.9)?, at(3.0)?, at(5.0)?];
    ///
    /// let set = world.classic_scene().cullide(CullideSettings::default(), &mut FrameBuffer::default())?;
    /// assert_eq!(set.colliders, crowd[..2]);
    /// // As a filter of the next step: no other pair is looked at.
    /// world.set_hooks(Some(Box::new(set.filter())));
    /// assert_eq!(world.step().counts.manifolds, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn classic_scene(&self) -> ClassicScene<'_> {
        let mut scene = ClassicScene { surfaces: Vec::new(), views: Vec::new(), without_surface: Vec::new() };
        for collider in self.colliders() {
            let Ok(held) = self.state.collider(collider) else { continue };
            scene.views.push(held.view(collider));
            let mut smooth = false;
            for part in held.prepared.parts() {
                match part.surface.as_ref().and_then(|surface| surface.mesh()) {
                    Some(mesh) => {
                        let pose = held.collider.pose * part.pose;
                        scene.surfaces.push(PlacedSurface { collider, mesh, pose });
                    }
                    None => smooth = true,
                }
            }
            if smooth {
                scene.without_surface.push(collider);
            }
        }
        scene
    }
}

impl ClassicScene<'_> {
    /// The bodies, one for each subshape with a surface, in the order of the colliders' slots.
    pub fn bodies(&self) -> Vec<ClassicBody<'_>> {
        self.surfaces.iter().map(|of| ClassicBody::new(of.mesh, &of.pose)).collect()
    }

    /// The collider of a body.
    pub fn collider(&self, body: usize) -> Option<ColliderId> {
        self.surfaces.get(body).map(|of| of.collider)
    }

    /// The bodies of one collider.
    pub fn bodies_of(&self, collider: ColliderId) -> Vec<ClassicBody<'_>> {
        let own = self.surfaces.iter().filter(|of| of.collider == collider);
        own.map(|of| ClassicBody::new(of.mesh, &of.pose)).collect()
    }

    /// Colliders, parts of which have no surface: spheres, capsules, cylinders, half-spaces, height fields.
    pub fn without_surface(&self) -> &[ColliderId] {
        &self.without_surface
    }

    /// The colliders that may touch another one ([`cullide`](super::cullide)), and those without a surface, of which
    /// nothing is known. With [`CullideSettings::dilated`] every pair of surfaces that touches is in it; contacts within a
    /// margin are not what it asks about.
    ///
    /// # Errors
    /// As [`cullide`](super::cullide).
    pub fn cullide(
        &self,
        settings: CullideSettings,
        raster: &mut dyn ClassicRaster,
    ) -> Result<ColliderSet, ClassicError> {
        let bodies = classic::cullide(&self.bodies(), settings, raster)?;
        let in_set = bodies.bodies.iter().filter_map(|&body| self.collider(body as usize));
        let mut colliders: Vec<ColliderId> = in_set.chain(self.without_surface.iter().copied()).collect();
        colliders.sort_unstable_by_key(|id| id.index);
        colliders.dedup();
        let known = self.views.iter().filter(|view| !self.without_surface.contains(&view.id));
        Ok(ColliderSet { colliders, bodies, views: known.copied().collect() })
    }

    /// The parts of one collider that may touch each other ([`cullide_self`](super::cullide_self)), as meshes and
    /// composites of many parts do where they deform or are put together step by step: the shells of its meshes, or what `parts`
    /// gives, a part for each triangle of each of [`ClassicScene::bodies_of`] it. The set names parts by the place of
    /// their body there and their number; none is missed that touches one with which it shares no vertex.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// use impinge::query::classic::{CullideSettings, FrameBuffer};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let cube = Shape::cuboid([0.5; 3])?;
    /// let places = [0.0, 0.9, 3.0].map(|x| (Isometry3::translation(x, 0.1 * x, 0.0), cube.clone()));
    /// let train = world.add_shape(Shape::composite(places.to_vec())?)?;
    /// let train = world.add_collider(Collider::new(train))?;
    ///
    /// let raster = &mut FrameBuffer::default();
    /// let set = world.classic_scene().cullide_self(train, None, CullideSettings::default(), raster)?;
    /// assert_eq!(set.parts, [[0, 0], [1, 0]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`cullide_self`](super::cullide_self).
    pub fn cullide_self(
        &self,
        collider: ColliderId,
        parts: Option<&[Vec<u32>]>,
        settings: CullideSettings,
        raster: &mut dyn ClassicRaster,
    ) -> Result<PotentialSet, ClassicError> {
        let bodies = self.bodies_of(collider);
        if let Some(parts) = parts {
            return classic::cullide_self(&bodies, parts, settings, raster);
        }
        let shells = |body: &ClassicBody<'_>| {
            let triangles = 0..body.mesh.triangles().len() as u32;
            triangles.map(|triangle| body.mesh.shell_of(triangle)).collect()
        };
        let shells: Vec<Vec<u32>> = bodies.iter().map(shells).collect();
        classic::cullide_self(&bodies, &shells, settings, raster)
    }
}

impl ColliderSet {
    /// Whether a collider is in the set.
    pub fn contains(&self, collider: ColliderId) -> bool {
        self.colliders
            .binary_search_by_key(&collider.index, |id| id.index)
            .is_ok_and(|k| self.colliders[k] == collider)
    }

    /// A filter of a world's pairs: those of which not both colliders are in the set are ignored, as long as both stand
    /// where they stood and place the same shapes.
    pub fn filter(&self) -> CullideFilter {
        CullideFilter::new(self.views.iter().map(|view| (*view, self.contains(view.id))))
    }
}
