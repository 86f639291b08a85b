//! Colliders that move between two steps: none passes through another.

mod groups;
mod lift;
mod movers;

use impinge_geometry::{ColliderId, Motion, MotionError};
use impinge_midphase::PreparedShape;
use nalgebra::Point3;
use rayon::prelude::*;

use super::{StepState, World, id_at};
use crate::clock::Stopwatch;
use crate::query::{Impact, PairPoses, PairSweep, QueryScratch, SweptShapes, default_gap, shapes_touch};
use crate::{MotionReport, WorldError};

use groups::Groups;
use lift::{displaced, lifted};
use movers::{Mover, SweptPair, movers, swept_pairs};

/// What grazes is followed past this many places in a motion, B displaced by two gaps, then four, and so on.
const GRAZES: u32 = 3;

/// What approaches more slowly than this part of the fastest motion grazes.
const STILL: f64 = 1e-9;

/// What kind of meeting an impact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImpactState {
    /// They were apart, and meet.
    Meeting,
    /// They touched in the last step, and go deeper than their contacts or meet elsewhere. B was swept from where
    /// its contacts let it stand free of A: the time may be late by what it was displaced for that, at most.
    Displaced,
    /// They come nearer than the gap that is left at impacts, do not approach each other there, and go no deeper than a few gaps
    /// from then on: it stops nothing.
    Grazing,
    /// They touch at the start and no small translation frees B, such as a peg in its hole: their motion against each other was not
    /// looked at, and is the contacts' affair. Stops nothing.
    Wedged,
}

/// Two colliders that meet on their paths; see [`World::impacts`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderImpact {
    /// The colliders, the lower slot first: A and B.
    pub colliders: [ColliderId; 2],
    /// When and where. Of wedged colliders only the subshapes are known, at time 0.
    pub impact: Impact,
    /// How fast they approach each other along the normal at the points (m per motion); negative where they part.
    pub speed: f64,
    /// What kind of meeting it is.
    pub state: ImpactState,
    /// Whether one of them is a sensor: it stops nothing.
    pub sensor: bool,
}

/// Paths until the next [`World::step_motion`], and the answers of the last.
#[derive(Debug, Default)]
pub(crate) struct Motions {
    /// By slot and generation.
    paths: Vec<(ColliderId, Motion)>,
    impacts: Vec<ColliderImpact>,
    /// How far each collider that had a path came, sorted by its slot.
    reached: Vec<(ColliderId, f64)>,
}

impl World {
    /// Marks a collider as fast ([`Collider::fast`](crate::Collider::fast)), or not.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn set_fast(&mut self, id: ColliderId, fast: bool) -> Result<(), WorldError> {
        self.state.collider_mut(id)?.collider.fast = fast;
        Ok(())
    }

    /// Says how a collider is to move in the next [`World::step_motion`]. It is placed at the motion's first pose; nothing
    /// moves it on but [`World::set_pose`].
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], or [`WorldError::Motion`].
    pub fn set_path(&mut self, id: ColliderId, motion: Motion) -> Result<(), WorldError> {
        let motion = motion.checked().map_err(|source| match source {
            MotionError::Start { source } => WorldError::Pose(source),
            source => WorldError::Motion(source),
        })?;
        self.set_pose(id, *motion.start())?;
        self.motions.paths.push((id, motion));
        Ok(())
    }

    /// Sweeps every pair of which one is [fast](crate::Collider::fast) and one has a [path](World::set_path), and finds where
    /// they first meet, and how far every collider may go ([`World::reached`]). Paths are used up.
    ///
    /// Pairs that touch where they begin (by the manifolds of the last step) are swept from where their contacts let them stand free, so
    /// that what rests or slides is not stopped, and what goes through is. Answers are the same to the last bit for any
    /// number of threads.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let plate = world.add_shape(Shape::cuboid([1.0, 1.0, 0.001])?)?;
    /// let ball = world.add_shape(Shape::sphere(0.05)?)?;
    /// world.add_collider(Collider::new(plate).fixed(true))?;
    /// let bullet = world.add_collider(Collider::new(ball).position([0.0, 0.0, 5.0]).fast(true))?;
    ///
    /// let shot = Motion::translation(world.pose(bullet)?, Vector3::new(0.0, 0.0, -10.0));
    /// world.set_path(bullet, shot)?;
    /// let report = world.step_motion();
    /// assert_eq!(report.impacts, 1);
    /// let impact = &world.impacts()[0];
    /// assert!((impact.impact.normal.z - 1.0).abs() < 1e-9);
    /// // It stops above the plate.
    /// let stopped = shot.pose(world.reached(bullet));
    /// assert!((stopped.translation.z - 0.051).abs() < 1e-5);
    /// world.set_pose(bullet, stopped)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn step_motion(&mut self) -> MotionReport {
        let span = tracing::info_span!(
            "impinge::step_motion",
            movers = tracing::field::Empty,
            pairs = tracing::field::Empty,
            impacts = tracing::field::Empty,
        );
        let _entered = span.enter();
        let started = Stopwatch::start();
        let paths = std::mem::take(&mut self.motions.paths);
        let pool = &*self.pool;
        let state = &mut *self.state;
        let movers = movers(&state.colliders, paths);
        let pairs = swept_pairs(state, pool, &movers);
        let state = &*state;
        let found: Vec<Option<ColliderImpact>> = pool.install(|| {
            let sweep =
                |scratch: &mut QueryScratch, pair: &SweptPair| sweep_pair(state, &movers, pair, scratch);
            pairs.par_iter().with_max_len(8).map_init(QueryScratch::default, sweep).collect()
        });
        let mut groups = Groups::new(movers.len());
        let is_sensor = |slot: u32| state.colliders.at(slot).is_some_and(|held| held.collider.sensor);
        for pair in pairs.iter().filter(|pair| !pair.slots.iter().any(|&slot| is_sensor(slot))) {
            if let [Some(a), Some(b)] = pair.movers {
                groups.join(a, b);
            }
        }
        for (pair, impact) in pairs.iter().zip(&found) {
            let stops = |impact: &&ColliderImpact| {
                matches!(impact.state, ImpactState::Meeting | ImpactState::Displaced) && !impact.sensor
            };
            if let Some(impact) = impact.as_ref().filter(stops) {
                pair.movers.iter().flatten().for_each(|&mover| groups.stop(mover, impact.impact.time));
            }
        }
        let Motions { impacts, reached, .. } = &mut self.motions;
        impacts.clear();
        impacts.extend(found.into_iter().flatten());
        impacts.sort_by(|p, q| {
            p.impact.time.total_cmp(&q.impact.time).then_with(|| p.colliders.cmp(&q.colliders))
        });
        reached.clear();
        reached.extend(movers.iter().enumerate().map(|(k, mover)| (mover.id, groups.time(k))));
        let report = MotionReport {
            movers: movers.len() as u64,
            pairs: pairs.len() as u64,
            impacts: impacts.len() as u64,
            time: started.elapsed(),
        };
        span.record("movers", report.movers).record("pairs", report.pairs).record("impacts", report.impacts);
        report
    }

    /// What met in the last [`World::step_motion`], by time, then slots: the first meeting of each pair, sensors included.
    pub fn impacts(&self) -> &[ColliderImpact] {
        &self.motions.impacts
    }

    /// How far a collider may go on its path (0 to 1) by the last [`World::step_motion`]: to the first impact of its group, which
    /// are all colliders that may meet each other on their ways; 1 where nothing stops it.
    pub fn reached(&self, id: ColliderId) -> f64 {
        let at = self
            .motions
            .reached
            .binary_search_by_key(&(id.index, id.generation), |(id, _)| (id.index, id.generation));
        at.map_or(1.0, |at| self.motions.reached[at].1)
    }
}

/// No point of one shape comes nearer to one of the other faster (m per motion).
fn fastest(motions: &[Motion; 2], shapes: [&PreparedShape; 2]) -> f64 {
    let turning = |k: usize| {
        let sphere = shapes[k].sphere();
        let arm = (sphere.center.cast::<f64>() - motions[k].center()).norm() + f64::from(sphere.radius);
        let angle = motions[k].rotation_vector().norm();
        if angle > 0.0 { angle * arm } else { 0.0 }
    };
    (motions[1].way() - motions[0].way()).norm() + turning(0) + turning(1)
}

/// How a pair first meets.
fn sweep_pair(
    state: &StepState,
    movers: &[Mover],
    pair: &SweptPair,
    scratch: &mut QueryScratch,
) -> Option<ColliderImpact> {
    let held = [0, 1].map(|k| state.colliders.at(pair.slots[k]));
    let [Some(a), Some(b)] = held else { return None };
    let still = [a, b].map(|held| Motion::still(held.collider.pose));
    let motions = [0, 1].map(|k| pair.movers[k].map_or(still[k], |mover| movers[mover].motion));
    let shapes = [&*a.prepared, &*b.prepared];
    let sensor = a.collider.sensor || b.collider.sensor;
    let colliders = pair.slots.map(|slot| id_at(&state.colliders, slot));
    let gap = default_gap(shapes);
    let meeting = |impact: Impact, state: ImpactState, motions: &[Motion; 2]| ColliderImpact {
        colliders,
        impact,
        speed: closing_speed(motions, &impact),
        state,
        sensor,
    };
    let start = SweptShapes { shapes, motions: motions.each_ref(), gap };
    let (mut moved, mut found) = (motions, start.first(1.0, scratch));
    let mut kind = ImpactState::Meeting;
    if let PairSweep::AtStart { subshapes } = found {
        let wedged = Impact::wedged(&motions, subshapes);
        let wedged =
            ColliderImpact { colliders, impact: wedged, speed: 0.0, state: ImpactState::Wedged, sensor };
        // A sensor has no contacts that could lift it; that it touches is known.
        if sensor {
            return Some(wedged);
        }
        let contacts = state.manifolds.iter().filter(|m| m.colliders.map(|id| id.index) == pair.slots);
        let face = start.touched_normal(subshapes);
        let Some(motion) = lifted(contacts, face, shapes, &motions, gap, scratch) else {
            return Some(wedged);
        };
        moved[1] = motion;
        kind = ImpactState::Displaced;
        found = SweptShapes { shapes, motions: moved.each_ref(), gap }.first_apart(1.0, scratch);
    }
    let fastest = fastest(&motions, shapes);
    let mut grazed: Option<ColliderImpact> = None;
    for graze in 0..=GRAZES {
        let stopped = match found {
            PairSweep::Impact(mut impact) => {
                if impact.gap < 0.25 * gap {
                    // The next motion is to begin apart.
                    impact.time = (impact.time - 0.5 * gap / fastest).max(0.0);
                }
                meeting(impact, kind, &moved)
            }
            // Another place of B's has come to A by being displaced.
            PairSweep::AtStart { .. } => {
                return grazed.map(|grazed| ColliderImpact { state: ImpactState::Meeting, ..grazed });
            }
            PairSweep::Free => {
                let first = grazed?;
                let ends = motions.map(|motion| motion.pose(1.0));
                let touching = shapes_touch(shapes, &PairPoses::checked(ends[0], ends[1]), scratch, None);
                let state = if touching { ImpactState::Meeting } else { ImpactState::Grazing };
                return Some(ColliderImpact { state, ..first });
            }
        };
        if stopped.speed > STILL * fastest || graze == GRAZES {
            return Some(stopped);
        }
        let aside = stopped.impact.normal * (gap * f64::from(2u32 << graze));
        moved[1] = displaced(&moved[1], &aside);
        grazed = grazed.or(Some(stopped));
        found = SweptShapes { shapes, motions: moved.each_ref(), gap }.first(1.0, scratch);
    }
    grazed
}

/// How fast two bodies approach each other where they meet (m per motion).
fn closing_speed(motions: &[Motion; 2], impact: &Impact) -> f64 {
    let velocity = |k: usize, at: &Point3<f64>| {
        let motion = &motions[k];
        let center = motion.pose(impact.time) * motion.center();
        motion.way() + motion.rotation_vector().cross(&(at - center))
    };
    impact.normal.dot(&(velocity(0, &impact.on_a) - velocity(1, &impact.on_b)))
}
