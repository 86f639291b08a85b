//! What can be wrong with shapes, meshes and poses that a caller hands in.

use std::path::PathBuf;

/// A pose that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PoseError {
    /// A component is NaN or infinite.
    #[error("pose component {component} is {value}; every component must be finite")]
    NotFinite {
        /// Which one: `x`, `y`, `z`, `qw`, `qx`, `qy` or `qz`.
        component: &'static str,
        /// Its value.
        value: f64,
    },
    /// A position is too far from the origin.
    #[error(
        "pose component {component} is {value:?} m; it must be within {:e} m of the origin",
        crate::FARTHEST
    )]
    TooFar {
        /// Which one: `x`, `y` or `z`.
        component: &'static str,
        /// Its value (m).
        value: f64,
    },
    /// The rotation's quaternion has no direction.
    #[error("the rotation's quaternion has length {norm:e}; it must have a length that can be normalised")]
    ZeroQuaternion {
        /// Its length.
        norm: f64,
    },
}

/// A shape that cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A radius, half extent or half height is not a positive number, or too large.
    #[error(
        "{shape}: {parameter} is {value:?} m; it must be greater than 0 and at most {:e} m",
        crate::FARTHEST
    )]
    Size {
        /// The shape's name.
        shape: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Its value (m).
        value: f32,
    },
    /// A direction has no length.
    #[error("{shape}: direction {parameter} is {value:?}; it must be finite and not zero")]
    Direction {
        /// The shape's name.
        shape: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        value: [f32; 3],
    },
    /// A point of a hull is NaN, infinite or too far from the origin.
    #[error(
        "convex hull: point {index} is {value:?}; every coordinate must be finite and at most {:e} m in magnitude",
        crate::FARTHEST
    )]
    HullPoint {
        /// Index in the caller's array.
        index: usize,
        /// Its value (m).
        value: [f32; 3],
    },
    /// The points have no volume.
    #[error("convex hull: the {points} points given span no volume; four points not in one plane are needed")]
    FlatHull {
        /// How many points were given.
        points: usize,
    },
    /// A composite without children.
    #[error("composite: it has no children; at least one is needed")]
    EmptyComposite,
    /// Particles as a child.
    #[error("composite: child {child} is made of particles; a collider of its own has to place them")]
    ParticlesInComposite {
        /// Index of the child.
        child: usize,
    },
    /// A child's pose cannot be used.
    #[error("composite: child {child}: {source}")]
    ChildPose {
        /// Index of the child.
        child: usize,
        /// What is wrong.
        source: PoseError,
    },
    /// A hole that is none of the three kinds.
    #[error("a {shape} is no hole; a sphere, cylinder or cuboid is")]
    NoHole {
        /// The shape's name.
        shape: &'static str,
    },
    /// A side of a hole that it does not have.
    #[error(
        "hole: a {shape} has no flat side along axis {axis}; a cuboid has those along 0, 1 and 2, a cylinder those along 2"
    )]
    NoSide {
        /// The hole's shape.
        shape: &'static str,
        /// The axis.
        axis: usize,
    },
    /// A number of facets that a round hole cannot have.
    #[error("hole: {facets} facets around it; 8 to 512 in fours are possible")]
    Facets {
        /// How many were asked for.
        facets: u32,
    },
    /// A hole's pose cannot be used.
    #[error("hole {hole}: {source}")]
    HolePose {
        /// Index of the hole.
        hole: usize,
        /// What is wrong.
        source: PoseError,
    },
    /// A hole reaches what cannot be cut.
    #[error(
        "hole {hole} reaches child {child}, which is no closed mesh, hull or bounded primitive; give the hole to another composite, or close the mesh"
    )]
    Uncuttable {
        /// Index of the child; 0 for a shape that is no composite.
        child: usize,
        /// Index of the hole.
        hole: usize,
    },
    /// All of a child lies in a hole.
    #[error("hole {hole} leaves nothing of child {child}; leave the child out")]
    Swallowed {
        /// Index of the child; 0 for a shape that is no composite.
        child: usize,
        /// Index of the hole.
        hole: usize,
    },
    /// A child could not be cut.
    #[error(
        "hole {hole} does not cut child {child} cleanly: faces lie in one plane with its sides, or the mesh crosses itself there; move the hole, or open the side"
    )]
    Uncut {
        /// Index of the child; 0 for a shape that is no composite.
        child: usize,
        /// Index of the hole.
        hole: usize,
    },
    /// A mesh cannot be used.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A height field cannot be used.
    #[error(transparent)]
    Field(#[from] crate::HeightFieldError),
    /// A level set cannot be used.
    #[error(transparent)]
    Levels(#[from] crate::LevelSetError),
    /// Particles cannot be used.
    #[error(transparent)]
    Particles(#[from] crate::ParticlesError),
}

/// A mesh that cannot be made or read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A coordinate is NaN or infinite.
    #[error("vertex {index} is {value:?}; every coordinate must be finite")]
    VertexNotFinite {
        /// Index in the caller's vertex array.
        index: usize,
        /// Its value (m).
        value: [f32; 3],
    },
    /// A vertex is too far from the mesh's origin.
    #[error(
        "vertex {index} is {value:?}; every coordinate must be at most {:e} m in magnitude, or bounds overflow",
        crate::FARTHEST
    )]
    VertexTooFar {
        /// Index in the caller's vertex array.
        index: usize,
        /// Its value (m).
        value: [f32; 3],
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle}: vertex index {index} is out of range; the mesh has {vertices} vertices")]
    IndexOutOfRange {
        /// Index of the triangle in the caller's array.
        triangle: usize,
        /// The index it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// Nothing to make a mesh of.
    #[error("the mesh has no triangles; at least one is needed")]
    Empty,
    /// Every triangle is degenerate or a duplicate.
    #[error(
        "none of the {triangles} triangles is sound ({degenerate} degenerate, {duplicate} duplicate); at least one with an area is needed"
    )]
    NothingSound {
        /// How many were given.
        triangles: usize,
        /// How many have no area.
        degenerate: usize,
        /// How many repeat another one.
        duplicate: usize,
    },
    /// More vertices or triangles than a `u32` can count.
    #[error("the mesh has {count} {what}; at most 2^31 can be indexed")]
    TooLarge {
        /// `vertices` or `triangles`.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// New vertices for a mesh that has another number of them.
    #[error("{given} vertices were given for a mesh of {expected}; a deformed mesh keeps its vertices")]
    VertexCount {
        /// How many were given.
        given: usize,
        /// How many the mesh has.
        expected: usize,
    },
    /// New places for vertices that the mesh does not have.
    #[error("vertices {first} to {} were given for a mesh of {expected}; a range has to lie within", first.saturating_add(*given))]
    VertexRange {
        /// The first of them.
        first: usize,
        /// How many were given.
        given: usize,
        /// How many the mesh has.
        expected: usize,
    },
    /// A triangle to be taken out that the mesh does not have.
    #[error("triangle {triangle} is to be taken out of a mesh of {count}; indices run from 0 to one less")]
    NoSuchTriangle {
        /// Its index.
        triangle: u32,
        /// How many triangles the mesh has, those taken out before among them.
        count: usize,
    },
    /// Triangles are to be taken out of a mesh that is closed by virtual faces.
    #[error(
        "the mesh is closed by virtual faces, which would stay behind; take triangles out of the open mesh and close it again"
    )]
    VirtualFaces,
    /// All triangles are to be taken out.
    #[error("all of the {triangles} triangles that are left are to be taken out; one at least has to stay")]
    NothingLeft {
        /// How many are left.
        triangles: usize,
    },
    /// Data of a mesh that was made before, which none can have been made into.
    #[error("the mesh's data: {reason}")]
    Unsound {
        /// What is wrong, and what would be right.
        reason: &'static str,
    },
    /// A mesh cannot be scaled so.
    #[error(
        "scale: the factor along {axis} is {value}; it must be finite and not 0, and of a shape positive"
    )]
    Factor {
        /// `x`, `y`, `z`, or all of them.
        axis: &'static str,
        /// Its value.
        value: f64,
    },
    /// A mesh cannot stand at a pose.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// The thickness of a one-sided mesh cannot be used.
    #[error("one-sided mesh: the thickness is {value} m; {remedy}")]
    Thickness {
        /// Its value (m).
        value: f32,
        /// What would be right.
        remedy: &'static str,
    },
    /// The direction of a one-sided mesh cannot be used.
    #[error("one-sided mesh: `up` is {value:?}; it must be finite and not zero")]
    Up {
        /// Its value.
        value: [f32; 3],
    },
    /// A face of a one-sided mesh looks the wrong way.
    #[error(
        "one-sided mesh: triangle {triangle} looks away from `up` (its normal is {normal:?}); turn it round, or close overhangs by hand"
    )]
    LooksAway {
        /// Index in the array the mesh was made from.
        triangle: u32,
        /// Its unit normal.
        normal: [f32; 3],
    },
    /// A one-sided mesh that walls around its border do not close.
    #[error(
        "one-sided mesh: {open} edges of the extruded surface stay open, the first from {from:?} to {to:?}; borders parallel to `up`, overlapping faces and triangles thinner than f32 resolves cannot be closed"
    )]
    StaysOpen {
        /// How many.
        open: usize,
        /// Where the first one begins (m).
        from: [f32; 3],
        /// Where it ends (m).
        to: [f32; 3],
    },
    /// A setting of repairs cannot be used.
    #[error("repairs: {parameter} is {value}; {remedy}")]
    RepairSetting {
        /// `tolerance` or `close_holes`.
        parameter: &'static str,
        /// Its value.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// The file cannot be opened or read.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// The file's ending names no format that can be read.
    #[error("{path}: unknown mesh format `{extension}`; obj, stl, ply, off, gltf and glb can be read")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its ending.
        extension: String,
    },
    /// The file is of a format that this build cannot read or write.
    #[error(
        "{path}: this build has no code for {format} files; turn on the cargo feature `{feature}`, or `files` for all formats"
    )]
    FormatNotBuilt {
        /// The file.
        path: PathBuf,
        /// `OBJ`, `STL`, `PLY` or `glTF`.
        format: &'static str,
        /// The feature of `impinge` that brings it.
        feature: &'static str,
    },
    /// The file's ending names no format that can be written.
    #[error("{path}: no meshes are written as `{extension}`; obj, stl, ply, off and glb can be written")]
    CannotWrite {
        /// The file.
        path: PathBuf,
        /// Its ending.
        extension: String,
    },
    /// The file's contents are not a mesh of its format.
    #[error("{path}: not a readable {format} file: {reason}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// `OBJ`, `STL`, `PLY`, `OFF` or `glTF`.
        format: &'static str,
        /// What the reader said.
        reason: String,
    },
    /// A mesh of a file of several, or its place, cannot be used.
    #[error("{path}: part {part} `{name}`: {source}")]
    InPart {
        /// The file.
        path: PathBuf,
        /// Which of its parts, counted from 0.
        part: usize,
        /// The part's name; may be empty.
        name: String,
        /// What is wrong with it.
        source: Box<MeshError>,
    },
    /// The mesh that a file holds cannot be used.
    #[error("{path}: {source}")]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with the mesh.
        source: Box<MeshError>,
    },
}
