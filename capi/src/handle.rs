//! Handles: names of objects that the library holds. A handle is a number in the clothes of a pointer and is never followed, so that a
//! freed, foreign or invented one is found out; no number is given twice.

use std::any::Any;
use std::collections::HashMap;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};

use crate::status::{Failure, ImpStatus};

type Object = Arc<dyn Any + Send + Sync>;

/// Objects are shared out to so many locks, that threads seldom wait for each other.
const SHARDS: usize = 64;

static OBJECTS: LazyLock<[RwLock<HashMap<usize, Object>>; SHARDS]> =
    LazyLock::new(|| std::array::from_fn(|_| RwLock::default()));
static NEXT: AtomicUsize = AtomicUsize::new(1);

/// What a C type stands for.
pub(crate) trait Handle {
    /// The object held for it.
    type Object: Any + Send + Sync;
    /// Its name in messages.
    const NAME: &str;
}

fn shard(number: usize) -> &'static RwLock<HashMap<usize, Object>> {
    &OBJECTS[(number >> 4) % SHARDS]
}

/// Holds an object and names it.
pub(crate) fn hold<H: Handle>(object: H::Object) -> *mut H {
    // Multiples of 16, as real pointers would be. Zero would come round after 2^60 objects.
    let number = NEXT.fetch_add(1, Ordering::Relaxed) << 4;
    shard(number).write().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::new(object));
    without_provenance_mut(number)
}

/// The object of a handle. It lives on while it is used, even where the handle is freed meanwhile.
pub(crate) fn object<H: Handle>(handle: *const H) -> Result<Arc<H::Object>, Failure> {
    if handle.is_null() {
        return Err(Failure::new(ImpStatus::Null, format!("the {} is null", H::NAME)));
    }
    let found =
        shard(handle.addr()).read().unwrap_or_else(PoisonError::into_inner).get(&handle.addr()).cloned();
    let found = found.ok_or_else(|| {
        Failure::new(
            ImpStatus::Handle,
            format!("no {} has this handle; it was freed, or never was one", H::NAME),
        )
    })?;
    found.downcast().map_err(|_| {
        Failure::new(ImpStatus::Handle, format!("this handle is of another object, not of a {}", H::NAME))
    })
}

/// Lets go of an object; null is nothing.
pub(crate) fn free<H: Handle>(handle: *mut H) -> Result<(), Failure> {
    if handle.is_null() {
        return Ok(());
    }
    object(handle.cast_const())?;
    let gone = shard(handle.addr()).write().unwrap_or_else(PoisonError::into_inner).remove(&handle.addr());
    drop(gone);
    Ok(())
}

/// The object of a handle that one thread uses at a time.
pub(crate) fn exclusive<'a, T>(object: &'a Mutex<T>, name: &str) -> Result<MutexGuard<'a, T>, Failure> {
    match object.try_lock() {
        Ok(held) => Ok(held),
        Err(TryLockError::WouldBlock) => Err(Failure::new(
            ImpStatus::Busy,
            format!(
                "the {name} is in use; it can be used by one thread at a time, and not from a callback of its own"
            ),
        )),
        Err(TryLockError::Poisoned(_)) => Err(Failure::new(
            ImpStatus::Panic,
            format!(
                "a fault of impinge in an earlier call left the {name} half changed; free it and make another"
            ),
        )),
    }
}

/// How many objects are held: 0 once everything that was made is freed. For tests of a program's own.
#[unsafe(no_mangle)]
pub extern "C" fn imp_live_objects() -> usize {
    OBJECTS.iter().map(|shard| shard.read().unwrap_or_else(PoisonError::into_inner).len()).sum()
}
