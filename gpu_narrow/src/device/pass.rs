//! What a pass on the device is: its shader, the entry points, what is bound, and what Rust and the shader share.
//! Pipelines, bind groups, timestamps and the layout test go by it.

use wgpu::ShaderStages;

/// How a shader uses what is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A uniform, bound at an offset.
    Uniform,
    /// Storage that is read.
    Read,
    /// Storage that is written.
    Write,
    /// A depth texture.
    Depth,
    /// A texture of whole numbers, read texel by texel.
    Whole,
    /// A texture of floats, read texel by texel.
    Floats,
}

impl SlotKind {
    /// Whether it counts among the storage buffers of a stage.
    pub fn is_storage(self) -> bool {
        matches!(self, SlotKind::Read | SlotKind::Write)
    }
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

    /// A slot of a compute shader.
    pub const fn compute(name: &'static str, kind: SlotKind) -> Slot {
        Slot { name, kind, stages: ShaderStages::COMPUTE }
    }
}

/// What an entry point is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A vertex shader. It pulls vertices from storage: there are no vertex buffers.
    Vertex,
    /// A fragment shader.
    Fragment,
    /// A compute shader, with the threads of its workgroup.
    Compute([u32; 3]),
}

/// A constant that Rust and a shader share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// A `u32`.
    U32(u32),
    /// An `i32`.
    I32(i32),
    /// An `f32`.
    F32(f32),
}

/// A struct's name, its size, and its members with their offsets (bytes).
pub type SharedStruct = (&'static str, usize, &'static [(&'static str, usize)]);

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name: of its labels and timestamps.
    pub name: &'static str,
    /// The shader: what passes share, and then the pass's own file. Several passes may share one.
    pub source: &'static str,
    /// Its entry points, each with its stage; the first of a compute pass is what it runs.
    pub entries: &'static [(&'static str, Stage)],
    /// What is bound, group by group.
    pub groups: &'static [&'static [Slot]],
    /// Constants that Rust and the shader share.
    pub constants: &'static [(&'static str, Constant)],
    /// Constants that only the shader has.
    pub own_constants: &'static [&'static str],
    /// Structs that Rust and the shader share.
    pub structs: &'static [SharedStruct],
}

/// The members of a Rust struct with their offsets: a [`SharedStruct`].
macro_rules! shared_struct {
    ($type:ident: $($member:ident),+ $(,)?) => {
        (stringify!($type), size_of::<$type>(), &[
            $((stringify!($member), std::mem::offset_of!($type, $member))),+
        ])
    };
}

/// Constants of type `u32` by their names in Rust, which are those of the shader.
macro_rules! shared_u32 {
    ($($name:ident),+ $(,)?) => {
        &[$((stringify!($name), $crate::device::pass::Constant::U32($name))),+]
    };
}

pub(crate) use {shared_struct, shared_u32};
