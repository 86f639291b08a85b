//! Replays: `simulate --record FILE` writes one, `impinge view FILE` makes a page of it.

mod page;
mod recorder;
mod recording;
mod soft;
mod surface;

pub use page::run as view;
pub use recorder::Recorder;
pub use soft::SoftRecorder;
pub use surface::kind;
