//! Faults that are brought about on purpose, to see that what follows survives them (feature `fault-injection`).

/// A fault that is brought about on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "fault-injection"), expect(dead_code, reason = "nothing brings these about"))]
pub enum InjectedFault {
    /// The device is destroyed after the last submission, before its answer has come; in a step without
    /// work, at its end.
    LoseDevice,
    /// The device is destroyed at once, between two steps.
    LoseIdleDevice,
    /// The last submission holds a command that the device must refuse.
    RefuseSubmission,
    /// The last submission is dropped: no answer ever comes.
    DropSubmission,
    /// The device does not answer in the time that it has: its answer comes when nobody waits for it.
    AnswerLate,
    /// The driver's layer panics.
    Panic,
}

#[cfg(feature = "fault-injection")]
impl crate::Engine {
    /// Brings a fault about: a loss in the next step or at once, any other in the next step that has work.
    pub fn inject(&mut self, fault: InjectedFault) {
        match fault {
            InjectedFault::LoseIdleDevice => self.device.destroy(),
            _ => self.injected = Some(fault),
        }
    }
}
