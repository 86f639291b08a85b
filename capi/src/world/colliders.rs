//! The colliders of a world.

use impinge::{Collider, NarrowMethod};
use std::mem::MaybeUninit;

use super::{ImpWorld, with};
use crate::contacts::{named, number};
use crate::memory::{Sized32, array, out, settings};
use crate::pose::{ImpPose, pose, pose_or_identity, poses};
use crate::shape::{ImpShape, prepared};
use crate::status::{Failure, ImpStatus, call};

/// What a collider is beside its shape and pose.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImpColliderSettings {
    /// Size of the structure.
    pub size: u32,
    /// Whether it never collides with other fixed ones (1).
    pub fixed: u32,
    /// Whether it tells that it touches, and has no contacts (1).
    pub sensor: u32,
    /// The groups it is in, a bit each.
    pub groups: u32,
    /// The groups it may collide with, a bit each.
    pub mask: u32,
    /// Colliders of one part never collide with each other; `UINT32_MAX` is no part.
    pub part: u32,
    /// Overlaps no deeper than the sum of both colliders' tolerances are dropped (m); negative for the world's.
    pub tolerance: f64,
    /// The caller's own number, which filters and events carry.
    pub user_data: u64,
    /// How contacts of its mesh are found: `IMP_NARROW_EXACT`, or `IMP_NARROW_HEIGHT_MAP` where one of both asks for it.
    pub narrow_method: u32,
    /// Not read.
    pub reserved: u32,
}

/// Contacts by views as close as it takes, exact volumes and the shortest translation.
pub const IMP_NARROW_EXACT: u32 = 0;
/// Contacts by a height map of each body: for bodies that are seen whole from one side where they touch, as on terrain. What it
/// does not do for is found exactly; whether a pair touches always is.
pub const IMP_NARROW_HEIGHT_MAP: u32 = 1;

/// The method of a number.
fn method(number: u32) -> Result<NarrowMethod, Failure> {
    match number {
        IMP_NARROW_EXACT => Ok(NarrowMethod::Exact),
        IMP_NARROW_HEIGHT_MAP => Ok(NarrowMethod::HeightMap),
        _ => Err(Failure::setting(format!(
            "`narrow_method` is {number}; it is {IMP_NARROW_EXACT} (exact) or {IMP_NARROW_HEIGHT_MAP} (height map)"
        ))),
    }
}

// SAFETY: integers and floats without padding.
unsafe impl Sized32 for ImpColliderSettings {
    const DEFAULT: ImpColliderSettings = ImpColliderSettings {
        size: size_of::<ImpColliderSettings>() as u32,
        fixed: 0,
        sensor: 0,
        groups: 1,
        mask: u32::MAX,
        part: u32::MAX,
        tolerance: -1.0,
        user_data: 0,
        narrow_method: IMP_NARROW_EXACT,
        reserved: 0,
    };
}

/// The defaults of colliders.
#[unsafe(no_mangle)]
pub extern "C" fn imp_collider_settings_default() -> ImpColliderSettings {
    ImpColliderSettings::DEFAULT
}

/// Places a shape (at the origin where no pose is given) and gives the collider's number, which no other of this world has later.
///
/// # Safety
/// `collider_settings` is null or has its size in front.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_add(
    world: *mut ImpWorld,
    shape: *const ImpShape,
    at: Option<&ImpPose>,
    collider_settings: *const ImpColliderSettings,
    collider: Option<&mut MaybeUninit<u64>>,
) -> ImpStatus {
    call(|| {
        let out = out(collider, "collider")?;
        // SAFETY: the caller's promise.
        let given = unsafe { settings(collider_settings, "collider_settings") }?;
        let (shape, at) = (prepared(shape, "shape")?, pose_or_identity(at, "at")?);
        let narrow_method = method(given.narrow_method)?;
        let id = with(world, |held| {
            let id = held.shape(&shape)?;
            let mut collider = Collider::new(id)
                .pose(at)
                .fixed(given.fixed != 0)
                .sensor(given.sensor != 0)
                .groups(given.groups)
                .mask(given.mask)
                .user_data(given.user_data)
                .narrow_method(narrow_method);
            if given.part != u32::MAX {
                collider = collider.part(given.part);
            }
            // Negative is the world's; what is no number is refused.
            if given.tolerance >= 0.0 || given.tolerance.is_nan() {
                collider = collider.tolerance(given.tolerance);
            }
            let added = held.world.add_collider(collider);
            if added.is_err() {
                held.release(id);
            }
            Ok(added?)
        })?;
        out.write(number(id));
        Ok(())
    })
}

/// Removes a collider; its shape stays the caller's to free.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_remove(world: *mut ImpWorld, collider: u64) -> ImpStatus {
    call(|| {
        with(world, |held| {
            let shape = held.world.shape_of(named(collider))?;
            held.world.remove_collider(named(collider))?;
            held.release(shape);
            Ok(())
        })
    })
}

/// Where a collider stands.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_pose(
    world: *const ImpWorld,
    collider: u64,
    at: Option<&mut MaybeUninit<ImpPose>>,
) -> ImpStatus {
    call(|| {
        let out = out(at, "at")?;
        out.write(ImpPose::from(&with(world, |held| Ok(held.world.pose(named(collider))?))?));
        Ok(())
    })
}

/// Moves a collider.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_set_pose(world: *mut ImpWorld, collider: u64, at: Option<&ImpPose>) -> ImpStatus {
    call(|| {
        let at = pose(at, "at")?;
        with(world, |held| Ok(held.world.set_pose(named(collider), at)?))
    })
}

/// Moves `count` colliders to a pose each. Where one of the numbers or poses cannot be used, nothing is moved.
///
/// # Safety
/// `colliders` and `at` have `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_set_poses(
    world: *mut ImpWorld,
    colliders: *const u64,
    at: *const ImpPose,
    count: usize,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let (colliders, at) = unsafe { (array(colliders, count, "colliders")?, array(at, count, "at")?) };
        let at = poses(at, "at")?;
        with(world, |held| {
            for (k, &collider) in colliders.iter().enumerate() {
                held.world.pose(named(collider)).map_err(|error| {
                    Failure::new(ImpStatus::Collider, format!("colliders[{k}] = {collider}: {error}"))
                })?;
            }
            for (&collider, at) in colliders.iter().zip(at) {
                held.world.set_pose(named(collider), at)?;
            }
            Ok(())
        })
    })
}

/// How many colliders there are.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_count(
    world: *const ImpWorld,
    count: Option<&mut MaybeUninit<usize>>,
) -> ImpStatus {
    call(|| {
        let out = out(count, "count")?;
        out.write(with(world, |held| Ok(held.world.colliders().count()))?);
        Ok(())
    })
}

/// Changes how contacts of a collider are found: `IMP_NARROW_EXACT` or `IMP_NARROW_HEIGHT_MAP`.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_set_narrow_method(
    world: *mut ImpWorld,
    collider: u64,
    narrow_method: u32,
) -> ImpStatus {
    call(|| {
        let narrow_method = method(narrow_method)?;
        with(world, |held| Ok(held.world.set_narrow_method(named(collider), narrow_method)?))
    })
}
