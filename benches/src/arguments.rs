//! What the command line names: a suite, and what is measured of it.

use clap::{Parser, ValueEnum};

use crate::mesh_peers::Query;

/// Measures impinge beside its peers.
#[derive(Parser)]
pub struct Arguments {
    /// What to measure.
    pub suite: Suite,
    /// Only this scene.
    #[arg(long)]
    pub scene: Option<String>,
    /// Only these contenders, with commas between.
    #[arg(long, value_delimiter = ',')]
    pub who: Vec<String>,
    /// Suite `meshes`: only these queries, with commas between.
    #[arg(long, value_delimiter = ',')]
    pub query: Vec<Query>,
    /// Suites `meshes`, `texts`, `planner` and `motion`: how often every pose is asked about.
    #[arg(long, default_value_t = 3)]
    pub rounds: usize,
    /// Suite `directions`: obstacles around each object [default: 600]. Suite `texts`: random placements of each classic test
    /// [default: 1000].
    #[arg(long)]
    pub placements: Option<usize>,
    /// Suite `texts`: said in every row, as what else the machine did.
    #[arg(long, default_value = "")]
    pub note: String,
    /// Suites `contacts` and `parity`: how many random pairs.
    #[arg(long, default_value_t = crate::contacts::scene::RANDOM_PAIRS)]
    pub pairs: usize,
    /// Suite `texts`: about how many frames of each workload; 0 for all.
    #[arg(long, default_value_t = 0)]
    pub frames: usize,
    /// Suite `contacts`: only impinge, at each of these resolutions, with commas between. Suite
    /// `families`: the first of these [default: 32].
    #[arg(long, value_delimiter = ',')]
    pub resolution: Vec<u32>,
    /// Suites `placements`, `planner` and `shapes`: how many [default: 2000]. Suite `families`:
    /// cases of each family [default: 1000].
    #[arg(long)]
    pub count: Option<usize>,
    /// Suite `families`: only the families whose names begin with this.
    #[arg(long)]
    pub only: Option<String>,
    /// Suite `families`: print so many wrong cases of each variant.
    #[arg(long, default_value_t = 0)]
    pub show: usize,
    /// Suite `families`: only the case with this index.
    #[arg(long)]
    pub case: Option<usize>,
    /// Suites `placements`, `planner` and `families`: which ones.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Suite `placements`: a folder of OBJ and STL files that are placed with the generated meshes.
    #[arg(long)]
    pub dir: Option<std::path::PathBuf>,
    /// Suite `placements`: rings and knots with the middle of one anywhere in the other, linked or threaded as they come, in place of
    /// meshes that come nearer from outside.
    #[arg(long, conflicts_with = "dir")]
    pub linked: bool,
    /// Suite `assembly`: a folder with the mesh files of a bolt and a nut, holes and pegs, a gear and its base.
    #[arg(long)]
    pub assets: Option<std::path::PathBuf>,
    /// Suite `motion`: a folder of vertex-face and edge-edge queries with rational truth, which are answered instead.
    #[arg(long)]
    pub queries: Option<std::path::PathBuf>,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// Steps measured [default: 60; suites `broadphase` and `threads`: 60, 20 or 6 by the number of boxes;
    /// `steps` and `growth`: 600 and 240]
    #[arg(long)]
    pub steps: Option<usize>,
    /// Suites `steps` and `terrain`: how many bodies (default: the scene's own number, 100).
    #[arg(long)]
    pub bodies: Option<usize>,
    /// Suite `bodies`: triangles of each mesh (default: the scene's own number).
    #[arg(long)]
    pub triangles: Option<u32>,
    /// Suites `gpu`, `gpu-model`, `parity` and `terrain`: the adapter of this name, or of a part of it [default: the best there is].
    #[arg(long)]
    pub adapter: Option<String>,
    /// Suite `gpu`: instead, time every pass on the adapter and print it beside what the model gives.
    #[arg(long)]
    pub compare_model: bool,
    /// Steps before those.
    #[arg(long, default_value_t = 10)]
    pub warm_up: usize,
    /// Print one line of JSON per row.
    #[arg(long)]
    pub json: bool,
    /// Add the rows to benches/results.
    #[arg(long)]
    pub keep: bool,
    /// `report`: write nothing, fail if a page of docs/benchmarks is not made from the stored rows.
    #[arg(long)]
    pub check: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Suite {
    /// Moving boxes in, pairs out.
    Broadphase,
    /// The same boxes with one thread and more, and with each kind of instructions.
    Threads,
    /// Two meshes at many poses.
    Meshes,
    /// What is said about overlapping meshes, against the truth.
    Contacts,
    /// Contacts that a device samples beside the CPU's, against the truth.
    Parity,
    /// Random placements of generated meshes and those of a folder, against the truth.
    Placements,
    /// Families of mesh pairs, each judged by an oracle of its own.
    Families,
    /// A gripper of several meshes at random poses among many objects: does it touch any?
    Planner,
    /// Rays at meshes.
    Motion,
    /// Meshes that deform, and that meet themselves.
    Bodies,
    /// Height fields: what they cost beside meshes, and how that grows with their size.
    Shapes,
    /// Parts of a folder along the way in which they are put together.
    Assembly,
    /// Worlds of touching pairs on the CPU, on a GPU, and on both.
    Gpu,
    /// What hardware would take for such a step: operations counted on any adapter, and rates that makers publish.
    GpuModel,
    /// A scene simulated by us and by rapier: time, bodies lost, how deep they are in each other.
    Steps,
    /// Bodies on a terrain of 500,000 triangles: contacts by height maps beside the exact method.
    Terrain,
    /// How our step's cost grows with bodies and triangles.
    Growth,
    /// The workloads that papers print times of.
    Texts,
    /// How often height maps are wrong along directions chosen by themselves.
    Directions,
    /// Measures nothing: writes the pages of docs/benchmarks from the rows in benches/results.
    Report,
}
