//! Questions about two shapes.

use std::mem::MaybeUninit;
use std::sync::Mutex;

use impinge::nalgebra::Vector3;
use impinge::query::QueryScratch;
use impinge::{Motion, PairQuery, QuerySettings};

use crate::answers::{ImpDistance, ImpImpact, ImpIntersection, ImpRay, ImpRayHit, NAN};
use crate::contacts::{ContactRows, ImpContacts};
use crate::handle::{self, Handle, exclusive};
use crate::memory::{Sized32, given, out, settings};
use crate::pose::{ImpPose, pose};
use crate::shape::{ImpShape, prepared, triple};
use crate::status::{Failure, ImpStatus, call};

/// Two shapes to be asked about at any poses; never changes, may be used by many threads at once.
pub struct ImpQuery {
    _private: [u8; 0],
}

impl Handle for ImpQuery {
    type Object = PairQuery;
    const NAME: &str = "query";
}

/// Buffers of questions, and their contacts; for one thread at a time.
pub struct ImpScratch {
    _private: [u8; 0],
}

/// What a scratch holds.
#[derive(Default)]
pub(crate) struct Scratch {
    pub buffers: QueryScratch,
    pub rows: ContactRows,
}

impl Handle for ImpScratch {
    type Object = Mutex<Scratch>;
    const NAME: &str = "scratch";
}

/// How contacts of a pair are found.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImpQuerySettings {
    /// Size of the structure.
    pub size: u32,
    /// Columns per side of a view: a power of two from 4 to 256.
    pub resolution: u32,
    /// Points of a manifold: 1 to 4.
    pub max_points: u32,
    /// Manifolds of a pair of subshapes: at least 1; the deepest are kept.
    pub max_manifolds: u32,
    /// Bodies closer than this give points of negative depth (m).
    pub margin: f64,
}

// SAFETY: integers and floats without padding.
unsafe impl Sized32 for ImpQuerySettings {
    const DEFAULT: ImpQuerySettings = ImpQuerySettings {
        size: size_of::<ImpQuerySettings>() as u32,
        resolution: 32,
        max_points: 4,
        max_manifolds: 4,
        margin: 0.0,
    };
}

/// The defaults of queries.
#[unsafe(no_mangle)]
pub extern "C" fn imp_query_settings_default() -> ImpQuerySettings {
    ImpQuerySettings::DEFAULT
}

/// A query of two shapes, which may be one and the same. No settings are the defaults.
///
/// # Safety
/// `query_settings` is null or has its size in front.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_query_new(
    a: *const ImpShape,
    b: *const ImpShape,
    query_settings: *const ImpQuerySettings,
    query: Option<&mut MaybeUninit<*mut ImpQuery>>,
) -> ImpStatus {
    call(|| {
        let out = out(query, "query")?;
        out.write(std::ptr::null_mut());
        // SAFETY: the caller's promise.
        let given = unsafe { settings(query_settings, "query_settings") }?;
        let (a, b) = (prepared(a, "a")?, prepared(b, "b")?);
        let settings = QuerySettings::default()
            .resolution(given.resolution)
            .max_points(given.max_points as usize)
            .max_manifolds(given.max_manifolds as usize)
            .margin(given.margin);
        out.write(handle::hold(PairQuery::between(&a, &b).with_settings(settings)?));
        Ok(())
    })
}

/// Lets go of a query. Null is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn imp_query_free(query: *mut ImpQuery) -> ImpStatus {
    call(|| handle::free(query))
}

/// Buffers for questions.
#[unsafe(no_mangle)]
pub extern "C" fn imp_scratch_new(scratch: Option<&mut MaybeUninit<*mut ImpScratch>>) -> ImpStatus {
    call(|| {
        out(scratch, "scratch")?.write(handle::hold(Mutex::default()));
        Ok(())
    })
}

/// Lets go of buffers, and of the contacts borrowed from them. Null is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn imp_scratch_free(scratch: *mut ImpScratch) -> ImpStatus {
    call(|| handle::free(scratch))
}

/// Asks with the caller's buffers, or with ones of the call's own where none are given.
fn with_buffers<T>(
    scratch: *mut ImpScratch,
    ask: impl FnOnce(&mut QueryScratch) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if scratch.is_null() {
        return ask(&mut QueryScratch::default());
    }
    let held = handle::object(scratch.cast_const())?;
    let mut held = exclusive(&held, ImpScratch::NAME)?;
    ask(&mut held.buffers)
}

/// Whether two bodies touch: their surfaces share a point (exact for triangles), or one is inside the other. `scratch` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn imp_touching(
    query: *const ImpQuery,
    a: Option<&ImpPose>,
    b: Option<&ImpPose>,
    scratch: *mut ImpScratch,
    touching: Option<&mut MaybeUninit<bool>>,
) -> ImpStatus {
    call(|| {
        let out = out(touching, "touching")?;
        let (query, a, b) = (handle::object(query)?, pose(a, "a")?, pose(b, "b")?);
        out.write(with_buffers(scratch, |buffers| Ok(query.touching_with(&a, &b, buffers)?))?);
        Ok(())
    })
}

/// The distance and the nearest points of two bodies no farther apart than `bound` (m), which may be infinite; what is farther is told sooner.
/// `scratch` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn imp_distance(
    query: *const ImpQuery,
    a: Option<&ImpPose>,
    b: Option<&ImpPose>,
    bound: f64,
    scratch: *mut ImpScratch,
    distance: Option<&mut MaybeUninit<ImpDistance>>,
) -> ImpStatus {
    call(|| {
        let out = out(distance, "distance")?;
        let (query, a, b) = (handle::object(query)?, pose(a, "a")?, pose(b, "b")?);
        let found = with_buffers(scratch, |buffers| Ok(query.distance_within_with(&a, &b, bound, buffers)?))?;
        out.write(ImpDistance::of(found.as_ref()));
        Ok(())
    })
}

/// The contacts of two bodies, with points of negative depth where they are closer than `margin` (m). Borrowed from `scratch`, which must be given.
#[unsafe(no_mangle)]
pub extern "C" fn imp_contacts(
    query: *const ImpQuery,
    a: Option<&ImpPose>,
    b: Option<&ImpPose>,
    margin: f64,
    scratch: *mut ImpScratch,
    contacts: Option<&mut MaybeUninit<ImpContacts>>,
) -> ImpStatus {
    call(|| {
        let out = out(contacts, "contacts")?;
        let (query, a, b) = (handle::object(query)?, pose(a, "a")?, pose(b, "b")?);
        let held = handle::object(scratch.cast_const())?;
        let mut held = exclusive(&held, ImpScratch::NAME)?;
        let found = query.contacts_within_with(&a, &b, margin, &mut held.buffers)?;
        out.write(held.rows.fill(&found));
        Ok(())
    })
}

/// The volume that two bodies share. `scratch` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn imp_intersection(
    query: *const ImpQuery,
    a: Option<&ImpPose>,
    b: Option<&ImpPose>,
    scratch: *mut ImpScratch,
    intersection: Option<&mut MaybeUninit<ImpIntersection>>,
) -> ImpStatus {
    call(|| {
        let out = out(intersection, "intersection")?;
        let (query, a, b) = (handle::object(query)?, pose(a, "a")?, pose(b, "b")?);
        let found = with_buffers(scratch, |buffers| Ok(query.intersection_volume_with(&a, &b, buffers)?))?;
        out.write(ImpIntersection {
            volume: found.as_ref().map_or(f64::NAN, |v| v.volume),
            error: found.as_ref().map_or(f64::NAN, |v| v.error),
            gradient: found.as_ref().map_or(NAN, |v| v.gradient.into()),
            centroid: found.as_ref().and_then(|v| v.centroid).map_or(NAN, Into::into),
        });
        Ok(())
    })
}

/// When B, moved along `way` (m, world; three numbers) without a turn, first meets A, which stands still. `scratch` may be null.
///
/// # Safety
/// `way` has three numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_cast(
    query: *const ImpQuery,
    a: Option<&ImpPose>,
    b: Option<&ImpPose>,
    way: *const f64,
    scratch: *mut ImpScratch,
    impact: Option<&mut MaybeUninit<ImpImpact>>,
) -> ImpStatus {
    call(|| {
        let out = out(impact, "impact")?;
        let (query, a, b) = (handle::object(query)?, pose(a, "a")?, pose(b, "b")?);
        // SAFETY: the caller's promise.
        let way = Vector3::from(unsafe { triple(way, "way") }?);
        let found = with_buffers(scratch, |buffers| Ok(query.cast_with(&a, &b, &way, buffers)?))?;
        out.write(ImpImpact::of(&found));
        Ok(())
    })
}

/// When A and B first meet while each moves from one pose to another, by the shorter turn. `scratch` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn imp_sweep(
    query: *const ImpQuery,
    a_from: Option<&ImpPose>,
    a_to: Option<&ImpPose>,
    b_from: Option<&ImpPose>,
    b_to: Option<&ImpPose>,
    scratch: *mut ImpScratch,
    impact: Option<&mut MaybeUninit<ImpImpact>>,
) -> ImpStatus {
    call(|| {
        let out = out(impact, "impact")?;
        let query = handle::object(query)?;
        let a = Motion::between(pose(a_from, "a_from")?, pose(a_to, "a_to")?);
        let b = Motion::between(pose(b_from, "b_from")?, pose(b_to, "b_to")?);
        let found = with_buffers(scratch, |buffers| Ok(query.sweep_with(&a, &b, None, buffers)?))?;
        out.write(ImpImpact::of(&found));
        Ok(())
    })
}

/// The first place where a ray meets a shape that stands at a pose. `scratch` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn imp_ray(
    shape: *const ImpShape,
    at: Option<&ImpPose>,
    ray: Option<&ImpRay>,
    scratch: *mut ImpScratch,
    hit: Option<&mut MaybeUninit<ImpRayHit>>,
) -> ImpStatus {
    call(|| {
        let out = out(hit, "hit")?;
        let (shape, at, ray) = (prepared(shape, "shape")?, pose(at, "at")?, given(ray, "ray")?.read());
        let found = with_buffers(scratch, |buffers| Ok(shape.ray_with(&at, &ray, buffers)?))?;
        out.write(ImpRayHit::of(found.as_ref()));
        Ok(())
    })
}
