//! Coulomb friction of a whole contact.
//!
//! Friction acts at one place of a contact, as a force in the contact plane and a twist about the
//! normal. Friction at every point would leave the solver free to brace the points against each other:
//! such a stress carries nothing, uses the friction up, and a box creeps down slopes that should hold it.

use impinge::{ContactRow, Impulse};
use nalgebra::Vector3;

use crate::direction::Direction;
use crate::motion::Motion;

/// The data of a contact point that friction needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spot {
    /// From the place where friction acts (m).
    arm: Vector3<f64>,
    /// The row's tangents.
    tangents: [Vector3<f64>; 2],
    /// Its distance from that place (m).
    reach: f64,
}

/// Friction of one contact.
#[derive(Clone, Debug)]
pub(crate) struct Friction {
    coefficient: f64,
    tangents: [Direction; 2],
    normal: Vector3<f64>,
    /// Inverse of the tangents' 2 × 2 answer: xx, xy, yy.
    mass: [f64; 3],
    twist_mass: f64,
    /// Speeds of B's surface against A's beside the bodies' motion: along the tangents (m/s) and about the normal
    /// (rad/s).
    drift: [f64; 2],
    spin: f64,
    /// Impulses of one substep along the tangents (N·s) and about the normal (N·m·s).
    impulse: [f64; 2],
    twist: f64,
}

impl Friction {
    /// Friction of the `rows` of one manifold between bodies whose centres of mass are at `centers` (m,
    /// world), starting from the rows' `warm` impulses. A spot for each row is added to `spots`, with friction or without.
    pub fn new(
        rows: &[ContactRow],
        warm: &[Impulse],
        motions: [&Motion; 2],
        centers: [&nalgebra::Point3<f64>; 2],
        spots: &mut Vec<Spot>,
    ) -> Option<Friction> {
        let from = spots.len();
        let Some(first) = rows.first().filter(|row| row.friction > 0.0) else {
            spots.extend(rows.iter().map(|row| Spot { tangents: row.tangents, ..Spot::default() }));
            return None;
        };
        let (place, drift) = place(rows, warm);
        let arms = centers.map(|center| first.position + place - center);
        let [a, b] = motions;
        let along = |axis| Direction::new(axis, &arms, [&a.inverse_inertia, &b.inverse_inertia]);
        let (normal, [first_tangent, second_tangent]) = plane(rows);
        let tangents = [along(first_tangent), along(second_tangent)];
        let inverse_mass = a.inverse_mass + b.inverse_mass;
        let xx = tangents[0].answer(&tangents[0], inverse_mass);
        let xy = tangents[0].answer(&tangents[1], inverse_mass);
        let yy = tangents[1].answer(&tangents[1], inverse_mass);
        let scale = 1.0 / (xx * yy - xy * xy);
        let twist_answer = normal.dot(&((a.inverse_inertia + b.inverse_inertia) * normal));
        spots.extend(rows.iter().map(|row| {
            let arm = row.position - first.position - place;
            Spot { arm, tangents: row.tangents, reach: (arm - normal * arm.dot(&normal)).norm() }
        }));
        let spots = &spots[from..];
        let (mut impulse, mut twist) = ([0.0; 2], 0.0);
        for ((row, warm), spot) in rows.iter().zip(warm).zip(spots) {
            // Rows have tangents of their own where their normals are tilted.
            let force = row.tangents[0] * warm.tangent[0] + row.tangents[1] * warm.tangent[1];
            let own = row.tangents == [first_tangent, second_tangent];
            let along =
                if own { warm.tangent } else { [force.dot(&first_tangent), force.dot(&second_tangent)] };
            impulse[0] += along[0];
            impulse[1] += along[1];
            twist += normal.dot(&spot.arm.cross(&force));
        }
        Some(Friction {
            coefficient: first.friction,
            drift: [drift.dot(&first_tangent), drift.dot(&second_tangent)],
            spin: spin(rows, spots, &normal),
            tangents,
            normal,
            mass: [yy * scale, -xy * scale, xx * scale],
            twist_mass: if twist_answer > 0.0 { 1.0 / twist_answer } else { 0.0 },
            impulse,
            twist,
        })
    }

    pub fn warm_start(&self, a: &mut Motion, b: &mut Motion) {
        self.tangents[0].push(a, b, self.impulse[0]);
        self.tangents[1].push(a, b, self.impulse[1]);
        self.push_twist(a, b, self.twist);
    }

    /// `loads`: the points' normal impulses (N·s), and their spots.
    pub fn solve<'s>(
        &mut self,
        a: &mut Motion,
        b: &mut Motion,
        loads: impl Iterator<Item = (f64, &'s Spot)>,
    ) {
        let (mut load, mut moment) = (0.0, 0.0);
        for (normal, spot) in loads {
            load += normal;
            moment += normal * spot.reach;
        }
        let most = self.coefficient * moment;
        let twist = (self.twist - self.twist_mass * (self.normal.dot(&(b.angular - a.angular)) + self.spin))
            .clamp(-most, most);
        self.push_twist(a, b, twist - self.twist);
        self.twist = twist;

        let [t, u] = &self.tangents;
        let (x, y) = (t.speed(a, b) + self.drift[0], u.speed(a, b) + self.drift[1]);
        let [xx, xy, yy] = self.mass;
        let old = self.impulse;
        let mut new = [old[0] - (xx * x + xy * y), old[1] - (xy * x + yy * y)];
        let (most, length) = (self.coefficient * load, libm::hypot(new[0], new[1]));
        if length > most {
            new = new.map(|n| n * (most / length));
        }
        t.push(a, b, new[0] - old[0]);
        u.push(a, b, new[1] - old[1]);
        self.impulse = new;
    }

    /// Shares friction among the points, in proportion to their `loads` (N·s), so that force and twist are the
    /// contact's: the tangential impulses of each point.
    pub fn shares<'s, L: Iterator<Item = f64> + Clone>(
        &self,
        loads: L,
        spots: &'s [Spot],
    ) -> impl Iterator<Item = [f64; 2]> + use<'s, L> {
        let load: f64 = loads.clone().sum();
        let both = || spots.iter().zip(loads.clone());
        let center = both().fold(Vector3::zeros(), |c, (s, l)| c + s.arm * (l / load));
        let [t, u] = self.tangents.map(|d| d.axis);
        let force = t * self.impulse[0] + u * self.impulse[1];
        let normal = self.normal;
        let around = move |spot: &Spot| normal.cross(&(spot.arm - center));
        let spread: f64 = both().map(|(s, l)| l * around(s).norm_squared()).sum();
        let rest = self.twist - self.normal.dot(&center.cross(&force));
        // Of points that are all but in one place the twist would ask for endless forces: none bears more than the
        // friction of the whole contact.
        let longest = both().map(|(s, l)| l * around(s).norm()).fold(0.0, f64::max);
        let most = self.coefficient * load / longest;
        let turn = if spread > 0.0 && most.is_finite() { (rest / spread).clamp(-most, most) } else { 0.0 };
        spots.iter().zip(loads).map(move |(spot, load_here)| {
            if load <= 0.0 {
                return [0.0; 2];
            }
            let here = force * (load_here / load) + around(spot) * (turn * load_here);
            spot.tangents.map(|tangent| here.dot(&tangent))
        })
    }

    fn push_twist(&self, a: &mut Motion, b: &mut Motion, impulse: f64) {
        a.angular -= a.inverse_inertia * (self.normal * impulse);
        b.angular += b.inverse_inertia * (self.normal * impulse);
    }
}

/// The plane of a contact: its normal, and two tangents. Of rows whose normals are tilted against each other it is that of
/// their forces together.
fn plane(rows: &[ContactRow]) -> (Vector3<f64>, [Vector3<f64>; 2]) {
    let first = &rows[0];
    let sum: Vector3<f64> = rows.iter().map(|row| row.normal * row.weight).sum();
    match sum.try_normalize(0.0).filter(|_| rows.iter().any(|row| row.normal != first.normal)) {
        Some(normal) => {
            let across = first.tangents[0] - normal * normal.dot(&first.tangents[0]);
            let tangent = across.try_normalize(0.0).unwrap_or(first.tangents[0]);
            (normal, [tangent, normal.cross(&tangent)])
        }
        None => (first.normal, first.tangents),
    }
}

/// Where friction acts, from the first row's position (m): the centre of last step's normal impulses,
/// or of the areas, or of the points. And the velocity of B's surface against A's there (m/s).
fn place(rows: &[ContactRow], warm: &[Impulse]) -> (Vector3<f64>, Vector3<f64>) {
    let loads: f64 = warm.iter().map(|w| w.normal).sum();
    let areas: f64 = rows.iter().map(|row| row.weight).sum();
    let (mut place, mut drift) = (Vector3::zeros(), Vector3::zeros());
    for (row, warm) in rows.iter().zip(warm) {
        let share = if loads > 0.0 {
            warm.normal / loads
        } else if areas > 0.0 {
            row.weight / areas
        } else {
            1.0 / rows.len() as f64
        };
        place += (row.position - rows[0].position) * share;
        drift += row.surface_velocity * share;
    }
    (place, drift)
}

/// The angular velocity about the normal (rad/s) of surfaces that move like a rigid body beside the bodies, from their
/// velocities at the `spots`: least squares. 0 of a single point.
fn spin(rows: &[ContactRow], spots: &[Spot], normal: &Vector3<f64>) -> f64 {
    if rows.iter().all(|row| row.surface_velocity == rows[0].surface_velocity) {
        return 0.0;
    }
    let count = rows.len() as f64;
    let center = spots.iter().map(|spot| spot.arm).sum::<Vector3<f64>>() / count;
    let mean = rows.iter().map(|row| row.surface_velocity).sum::<Vector3<f64>>() / count;
    let (mut moment, mut inertia) = (0.0, 0.0);
    for (row, spot) in rows.iter().zip(spots) {
        let around = normal.cross(&(spot.arm - center));
        moment += around.dot(&(row.surface_velocity - mean));
        inertia += around.norm_squared();
    }
    if inertia > 0.0 { moment / inertia } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix3;

    use super::*;

    const TANGENTS: [Vector3<f64>; 2] = [Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 1.0, 0.0)];

    /// What points at `arms` (m) with `loads` (N·s) bear of a force of 0.5 N·s along x and a twist of 0.1 N·m·s.
    fn shares(arms: &[Vector3<f64>], loads: &[f64]) -> Vec<[f64; 2]> {
        let spot = |arm: &Vector3<f64>| Spot { arm: *arm, tangents: TANGENTS, reach: arm.norm() };
        let spots: Vec<Spot> = arms.iter().map(spot).collect();
        friction().shares(loads.iter().copied(), &spots).collect()
    }

    fn friction() -> Friction {
        let still = Matrix3::zeros();
        let along = |axis| Direction::new(axis, &[Vector3::zeros(); 2], [&still, &still]);
        Friction {
            coefficient: 0.5,
            tangents: TANGENTS.map(along),
            normal: Vector3::z(),
            mass: [1.0, 0.0, 1.0],
            twist_mass: 1.0,
            drift: [0.0; 2],
            spin: 0.0,
            impulse: [0.5, 0.0],
            twist: 0.1,
        }
    }

    #[test]
    fn points_share_force_and_twist() {
        let arms = [Vector3::new(1.0, 0.0, 0.0), Vector3::new(-1.0, 0.0, 0.0), Vector3::new(0.0, 0.5, 0.0)];
        let shares = shares(&arms, &[1.0, 2.0, 1.0]);
        let force = shares.iter().fold([0.0; 2], |f, s| [f[0] + s[0], f[1] + s[1]]);
        let twist: f64 = shares.iter().zip(&arms).map(|(s, arm)| arm.x * s[1] - arm.y * s[0]).sum();
        assert!((force[0] - 0.5).abs() < 1e-12 && force[1].abs() < 1e-12, "{force:?}");
        assert!((twist - 0.1).abs() < 1e-12, "{twist}");
    }

    #[test]
    fn points_in_one_place_bear_no_twist() {
        // Two points that differ by rounding, or by less than anything; one of several that bears next to nothing:
        // no point is pushed by more than the friction of the whole contact.
        for (apart, loads) in [
            (1e-16, [1.0, 1.0]),
            (1e-9, [1.0, 1.0]),
            (1e-170, [1.0, 1.0]),
            (5e-324, [1.0, 1.0]),
            (1.0, [1.0, 1e-200]),
            (1e-160, [1e-160, 1e-160]),
        ] {
            let arms = [Vector3::new(apart, 0.0, 0.0), Vector3::new(-apart, 0.0, 0.0)];
            let most = 0.5 + 0.5 * (loads[0] + loads[1]);
            for share in shares(&arms, &loads) {
                assert!(share.iter().all(|x| x.abs() <= most), "{apart:e} {loads:?}: {share:?}");
            }
        }
    }
}
