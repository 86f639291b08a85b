//! Views on the device: triangles in whole numbers, the layers of every pixel, and the intervals in which both bodies
//! are. A view is handed over ready made (`reference`), or laid on the device along the contours that the triangle
//! intersection has just found (`volume`).

pub mod capture;
pub mod layout;
pub mod passes;

pub(crate) mod batch;
pub(crate) mod dispatch;
pub(crate) mod reference;
pub(crate) mod volume;
