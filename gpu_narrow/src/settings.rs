//! Settings of an engine, each with its unit and usual value.

use std::time::Duration;

use crate::AdapterChoice;
use crate::image::capture::StepCapture;

/// What one step may hold on the device. What exceeds it is done on the CPU in the same step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    /// Units of triangle intersection, up to 256 leaf pairs each (usual: 2^19).
    pub units: u32,
    /// Leaf pairs (usual: 2^23).
    pub leaf_pairs: u32,
    /// Words of meshes: three for each vertex, four for each triangle, and one for each leaf (usual: 2^25).
    pub mesh_words: u32,
    /// Tiles of 16 × 16 pixels, of the views of all pairs, at least four to a pair whose contacts are asked for (usual: 2^17).
    pub tiles: u32,
    /// Crossings of a pixel; what is deeper is discarded (usual, and at most: 32).
    pub layers: u32,
    /// Intervals of a tile (usual: 1024).
    pub intervals: u32,
    /// No buffer grows beyond this (bytes; usual: 2^27, which every device allows).
    pub buffer_bytes: u64,
}

impl Default for Capacities {
    fn default() -> Capacities {
        Capacities {
            units: 1 << 19,
            leaf_pairs: 1 << 23,
            mesh_words: 1 << 25,
            tiles: 1 << 17,
            layers: 32,
            intervals: 1024,
            buffer_bytes: 1 << 27,
        }
    }
}

/// How to make an engine.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Which adapter to take, where no device is lent.
    pub adapter: AdapterChoice,
    /// A device and queue of the caller's, to be shared. It must allow what [`limits`](crate::limits)
    /// says. Its error and loss handlers are left alone.
    pub device: Option<(wgpu::Device, wgpu::Queue)>,
    /// What one step may hold.
    pub capacities: Capacities,
    /// Whether contacts can be asked for, whose shaders take their time to compile (default: no).
    pub contacts: bool,
    /// How the layers of views are captured (default: by the tile kernel).
    pub capture: StepCapture,
    /// Whether the operations of all passes are counted while they run, for [`Engine::operations`](crate::Engine::operations). They
    /// then take many times as long, and need one storage buffer more for each stage (default: no).
    pub count_operations: bool,
    /// How long to wait for the device before the step is finished on the CPU (usual: 30 s).
    pub patience: Duration,
}

impl Default for EngineSettings {
    fn default() -> EngineSettings {
        EngineSettings {
            adapter: AdapterChoice::default(),
            device: None,
            capacities: Capacities::default(),
            contacts: false,
            capture: StepCapture::default(),
            count_operations: false,
            patience: Duration::from_secs(30),
        }
    }
}
