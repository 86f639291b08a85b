//! The table of the raster passes and of the compute passes among them: pipelines, bind groups and the
//! layout test go by it.

use wgpu::{CompareFunction, ShaderStages, TextureFormat};

use crate::passes::SharedStruct;

/// How a shader uses what is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A uniform, bound at an offset.
    Uniform,
    /// Storage that is read.
    Read,
    /// Storage that is written.
    Write,
    /// A texture of whole numbers, read texel by texel.
    Texels,
}

/// What is bound, and the stages that see it; its binding is its place in the list. Limits of storage
/// buffers are counted stage by stage, so a pass names the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The shader's name for it.
    pub name: &'static str,
    /// How it is used.
    pub kind: SlotKind,
    /// Who sees it.
    pub stages: ShaderStages,
}

impl Slot {
    /// A slot.
    pub const fn new(name: &'static str, kind: SlotKind, stages: ShaderStages) -> Slot {
        Slot { name, kind, stages }
    }
}

/// What a pass runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Triangles without vertex buffers: the vertex shader pulls what it needs.
    Draw {
        /// Entry point of the vertex shader.
        vertex: &'static str,
        /// Entry point of the fragment shader.
        fragment: &'static str,
        /// The colour attachment.
        target: TextureFormat,
        /// Whether fragments write to it; an attachment there must be.
        writes: bool,
        /// The test against a `Depth32Float` buffer, which passing fragments write.
        depth: Option<CompareFunction>,
    },
    /// A compute shader.
    Compute {
        /// Its entry point.
        entry: &'static str,
        /// Threads of a workgroup.
        workgroup: [u32; 3],
    },
}

/// A raster pass, or a compute pass that belongs to one.
#[derive(Clone, Copy, Debug)]
pub struct RasterPass {
    /// Its name: of its span and labels.
    pub name: &'static str,
    /// The shader; several passes may share one.
    pub source: &'static str,
    /// What it runs.
    pub entry: Entry,
    /// What is bound in group 0.
    pub slots: &'static [Slot],
    /// Constants that Rust and the shader share.
    pub constants: &'static [(&'static str, u32)],
    /// Structs that Rust and the shader share.
    pub structs: &'static [SharedStruct],
}
