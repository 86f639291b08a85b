//! The table of the passes that run on the GPU, by the names of the CPU's table. Pipelines, spans,
//! timestamps and the layout test go by it. A row more, a shader more and a struct of inputs and
//! outputs make a new pass.

use impinge_image_space::passes;

use crate::layout;

/// How a shader uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// A uniform, bound at an offset.
    Uniform,
    /// Storage that is read.
    Read,
    /// Storage that is written.
    Write,
}

/// A buffer of a pass; its binding is its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The shader's name for it.
    pub name: &'static str,
    /// How it is used.
    pub kind: BindingKind,
}

/// A pass on the GPU.
#[derive(Clone, Copy, Debug)]
pub struct GpuPass {
    /// The name of the CPU's pass, of the shader's file and of its entry point.
    pub name: &'static str,
    /// The shader: what passes share, and then the pass's own file.
    pub source: &'static str,
    /// Threads of a workgroup.
    pub workgroup: [u32; 3],
    /// Its buffers, in the order of their bindings in group 0.
    pub bindings: &'static [Binding],
    /// Constants that Rust and the shader share.
    pub constants: &'static [(&'static str, u32)],
    /// Structs that Rust and the shader share.
    pub structs: &'static [SharedStruct],
}

/// A struct's name, its size, and its members with their offsets (bytes).
pub type SharedStruct = (&'static str, usize, &'static [(&'static str, usize)]);

/// Members and their offsets in a Rust struct.
macro_rules! offsets {
    ($name:ident: $($member:ident),+) => {
        (stringify!($name), size_of::<layout::$name>(), &[
            $((stringify!($member), std::mem::offset_of!(layout::$name, $member))),+
        ])
    };
}

/// The exact stream's filter.
pub const STREAM: GpuPass = GpuPass {
    name: impinge_exact::intersect::STREAM,
    source: include_str!("../shaders/stream.wgsl"),
    workgroup: [layout::WORKGROUP, 1, 1],
    bindings: &[
        Binding { name: "params", kind: BindingKind::Uniform },
        Binding { name: "meshes", kind: BindingKind::Read },
        Binding { name: "units", kind: BindingKind::Read },
        Binding { name: "leaf_pairs", kind: BindingKind::Read },
        Binding { name: "answers", kind: BindingKind::Write },
    ],
    constants: &[
        ("WORKGROUP", layout::WORKGROUP),
        ("UNIT_LEAF_PAIRS", layout::UNIT_LEAF_PAIRS),
        ("LEAF_TRIANGLES", impinge_midphase::obb_tree::LEAF_TRIANGLES as u32),
        ("RECORD_WORDS", layout::RECORD_WORDS),
        ("MASK_WORDS", layout::MASK_WORDS),
    ],
    structs: &[
        offsets!(StreamParams: units, row, first, sequence),
        offsets!(StreamUnit: to_a, origin, scale, delta, vertices_a, starts_a, corners_a, vertices_b,
            starts_b, corners_b, first, count, answer, spare),
        offsets!(StreamRecord: area, hits, drift, uncertain, low, sequence, high, tests, likely_area, likely,
            likely_drift, spare),
    ],
};

/// What the passes over tiles share, before the source of a pass.
macro_rules! over_tiles {
    ($($file:literal),+) => {
        concat!(include_str!("../shaders/tile.wgsl"), $(include_str!($file)),+)
    };
}

/// Views of pairs, made from their contours, and the triangles that they may show in whole numbers.
pub const VIEW: GpuPass = GpuPass {
    name: passes::VIEW,
    source: over_tiles!("../shaders/f64.wgsl", "../shaders/row.wgsl", "../shaders/view.wgsl"),
    workgroup: [layout::WORKGROUP, 1, 1],
    bindings: &[
        Binding { name: "params", kind: BindingKind::Uniform },
        Binding { name: "meshes", kind: BindingKind::Read },
        Binding { name: "answers", kind: BindingKind::Read },
        Binding { name: "pairs", kind: BindingKind::Write },
        Binding { name: "rows", kind: BindingKind::Write },
    ],
    constants: &[
        ("WORKGROUP", layout::WORKGROUP),
        ("UNIT_LEAF_PAIRS", layout::UNIT_LEAF_PAIRS),
        ("RECORD_WORDS", layout::RECORD_WORDS),
        ("MASK_WORDS", layout::MASK_WORDS),
        ("NO_CONTOUR", layout::NO_CONTOUR),
        ("NO_NORMAL", layout::NO_NORMAL),
        ("OVER_ROWS", layout::OVER_ROWS),
        ("FACES_FRONT", layout::FACES_FRONT),
        ("NO_ROOM", layout::NO_ROOM),
    ],
    structs: &[
        TILE_PARAMS,
        offsets!(ViewPair: to_a, origin, scale, vertices_a, corners_a, count_a, vertices_b, corners_b, count_b,
            answer, leaf_pairs, first, room, side, delta, status, shown, sequence, hits, right, up, depth, area, far),
        TILE_ROW,
    ],
};

/// The triangles of views in whole numbers.
pub const SNAP: GpuPass = GpuPass {
    name: passes::SNAP,
    source: over_tiles!(
        "../shaders/f64.wgsl",
        "../shaders/depth.wgsl",
        "../shaders/row.wgsl",
        "../shaders/snap.wgsl"
    ),
    workgroup: [layout::SNAP_THREADS, 1, 1],
    bindings: &[
        Binding { name: "params", kind: BindingKind::Uniform },
        Binding { name: "meshes", kind: BindingKind::Read },
        Binding { name: "views", kind: BindingKind::Read },
        Binding { name: "triangles", kind: BindingKind::Read },
        Binding { name: "rows", kind: BindingKind::Write },
    ],
    constants: &[
        ("SNAP_THREADS", layout::SNAP_THREADS),
        ("FACES_FRONT", layout::FACES_FRONT),
        ("NO_ROOM", layout::NO_ROOM),
    ],
    structs: &[
        TILE_PARAMS,
        offsets!(SnapView: first, count, of_a, side, vertices_a, corners_a, slots_a, vertices_b, corners_b,
            slots_b, far, limit, lattice),
        TILE_ROW,
    ],
};

const TILE_PARAMS: SharedStruct = offsets!(TileParams: tiles, row, first, sequence, base);
const TILE_UNIT: SharedStruct =
    offsets!(TileUnit: first, count, of_a, side, origin, flags, capacity, answer, deepest, bits);
const TILE_ROW: SharedStruct = offsets!(TileRow: edge, area, across, at, along_i, along_j, least, most);

/// Layers of tiles.
pub const LAYERS: GpuPass = GpuPass {
    name: passes::LAYERS,
    source: over_tiles!("../shaders/layers.wgsl"),
    workgroup: [layout::TILE_PIXELS, 1, 1],
    bindings: &[
        Binding { name: "params", kind: BindingKind::Uniform },
        Binding { name: "tiles", kind: BindingKind::Read },
        Binding { name: "rows", kind: BindingKind::Read },
        Binding { name: "counts", kind: BindingKind::Write },
        Binding { name: "fragments", kind: BindingKind::Write },
    ],
    constants: &[
        ("TILE_SIDE", layout::TILE_SIDE),
        ("TILE_PIXELS", layout::TILE_PIXELS),
        ("DEEPEST_PIXEL", layout::DEEPEST_PIXEL),
        ("FEW", layout::FEW),
        ("COUNTED", layout::COUNTED),
        ("FACES_FRONT", layout::FACES_FRONT),
        ("NO_ROOM", layout::NO_ROOM),
        ("UNSEEN", layout::UNSEEN),
    ],
    structs: &[TILE_PARAMS, TILE_UNIT, TILE_ROW],
};

/// Columns of tiles.
pub const COLUMNS: GpuPass = GpuPass {
    name: passes::COLUMNS,
    source: over_tiles!("../shaders/stretches.wgsl", "../shaders/columns.wgsl"),
    workgroup: [layout::TILE_PIXELS, 1, 1],
    bindings: &[
        Binding { name: "params", kind: BindingKind::Uniform },
        Binding { name: "tiles", kind: BindingKind::Read },
        Binding { name: "counts", kind: BindingKind::Read },
        Binding { name: "fragments", kind: BindingKind::Read },
        Binding { name: "answers", kind: BindingKind::Write },
    ],
    constants: &[
        ("TILE_SIDE", layout::TILE_SIDE),
        ("TILE_PIXELS", layout::TILE_PIXELS),
        ("DEEPEST_PIXEL", layout::DEEPEST_PIXEL),
        ("TILE_RECORD_WORDS", layout::TILE_RECORD_WORDS),
        ("OPEN_A", layout::OPEN_A),
        ("OPEN_B", layout::OPEN_B),
        ("WHOLE", layout::WHOLE),
        ("OVER_LAYERS", layout::OVER_LAYERS),
        ("OVER_COLUMNS", layout::OVER_COLUMNS),
        ("OVER_RANGE", layout::OVER_RANGE),
        ("UNSEEN", layout::UNSEEN),
        ("PACKED", layout::PACKED),
    ],
    structs: &[
        TILE_PARAMS,
        TILE_UNIT,
        offsets!(TileRecord: sequence, status, fragments, columns, odd, cut, length, pixels, overlaps, touches,
            moment_i, moment_j, gradient, gradient_i, gradient_j, longest, deepest, moment_z, way_along,
            way_against),
    ],
};

/// All passes, in the order in which they run.
pub const GPU_PASSES: &[GpuPass] = &[STREAM, VIEW, SNAP, LAYERS, COLUMNS];
