//! Where the narrow phase runs.

use std::{fmt, str::FromStr};

/// Where the narrow phase runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// On the CPU: the same bits for any number of threads.
    Cpu,
    /// On the GPU alone; building the world fails where there is none.
    Gpu,
    /// On both at once, divided by a measured cost model.
    Hybrid,
    /// On the GPU where a hardware adapter is found, else on the CPU. On Linux the drivers are not even asked where there is
    /// no device file of a GPU. A `tracing` event says once why the CPU was taken.
    #[default]
    Auto,
}

impl Backend {
    /// Every backend, in the order in which help texts list them.
    pub const ALL: [Backend; 4] = [Backend::Auto, Backend::Cpu, Backend::Gpu, Backend::Hybrid];

    /// The backend's name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Gpu => "gpu",
            Backend::Hybrid => "hybrid",
            Backend::Auto => "auto",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the contacts of a world with a GPU have in common with those of the CPU. The answer whether a pair touches is exact,
/// and the same, with either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parity {
    /// Every bit: the GPU rules out triangle pairs, and the CPU makes the contacts.
    Bits,
    /// Their meaning: the GPU finds contours, looks at the overlaps and picks what stands for each, and the CPU measures the
    /// exact translations. Depths, normals and volumes are the CPU's within the errors that `docs/GPU.md` states. What the GPU
    /// leaves is answered by the CPU in the same step
    /// ([`StepCounts::redone`](crate::StepCounts::redone)).
    Meaning,
}

impl Parity {
    /// Both, in the order in which help texts list them.
    pub const ALL: [Parity; 2] = [Parity::Bits, Parity::Meaning];

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Parity::Bits => "bits",
            Parity::Meaning => "meaning",
        }
    }
}

impl fmt::Display for Parity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no parity has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown parity `{name}`; it is one of bits, meaning")]
pub struct UnknownParity {
    /// The name given.
    pub name: String,
}

impl FromStr for Parity {
    type Err = UnknownParity;

    fn from_str(name: &str) -> Result<Parity, UnknownParity> {
        Parity::ALL
            .into_iter()
            .find(|parity| parity.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownParity { name: name.to_owned() })
    }
}

/// A name that no backend has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown backend `{name}`; it is one of auto, cpu, gpu, hybrid")]
pub struct UnknownBackend {
    /// The name given.
    pub name: String,
}

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Backend, UnknownBackend> {
        Backend::ALL
            .into_iter()
            .find(|b| b.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownBackend { name: name.to_owned() })
    }
}
