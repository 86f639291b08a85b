//! The caller's filter of pairs.

use std::ffi::c_void;

use impinge::{ContactHooks, HookedPair, PairResponse};

use super::{ImpWorld, with};
use crate::contacts::number;
use crate::status::{ImpStatus, call};

/// A pair whose boxes overlap, as a filter sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpPair {
    /// The colliders; the first has the lower index.
    pub colliders: [u64; 2],
    /// The caller's own numbers of the two.
    pub user_data: [u64; 2],
}

/// A filter's answer: contacts as usual (and any number but the two below).
#[expect(dead_code, reason = "any other number means it")]
pub const IMP_PAIR_CONTACTS: i32 = 0;
/// A filter's answer: only whether they touch, for events.
pub const IMP_PAIR_TOUCHING: i32 = 1;
/// A filter's answer: neither contacts nor events.
pub const IMP_PAIR_IGNORE: i32 = 2;

/// Says `IMP_PAIR_CONTACTS`, `IMP_PAIR_TOUCHING` or `IMP_PAIR_IGNORE` of a pair.
pub type ImpPairFilter = Option<unsafe extern "C" fn(user: *mut c_void, pair: *const ImpPair) -> i32>;

struct Filter {
    ask: unsafe extern "C" fn(user: *mut c_void, pair: *const ImpPair) -> i32,
    user: *mut c_void,
}

// SAFETY: it is called by the thread that steps the world, one pair after the other, as the header says to whoever gives it.
unsafe impl Send for Filter {}
// SAFETY: as above.
unsafe impl Sync for Filter {}

impl ContactHooks for Filter {
    fn filter_pair(&mut self, pair: &HookedPair) -> PairResponse {
        let pair = ImpPair {
            colliders: pair.colliders.map(|collider| number(collider.id)),
            user_data: pair.colliders.map(|collider| collider.user_data),
        };
        // SAFETY: the caller gave the function and its pointer for this.
        match unsafe { (self.ask)(self.user, &raw const pair) } {
            IMP_PAIR_TOUCHING => PairResponse::Touching,
            IMP_PAIR_IGNORE => PairResponse::Ignore,
            _ => PairResponse::Contacts,
        }
    }
}

/// Has `filter` asked in every step about each pair whose boxes overlap, on the thread that takes the step, in the order of the colliders' slots; null asks
/// no more. It must return (no exceptions, no `longjmp`), and calls on this world from it are `IMP_STATUS_BUSY`.
///
/// # Safety
/// `filter` may be called with `user` until another is set or the world is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_set_filter(
    world: *mut ImpWorld,
    filter: ImpPairFilter,
    user: *mut c_void,
) -> ImpStatus {
    call(|| {
        with(world, |held| {
            held.world.set_hooks(filter.map(|ask| Box::new(Filter { ask, user }) as Box<dyn ContactHooks>));
            Ok(())
        })
    })
}
