//! The verdict on one case.

use nalgebra::Vector3;

use super::case::Contact;

/// A fault of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// A word for the kind of fault.
    pub kind: &'static str,
    /// True if the fault makes the answer wrong. A remark is listed and not counted.
    pub counts: bool,
    pub reason: String,
}

/// The verdict on one case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    pub index: usize,
    pub variant: usize,
    /// Depth of the deepest manifold, in sizes of the family.
    pub depth: f64,
    /// Normal of the deepest manifold, in the frame of the family.
    pub normal: Vector3<f64>,
    /// The depth over a length that the oracle knows, if there is one.
    pub ratio: Option<f64>,
    pub faults: Vec<Fault>,
}

impl Verdict {
    /// Returns a verdict without faults on an answer with this deepest manifold.
    pub fn of(deepest: &Contact) -> Verdict {
        Verdict { depth: deepest.depth, normal: deepest.normal, ..Verdict::default() }
    }

    /// Returns the verdict on bodies that touch and have no manifold.
    pub fn without_manifold() -> Verdict {
        Verdict::default().with("none", "bodies that touch have no manifold".to_owned())
    }

    /// Adds a fault that makes the answer wrong.
    pub fn with(mut self, kind: &'static str, reason: String) -> Verdict {
        self.faults.push(Fault { kind, counts: true, reason });
        self
    }

    /// Adds a fault if `is_wrong`.
    pub fn check<R>(self, is_wrong: bool, kind: &'static str, reason: R) -> Verdict
    where
        R: FnOnce() -> String,
    {
        if is_wrong { self.with(kind, reason()) } else { self }
    }

    /// Adds a remark if `is_odd`.
    pub fn remark<R>(mut self, is_odd: bool, kind: &'static str, reason: R) -> Verdict
    where
        R: FnOnce() -> String,
    {
        if is_odd {
            self.faults.push(Fault { kind, counts: false, reason: reason() });
        }
        self
    }

    /// Tests whether any fault counts.
    pub fn is_wrong(&self) -> bool {
        self.faults.iter().any(|fault| fault.counts)
    }
}
