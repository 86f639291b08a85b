//! One pair followed from step to step: points keep their keys while a contact lasts.

use std::mem::MaybeUninit;
use std::sync::Mutex;

use impinge::PairTracker;

use crate::answers::ImpDistance;
use crate::contacts::{ContactRows, ImpContacts};
use crate::handle::{self, Handle, exclusive};
use crate::memory::out;
use crate::pose::{ImpPose, pose};
use crate::query::ImpQuery;
use crate::status::{ImpStatus, call};

/// A pair that is followed; for one thread at a time.
pub struct ImpTracker {
    _private: [u8; 0],
}

/// What a tracker holds.
pub(crate) struct Tracker {
    pair: PairTracker,
    rows: ContactRows,
}

impl Handle for ImpTracker {
    type Object = Mutex<Tracker>;
    const NAME: &str = "tracker";
}

/// Begins to follow the pair of a query.
#[unsafe(no_mangle)]
pub extern "C" fn imp_tracker_new(
    query: *const ImpQuery,
    tracker: Option<&mut MaybeUninit<*mut ImpTracker>>,
) -> ImpStatus {
    call(|| {
        let out = out(tracker, "tracker")?;
        out.write(std::ptr::null_mut());
        let pair = handle::object(query)?.tracker();
        out.write(handle::hold(Mutex::new(Tracker { pair, rows: ContactRows::default() })));
        Ok(())
    })
}

/// Lets go of a tracker, and of the contacts borrowed from it. Null is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn imp_tracker_free(tracker: *mut ImpTracker) -> ImpStatus {
    call(|| handle::free(tracker))
}

/// As `imp_touching`, where they touched last first.
#[unsafe(no_mangle)]
pub extern "C" fn imp_tracker_touching(
    tracker: *mut ImpTracker,
    a: Option<&ImpPose>,
    b: Option<&ImpPose>,
    touching: Option<&mut MaybeUninit<bool>>,
) -> ImpStatus {
    call(|| {
        let out = out(touching, "touching")?;
        let (a, b) = (pose(a, "a")?, pose(b, "b")?);
        let held = handle::object(tracker.cast_const())?;
        let mut held = exclusive(&held, ImpTracker::NAME)?;
        out.write(held.pair.touching(&a, &b)?);
        Ok(())
    })
}

/// As `imp_distance`, from where they were nearest last.
#[unsafe(no_mangle)]
pub extern "C" fn imp_tracker_distance(
    tracker: *mut ImpTracker,
    a: Option<&ImpPose>,
    b: Option<&ImpPose>,
    bound: f64,
    distance: Option<&mut MaybeUninit<ImpDistance>>,
) -> ImpStatus {
    call(|| {
        let out = out(distance, "distance")?;
        let (a, b) = (pose(a, "a")?, pose(b, "b")?);
        let held = handle::object(tracker.cast_const())?;
        let mut held = exclusive(&held, ImpTracker::NAME)?;
        let found = held.pair.distance_within(&a, &b, bound)?;
        out.write(ImpDistance::of(found.as_ref()));
        Ok(())
    })
}

/// As `imp_contacts`, with keys that last as long as their contact. Borrowed from the tracker.
#[unsafe(no_mangle)]
pub extern "C" fn imp_tracker_contacts(
    tracker: *mut ImpTracker,
    a: Option<&ImpPose>,
    b: Option<&ImpPose>,
    margin: f64,
    contacts: Option<&mut MaybeUninit<ImpContacts>>,
) -> ImpStatus {
    call(|| {
        let out = out(contacts, "contacts")?;
        let (a, b) = (pose(a, "a")?, pose(b, "b")?);
        let held = handle::object(tracker.cast_const())?;
        let mut held = exclusive(&held, ImpTracker::NAME)?;
        let Tracker { pair, rows } = &mut *held;
        out.write(rows.fill(pair.contacts_within(&a, &b, margin)?));
        Ok(())
    })
}

/// Forgets what was found: the next contacts are new ones.
#[unsafe(no_mangle)]
pub extern "C" fn imp_tracker_forget(tracker: *mut ImpTracker) -> ImpStatus {
    call(|| {
        let held = handle::object(tracker.cast_const())?;
        exclusive(&held, ImpTracker::NAME)?.pair.forget();
        Ok(())
    })
}
