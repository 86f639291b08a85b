//! What a chain meets in a world while its joints move.

use rayon::prelude::*;

use crate::chain::{Chain, ChainPartner, ChainScratch, ChainSearch, ChainSweep, SweptObstacle};
use crate::{QueryFilter, ShapeQueries, WorldError};

impl ShapeQueries<'_> {
    /// What a chain first meets on its way from one configuration to another: itself, or one of the colliders that the filter accepts,
    /// which stand still; see [`Chain::sweep`]. The chain is no part of the world: where colliders show its links, the filter has to
    /// leave them out.
    ///
    /// ```
    /// use impinge::QueryFilter;
    /// use impinge::chain::{Chain, ChainPartner};
    /// use impinge::geometry::Joint;
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let wall = world.add_shape(Shape::cuboid([0.1, 2.0, 2.0])?)?;
    /// let wall = world.add_collider(Collider::new(wall).position([2.0, 0.0, 0.0]).fixed(true))?;
    ///
    /// // A slide that carries a turning bar.
    /// let bar = PreparedShape::new(&Shape::cuboid([0.5, 0.05, 0.05])?);
    /// let joints = [Joint::prismatic(Vector3::x()), Joint::revolute(Vector3::z()).on(0)];
    /// let arm = Chain::new(vec![None, Some(bar)], &joints)?;
    /// let found = world.shape_queries().sweep_chain(&arm, &[0.0, 0.0], &[1.5, 0.0], &QueryFilter::new())?;
    /// let met = found.impact().ok_or("the wall is in the way")?;
    /// assert_eq!((met.link, met.partner), (1, ChainPartner::Collider(wall)));
    /// assert!((met.impact.time - 1.4 / 1.5).abs() < 1e-4);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Chain`].
    pub fn sweep_chain(
        &self,
        chain: &Chain,
        from: &[f64],
        to: &[f64],
        filter: &QueryFilter,
    ) -> Result<ChainSweep, WorldError> {
        self.sweep_chain_with(chain, [from, to], filter, None, &mut ChainScratch::default())
    }

    /// As [`ShapeQueries::sweep_chain`], between two configurations, with the greatest gap (m) at the time reported, and with buffers
    /// that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn sweep_chain_with(
        &self,
        chain: &Chain,
        values: [&[f64]; 2],
        filter: &QueryFilter,
        gap: Option<f64>,
        scratch: &mut ChainScratch,
    ) -> Result<ChainSweep, WorldError> {
        let mut search = ChainSearch::begin(chain, values, gap, scratch)?;
        let found = |collider| {
            let held = self.boxes.held(collider)?;
            Some(SweptObstacle { shape: &held.prepared, pose: held.collider.pose })
        };
        for link in 0..chain.shapes().len() {
            let Some(aabb) = search.link_box(link) else { continue };
            for collider in self.boxes.intersect_aabb(&aabb, filter)? {
                if let Some(obstacle) = found(collider) {
                    search.add_to(link, ChainPartner::Collider(collider), &obstacle);
                }
            }
        }
        Ok(search.run(|partner| match partner {
            ChainPartner::Collider(collider) => found(collider),
            _ => None,
        }))
    }

    /// [`ShapeQueries::sweep_chain`] of each of many pairs of configurations, in their order, on the workers of the world.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub fn sweep_chains(
        &self,
        chain: &Chain,
        ways: &[[&[f64]; 2]],
        filter: &QueryFilter,
    ) -> Result<Vec<ChainSweep>, WorldError> {
        let sweep = |scratch: &mut ChainScratch, values: &[&[f64]; 2]| {
            self.sweep_chain_with(chain, *values, filter, None, scratch)
        };
        let answers: Vec<Result<ChainSweep, WorldError>> =
            self.pool.install(|| ways.par_iter().map_init(ChainScratch::default, sweep).collect());
        answers.into_iter().collect()
    }
}
