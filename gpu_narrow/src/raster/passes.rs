//! The rows of the raster passes.

use impinge_image_space::ldi::LAST_DEPTH;
use wgpu::{CompareFunction, ShaderStages, TextureFormat};

use super::layout;
use super::pass::{Entry, RasterPass, Slot, SlotKind};
use crate::passes::SharedStruct;

/// Members and their offsets in a Rust struct.
macro_rules! offsets {
    ($name:ident: $($member:ident),+) => {
        (stringify!($name), size_of::<layout::$name>(), &[
            $((stringify!($member), std::mem::offset_of!(layout::$name, $member))),+
        ])
    };
}

const PARAMS: SharedStruct = offsets!(RasterParams: views, width, height, layer, pixels, room, blocks, spare);
const VIEW: SharedStruct = offsets!(RasterView: first, vertices, corners, tile_x, tile_y, wide, high,
    sub_bits, faces, pixel, spare_0, spare_1);

const DRAW: ShaderStages = ShaderStages::VERTEX_FRAGMENT;
const VERTEX: ShaderStages = ShaderStages::VERTEX;
const FRAGMENT: ShaderStages = ShaderStages::FRAGMENT;
const COMPUTE: ShaderStages = ShaderStages::COMPUTE;

const SHARED: &[(&str, u32)] =
    &[("BOX_VERTICES", layout::BOX_VERTICES), ("NOTHING", layout::NOTHING), ("LAST_DEPTH", LAST_DEPTH)];
const SCAN: &[(&str, u32)] = &[("SCAN_THREADS", layout::SCAN_THREADS), ("SCAN_EACH", layout::SCAN_EACH)];

/// One layer of depth peeling.
pub const PEEL: RasterPass = RasterPass {
    name: "peel",
    source: concat!(include_str!("../../shaders/ldi.wgsl"), include_str!("../../shaders/peel.wgsl")),
    entry: Entry::Draw {
        vertex: "boxes",
        fragment: "peel",
        target: TextureFormat::Rg32Uint,
        writes: true,
        depth: Some(CompareFunction::Less),
    },
    slots: &[
        Slot::new("params", SlotKind::Uniform, DRAW),
        Slot::new("views", SlotKind::Read, VERTEX),
        Slot::new("bodies", SlotKind::Read, VERTEX),
        Slot::new("last", SlotKind::Texels, FRAGMENT),
    ],
    constants: &[
        ("BOX_VERTICES", layout::BOX_VERTICES),
        ("NOTHING", layout::NOTHING),
        ("LAST_DEPTH", LAST_DEPTH),
        ("WORDS_OF_DEPTH", layout::WORDS_OF_DEPTH),
    ],
    structs: &[PARAMS, VIEW],
};

/// Ends peeling where a layer was empty.
pub const STOP: RasterPass = RasterPass {
    name: "stop",
    source: include_str!("../../shaders/stop.wgsl"),
    entry: Entry::Compute { entry: "stop", workgroup: [1, 1, 1] },
    slots: &[Slot::new("drawn", SlotKind::Read, COMPUTE), Slot::new("arguments", SlotKind::Write, COMPUTE)],
    constants: &[],
    structs: &[offsets!(DrawArguments: vertices, instances, first_vertex, first_instance)],
};

const UNORDERED: &str =
    concat!(include_str!("../../shaders/ldi.wgsl"), include_str!("../../shaders/unordered.wgsl"));

const fn unordered(fragment: &'static str) -> Entry {
    Entry::Draw { vertex: "boxes", fragment, target: TextureFormat::R8Unorm, writes: false, depth: None }
}

const UNORDERED_SLOTS: &[Slot] = &[
    Slot::new("params", SlotKind::Uniform, DRAW),
    Slot::new("views", SlotKind::Read, VERTEX),
    Slot::new("bodies", SlotKind::Read, VERTEX),
    Slot::new("counts", SlotKind::Write, FRAGMENT),
    Slot::new("starts", SlotKind::Read, FRAGMENT),
    Slot::new("crossings", SlotKind::Write, FRAGMENT),
];

/// Crossings of every pixel, counted.
pub const COUNT: RasterPass = RasterPass {
    name: "count",
    source: UNORDERED,
    entry: unordered("count"),
    slots: UNORDERED_SLOTS,
    constants: SHARED,
    structs: &[PARAMS, VIEW],
};

/// Crossings placed.
pub const SCATTER: RasterPass = RasterPass { name: "scatter", entry: unordered("scatter"), ..COUNT };

/// Sums within blocks of the counts.
pub const SCAN_BLOCKS: RasterPass = RasterPass {
    name: "scan_blocks",
    source: include_str!("../../shaders/scan.wgsl"),
    entry: Entry::Compute { entry: "scan_blocks", workgroup: [layout::SCAN_THREADS, 1, 1] },
    slots: &[
        Slot::new("params", SlotKind::Uniform, COMPUTE),
        Slot::new("counts", SlotKind::Read, COMPUTE),
        Slot::new("starts", SlotKind::Write, COMPUTE),
        Slot::new("blocks", SlotKind::Write, COMPUTE),
    ],
    constants: SCAN,
    structs: &[PARAMS],
};

/// Sums of the blocks.
pub const SCAN_SUMS: RasterPass = RasterPass {
    name: "scan_sums",
    entry: Entry::Compute { entry: "scan_sums", workgroup: [layout::SCAN_THREADS, 1, 1] },
    ..SCAN_BLOCKS
};

/// Both together.
pub const SCAN_ADD: RasterPass = RasterPass {
    name: "scan_add",
    entry: Entry::Compute { entry: "scan_add", workgroup: [layout::SCAN_THREADS, 1, 1] },
    ..SCAN_BLOCKS
};

/// The crossings of every pixel put in order.
pub const SORT: RasterPass = RasterPass {
    name: "sort",
    source: include_str!("../../shaders/sort.wgsl"),
    entry: Entry::Compute { entry: "sort", workgroup: [layout::SCAN_THREADS, 1, 1] },
    slots: &[
        Slot::new("params", SlotKind::Uniform, COMPUTE),
        Slot::new("starts", SlotKind::Read, COMPUTE),
        Slot::new("crossings", SlotKind::Write, COMPUTE),
    ],
    constants: &[],
    structs: &[PARAMS],
};

/// All raster passes, and the compute passes that belong to them.
pub const RASTER_PASSES: &[RasterPass] =
    &[PEEL, STOP, COUNT, SCAN_BLOCKS, SCAN_SUMS, SCAN_ADD, SCATTER, SORT];
