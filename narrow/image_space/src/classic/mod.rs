//! The classic image-space tests, each as its paper has it, on the one scan and the one view of image space.
//!
//! | test | what it answers |
//! |---|---|
//! | [`shinya_forgue`] 1991 | do two convex bodies overlap? |
//! | [`myszkowski`] 1995 | do two concave bodies overlap? |
//! | [`baciu_wong`] 1997, [`recode`] 1998/99 | do two convex bodies overlap, in two passes or one? |
//! | [`lombardo`] 1999 | which faces of a tissue are in a tool? |
//! | [`AvatarMaps`] (Vassilev) 2001 | which vertices of a cloth are in an avatar, and where to? |
//! | [`hoff_overlap`], [`hoff_proximity`] 2001 | overlap, distance and depth of polygons |
//! | [`knott_pai`] 2003 | which edges of n bodies are in any of them? |
//! | [`cullide`] 2003, [`cullide_self`] 2005 | which of n bodies, or parts of a mesh, may touch? |
//! | [`opposite_layers`] (Heidelberger) 2003/04 | from where two bodies' layers are fewest |
//!
//! All but dilated ones sample: what lies between the lines through the pixels' centres is not seen. Each says what it may
//! miss. Those in whole numbers are [`Program`]s for a [`ClassicRaster`], in software or on a device.

mod body;
mod cullide;
mod error;
mod frame_buffer;
mod hoff;
mod knott_pai;
mod layer_directions;
mod lines;
mod lombardo;
mod myszkowski;
mod pair;
mod part_order;
mod program;
mod recode;
mod self_cullide;
mod shinya_forgue;
mod vassilev;

#[cfg(test)]
mod tests;

pub use body::{ClassicBody, LatticeBody, LatticePoint};
pub use cullide::{CullideSettings, PotentialSet, cullide, cullide_parts};
pub use error::ClassicError;
pub use frame_buffer::FrameBuffer;
pub use hoff::{PlanarOverlap, PlanarProximity, PlaneView, hoff_field, hoff_overlap, hoff_proximity};
pub use knott_pai::{CinderSettings, EdgeHit, EdgeHits, knott_pai};
pub use layer_directions::{OppositeLayers, layers_along, opposite_layers};
pub use lombardo::{ToolHits, ToolSettings, ToolVolume, lombardo};
pub use myszkowski::{SEQUENCE_BITS, myszkowski};
pub use pair::{PixelHits, overlap_view};
pub use program::{
    BUFFER_FAR, BUFFER_NEAR, ClassicRaster, DepthTest, Draw, Figure, Program, RasterCommand, RasterScene,
    Readout, StencilOp,
};
pub use recode::{baciu_wong, recode};
pub use self_cullide::cullide_self;
pub use shinya_forgue::shinya_forgue;
pub use vassilev::{AvatarMaps, AvatarSample, ClothHit};
