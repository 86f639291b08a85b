//! The dispatcher that stands before rapier's own.

use std::sync::Arc;

use impinge::query::Lookahead;
use impinge::{PairDistance, PairQuery, QuerySettings};
use nalgebra::Isometry3;
use rapier3d::geometry::{NarrowPhase, Shape, SharedShape};
use rapier3d::math::{Pose, Real, Vector};
use rapier3d::parry::query::details::{ContactManifoldsWorkspace, NormalConstraints, ShapeCastOptions};
use rapier3d::parry::query::{
    ClosestPoints, Contact, ContactManifold, DefaultQueryDispatcher, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeDistance, ShapeIntersection, Unsupported,
};

use crate::casts;
use crate::manifolds::{frame, write};
use crate::pair::FollowedPair;
use crate::scratch::with_scratch;
use crate::shapes::{KnownShape, ShapeCache};

/// Answers pairs with a closed triangle mesh, and leaves all else to the next dispatcher in the chain.
/// Clones share what was made ready.
///
/// Shapes are recognised by their contents when a pair begins. A query that is not part of a step (a cast, a distance)
/// recognises its shapes each time, at about 10 ns a vertex, unless they were named by [`MeshDispatcher::add`].
#[derive(Clone, Debug)]
pub struct MeshDispatcher {
    shapes: Arc<ShapeCache>,
    settings: QuerySettings,
    /// Of the integration parameters (m): what rapier asks for beyond it are skins, and soft CCD.
    prediction: Real,
}

impl Default for MeshDispatcher {
    fn default() -> MeshDispatcher {
        MeshDispatcher::new(0.02)
    }
}

impl MeshDispatcher {
    /// For a world with this prediction distance (length units; `IntegrationParameters::prediction_distance`).
    pub fn new(prediction: Real) -> MeshDispatcher {
        MeshDispatcher { shapes: Arc::default(), settings: QuerySettings::default(), prediction }
    }

    /// With these settings of pairs: resolution, points and manifolds. A margin set here is not used: rapier gives one
    /// with each call.
    ///
    /// # Errors
    /// [`impinge::BuildError::Setting`] for settings out of range.
    pub fn with_settings(mut self, settings: QuerySettings) -> Result<MeshDispatcher, impinge::BuildError> {
        let dot = impinge::parry::prepared(&rapier3d::geometry::Ball::new(1.0));
        if let Ok(dot) = dot {
            PairQuery::between(&dot, &dot).with_settings(settings)?;
        }
        self.settings = settings.margin(0.0);
        Ok(self)
    }

    /// A narrow phase that asks this dispatcher first, and then rapier's own.
    pub fn narrow_phase(&self) -> NarrowPhase {
        NarrowPhase::with_query_dispatcher(self.clone().chain(DefaultQueryDispatcher))
    }

    /// Makes a shape ready before anything meets it, and recognises it by its address from then on. Whether it is answered here;
    /// `false` for open meshes and whatever else is left to rapier.
    pub fn add(&self, shape: &SharedShape) -> bool {
        self.shapes.name(shape, true)
    }

    /// Leaves this shape to rapier from the next pair on: a closed mesh that is meant to be hollow.
    pub fn leave(&self, shape: &SharedShape) {
        self.shapes.name(shape, false);
    }

    /// Drops what was made ready for shapes that no pair uses, and shapes named that nothing else holds any more; returns how many
    /// are left. (Of those in no use 64 are kept for the next pair.)
    pub fn prune(&self) -> usize {
        self.shapes.prune()
    }

    /// Both shapes made ready, if the pair is ours.
    fn known(&self, g1: &dyn Shape, g2: &dyn Shape) -> Result<[Arc<KnownShape>; 2], Unsupported> {
        if g1.as_trimesh().is_none() && g2.as_trimesh().is_none() {
            return Err(Unsupported);
        }
        let known = |shape| self.shapes.find(shape).ok_or(Unsupported);
        Ok([known(g1)?, known(g2)?])
    }

    fn query_of(&self, shapes: &[Arc<KnownShape>; 2]) -> Result<PairQuery, Unsupported> {
        let query = PairQuery::between(&shapes[0].prepared, &shapes[1].prepared);
        query.with_settings(self.settings).map_err(|_| Unsupported)
    }

    fn query(&self, g1: &dyn Shape, g2: &dyn Shape) -> Result<PairQuery, Unsupported> {
        self.query_of(&self.known(g1, g2)?)
    }
}

impl QueryDispatcher for MeshDispatcher {
    fn intersection_test(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
    ) -> Result<ShapeIntersection, Unsupported> {
        let query = self.query(g1, g2)?;
        let touching =
            with_scratch(|scratch| query.touching_with(&Isometry3::identity(), &frame(pos12), scratch));
        let touching = touching.map_err(|_| Unsupported)?;
        Ok(ShapeIntersection::new(touching))
    }

    fn distance(&self, pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape) -> Result<ShapeDistance, Unsupported> {
        let query = self.query(g1, g2)?;
        let found =
            with_scratch(|scratch| query.distance_with(&Isometry3::identity(), &frame(pos12), scratch));
        let found = found.map_err(|_| Unsupported)?;
        Ok(ShapeDistance::new(found.distance() as Real))
    }

    fn contact(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        prediction: Real,
    ) -> Result<Option<Contact>, Unsupported> {
        casts::deepest(&self.query(g1, g2)?, pos12, prediction)
    }

    fn closest_points(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        max_dist: Real,
    ) -> Result<ClosestPoints, Unsupported> {
        let query = self.query(g1, g2)?;
        let bound = f64::from(max_dist);
        let found =
            query.distance_within(&Isometry3::identity(), &frame(pos12), bound).map_err(|_| Unsupported)?;
        Ok(match found {
            None => ClosestPoints::Disjoint,
            Some(PairDistance::Touching { .. }) => ClosestPoints::Intersecting,
            Some(PairDistance::Apart(nearest)) => {
                let [on_1, on_2] = [nearest.local_a, nearest.local_b].map(|p| impinge::parry::to_point(&p));
                ClosestPoints::WithinMargin(on_1, on_2)
            }
        })
    }

    fn cast_shapes(
        &self,
        pos12: &Pose,
        local_vel12: Vector,
        g1: &dyn Shape,
        g2: &dyn Shape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let known = self.known(g1, g2)?;
        casts::linear(&self.query_of(&known)?, known[0].reach + known[1].reach, pos12, local_vel12, &options)
    }

    fn cast_shapes_nonlinear(
        &self,
        motion1: &NonlinearRigidMotion,
        g1: &dyn Shape,
        motion2: &NonlinearRigidMotion,
        g2: &dyn Shape,
        start_time: Real,
        end_time: Real,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        casts::nonlinear(
            &self.query(g1, g2)?,
            [motion1, motion2],
            [start_time, end_time],
            stop_at_penetration,
        )
    }
}

impl<M: Default + Clone, C: Default + Copy> PersistentQueryDispatcher<M, C> for MeshDispatcher {
    fn contact_manifolds(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        prediction: Real,
        manifolds: &mut Vec<ContactManifold<M, C>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        match workspace.as_ref().map(|workspace| workspace.0.downcast_ref::<FollowedPair>()) {
            // The pair is another dispatcher's.
            Some(None) => return Err(Unsupported),
            Some(Some(pair)) if !pair.is_of(g1, g2) => {
                // A soft body has moved its mesh: rapier has contacts of its own for those.
                (*workspace, *manifolds) = (None, Vec::new());
                return Err(Unsupported);
            }
            Some(Some(_)) => {}
            None => {
                let shapes = self.known(g1, g2)?;
                let query = self.query_of(&shapes)?;
                *workspace = Some(ContactManifoldsWorkspace::from(FollowedPair::new(shapes, &query)));
            }
        }
        let pair = workspace.as_mut().and_then(|workspace| workspace.0.downcast_mut::<FollowedPair>());
        let Some(pair) = pair else { return Err(Unsupported) };
        let prediction = prediction.max(0.0);
        let sure = (prediction - self.prediction).max(0.0);
        // What rounding leaves of the prediction is no skin.
        let sure = if sure < 1e-6 * self.prediction { 0.0 } else { sure };
        let ahead = Lookahead::new(f64::from(prediction)).skin(f64::from(sure));
        let there = frame(pos12);
        pair.contacts(&there, ahead, |found| write(found, &there, manifolds));
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        _: &Pose,
        _: &dyn Shape,
        _: &dyn Shape,
        _: Option<&dyn NormalConstraints>,
        _: Option<&dyn NormalConstraints>,
        _: Real,
        _: &mut ContactManifold<M, C>,
    ) -> Result<(), Unsupported> {
        Err(Unsupported)
    }
}
