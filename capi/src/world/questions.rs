//! Questions to a world: about a shape placed for the question alone, and rays.

use impinge::QueryFilter;
use impinge::nalgebra::Vector3;
use std::mem::MaybeUninit;

use super::{ImpWorld, with};
use crate::answers::{ImpImpact, ImpRay, ImpRayHit};
use crate::contacts::{named, number};
use crate::memory::{Sized32, array, array_out, given, out, settings};
use crate::pose::{ImpPose, pose, poses};
use crate::shape::{ImpShape, prepared, triple};
use crate::status::{ImpStatus, call};

/// The colliders that a question finds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImpQueryFilter {
    /// Size of the structure.
    pub size: u32,
    /// The groups in which it is asked, a bit each: only colliders whose mask meets them are found.
    pub groups: u32,
    /// The groups that are asked for, a bit each.
    pub mask: u32,
    /// Colliders of this part are left out; `UINT32_MAX` is none.
    pub part: u32,
    /// Whether sensors are found (1).
    pub sensors: u32,
    /// Whether fixed colliders are found (1).
    pub fixed: u32,
    /// A collider that is left out; `UINT64_MAX` is none.
    pub exclude: u64,
}

// SAFETY: integers without padding.
unsafe impl Sized32 for ImpQueryFilter {
    const DEFAULT: ImpQueryFilter = ImpQueryFilter {
        size: size_of::<ImpQueryFilter>() as u32,
        groups: u32::MAX,
        mask: u32::MAX,
        part: u32::MAX,
        sensors: 1,
        fixed: 1,
        exclude: u64::MAX,
    };
}

impl ImpQueryFilter {
    fn read(&self) -> QueryFilter {
        let mut filter = QueryFilter::new()
            .groups(self.groups)
            .mask(self.mask)
            .sensors(self.sensors != 0)
            .fixed(self.fixed != 0);
        if self.part != u32::MAX {
            filter = filter.exclude_part(self.part);
        }
        if self.exclude != u64::MAX {
            filter = filter.exclude(named(self.exclude));
        }
        filter
    }
}

/// The default filter finds all.
#[unsafe(no_mangle)]
pub extern "C" fn imp_query_filter_default() -> ImpQueryFilter {
    ImpQueryFilter::DEFAULT
}

/// Whether a shape at each of `count` poses touches any collider: as many results, 0 or 1. No filter finds all.
///
/// # Safety
/// `at` and `touches` have `count` elements; `query_filter` is null or has its size in front.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_touches(
    world: *mut ImpWorld,
    shape: *const ImpShape,
    at: *const ImpPose,
    count: usize,
    query_filter: *const ImpQueryFilter,
    touches: *mut u8,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let (at, filter, out) = unsafe {
            (
                array(at, count, "at")?,
                settings(query_filter, "query_filter")?,
                array_out(touches, count, "touches")?,
            )
        };
        let (shape, at) = (prepared(shape, "shape")?, poses(at, "at")?);
        let found = with(world, |held| {
            held.probe(&shape, |world, id| world.shape_queries().touches_many(id, &at, &filter.read()))
        })?;
        for (to, touches) in out.iter_mut().zip(found) {
            to.write(u8::from(touches));
        }
        Ok(())
    })
}

/// The first collider that a ray meets. No filter finds all.
///
/// # Safety
/// `query_filter` is null or has its size in front.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_ray(
    world: *mut ImpWorld,
    ray: Option<&ImpRay>,
    query_filter: *const ImpQueryFilter,
    hit: Option<&mut MaybeUninit<ImpRayHit>>,
) -> ImpStatus {
    call(|| {
        let out = out(hit, "hit")?;
        // SAFETY: the caller's promise.
        let filter = unsafe { settings(query_filter, "query_filter") }?;
        let ray = given(ray, "ray")?.read();
        let found = with(world, |held| Ok(held.world.shape_queries().ray(&ray, &filter.read())?))?;
        out.write(ImpRayHit::of(found.as_ref()));
        Ok(())
    })
}

/// The first collider (A) that a shape (B) meets, moved from a pose along `way` (m; three numbers) without a turn. Where none is met, `collider` is
/// `UINT64_MAX`. No filter finds all.
///
/// # Safety
/// `way` has three numbers; `query_filter` is null or has its size in front.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_cast(
    world: *mut ImpWorld,
    shape: *const ImpShape,
    at: Option<&ImpPose>,
    way: *const f64,
    query_filter: *const ImpQueryFilter,
    collider: Option<&mut MaybeUninit<u64>>,
    impact: Option<&mut MaybeUninit<ImpImpact>>,
) -> ImpStatus {
    call(|| {
        let (collider, impact) = (out(collider, "collider")?, out(impact, "impact")?);
        // SAFETY: the caller's promises.
        let (filter, way) = unsafe { (settings(query_filter, "query_filter")?, triple(way, "way")?) };
        let (shape, at, way) = (prepared(shape, "shape")?, pose(at, "at")?, Vector3::from(way));
        let found = with(world, |held| {
            held.probe(&shape, |world, id| world.shape_queries().cast(id, &at, &way, &filter.read()))
        })?;
        collider.write(found.as_ref().map_or(u64::MAX, |hit| number(hit.collider)));
        impact.write(ImpImpact::of(found.as_ref().map_or(&impinge::PairSweep::Free, |hit| &hit.sweep)));
        Ok(())
    })
}
