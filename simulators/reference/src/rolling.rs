//! Resistance against rolling and spinning.

use impinge::{ColliderId, ContactRow};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::motion::Motion;

/// An impulse against the relative angular velocity of two bodies, at most `lever` times the normal
/// impulse.
#[derive(Clone, Debug)]
pub(crate) struct Rolling {
    mass: Matrix3<f64>,
    lever: f64,
    /// Angular velocity of B against A beside that of their motions (rad/s).
    spin: Vector3<f64>,
    impulse: Vector3<f64>,
}

impl Rolling {
    /// Starts from the impulse `warm` (N·m·s); `spin` is the angular velocity of B against A beside that of their
    /// motions (rad/s). `None` where there is no lever (m), or nothing that could
    /// turn.
    pub fn new(
        lever: f64,
        a: &Motion,
        b: &Motion,
        spin: Vector3<f64>,
        warm: Vector3<f64>,
    ) -> Option<Rolling> {
        let usable = lever > 0.0 && lever.is_finite();
        let mass = usable.then(|| (a.inverse_inertia + b.inverse_inertia).try_inverse()).flatten()?;
        Some(Rolling { mass, lever, spin, impulse: warm })
    }

    /// The impulse of one substep (N·m·s).
    pub fn impulse(&self) -> Vector3<f64> {
        self.impulse
    }

    pub fn warm_start(&self, a: &mut Motion, b: &mut Motion) {
        push(a, b, &self.impulse);
    }

    /// `load`: the contact's normal impulse (N·s).
    pub fn solve(&mut self, a: &mut Motion, b: &mut Motion, load: f64) {
        let mut total = self.impulse - self.mass * (b.angular - a.angular + self.spin);
        let (most, length) = (self.lever * load, total.norm());
        if length > most {
            total *= most / length;
        }
        push(a, b, &(total - self.impulse));
        self.impulse = total;
    }
}

fn push(a: &mut Motion, b: &mut Motion, impulse: &Vector3<f64>) {
    a.angular -= a.inverse_inertia * impulse;
    b.angular += b.inverse_inertia * impulse;
}

/// The rolling impulses of the last detection, for warm starting. (Rows carry only what acts at points. A
/// contact that had to find its rolling impulse from zero in every step would creep.)
#[derive(Clone, Debug, Default)]
pub(crate) struct RollingMemory {
    /// Sorted by colliders.
    entries: Vec<Remembered>,
}

#[derive(Clone, Copy, Debug)]
struct Remembered {
    colliders: [ColliderId; 2],
    normal: Vector3<f64>,
    position: Point3<f64>,
    /// For a whole step (N·m·s).
    impulse: Vector3<f64>,
}

impl RollingMemory {
    /// The rolling impulse of `row`'s manifold in the last step (N·m·s): of the same colliders' contacts
    /// with a normal within 60° the nearest, nothing if there was none.
    pub fn recall(&self, row: &ContactRow) -> Vector3<f64> {
        let start = self.entries.partition_point(|entry| entry.colliders < row.colliders);
        let same = self.entries[start..].iter().take_while(|entry| entry.colliders == row.colliders);
        let mut nearest = (f64::INFINITY, Vector3::zeros());
        for entry in same.filter(|entry| entry.normal.dot(&row.normal) >= 0.5) {
            let distance = (entry.position - row.position).norm_squared();
            if distance < nearest.0 {
                nearest = (distance, entry.impulse);
            }
        }
        nearest.1
    }

    /// Remembers contacts, each by its first row, instead of the last step's.
    pub fn store<'r>(&mut self, contacts: impl Iterator<Item = (&'r ContactRow, Vector3<f64>)>) {
        self.entries.clear();
        self.entries.extend(contacts.map(|(row, impulse)| Remembered {
            colliders: row.colliders,
            normal: row.normal,
            position: row.position,
            impulse,
        }));
        // They come in the order of their colliders, mostly; sorting stably takes memory.
        if !self.entries.is_sorted_by_key(|entry| entry.colliders) {
            self.entries.sort_by_key(|entry| entry.colliders);
        }
    }
}
