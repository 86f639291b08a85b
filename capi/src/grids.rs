//! Height fields, level sets, particles, and shapes with holes.

use std::mem::MaybeUninit;

use impinge::geometry::{
    Cutout, HeightField, HeightFieldSettings, LevelSetSettings, Particles, Radii, ShapeError,
};
use impinge::nalgebra::Point3;
use impinge::{LevelSet, Shape};

use crate::memory::array;
use crate::pose::{ImpPose, pose_or_identity};
use crate::shape::{ImpShape, finish, prepared};
use crate::status::{Failure, ImpStatus, call};

/// How many numbers there are in a grid.
pub(crate) fn product(counts: &[u32]) -> usize {
    counts.iter().fold(1usize, |all, &n| all.saturating_mul(n as usize))
}

/// Terrain: `count_x` times `count_y` heights (m), row by row from y = 0, NaN where there is none; `spacing_x` and `spacing_y` (m) from sample to sample.
/// The ground ends at `bottom` (m), or, where that is NaN, as far below as the field is long.
///
/// # Safety
/// `heights` has as many numbers as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_height_field_new(
    heights: *const f32,
    count_x: u32,
    count_y: u32,
    spacing_x: f32,
    spacing_y: f32,
    bottom: f32,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let heights = unsafe { array(heights, product(&[count_x, count_y]), "heights") }?;
        let settings = HeightFieldSettings {
            spacing: [spacing_x, spacing_y],
            bottom: Some(bottom).filter(|bottom| !bottom.is_nan()),
            ..HeightFieldSettings::default()
        };
        finish(shape, || {
            let made = HeightField::new([count_x, count_y], heights.to_vec(), &settings);
            Ok(made.map_err(ShapeError::from)?.into())
        })
    })
}

/// A body given by a function over a grid, negative inside: `counts[0] * counts[1] * counts[2]` values, x fastest, then y, then z; those at the border must not
/// be negative. `spacing` (m) from sample to sample and `origin` (m), where the first one stands, have three numbers; no origin is the frame's.
///
/// # Safety
/// The arrays have as many numbers as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_level_set_new(
    values: *const f32,
    counts: *const u32,
    spacing: *const f32,
    origin: *const f32,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let (size, spacing) = unsafe { (three(counts, "counts")?, three(spacing, "spacing")?) };
        let origin = match origin.is_null() {
            true => [0.0; 3],
            // SAFETY: the caller's promise.
            false => unsafe { three(origin, "origin") }?,
        };
        // SAFETY: the caller's promise.
        let values = unsafe { array(values, product(&size), "values") }?;
        let settings = LevelSetSettings { spacing, origin };
        finish(shape, || {
            let made = LevelSet::new(size, values.to_vec(), &settings);
            Ok(made.map_err(ShapeError::from)?.into())
        })
    })
}

/// The level set of a closed mesh: its signed distances, a sample every `spacing` metres.
#[unsafe(no_mangle)]
pub extern "C" fn imp_level_set_of_mesh(
    mesh: *const ImpShape,
    spacing: f32,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| {
        let mesh = prepared(mesh, "mesh")?;
        finish(shape, || match mesh.shape() {
            Shape::Mesh(mesh) => Ok(LevelSet::from_mesh(mesh, spacing).map_err(ShapeError::from)?.into()),
            _ => Err(Failure::new(
                ImpStatus::Shape,
                "`mesh` is no mesh; imp_mesh_new and imp_mesh_load make one",
            )),
        })
    })
}

/// Balls that are one shape: `count` times x, y, z (m), and `radius_count` radii (m): one for all, or one for each. Worlds find their contacts
/// (`imp_world_particle_contacts`); other questions see nothing of them.
///
/// # Safety
/// The arrays have as many numbers as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_particles_new(
    centers: *const f32,
    count: usize,
    radii: *const f32,
    radius_count: usize,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let (centers, radii) = unsafe {
            (array(centers.cast::<[f32; 3]>(), count, "centers")?, array(radii, radius_count, "radii")?)
        };
        let radii = match radii {
            &[one] => Radii::One(one),
            each => Radii::Each(each.to_vec()),
        };
        finish(shape, || {
            let centers = centers.iter().map(|&p| Point3::from(p)).collect();
            Ok(Particles::new(centers, radii).map_err(ShapeError::from)?.into())
        })
    })
}

/// A shape less a hole: a ball, cylinder or box at a pose (at the origin where none is given). `open` has a bit for each flat side that has no end, 1 and 2 for the low
/// and the high end of x, 4 and 8 of y, 16 and 32 of z. `facets` around a round hole; 0 is 96. The shape itself stays what it was.
#[unsafe(no_mangle)]
pub extern "C" fn imp_shape_cut(
    shape: *const ImpShape,
    hole: *const ImpShape,
    at: Option<&ImpPose>,
    open: u32,
    facets: u32,
    left: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| {
        let (whole, hole) = (prepared(shape, "shape")?, prepared(hole, "hole")?);
        let at = pose_or_identity(at, "at")?;
        let Shape::Primitive(primitive) = *hole.shape() else {
            return Err(Failure::new(ImpStatus::Shape, "`hole` is no ball, cylinder or box"));
        };
        if open >= 64 {
            return Err(Failure::setting(format!("`open` is {open}; it has six bits, 63 at most")));
        }
        finish(left, || {
            let mut cutout = Cutout::new(primitive)?;
            for side in (0..6).filter(|side| open >> side & 1 == 1) {
                cutout = cutout.open(side / 2, side % 2 == 1)?;
            }
            if facets != 0 {
                cutout = cutout.facets(facets)?;
            }
            Ok(whole.shape().cut(&[(at, cutout)])?)
        })
    })
}

/// Three numbers.
///
/// # Safety
/// Where it is not null, it points to three.
pub(crate) unsafe fn three<T: Copy>(value: *const T, name: &str) -> Result<[T; 3], Failure> {
    // SAFETY: the caller's promise.
    let numbers = unsafe { array(value, 3, name) }?;
    Ok([numbers[0], numbers[1], numbers[2]])
}
