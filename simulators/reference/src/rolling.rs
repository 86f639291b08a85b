//! Resistance against rolling and spinning.

use impinge::{ColliderId, ContactRow, Impulse};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::motion::Motion;

/// Points no farther from a line than this part of the longest lever are in it: on which side they are says nothing.
const IN_LINE: f64 = 1e-3;

/// How long a contact's levers against rolling are (m): none about axes about which its points stand too far apart to need one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Levers {
    /// The line along which the points stand farthest apart, the one across it and the normal (columns).
    axes: Matrix3<f64>,
    /// About each of them; from the first to the last they do not grow.
    lengths: Vector3<f64>,
}

impl Levers {
    /// `longest` (m) less how far apart the points stand that bear the load: about an axis the root mean square of their distances
    /// from it. Points in a line resist only what turns the line; the lever about that reaches no farther than other points do on
    /// either side of it, as what tips over an edge does not roll. As long as nothing is known of the load all levers are as long.
    pub fn new(longest: f64, rows: &[ContactRow], warm: &[Impulse]) -> Levers {
        let normal = rows[0].normal;
        let [t, u] = rows[0].tangents;
        let load: f64 = warm.iter().map(|w| w.normal).sum();
        if load <= 0.0 {
            return Levers {
                axes: Matrix3::from_columns(&[t, u, normal]),
                lengths: Vector3::repeat(longest),
            };
        }
        let shares =
            || rows.iter().zip(warm).map(|(row, w)| (row.position - rows[0].position, w.normal / load));
        let center = shares().fold(Vector3::zeros(), |center, (at, share)| center + at * share);
        // Second moments across the normal, and their principal axes.
        let [mut along, mut across, mut mixed] = [0.0; 3];
        for (at, share) in shares() {
            let [x, y] = [(at - center).dot(&t), (at - center).dot(&u)];
            along += share * x * x;
            across += share * y * y;
            mixed += share * x * y;
        }
        let (half, turn) = (0.5 * (along + across), libm::atan2(2.0 * mixed, along - across));
        let apart = libm::hypot(mixed, 0.5 * (along - across));
        let (sin, cos) = (libm::sin(0.5 * turn), libm::cos(0.5 * turn));
        let axes = [t * cos + u * sin, u * cos - t * sin, normal];
        let squares = [(half - apart).max(0.0), half + apart, 2.0 * half];
        let mut lengths = squares.map(|square| longest - libm::sqrt(square));
        if lengths[1] <= 0.0 {
            let beside = shares().map(|(at, _)| (at - center).dot(&axes[1]));
            let [least, most] = beside.fold([0.0f64; 2], |[least, most], at| [least.min(at), most.max(at)]);
            if most - least > IN_LINE * longest {
                lengths[0] = lengths[0].min(most).min(-least);
            }
        }
        Levers { axes: Matrix3::from_columns(&axes), lengths: lengths.into() }
    }

    /// How many axes have a lever.
    fn count(&self) -> usize {
        self.lengths.iter().take_while(|length| **length > 0.0 && length.is_finite()).count()
    }
}

/// An impulse against the relative angular velocity of two bodies, at most a contact's levers times its normal
/// impulse.
#[derive(Clone, Debug)]
pub(crate) struct Rolling {
    levers: Levers,
    count: usize,
    mass: Matrix3<f64>,
    /// What turns as the bodies do about each axis alone (kg·m²).
    inertias: [f64; 3],
    /// Angular velocity of B against A beside that of their motions (rad/s).
    spin: Vector3<f64>,
    impulse: Vector3<f64>,
}

impl Rolling {
    /// Starts from the impulse `warm` (N·m·s); `spin` is the angular velocity of B against A beside that of their
    /// motions (rad/s). `None` where there is no lever, or nothing that could turn.
    pub fn new(
        levers: Levers,
        a: &Motion,
        b: &Motion,
        spin: Vector3<f64>,
        warm: Vector3<f64>,
    ) -> Option<Rolling> {
        let count = levers.count();
        let inverse = a.inverse_inertia + b.inverse_inertia;
        let mass = (count > 0).then(|| inverse.try_inverse()).flatten()?;
        let axis = |k: usize| levers.axes.column(k).into_owned();
        let inertias = [0, 1, 2].map(|k| 1.0 / axis(k).dot(&(inverse * axis(k))));
        let impulse = match count {
            3 => warm,
            _ => (0..count).map(|k| axis(k) * axis(k).dot(&warm)).sum(),
        };
        Some(Rolling { levers, count, mass, inertias, spin, impulse })
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
        let Levers { axes, lengths } = &self.levers;
        if self.count == 3 {
            let mut total = self.impulse - self.mass * (b.angular - a.angular + self.spin);
            // Within the ellipsoid of what the levers can.
            let parts = axes.tr_mul(&total).component_div(lengths);
            let length = parts.norm();
            if length > load {
                total *= load / length;
            }
            push(a, b, &(total - self.impulse));
            self.impulse = total;
            return;
        }
        for k in 0..self.count {
            let axis = axes.column(k).into_owned();
            let before = axis.dot(&self.impulse);
            let speed = axis.dot(&(b.angular - a.angular + self.spin));
            let most = lengths[k] * load;
            // Of no number, which the solver refuses at its end, `clamp` would panic.
            let change = (before - self.inertias[k] * speed).min(most).max(-most) - before;
            push(a, b, &(axis * change));
            self.impulse += axis * change;
        }
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
