//! Colliders that move between two steps: none passes through another.

mod groups;
mod lift;
mod movers;
mod sweep;

use impinge_geometry::{ColliderId, Motion, MotionError, PartId};
use rayon::prelude::*;

use super::World;
use crate::clock::Stopwatch;
use crate::query::{Impact, QueryScratch};
use crate::{MotionReport, WorldError};

use groups::Groups;
use movers::{SweptPair, movers, swept_pairs};
use sweep::sweep_pair;

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
    /// The gap that the sweep leaves at most (m): 1e-4 of the smaller one's radius.
    pub tolerance: f64,
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
        let held = self.state.collider_mut(id)?;
        if held.collider.fast != fast {
            held.collider.fast = fast;
            self.state.mark(id.index);
        }
        Ok(())
    }

    /// Says how a collider is to move in the next [`World::step_motion`]. It is placed at the motion's first pose; nothing
    /// moves it on but [`World::set_pose`].
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], or [`WorldError::Motion`].
    pub fn set_path(&mut self, id: ColliderId, motion: Motion) -> Result<(), WorldError> {
        let motion = usable_motion(motion)?;
        self.set_pose(id, *motion.start())?;
        self.motions.paths.push((id, motion));
        Ok(())
    }

    /// Says how a part is to move in the next [`World::step_motion`], as [`World::set_path`] does of a collider. Its members stop together, so that
    /// [`World::reached`] is the same of all.
    ///
    /// # Errors
    /// [`WorldError::UnknownPart`], or [`WorldError::Motion`], also for the motion of a member.
    pub fn set_part_path(&mut self, part: PartId, motion: Motion) -> Result<(), WorldError> {
        let motion = usable_motion(motion)?;
        let members = self.members(part)?;
        let paths =
            members.into_iter().map(|(id, offset)| Ok((id, usable_motion(motion.of_child(&offset))?)));
        let paths: Vec<_> = paths.collect::<Result<_, WorldError>>()?;
        self.set_part_pose(part, *motion.start())?;
        self.motions.paths.extend(paths);
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
        self.sweep_all(None)
    }

    /// As [`World::step_motion`], of the pairs of which one is among some colliders: for paths that were swept before, of which
    /// only these have changed. [`World::impacts`] has their impacts, and [`World::reached`] is by these alone.
    pub fn step_motion_of(&mut self, changed: &[ColliderId]) -> MotionReport {
        let mut changed: Vec<u32> = changed.iter().map(|id| id.index).collect();
        changed.sort_unstable();
        self.sweep_all(Some(&changed))
    }

    /// Sweeps the pairs of which one is among the slots of `changed`, which are sorted; all where none are named.
    fn sweep_all(&mut self, changed: Option<&[u32]>) -> MotionReport {
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
        let mut pairs = swept_pairs(state, pool, &movers);
        if let Some(changed) = changed {
            pairs.retain(|pair| pair.slots.iter().any(|slot| changed.binary_search(slot).is_ok()));
        }
        let state = &*state;
        let found: Vec<Option<ColliderImpact>> = pool.install(|| {
            let sweep =
                |scratch: &mut QueryScratch, pair: &SweptPair| sweep_pair(state, &movers, pair, scratch);
            pairs.par_iter().with_max_len(8).map_init(QueryScratch::default, sweep).collect()
        });
        let mut groups = Groups::new(movers.len());
        groups.join_parts(movers.iter().map(|mover| state.collider(mover.id).ok()?.collider.of));
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

fn usable_motion(motion: Motion) -> Result<Motion, WorldError> {
    motion.checked().map_err(|source| match source {
        MotionError::Start { source } => WorldError::Pose(source),
        source => WorldError::Motion(source),
    })
}
