//! What a chain meets.

use impinge_geometry::ColliderId;

use crate::Impact;

/// How a chain meets something on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChainSweep {
    /// It does not: that is proved.
    Free,
    /// A link touches something before anything moves.
    AtStart {
        /// The link; of two links the higher.
        link: usize,
        /// What it touches.
        partner: ChainPartner,
    },
    /// A link meets something on the way.
    Impact(ChainImpact),
}

/// What a link meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainPartner {
    /// Another link of the chain.
    Link(usize),
    /// One of a list of obstacles.
    Obstacle(usize),
    /// A collider of a world.
    Collider(ColliderId),
}

/// The first meeting of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainImpact {
    /// The link that meets something; of two links the higher.
    pub link: usize,
    /// What it meets.
    pub partner: ChainPartner,
    /// When, where and with which features: A is the partner, B the link.
    pub impact: Impact,
    /// How fast they approach each other along the normal at the points (m per motion).
    pub speed: f64,
}

impl ChainSweep {
    /// When something is met: 0 where it is touched at the start; `None` where nothing is.
    pub fn time(&self) -> Option<f64> {
        match self {
            ChainSweep::Free => None,
            ChainSweep::AtStart { .. } => Some(0.0),
            ChainSweep::Impact(met) => Some(met.impact.time),
        }
    }

    /// The impact, where there is one on the way.
    pub fn impact(&self) -> Option<&ChainImpact> {
        match self {
            ChainSweep::Impact(met) => Some(met),
            ChainSweep::Free | ChainSweep::AtStart { .. } => None,
        }
    }
}
