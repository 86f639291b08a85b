//! Articulated chains: arms, legs, whole avatars whose joints move from one sample to the next. When do they first meet something?

mod answer;
mod error;
mod search;
mod swept_links;

use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{Joint, Linkage};
use nalgebra::Isometry3;

use crate::PreparedShape;
use search::{Obstacle, Search};

pub use answer::{ChainImpact, ChainPartner, ChainSweep};
pub use error::ChainError;
pub use search::ChainScratch;
pub(crate) use search::{Obstacle as SweptObstacle, Search as ChainSearch};

/// Links with shapes that joints connect to a tree, ready to be asked about at many configurations.
///
/// A configuration has a value for each revolute (rad) and prismatic (m) joint, in the order of the links. From one to the next all
/// joints move evenly.
///
/// ```
/// use impinge::chain::{Chain, ChainObstacle, ChainPartner};
/// use impinge::geometry::Joint;
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Two bars of a metre, each turning about z at its end.
/// let bar = Shape::composite(vec![(Isometry3::translation(0.5, 0.0, 0.0), Shape::cuboid([0.45, 0.05, 0.05])?)])?;
/// let bar = PreparedShape::new(&bar);
/// let elbow = Joint::revolute(Vector3::z()).on(0).at(Isometry3::translation(1.0, 0.0, 0.0));
/// let arm = Chain::new(vec![Some(bar.clone()), Some(bar)], &[Joint::revolute(Vector3::z()), elbow])?;
/// assert_eq!(arm.poses(&[0.0, 0.0])?[1].translation.x, 1.0);
///
/// let ball = PreparedShape::new(&Shape::sphere(0.2)?);
/// let ball = ChainObstacle { shape: &ball, pose: Isometry3::translation(1.2, 1.2, 0.0) };
/// let found = arm.sweep(&[0.0, 0.0], &[1.5, 0.3], &[ball])?;
/// let met = found.impact().ok_or("it is in the way")?;
/// assert_eq!((met.link, met.partner), (1, ChainPartner::Obstacle(0)));
/// assert!(met.impact.gap < 1e-4);
/// assert!(arm.sweep(&[0.0, 0.0], &[-1.5, 0.3], &[ball])?.time().is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    linkage: Linkage,
    shapes: Vec<Option<PreparedShape>>,
    /// The links that are tested against each other, the lower first.
    pairs: Vec<[usize; 2]>,
}

/// A shape that stands still in a chain's way.
#[derive(Clone, Copy, Debug)]
pub struct ChainObstacle<'s> {
    /// The shape.
    pub shape: &'s PreparedShape,
    /// Where it stands (m, world).
    pub pose: Isometry3<f64>,
}

impl Chain {
    /// Of the shapes of its links, in their own frames, and the joints that carry them. A link without a shape meets nothing: several
    /// joints in one place are a ball joint, and three prismatic ones below them set the chain free.
    ///
    /// Neighbours are not tested against each other: a link and the next one with a shape on the way to the base.
    /// [`Chain::without_pair`] leaves out others.
    ///
    /// # Errors
    /// [`ChainError::Linkage`], [`ChainError::Shapes`], or [`ChainError::Unbounded`].
    pub fn new(links: Vec<Option<PreparedShape>>, joints: &[Joint]) -> Result<Chain, ChainError> {
        let linkage = Linkage::new(joints)?;
        if links.len() != joints.len() {
            return Err(ChainError::Shapes { shapes: links.len(), joints: joints.len() });
        }
        let is_unbounded =
            |shape: &PreparedShape| shape.stages().parts().iter().any(|part| !part.sphere.radius.is_finite());
        if let Some(link) = links.iter().position(|shape| shape.as_ref().is_some_and(is_unbounded)) {
            return Err(ChainError::Unbounded { link });
        }
        // The next link with a shape on the way to the base.
        let neighbour = |link: usize| {
            let mut at = linkage.joints()[link].parent();
            while let Some(parent) = at.filter(|&parent| links[parent].is_none()) {
                at = linkage.joints()[parent].parent();
            }
            at
        };
        let shaped = |link: &usize| links[*link].is_some();
        let mut pairs = Vec::new();
        for a in (0..links.len()).filter(shaped) {
            for b in (a + 1..links.len()).filter(shaped) {
                if neighbour(a) != Some(b) && neighbour(b) != Some(a) {
                    pairs.push([a, b]);
                }
            }
        }
        Ok(Chain { linkage, shapes: links, pairs })
    }

    /// Stands the chain elsewhere (m, world; default: at the origin).
    ///
    /// # Errors
    /// [`ChainError::Linkage`].
    pub fn based_at(mut self, base: &Isometry3<f64>) -> Result<Chain, ChainError> {
        self.linkage = self.linkage.based_at(base)?;
        Ok(self)
    }

    /// Leaves two links untested against each other.
    ///
    /// # Errors
    /// [`ChainError::UnknownLink`].
    pub fn without_pair(mut self, a: usize, b: usize) -> Result<Chain, ChainError> {
        let links = self.shapes.len();
        if let Some(&link) = [a, b].iter().find(|&&link| link >= links) {
            return Err(ChainError::UnknownLink { link, links });
        }
        self.pairs.retain(|pair| *pair != [a.min(b), a.max(b)]);
        Ok(self)
    }

    /// The joints, and where they lead.
    pub fn linkage(&self) -> &Linkage {
        &self.linkage
    }

    /// The shapes of the links.
    pub fn shapes(&self) -> &[Option<PreparedShape>] {
        &self.shapes
    }

    /// The links that are tested against each other, the lower first.
    pub fn pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    /// Where the links stand in a configuration (m, world).
    ///
    /// # Errors
    /// [`ChainError::Linkage`].
    pub fn poses(&self, values: &[f64]) -> Result<Vec<Isometry3<f64>>, ChainError> {
        self.linkage.check(values)?;
        let mut poses = Vec::new();
        self.linkage.poses(values, &mut poses);
        Ok(poses)
    }

    /// What the chain first meets on its way from one configuration to another: itself, or one of some obstacles. Never late;
    /// [`ChainSweep::Free`] is a proof. The two are apart by no more than 1e-4 of the smaller one's radius at the time reported.
    ///
    /// What comes within that gap but goes apart again is passed over: a chain that has stopped at an impact may turn back.
    /// Links that stand still beside each other are not tested.
    ///
    /// # Errors
    /// [`ChainError::Linkage`] or [`ChainError::Obstacle`].
    pub fn sweep(
        &self,
        from: &[f64],
        to: &[f64],
        obstacles: &[ChainObstacle<'_>],
    ) -> Result<ChainSweep, ChainError> {
        self.sweep_with(from, to, obstacles, None, &mut ChainScratch::default())
    }

    /// As [`Chain::sweep`], with the greatest gap (m) at the time reported, and with buffers that are used again: a warm call that
    /// meets nothing asks for no memory, and what is met for little.
    ///
    /// # Errors
    /// As there, and [`ChainError::Gap`].
    pub fn sweep_with(
        &self,
        from: &[f64],
        to: &[f64],
        obstacles: &[ChainObstacle<'_>],
        gap: Option<f64>,
        scratch: &mut ChainScratch,
    ) -> Result<ChainSweep, ChainError> {
        for (index, obstacle) in obstacles.iter().enumerate() {
            checked_pose(&obstacle.pose).map_err(|source| ChainError::Obstacle { index, source })?;
        }
        let mut search = Search::begin(self, [from, to], gap, scratch)?;
        for (index, obstacle) in obstacles.iter().enumerate() {
            let Ok(pose) = checked_pose(&obstacle.pose) else { continue };
            search.add(ChainPartner::Obstacle(index), &Obstacle { shape: obstacle.shape.stages(), pose });
        }
        Ok(search.run(|partner| {
            let ChainPartner::Obstacle(index) = partner else { return None };
            let ChainObstacle { shape, pose } = obstacles.get(index)?;
            Some(Obstacle { shape: shape.stages(), pose: checked_pose(pose).ok()? })
        }))
    }
}
