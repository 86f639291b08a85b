//! Steps that run while the caller does something else.
//!
//! The state of a world is one box. A step in flight moves that box to a thread of the world's own, which
//! runs the same code as [`World::step`] on the same pool: what comes out does not depend on where
//! a step was taken.

use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use rayon::{ThreadPool, Yield};
use tracing::Span;

use super::StepState;
use crate::{StepReport, World};

/// The state of a world: here, or with the thread that takes a step.
#[derive(Debug)]
pub(crate) struct StateCell {
    here: OnceLock<Box<StepState>>,
    pool: Arc<ThreadPool>,
    /// The thread, once there is one.
    jobs: Option<Sender<Job>>,
    /// Whether the system refused to give one.
    refused: bool,
    done: (Sender<Done>, Receiver<Done>),
}

/// A step to be taken.
struct Job {
    state: Box<StepState>,
    pool: Arc<ThreadPool>,
    /// The caller's span.
    span: Span,
    done: Sender<Done>,
}

/// A step that was taken, or whose hook panicked.
struct Done {
    state: Box<StepState>,
    outcome: thread::Result<StepReport>,
}

impl StateCell {
    pub fn new(state: StepState, pool: Arc<ThreadPool>) -> StateCell {
        StateCell {
            here: OnceLock::from(Box::new(state)),
            pool,
            jobs: None,
            refused: false,
            done: bounded(1),
        }
    }

    /// Sends the state off to take a step. Where the system has no thread to give, the step is taken at once.
    fn begin(&mut self) -> Option<StepReport> {
        let Some(jobs) = self.jobs() else {
            let pool = Arc::clone(&self.pool);
            return Some(self.step(&pool));
        };
        self.land();
        let state = self.here.take()?;
        let (pool, done) = (Arc::clone(&self.pool), self.done.0.clone());
        // The thread lives as long as a sender.
        let _ = jobs.send(Job { state, pool, span: Span::current(), done });
        None
    }

    fn jobs(&mut self) -> Option<Sender<Job>> {
        if self.jobs.is_none() && !self.refused {
            let (sender, receiver) = bounded(1);
            let spawned =
                thread::Builder::new().name("impinge-step".to_owned()).spawn(|| take_steps(receiver));
            match spawned {
                Ok(_) => self.jobs = Some(sender),
                Err(error) => {
                    tracing::warn!(%error, "no thread for steps in flight: they are taken at once");
                    self.refused = true;
                }
            }
        }
        self.jobs.clone()
    }

    /// Whether the state is here, or need only be picked up.
    fn is_done(&self) -> bool {
        self.here.get().is_some() || !self.done.1.is_empty()
    }

    /// Waits for the state, and gives what became of the step; `None` where the state is here.
    fn land(&mut self) -> Option<thread::Result<StepReport>> {
        if self.here.get().is_some() {
            return None;
        }
        let Done { state, outcome } = self.wait();
        self.here = OnceLock::from(state);
        Some(outcome)
    }

    /// Waits for the end of the step. A worker of the pool works meanwhile, so that the step can end.
    fn wait(&self) -> Done {
        loop {
            if let Ok(done) = self.done.1.try_recv() {
                return done;
            }
            match self.pool.yield_now() {
                Some(Yield::Executed) => {}
                Some(Yield::Idle) => thread::yield_now(),
                None => {
                    if let Ok(done) = self.done.1.recv() {
                        return done;
                    }
                }
            }
        }
    }
}

/// A state that a forgotten [`StepInFlight`] left under way is waited for.
impl Deref for StateCell {
    type Target = StepState;

    fn deref(&self) -> &StepState {
        self.here.get_or_init(|| self.wait().state)
    }
}

impl DerefMut for StateCell {
    fn deref_mut(&mut self) -> &mut StepState {
        let _ = self.land();
        match self.here.get_mut() {
            Some(state) => state,
            None => unreachable!("a state that has landed is here"),
        }
    }
}

fn take_steps(jobs: Receiver<Job>) {
    for Job { mut state, pool, span, done } in jobs {
        let outcome = span.in_scope(|| catch_unwind(AssertUnwindSafe(|| state.step(&pool))));
        // A world that was dropped meanwhile does not ask for its state.
        let _ = done.send(Done { state, outcome });
    }
}

impl World {
    /// Begins a step and returns: it runs on the pool (and on the GPU) while the caller does other work, and
    /// [`StepInFlight::finish`] gives its report. The answer is that of [`World::step`], to the last bit.
    ///
    /// The world cannot be used until then, which the compiler sees to. Work that the caller hands to the
    /// same pool shares its workers with the step. The first call starts a thread, which sleeps between steps.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// world.add_collider(Collider::new(ball))?;
    /// world.add_collider(Collider::new(ball).position([0.9, 0.0, 0.0]))?;
    ///
    /// let step = world.begin_step();
    /// let sounds_mixed = 1 + 1; // work of the caller's
    /// let report = step.finish();
    /// assert_eq!((sounds_mixed, report.counts.manifolds), (2, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```compile_fail
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut world = impinge::World::builder().build()?;
    /// let step = world.begin_step();
    /// let early = world.manifolds(); // the world is borrowed by the step
    /// step.finish();
    /// # Ok(())
    /// # }
    /// ```
    pub fn begin_step(&mut self) -> StepInFlight<'_> {
        let report = self.state.begin();
        StepInFlight { state: &mut self.state, report }
    }
}

/// A step that is under way; see [`World::begin_step`]. Dropping it waits for the end of the step, too. (One
/// that is forgotten by [`std::mem::forget`] is waited for by the next call of the world.)
#[derive(Debug)]
#[must_use = "dropping it waits for the end of the step"]
pub struct StepInFlight<'w> {
    state: &'w mut StateCell,
    /// Of a step that was taken at once.
    report: Option<StepReport>,
}

impl StepInFlight<'_> {
    /// Whether [`StepInFlight::finish`] would return at once.
    pub fn is_finished(&self) -> bool {
        self.state.is_done()
    }

    /// Waits for the end of the step.
    ///
    /// # Panics
    /// Where a hook panicked in the step.
    pub fn finish(mut self) -> StepReport {
        match self.state.land() {
            Some(Ok(report)) => report,
            Some(Err(panic)) => resume_unwind(panic),
            None => self.report.take().unwrap_or_default(),
        }
    }
}

impl Drop for StepInFlight<'_> {
    fn drop(&mut self) {
        if let Some(Err(panic)) = self.state.land()
            && !thread::panicking()
        {
            resume_unwind(panic);
        }
    }
}
