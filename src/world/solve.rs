//! The solver: rows out, impulses back.

use impinge_contacts::{ContactRow, Impulse, RowSide, Solver, SurfaceMotion};
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
        if !(dt.is_finite() && dt > 0.0) {
            return Err(SolveError::Dt { dt });
        }
        let World { state, rows, impulses, materials, .. } = self;
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
        impinge_contacts::rows(&state.manifolds, side, materials, rows);
        impulses.clear();
        impulses.extend(rows.iter().map(|row| row.warm));
        solver.solve(rows, impulses, dt).map_err(SolveError::Solver)?;
        let totals = solver.total_impulses();
        totals.map_or(Ok(()), |totals| impinge_contacts::check_totals(totals, rows.len()))?;
        impinge_contacts::write_back(impulses, &mut state.manifolds)?;
        state.remember_impulses();
        state.events.solved(&state.manifolds, totals);
        Ok(())
    }

    /// The rows that the last [`World::solve`] handed out.
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
