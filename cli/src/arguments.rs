//! The arguments of the command line.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use impinge::geometry::RepairSettings;
use impinge::{Backend, MeshError, NarrowMethod, Parity, TriMesh, World, WorldBuilder};
use impinge_scenes::MeshOptions;
use nalgebra::Vector3;

/// Contacts between arbitrary closed non-convex meshes, without preprocessing.
///
/// Without a command, `simulate` runs the default scene.
#[derive(Debug, Parser)]
#[command(name = "impinge", version, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    simulate: Simulate,
}

/// The description of a world on a backend, with an adapter where one is named.
pub fn world_on(backend: Backend, adapter: Option<&str>) -> WorldBuilder {
    let builder = World::builder().backend(backend);
    match adapter {
        Some(name) => builder.adapter(name),
        None => builder,
    }
}

impl Arguments {
    /// The command; `simulate` where none was typed.
    pub fn command(self) -> Command {
        self.command.unwrap_or(Command::Simulate(self.simulate))
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene in the reference simulator; write pictures and summary.json
    Simulate(Simulate),
    /// Contacts of two mesh files, one JSON line per pose of the second
    Collide(Collide),
    /// When two mesh files first meet while the second moves and turns between two poses, one JSON line per motion
    Sweep(Sweep),
    /// When two mesh files first meet while the second is translated, one JSON line per cast
    Cast(Sweep),
    /// Where rays hit a mesh file, one JSON line per ray
    Ray(RayArguments),
    /// What a file holds: of a mesh counts, bounds, closed or soup, every defect and repair with its place; of any other shape what it is
    Inspect(Inspect),
    /// Make a shape of another: scaled, as a level set, with holes, edited; written as data or as a mesh
    Shape(ShapeArguments),
    /// Make a web page of a recording: play, orbit, contacts, stage times
    View(View),
    /// What this build can run on, and which would be used
    Devices,
}

/// Arguments of `simulate`.
#[derive(Args, Clone, Debug)]
pub struct Simulate {
    /// Scene: bin, gears, nut-bolt, hanging-nut, chain, bowls, peg-in-hole, drilled, terrain, field, level-set, digging, hand, particles, vehicle, pile-1000, mixed, bullets, pile, two-knots, arm, arm-machines, nested, tissue, cloth-avatar, cloth, flag or rope
    #[arg(long, default_value = "bin", conflicts_with = "mesh")]
    pub scene: String,
    /// Mesh files whose copies, scaled to fit and centred, are dropped into the bin
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub mesh: Vec<PathBuf>,
    #[command(flatten)]
    pub mesh_options: MeshArguments,
    /// How many bodies move (default: the scene's own number)
    #[arg(long, value_name = "N")]
    pub bodies: Option<usize>,
    /// Which of the scene's random arrangements
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Steps of 1/60 s (default: as many as the scene needs to show what it is about)
    #[arg(long, value_name = "N")]
    pub steps: Option<u32>,
    /// Let no body fall asleep
    #[arg(long)]
    pub no_sleep: bool,
    /// Sweep every body along its way, so that none passes through another, instead of finding contacts more often
    #[arg(long)]
    pub fast: bool,
    /// auto, cpu, gpu or hybrid
    #[arg(long, value_name = "B", default_value = "auto")]
    pub backend: Backend,
    /// What contacts on a GPU have in common with the CPU's: bits or meaning (default: meaning with gpu and hybrid, bits with auto)
    #[arg(long, value_name = "P")]
    pub parity: Option<Parity>,
    /// How a GPU captures the layers of views: tiles, peeling or unordered, which are the same to the last bit, or auto, which
    /// measures them in the first steps
    #[cfg(feature = "gpu")]
    #[arg(long, value_name = "C", default_value = "tiles")]
    pub capture: impinge::gpu_narrow::StepCapture,
    /// How contacts of two surfaces are found: exact, or height-map for bodies that are seen whole from one side where they touch
    #[arg(long, value_name = "M", default_value = "exact")]
    pub method: NarrowMethod,
    /// GPU adapter: part of its name or driver (`impinge devices` lists them)
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Worker threads; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Folder for the pictures and summary.json
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Destroy the GPU's device in step N, to see that the run survives it
    #[arg(long, value_name = "N")]
    pub lose_gpu_at: Option<u32>,
    /// Print the summary as JSON instead of the table
    #[arg(long)]
    pub json: bool,
    /// Sample every contact region at N places along its longer side (4 to 256); a recording shows its outline and depths
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub patch_samples: u32,
    /// Record every step to FILE, for `view`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// What `simulate` does to mesh files.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("no_repair", |option| option.requires("mesh")))]
#[command(mut_arg("close_holes", |option| option.requires("mesh")))]
#[command(mut_arg("repair_tolerance", |option| option.requires("mesh")))]
pub struct MeshArguments {
    /// Close every hole of the meshes, and gaps of up to 1e-4 of their size
    #[arg(long, requires = "mesh", conflicts_with_all = ["no_repair", "close_holes", "repair_tolerance"])]
    pub repair: bool,
    /// Drop the meshes' convex hulls
    #[arg(long, requires = "mesh", conflicts_with = "one_sided")]
    pub hull: bool,
    /// Close open meshes (sheets; up is +z) by extruding them downward by T (m, as in the file)
    #[arg(long, requires = "mesh", value_name = "T", allow_negative_numbers = true, value_parser = thickness)]
    pub one_sided: Option<f32>,
    /// Multiply the meshes' lengths by F (0.001: from millimetres) instead of scaling them to fit
    #[arg(long, requires = "mesh", value_name = "F", allow_negative_numbers = true)]
    pub scale: Option<f64>,
    #[command(flatten)]
    pub repairs: RepairArguments,
}

impl MeshArguments {
    /// The same for a scene.
    pub fn options(&self) -> MeshOptions {
        MeshOptions {
            repairs: if self.repair { Some(repair_all()) } else { self.repairs.settings() },
            hull: self.hull,
            one_sided: self.one_sided,
            scale: self.scale,
        }
    }
}

/// The repairs of `--repair`.
pub fn repair_all() -> RepairSettings {
    RepairSettings::default().tolerance(1e-4).close_holes(f64::INFINITY)
}

/// Arguments of `view`.
#[derive(Args, Clone, Debug)]
pub struct View {
    /// A recording that `simulate --record` wrote
    pub file: PathBuf,
    /// The page to write [default: FILE with the ending `html`]
    #[arg(long, value_name = "PAGE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `collide`.
#[derive(Args, Clone, Debug)]
pub struct Collide {
    /// Mesh file that stands at the origin (obj, stl, ply, off, gltf, glb), or any shape as data (json)
    pub a: PathBuf,
    /// Mesh file that is placed by the poses
    pub b: PathBuf,
    /// Poses of B, a line `x y z qw qx qy qz` (m) each; `-` reads standard input [default: the origin]
    #[arg(long, value_name = "FILE")]
    pub poses: Option<PathBuf>,
    /// Count all intersecting triangle pairs
    #[arg(long)]
    pub count: bool,
    /// Say only whether they touch: exactly, and much sooner
    #[arg(long, conflicts_with = "count")]
    pub touching: bool,
    /// Close open meshes (terrain, sheets; up is +z) by extruding them downward by T (m)
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = thickness)]
    pub one_sided: Option<f32>,
    /// How contacts are found: exact, or height-map for meshes that are seen whole from one side where they touch
    #[arg(long, value_name = "M", default_value = "exact")]
    pub method: NarrowMethod,
    /// auto, cpu, gpu or hybrid
    #[arg(long, value_name = "B", default_value = "auto")]
    pub backend: Backend,
    /// GPU adapter: part of its name or driver (`impinge devices` lists them)
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Worker threads; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Columns per side of a view: a power of two from 4 to 256
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub resolution: u32,
    #[command(flatten)]
    pub repair: RepairArguments,
}

/// Arguments of `sweep` and `cast`.
#[derive(Args, Clone, Debug)]
pub struct Sweep {
    /// Mesh file that stands at the origin (obj, stl, ply, off, gltf, glb), or any shape as data (json)
    pub a: PathBuf,
    /// Mesh file that moves
    pub b: PathBuf,
    /// `sweep`: B's first and last pose, twice `x y z qw qx qy qz` (m) a line; `cast`: B's pose and how far it goes, `x y z` (m);
    /// `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub poses: PathBuf,
    /// Greatest gap (m) at the time reported, where something turns [default: 1e-4 of the smaller one's radius]
    #[arg(long, value_name = "G")]
    pub gap: Option<f64>,
    #[command(flatten)]
    pub repair: RepairArguments,
}

/// Arguments of `ray`.
#[derive(Args, Clone, Debug)]
pub struct RayArguments {
    /// Mesh file (obj, stl, ply, off, gltf, glb), or any shape as data (json)
    pub file: PathBuf,
    /// Rays, a line `x y z dx dy dz` each: origin (m) and direction, which is the unit of times, and as a seventh number
    /// how many units it goes [default: on and on]; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub rays: PathBuf,
    /// Where the mesh stands (m, and the rotation's quaternion) [default: the origin]
    #[arg(
        long,
        num_args = 7,
        value_names = ["X", "Y", "Z", "QW", "QX", "QY", "QZ"],
        allow_negative_numbers = true
    )]
    pub pose: Vec<f64>,
    /// Hit only the front of the surface: where rays go in
    #[arg(long)]
    pub front: bool,
    /// Worker threads; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    #[command(flatten)]
    pub repair: RepairArguments,
}

/// How mesh files that are not closed are treated.
#[derive(Args, Clone, Copy, Debug)]
pub struct RepairArguments {
    /// Take meshes as the files have them, gaps and all
    #[arg(long, conflicts_with_all = ["close_holes", "repair_tolerance"])]
    pub no_repair: bool,
    /// Close holes of up to P of the size of the surface around them; 0 closes none, `inf` all
    #[arg(long, value_name = "P", default_value_t = 0.1, allow_negative_numbers = true)]
    pub close_holes: f64,
    /// Move nothing by more than P of the mesh's size when gaps are closed
    #[arg(long, value_name = "P", default_value_t = 1e-6, allow_negative_numbers = true)]
    pub repair_tolerance: f64,
}

impl RepairArguments {
    /// Reads a mesh file and repairs it as asked; returns the origin (m) that was taken off its
    /// coordinates, too.
    pub fn load(&self, file: &Path) -> Result<(TriMesh, Vector3<f64>), MeshError> {
        TriMesh::load_placed(file, self.settings().as_ref())
    }

    /// Reads a mesh file and repairs it as asked, in the file's own frame.
    pub fn load_in_frame(&self, file: &Path) -> Result<TriMesh, MeshError> {
        match self.settings() {
            Some(settings) => TriMesh::load_repaired(file, &settings),
            None => TriMesh::load_unrepaired(file),
        }
    }

    /// The bounds asked for; `None` for no repairs.
    fn settings(&self) -> Option<RepairSettings> {
        let settings = RepairSettings::default().tolerance(self.repair_tolerance);
        (!self.no_repair).then(|| settings.close_holes(self.close_holes))
    }
}

/// Arguments of `inspect`.
#[derive(Args, Clone, Debug)]
pub struct Inspect {
    /// Mesh files (obj, stl, ply, off, gltf, glb), or any shape as data (json)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print every defect, not only the first 20 of a kind
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object a file, with every defect and repair
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub repair: RepairArguments,
}

/// Arguments of `shape`. What is asked for is done in this order.
#[derive(Args, Clone, Debug)]
pub struct ShapeArguments {
    /// Mesh file (obj, stl, ply, off, gltf, glb), or any shape as data (json)
    pub file: PathBuf,
    /// The file to write: json for any shape, else the mesh of its surface
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Multiply all lengths by F
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub scale: Option<f64>,
    /// Make a level set of a closed mesh, with a sample every S metres
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub levels: Option<f32>,
    /// Cut the holes out that FILE lists: `[{"hole": {"cylinder": {"half_height": 1, "radius": 0.2}}, "position": [0, 0, 0], "open": [[2, true]]}]`
    #[arg(long, value_name = "FILE")]
    pub cut: Option<PathBuf>,
    /// Make the changes that FILE lists: heights, quantized_heights, levels, quantized_levels, particles, vertices, remove_triangles or replace, as in
    /// `[{"heights": {"first": [0, 0], "count": [2, 1], "values": [0.5, null]}}]`
    #[arg(long, value_name = "FILE")]
    pub edit: Option<PathBuf>,
    #[command(flatten)]
    pub repair: RepairArguments,
}

/// A thickness (m).
fn thickness(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("it must be a finite number of metres greater than 0".into()),
    }
}
