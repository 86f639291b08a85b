//! Steps, and what they found.

use impinge::{ContactPhase, StepReport, StepStatus};
use std::mem::MaybeUninit;

use super::{Held, ImpWorld, with};
use crate::contacts::{ImpContacts, number};
use crate::memory::out;
use crate::status::{ImpStatus, call};

/// Bits of `ImpStepReport.notes`: some pair had more regions of contact than `max_manifolds`.
pub const IMP_NOTE_MANIFOLDS_DROPPED: u32 = 1;
/// Some pair includes a mesh that bounds no volume: close it.
pub const IMP_NOTE_OPEN_MESH: u32 = 2;
/// Some volume is less certain: raise `resolution`.
pub const IMP_NOTE_UNCERTAIN_VOLUME: u32 = 4;
/// Some pair includes a mesh whose holes were closed when it was repaired.
pub const IMP_NOTE_CLOSED_HOLES: u32 = 128;
/// Some search for a least translation had cost as much as it may: what was found parts the bodies, but may not be the shortest.
pub const IMP_NOTE_SEARCH_CUT: u32 = 256;

/// Counts of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpStepReport {
    /// Colliders in the world.
    pub colliders: u64,
    /// Pairs whose boxes overlap and whose filters allow it.
    pub pairs: u64,
    /// Pairs that touch.
    pub touching: u64,
    /// Manifolds.
    pub manifolds: u64,
    /// Their points.
    pub points: u64,
    /// How long it took (s).
    pub seconds: f64,
    /// Bits `IMP_NOTE_*`: what was dropped or is less certain.
    pub notes: u32,
    /// 0; not used.
    pub reserved: u32,
}

/// What happened to a contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpPhase {
    /// The two did not touch in the step before.
    Begin = 0,
    /// They touch no more.
    End = 1,
}

/// A contact that began or ended with the last step.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpEvent {
    /// What happened.
    pub phase: ImpPhase,
    /// Whether only touching is known of it: one of them is a sensor, or a filter asked for no more.
    pub sensor: bool,
    /// The colliders; the first has the lower index.
    pub colliders: [u64; 2],
    /// The caller's own numbers of the two.
    pub user_data: [u64; 2],
}

fn reported(report: &StepReport) -> ImpStepReport {
    let bits = [
        (StepStatus::MANIFOLDS_DROPPED, IMP_NOTE_MANIFOLDS_DROPPED),
        (StepStatus::SOUP, IMP_NOTE_OPEN_MESH),
        (StepStatus::ODD_COLUMNS, IMP_NOTE_UNCERTAIN_VOLUME),
        (StepStatus::CLOSED_HOLES, IMP_NOTE_CLOSED_HOLES),
        (StepStatus::SEARCH_CUT, IMP_NOTE_SEARCH_CUT),
    ];
    let counts = &report.counts;
    ImpStepReport {
        colliders: counts.colliders,
        pairs: counts.pairs,
        touching: counts.touching,
        manifolds: counts.manifolds,
        points: counts.points,
        seconds: report.times.step.as_secs_f64(),
        notes: bits.iter().filter(|(bit, _)| report.status.contains(*bit)).map(|(_, note)| note).sum(),
        reserved: 0,
    }
}

/// Finds the contacts of the colliders where they stand now. The report may be null.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_step(
    world: *mut ImpWorld,
    report: Option<&mut MaybeUninit<ImpStepReport>>,
) -> ImpStatus {
    call(|| {
        let found = with(world, |held| {
            // What was borrowed before ends here.
            held.rows = Default::default();
            Ok(reported(&held.world.step()))
        })?;
        if let Some(report) = report {
            report.write(found);
        }
        Ok(())
    })
}

/// The contacts of the last step, in the order of the colliders' slots; those of colliders removed since are gone. Borrowed from the world until its
/// next step or call of this, or until a collider is removed.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_contacts(
    world: *mut ImpWorld,
    contacts: Option<&mut MaybeUninit<ImpContacts>>,
) -> ImpStatus {
    call(|| {
        let out = out(contacts, "contacts")?;
        let found = with(world, |held| {
            let Held { world, rows, .. } = held;
            Ok(rows.fill(world.manifolds()))
        })?;
        out.write(found);
        Ok(())
    })
}

/// The contacts that began and ended with the last step, sensors' too. Borrowed from the world until its next step or call of this.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_events(
    world: *mut ImpWorld,
    events: Option<&mut MaybeUninit<*const ImpEvent>>,
    count: Option<&mut MaybeUninit<usize>>,
) -> ImpStatus {
    call(|| {
        let (events, count) = (out(events, "events")?, out(count, "count")?);
        let (first, length) = with(world, |held| {
            let Held { world, events, .. } = held;
            events.clear();
            events.extend(world.events().iter().filter_map(|event| {
                let phase = match event.phase {
                    ContactPhase::Begin => ImpPhase::Begin,
                    ContactPhase::End => ImpPhase::End,
                    ContactPhase::Persist => return None,
                };
                let contact = &event.contact;
                let (colliders, user_data) = (contact.colliders.map(number), contact.user_data);
                Some(ImpEvent { phase, sensor: contact.sensor, colliders, user_data })
            }));
            Ok((events.as_ptr(), events.len()))
        })?;
        events.write(first);
        count.write(length);
        Ok(())
    })
}
