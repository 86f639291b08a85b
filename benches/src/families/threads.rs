//! Bolts and nuts within their play: no contact may be deeper than the way back to the middle.

use std::f64::consts::TAU;

use impinge::query::QueryScratch;
use impinge_scenes::mesh::{Bolt, Nut};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::case::{Body, Case, Contact};
use super::solid::Solid;
use super::verdict::Verdict;
use super::{Task, between};

pub const VARIANTS: [&str; 4] = ["demo", "demo, coarse", "triangle", "scenes"];
/// Longest offset from the middle of the play, in radial clearances.
const FARTHEST: f64 = 2.5;

/// A thread around z that winds to the right.
struct Thread {
    radius: f64,
    /// Half the height of the ridges.
    ridge: f64,
    pitch: f64,
    /// Radial clearance of the nut.
    clearance: f64,
    has_straight_flanks: bool,
    around: u32,
    /// Rows for each pitch, of the bolt and of the nut.
    rows: [u32; 2],
    /// Pitches of the bolt and of the nut.
    pitches: [u32; 2],
}

impl Thread {
    fn of(variant: usize) -> Thread {
        let demo = Thread {
            radius: 0.15,
            ridge: 0.02,
            pitch: 0.1,
            clearance: 0.004,
            has_straight_flanks: false,
            around: 48,
            rows: [14, 8],
            pitches: [7, 2],
        };
        match variant {
            0 => demo,
            1 => Thread { around: 32, rows: [10, 6], ..demo },
            2 => Thread {
                radius: 0.5,
                ridge: 0.15,
                pitch: 0.4,
                clearance: 0.03,
                has_straight_flanks: true,
                rows: [16, 12],
                pitches: [6, 2],
                ..demo
            },
            _ => {
                let (bolt, nut) = (Bolt::default(), Nut::default());
                Thread {
                    radius: bolt.thread.radius,
                    ridge: bolt.thread.ridge,
                    pitch: bolt.thread.pitch,
                    clearance: nut.play,
                    has_straight_flanks: true,
                    pitches: [bolt.turns, nut.turns],
                    ..demo
                }
            }
        }
    }

    /// Returns the bolt's radius at an angle and a height.
    fn at(&self, angle: f64, z: f64) -> f64 {
        let phase = z / self.pitch - angle / TAU;
        let wave = match self.has_straight_flanks {
            true => 4.0 * (phase - phase.floor() - 0.5).abs() - 1.0,
            false => (TAU * phase).cos(),
        };
        self.radius + self.ridge * wave
    }

    /// Returns the rows of a threaded wall.
    fn wall(&self, body: usize, wider: f64) -> Solid {
        let rows = self.rows[body] * self.pitches[body];
        let mut solid = Solid::default();
        for row in 0..=rows {
            let z = self.pitch * f64::from(row) / f64::from(self.rows[body]);
            solid.vertices.extend((0..self.around).map(|k| {
                let angle = TAU * f64::from(k) / f64::from(self.around);
                let r = self.at(angle, z) + wider;
                Point3::new(r * angle.cos(), r * angle.sin(), z)
            }));
        }
        solid
    }

    fn bolt(&self) -> Solid {
        let mut solid = self.wall(0, 0.0);
        let rows = solid.vertices.len() as u32 / self.around;
        strips(&mut solid, self.around, rows, false);
        let first = solid.vertices.len() as u32;
        let top = (rows - 1) * self.around;
        let height = self.pitch * f64::from(self.pitches[0]);
        solid.vertices.extend([Point3::origin(), Point3::new(0.0, 0.0, height)]);
        for k in 0..self.around {
            let next = (k + 1) % self.around;
            solid.triangles.extend([[first, next, k], [first + 1, top + k, top + next]]);
        }
        solid
    }

    /// Returns a hexagonal nut with its lower face at z = 0.
    fn nut(&self) -> Solid {
        let mut solid = self.wall(1, self.clearance);
        let (outer, sixth) = (2.0 * self.radius, TAU / 6.0);
        for z in [self.pitch * f64::from(self.pitches[1]), 0.0] {
            solid.vertices.extend((0..self.around).map(|k| {
                let angle = TAU * f64::from(k) / f64::from(self.around);
                let within = (angle + 0.5 * sixth) % sixth - 0.5 * sixth;
                let r = outer * (0.5 * sixth).cos() / within.cos();
                Point3::new(r * angle.cos(), r * angle.sin(), z)
            }));
        }
        let rows = solid.vertices.len() as u32 / self.around;
        strips(&mut solid, self.around, rows, true);
        solid.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        solid
    }
}

/// Joins rows of vertices around z by triangles that look away from z where rows rise.
fn strips(solid: &mut Solid, around: u32, rows: u32, wraps: bool) {
    for row in 0..if wraps { rows } else { rows - 1 } {
        let up = (row + 1) % rows * around;
        for k in 0..around {
            let next = (k + 1) % around;
            solid.quad([row * around + k, row * around + next, up + next, up + k]);
        }
    }
}

/// Judges a nut on its bolt.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let random = &mut task.random;
    let thread = Thread::of(task.variant);
    let solids = match task.variant {
        3 => [Bolt::default().mesh()?, Nut::default().mesh()?].map(|mesh| Solid::of(&mesh, 1.0)),
        _ => [thread.bolt(), thread.nut()],
    };
    let scratch = &mut QueryScratch::default();
    for _ in 0..100 {
        let poses = [Isometry3::identity(), middle(&thread, random)];
        let bodies = solids.clone().map(Body::Solid);
        let mut case = Case::new(bodies, poses, task.settings, random)?;
        if case.touches(&Vector3::zeros(), scratch)? {
            continue;
        }
        for _ in 0..20 {
            let offset = offset(&thread, random);
            if case.touches(&offset, scratch)? {
                case.advance(&offset);
                return verdict(&case, &thread, &offset);
            }
        }
    }
    anyhow::bail!("no nut is free on its bolt in one place and touches it in another")
}

/// Returns a pose of the nut in the middle of its play, a little tilted.
fn middle(thread: &Thread, random: &mut Random) -> Isometry3<f64> {
    let [bolt, nut] = thread.pitches.map(f64::from);
    let height = thread.pitch * nut;
    let turns = between(random, 0.2, bolt - nut - 0.2);
    let tilt = between(random, 0.0, 0.8) * thread.clearance / (height + 2.0 * thread.radius);
    let aside = Vector3::new(random.signed(), random.signed(), 0.0) * tilt;
    let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * (TAU * turns));
    let half = Translation3::new(0.0, 0.0, 0.5 * height);
    let tilted = half * UnitQuaternion::from_scaled_axis(aside) * half.inverse();
    Translation3::new(0.0, 0.0, thread.pitch * turns) * tilted * turn
}

/// Returns an offset of the nut: along the axis, across it, or both.
fn offset(thread: &Thread, random: &mut Random) -> Vector3<f64> {
    let direction = match random.index(3) {
        0 => Vector3::z() * random.sign(),
        1 => {
            let across = random.direction();
            Vector3::new(across.x, across.y, 0.0).normalize()
        }
        _ => random.direction(),
    };
    direction * (thread.clearance * between(random, 0.3, FARTHEST))
}

fn verdict(case: &Case, thread: &Thread, offset: &Vector3<f64>) -> anyhow::Result<Verdict> {
    let contacts = case.contacts(&mut QueryScratch::default())?;
    let Some(deepest) = contacts.first() else {
        return Ok(Verdict::without_manifold());
    };
    let way_back = offset.norm();
    let play = FARTHEST * thread.clearance;
    let verdict = Verdict { ratio: Some(deepest.depth / way_back), ..Verdict::of(deepest) };
    let (error, offset) = (moment_error(&contacts, thread), [offset.x, offset.y, offset.z]);
    Ok(verdict
        .check(deepest.depth > 1.1 * way_back, "longer", || {
            format!("a way back of {way_back:.6} frees the nut, offset {offset:.6?}")
        })
        .check(deepest.depth > 1.1 * play, "beyond", || format!("the play is {play:.6}"))
        .remark(error > 0.1, "moment", || {
            format!("the moment about the axis is {error:.3} of the force times the radius off")
        }))
}

/// Returns how far the points' moment about the bolt's axis is from the moment that its thread
/// gives, over the sum of forces times the radius.
///
/// A surface that a screw motion keeps gives the moment −pitch / 2π times the axial force on
/// itself, whatever part of it is pressed.
fn moment_error(contacts: &[Contact], thread: &Thread) -> f64 {
    let (mut moment, mut axial, mut sum) = (0.0, 0.0, 0.0);
    for point in contacts.iter().flat_map(|c| &c.points) {
        let force = point.normal * point.weight;
        moment += point.at.x * force.y - point.at.y * force.x;
        axial += force.z;
        sum += force.norm();
    }
    (moment + thread.pitch / TAU * axial).abs() / (sum * thread.radius)
}
