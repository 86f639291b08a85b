//! The solver: rows out, impulses back.

use std::convert::Infallible;

use impinge_contacts::{ContactError, ContactRow, Impulse, RowSide, Solver, SurfaceMotion};
use impinge_geometry::ColliderId;

use super::StepState;
use super::surface_motion::surface_motion;
use crate::{SolveError, World};

impl World {
    /// Hands the contacts of the last step to a solver and keeps the impulses it finds: the next step's
    /// rows carry them for warm starting. [`World::contacts`] and [`World::events`] have them from now on, and
    /// listeners for [`impulses_above`](crate::Subscription::impulses_above) a limit are told.
    ///
    /// # Errors
    /// [`SolveError`]; the impulses kept so far stay.
    pub fn solve<S: Solver>(&mut self, solver: &mut S, dt: f64) -> Result<(), SolveError<S::Error>> {
        self.make_rows(dt)?;
        let World { rows, impulses, .. } = self;
        impulses.clear();
        impulses.extend(rows.iter().map(|row| row.warm));
        solver.solve(rows, impulses, dt).map_err(SolveError::Solver)?;
        let impulses = std::mem::take(impulses);
        let stored = self.keep_impulses(&impulses, solver.total_impulses());
        self.impulses = impulses;
        Ok(stored?)
    }

    /// The contacts of the last step as rows for a solve over `dt` (s), for a solver that cannot be called back by
    /// [`World::solve`], or that solves several times before it is content: what it finds in the end is handed to
    /// [`World::store_impulses`].
    ///
    /// # Errors
    /// [`SolveError::Dt`].
    pub fn prepare_rows(&mut self, dt: f64) -> Result<&[ContactRow], SolveError<Infallible>> {
        self.make_rows(dt)?;
        Ok(&self.rows)
    }

    /// Keeps the impulses (N·s) that were found for the rows of the last [`World::prepare_rows`], in their order, as
    /// [`World::solve`] does; `totals` as [`Solver::total_impulses`] has them.
    ///
    /// # Errors
    /// [`SolveError::Impulses`]: another number of them than of rows, or one that is not a number; the impulses kept so far stay.
    pub fn store_impulses(
        &mut self,
        impulses: &[Impulse],
        totals: Option<&[f64]>,
    ) -> Result<(), SolveError<Infallible>> {
        Ok(self.keep_impulses(impulses, totals)?)
    }

    fn make_rows<E>(&mut self, dt: f64) -> Result<(), SolveError<E>> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(SolveError::Dt { dt });
        }
        let World { state, rows, materials, pool, .. } = self;
        let state = &mut **state;
        let colliders = &state.colliders;
        let side = |id: ColliderId| {
            let held = colliders.get(id.index, id.generation).map(|held| &held.collider);
            RowSide {
                material: held.map_or_else(Default::default, |c| c.material),
                user_data: held.map_or(0, |c| c.user_data),
                surface: held.map_or(SurfaceMotion::STILL, |c| surface_motion(c, dt)),
            }
        };
        let manifolds = &state.manifolds;
        if manifolds.len() > impinge_contacts::ROWS_WORTH_SHARING {
            pool.install(|| impinge_contacts::rows(manifolds, side, materials, rows));
        } else {
            impinge_contacts::rows(manifolds, side, materials, rows);
        }
        Ok(())
    }

    fn keep_impulses(&mut self, impulses: &[Impulse], totals: Option<&[f64]>) -> Result<(), ContactError> {
        let state = &mut *self.state;
        totals.map_or(Ok(()), |totals| impinge_contacts::check_totals(totals, self.rows.len()))?;
        impinge_contacts::write_back(impulses, &mut state.manifolds)?;
        state.remember_impulses();
        state.events.solved(&state.manifolds, totals);
        Ok(())
    }

    /// The rows that the last [`World::solve`] or [`World::prepare_rows`] handed out.
    pub fn rows(&self) -> &[ContactRow] {
        &self.rows
    }
}

impl StepState {
    /// Copies the manifolds' impulses into the pairs' memories, which hold the same manifolds in the same
    /// order, less those of colliders removed since and those that hooks have dropped.
    fn remember_impulses(&mut self) {
        let hooked = self.hooks.are_set();
        let mut solved = &self.manifolds[..];
        for memory in self.memories.slots() {
            let count = solved.iter().take_while(|m| m.colliders == memory.colliders).count();
            let (own, rest) = solved.split_at(count);
            solved = rest;
            if own.is_empty() && !hooked {
                continue;
            }
            for (m, kept) in memory.manifolds.iter_mut().enumerate() {
                let normal = kept.normal;
                for (p, point) in kept.points.iter_mut().enumerate() {
                    let same = own.get(m).filter(|s| s.subshapes == kept.subshapes);
                    let same = same.and_then(|s| Some((s, s.points.get(p).filter(|q| q.key == point.key)?)));
                    // A hook may have dropped manifolds or points before this one.
                    let moved = || {
                        let mut others = own.iter().filter(|s| s.subshapes == kept.subshapes);
                        others.find_map(|s| Some((s, s.points.iter().find(|q| q.key == point.key)?)))
                    };
                    // At a seam the manifold has another normal than the pair's own.
                    let own_normal = point.tilted(&normal);
                    point.impulse = same.or_else(moved).map_or_else(Impulse::default, |(manifold, point)| {
                        point.impulse.turned(&manifold.normal_at(point), &own_normal)
                    });
                }
            }
            memory.contacts.store(&memory.manifolds);
        }
    }
}
