//! A step in which some bodies are fast.

use impinge::{Impulse, SolveError, Solver};

use super::Simulator;
use crate::SimulatorError;
use crate::body::Body;
use crate::fast;
use crate::solver::Substeps;
use crate::summary::StepSummary;

impl Simulator {
    /// Solves the step of a simulator in which some bodies are fast: where many would pass through each other again and again, with
    /// points there.
    pub(super) fn solve_swept(
        &mut self,
        awake: bool,
        dt: f64,
        summary: &mut StepSummary,
    ) -> Result<(), SimulatorError> {
        let rows = self.world.prepare_rows(dt).map_err(SolveError::of_solver)?.to_vec();
        let mut impulses: Vec<Impulse> = rows.iter().map(|row| row.warm).collect();
        let mut before: Vec<Option<Body>> = self.body_set.slots().map(|body| body.cloned()).collect();
        let mut ahead = Vec::new();
        let mut last_dt = self.last_dt;
        let mut last = None;
        for round in 0..=fast::ROUNDS {
            let mut solver = Substeps {
                body_set: &mut self.body_set,
                settings: &self.settings,
                rolling: &mut self.rolling,
                hinges: &mut self.hinges,
                last_dt,
                ahead: &ahead,
                rows: 0,
                deepest: 0.0,
                scratch: &mut self.solver,
            };
            if awake {
                solver.solve(&rows, &mut impulses, dt).map_err(SolveError::Solver)?;
            }
            (summary.rows, summary.deepest) = (solver.rows, solver.deepest);
            self.body_set.slots_mut().flatten().for_each(|body| body.move_kinematic(dt));
            let travellers = fast::travellers(&self.body_set, &self.starts, dt);
            if travellers.is_empty() {
                break;
            }
            let found = fast::impacts_since(&mut self.world, &self.body_set, &travellers, last.take())?;
            if found.is_empty() {
                break;
            }
            let (world, bodies, step) = (&mut self.world, &mut self.body_set, (&self.settings, dt));
            if round == 0 && fast::are_few(world, bodies, &travellers) {
                summary.impacts += fast::go_on(world, bodies, travellers, found, step)?;
                break;
            }
            if round == fast::ROUNDS {
                summary.impacts += fast::stop(world, bodies, &travellers, found, step)?;
                break;
            }
            summary.impacts += found.len() as u64;
            self.body_set.restore(&before);
            fast::wake(&mut self.body_set, &found, &self.settings, dt);
            before.clear();
            before.extend(self.body_set.slots().map(|body| body.cloned()));
            let points =
                fast::points_ahead(&self.world, &self.starts, &self.body_set, &found, &self.settings)?;
            ahead.extend(points);
            last = Some((travellers, found));
            last_dt = dt;
        }
        if awake {
            let totals = self.solver.totals();
            self.world.store_impulses(&impulses, Some(totals)).map_err(SolveError::of_solver)?;
        }
        Ok(())
    }
}
