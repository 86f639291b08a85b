//! The classic image-space tests of 1991 to 2005, each as its paper has it: on meshes, and on a world's colliders by
//! [`World::classic_scene`](crate::World::classic_scene). `docs/CLASSICS.md` has a picture of each.
//!
//! | test | what it answers | limits |
//! |---|---|---|
//! | [`shinya_forgue`] 1991 | do two convex bodies overlap? | misses below a pixel; hollows count as filled |
//! | [`myszkowski`] 1995 | do two concave bodies overlap? | misses below a pixel; 64 faces along a line |
//! | [`baciu_wong`] 1997, [`recode`] 1998/99 | do two convex bodies overlap, in two passes or one? | as Shinya and Forgue |
//! | [`lombardo`] 1999 | which faces of a tissue are in a tool? | convex tools; dilated none is missed |
//! | [`AvatarMaps`] (Vassilev, Spanlang, Chrysanthou) 2001 | which vertices of a cloth are in an avatar, and where to? | avatars that are convex along the view |
//! | [`hoff_overlap`], [`hoff_proximity`] 2001 | overlap, distance and depth of polygons | 2-D |
//! | [`knott_pai`] 2003 | which edges of n bodies are in any of them? | edges behind edges need more passes |
//! | [`cullide`] 2003, [`cullide_parts`], [`cullide_self`] 2005 | which of n bodies, or parts of a mesh, may touch? | dilated none is missed; dense crowds are hardly culled |
//! | [`opposite_layers`] (Heidelberger, Teschner, Gross) 2003/04 | from where two bodies have the fewest layers | |
//!
//! They are here to be compared, and for what they are good at: soups and deforming meshes, of which nothing is known in
//! advance, looked at once. All but those that dilate sample; contacts and
//! [`PairQuery::touching`](crate::PairQuery::touching) are exact.
//!
//! A test in whole numbers is a program of draws over one depth and one stencil buffer. A [`ClassicRaster`] runs it: the
//! software's [`FrameBuffer`], or a [`GpuRaster`], which gives the same answers to the last bit.
//!
//! ```
//! use impinge::prelude::*;
//! use impinge::query::classic::*;
//! use nalgebra::Vector3;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cuboid = |half: [f32; 3]| ToolVolume::swept_box(half, Vector3::zeros());
//! let (cube, plate) = (cuboid([0.5; 3])?, cuboid([1.0, 1.0, 0.05])?);
//! let [here, low, high] = [0.0, 0.5, 0.6].map(|z| Isometry3::translation(0.0, 0.1, z));
//! let raster = &mut FrameBuffer::default();
//! let pair = |pose| [ClassicBody::new(cube.mesh(), &here), ClassicBody::new(plate.mesh(), pose)];
//!
//! // Two bodies in 128² pixels along a direction.
//! let direction = Vector3::new(0.1, 0.2, 1.0);
//! assert!(shinya_forgue(&pair(&low), direction, 128, raster)?.hit);
//! assert!(!baciu_wong(&pair(&high), direction, 128, raster)?.hit);
//! let found = recode(&pair(&low), 128, raster)?;
//! assert!(found.hit && found.passes == 1);
//!
//! // Edges of both in either, in a view of where their boxes overlap.
//! let view = overlap_view(&pair(&low), direction, 128)?.ok_or("their boxes overlap")?;
//! let edges = knott_pai(&pair(&low), &view, CinderSettings { passes: 8, ..CinderSettings::default() }, raster)?;
//! assert!(edges.hits.iter().any(|hit| hit.body == 0 && hit.solids == 1));
//!
//! // Faces of the plate, as if it were a tissue, in the cube, as if that were a tool.
//! let settings = ToolSettings { direction, pixels: 64, dilated: true };
//! assert!(!lombardo(&cube, &here, &pair(&low)[1], settings, raster)?.triangles.is_empty());
//!
//! // What may touch, of three.
//! let [a, b] = pair(&low);
//! let set = cullide(&[a, b, ClassicBody::new(cube.mesh(), &Isometry3::translation(9.0, 9.0, 9.0))],
//!     CullideSettings::default(), raster)?;
//! assert_eq!(set.bodies, [0, 1]);
//! assert_eq!(set.filter(&[[0, 1], [1, 2]]), [[0, 1]]);
//! # Ok(())
//! # }
//! ```
//!
//! In the plane, and a cloth against an avatar:
//!
//! ```
//! use impinge::prelude::*;
//! use impinge::query::classic::*;
//! use nalgebra::{Point2, Vector3};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let square = |x: f64| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|p| Point2::new(p[0] + x, p[1]));
//! let view = PlaneView::new(Point2::new(-1.0, -1.0), Point2::new(3.0, 3.0), 256)?;
//! let raster = &mut FrameBuffer::default();
//! let overlap = hoff_overlap([&square(0.0), &square(0.75)], &view, raster)?;
//! assert!((overlap.area - 0.25).abs() < 0.02);
//! let apart = hoff_proximity([&square(0.0), &square(1.5)], &view, raster)?.ok_or("in the view")?;
//! assert!((apart.distance - 0.5).abs() < 2.0 * view.half_diagonal());
//!
//! let torso = ToolVolume::swept_box([0.2, 0.3, 0.5], Vector3::zeros())?;
//! let (here, still) = (Isometry3::identity(), vec![Vector3::zeros(); torso.mesh().vertices().len()]);
//! let maps = AvatarMaps::new(&ClassicBody::new(torso.mesh(), &here), &still, Vector3::x(), 128)?;
//! let hits = maps.test(&[Point3::new(0.19, 0.0, 0.0), Point3::new(0.25, 0.0, 0.0)])?;
//! assert!(hits.len() == 1 && hits[0].back && (hits[0].depth - 0.01).abs() < 1e-4);
//! # Ok(())
//! # }
//! ```

mod filter;
mod raster;
mod scene;

#[doc(inline)]
pub use impinge_image_space::classic::{
    AvatarMaps, AvatarSample, CinderSettings, ClassicBody, ClassicError, ClassicRaster, ClothHit,
    CullideSettings, EdgeHit, EdgeHits, FrameBuffer, OppositeLayers, PixelHits, PlanarOverlap,
    PlanarProximity, PlaneView, PotentialSet, Program, RasterScene, Readout, SEQUENCE_BITS, ToolHits,
    ToolSettings, ToolVolume, baciu_wong, cullide, cullide_parts, cullide_self, hoff_field, hoff_overlap,
    hoff_proximity, knott_pai, layers_along, lombardo, myszkowski, opposite_layers, overlap_view, recode,
    shinya_forgue,
};

pub use filter::CullideFilter;
pub use raster::GpuRaster;
pub use scene::{ClassicScene, ColliderSet};
