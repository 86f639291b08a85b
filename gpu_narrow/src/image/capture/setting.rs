//! What may be asked for.

use std::str::FromStr;

/// How a step captures the layers of its views on a device. Contacts are the same to the last bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StepCapture {
    /// The one that is fastest on the adapter: the first captures are made in all three ways, and the device's timestamps decide. The tile
    /// kernel where there are no timestamps, where the adapter cannot draw, where a step makes no contacts (parity by bits), or where operations are counted.
    Auto,
    /// By the tile kernel: a workgroup for each tile.
    #[default]
    Tiles,
    /// By depth peeling (Everitt 2001): a draw for each layer.
    Peeling,
    /// By one draw, whose crossings come in no order.
    Unordered,
}

impl StepCapture {
    /// All of them.
    pub const ALL: [StepCapture; 4] =
        [StepCapture::Auto, StepCapture::Tiles, StepCapture::Peeling, StepCapture::Unordered];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StepCapture::Auto => "auto",
            StepCapture::Tiles => "tiles",
            StepCapture::Peeling => "peeling",
            StepCapture::Unordered => "unordered",
        }
    }
}

/// A name that no way of capturing has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown way of capturing `{name}`; it is one of auto, tiles, peeling, unordered")]
pub struct UnknownCapture {
    /// The name given.
    pub name: String,
}

impl FromStr for StepCapture {
    type Err = UnknownCapture;

    fn from_str(name: &str) -> Result<StepCapture, UnknownCapture> {
        let named = |capture: &StepCapture| capture.name().eq_ignore_ascii_case(name);
        StepCapture::ALL.into_iter().find(named).ok_or_else(|| UnknownCapture { name: name.to_owned() })
    }
}
