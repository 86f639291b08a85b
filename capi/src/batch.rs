//! One pair at many poses in one call, shared out to threads.

use impinge::PairQuery;
use impinge::query::PoseBatch;
use std::mem::MaybeUninit;

use crate::contacts::ImpContacts;
use crate::handle::{self, Handle, exclusive};
use crate::memory::{array, array_out, out};
use crate::pose::{ImpPose, poses};
use crate::query::{ImpQuery, ImpScratch};
use crate::status::{ImpStatus, call};

/// Whether two bodies touch with A at the origin and B at each of `count` poses: as many results, 0 or 1. The answers are the same for any number of
/// threads (`RAYON_NUM_THREADS`, by default one a core). Where a pose cannot be used nothing is written.
///
/// # Safety
/// `at` and `touching` have `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_touching_many(
    query: *const ImpQuery,
    at: *const ImpPose,
    count: usize,
    touching: *mut u8,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let (at, out) = unsafe { (array(at, count, "at")?, array_out(touching, count, "touching")?) };
        let (query, at) = (handle::object(query)?, poses(at, "at")?);
        let found = PoseBatch::one(&query, &at).ask(PairQuery::touching_with)?;
        for (to, touches) in out.iter_mut().zip(found) {
            to.write(u8::from(touches));
        }
        Ok(())
    })
}

/// The distances (m) of two bodies with A at the origin and B at each of `count` poses; infinite beyond `bound` (m). As `imp_touching_many`.
///
/// # Safety
/// `at` and `distances` have `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_distance_many(
    query: *const ImpQuery,
    at: *const ImpPose,
    count: usize,
    bound: f64,
    distances: *mut f64,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let (at, out) = unsafe { (array(at, count, "at")?, array_out(distances, count, "distances")?) };
        let (query, at) = (handle::object(query)?, poses(at, "at")?);
        let found = PoseBatch::one(&query, &at).ask(|query, a, b, scratch| {
            let found = query.distance_within_with(a, b, bound, scratch)?;
            Ok(found.map_or(f64::INFINITY, |found| found.distance()))
        })?;
        for (to, distance) in out.iter_mut().zip(found) {
            to.write(distance);
        }
        Ok(())
    })
}

/// The contacts of two bodies with A at the origin and B at each of `count` poses, borrowed from `scratch`: those of answer k are manifolds
/// `offsets[k]` to below `offsets[k + 1]`. As `imp_touching_many`.
///
/// # Safety
/// `at` has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_contacts_many(
    query: *const ImpQuery,
    at: *const ImpPose,
    count: usize,
    scratch: *mut ImpScratch,
    contacts: Option<&mut MaybeUninit<ImpContacts>>,
) -> ImpStatus {
    call(|| {
        let out = out(contacts, "contacts")?;
        // SAFETY: the caller's promise.
        let at = unsafe { array(at, count, "at") }?;
        let (query, at) = (handle::object(query)?, poses(at, "at")?);
        let held = handle::object(scratch.cast_const())?;
        let mut held = exclusive(&held, ImpScratch::NAME)?;
        let (offsets, manifolds) =
            PoseBatch::one(&query, &at).ask_flat(PairQuery::contacts_with)?.into_parts();
        out.write(held.rows.fill_many(&manifolds, &offsets));
        Ok(())
    })
}
