//! Speculative contacts: points of negative depth where bodies are apart by less than the margin, so that
//! a solver can stop what approaches before it overlaps.
//!
//! The nearest features give the normal. Along it, the faces of A that look towards B and those of B that
//! look towards A are laid over each other: wherever a line leaves A and enters B within the margin there
//! is a gap, and since heights are linear over every common part of two triangles, the corners of these
//! parts (a vertex of one side over a face of the other, or two edges that cross) hold the least gaps and
//! span the region. They are exact: there is no lattice, and a corner's name is that of its features, so
//! a point keeps its key while it stays on them. Further places that face each other another way (the
//! walls around a peg) give patches of their own. Nothing here says that bodies touch.

mod gather;
mod outline;
mod region;
mod round;
mod surfaces;

pub(crate) use gather::MarginScratch;
pub(crate) use round::solid;
pub(crate) use surfaces::surfaces;
