//! FCL and Bullet through the C interfaces in `peers_cpp/`. The only module with `unsafe` in it.

use std::collections::BTreeMap;
use std::sync::{Arc, Once};

use impinge_geometry::{Aabb, TriMesh};
use nalgebra::Isometry3;

/// What lies behind a pointer of the C++ side.
#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

type Ptr = *mut Opaque;

unsafe extern "C" {
    fn fcl_mesh_new(vertices: *const f32, count: usize, triangles: *const u32, triangle_count: usize) -> Ptr;
    fn fcl_mesh_free(mesh: Ptr);
    fn fcl_mesh_prepare_distance(mesh: Ptr);
    fn fcl_mesh_build(mesh: Ptr);
    fn fcl_mesh_memory(mesh: Ptr) -> usize;
    fn fcl_pairs(a: Ptr, pose_a: *const f64, b: Ptr, pose_b: *const f64, most: usize) -> usize;
    fn fcl_contacts(
        a: Ptr,
        pose_a: *const f64,
        b: Ptr,
        pose_b: *const f64,
        out: *mut f64,
        room: usize,
    ) -> usize;
    fn fcl_distance(a: Ptr, pose_a: *const f64, b: Ptr, pose_b: *const f64) -> f64;
    fn fcl_sweep(a: Ptr, pose_a: *const f64, b: Ptr, from: *const f64, to: *const f64, poses: usize) -> f64;
    fn fcl_group_new(meshes: *const Ptr, poses: *const f64, count: usize) -> Ptr;
    fn fcl_group_free(group: Ptr);
    fn fcl_group_touch(world: Ptr, moved: Ptr, pose: *const f64) -> bool;
    fn fcl_boxes_new(aabbs: *const f32, count: usize) -> Ptr;
    fn fcl_boxes_free(boxes: Ptr);
    fn fcl_boxes_move(boxes: Ptr, slot: u32, aabb: *const f32);
    fn fcl_boxes_update(boxes: Ptr, pairs: *mut *const u32) -> usize;

    fn gimpact_mesh_new(vertices: *const f32, count: usize, triangles: *const u32, triangles: usize) -> Ptr;
    fn gimpact_mesh_free(mesh: Ptr);
    fn gimpact_mesh_build(mesh: Ptr);
    fn gimpact_pair_new(a: Ptr, b: Ptr) -> Ptr;
    fn gimpact_pair_free(pair: Ptr);
    fn gimpact_contacts(
        pair: Ptr,
        pose_a: *const f64,
        pose_b: *const f64,
        out: *mut f64,
        room: usize,
    ) -> usize;
    fn bullet_boxes_new(aabbs: *const f32, count: usize, sweep: i32, bounds: *const f32) -> Ptr;
    fn bullet_boxes_free(boxes: Ptr);
    fn bullet_boxes_move(boxes: Ptr, slot: u32, aabb: *const f32);
    fn bullet_boxes_update(boxes: Ptr);
    fn bullet_boxes_pairs(boxes: Ptr, pairs: *mut *const u32) -> usize;
}

/// Vertices and triangles as plain rows.
fn arrays(mesh: &TriMesh) -> (Vec<f32>, Vec<u32>) {
    let vertices = mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    (vertices, mesh.triangles().iter().flatten().copied().collect())
}

fn pose(pose: &Isometry3<f64>) -> [f64; 7] {
    let (t, q) = (pose.translation.vector, pose.rotation.coords);
    [t.x, t.y, t.z, q.w, q.x, q.y, q.z]
}

fn rows(boxes: &[Aabb]) -> Vec<f32> {
    boxes.iter().flat_map(row).collect()
}

fn row(aabb: &Aabb) -> [f32; 6] {
    let ([a, b, c], [d, e, f]) = (aabb.min, aabb.max);
    [a, b, c, d, e, f]
}

/// A contact as a peer reports it: place (m), unit normal from A to B, depth (m).
pub type RawContact = [f64; 7];

/// Room for contacts that are kept; more are counted.
pub const MOST_CONTACTS: usize = 1 << 16;

/// A mesh of FCL.
pub struct FclMesh {
    mesh: Ptr,
    for_distance: Once,
}

// SAFETY: questions only read the mesh; what they write is local to the thread. The one change, made
// ready for distances, happens once behind `for_distance`.
unsafe impl Send for FclMesh {}
// SAFETY: as above.
unsafe impl Sync for FclMesh {}

impl FclMesh {
    pub fn new(mesh: &TriMesh) -> FclMesh {
        let (vertices, triangles) = arrays(mesh);
        // SAFETY: the counts are those of the arrays, which are copied; indices of a `TriMesh` are in range.
        let mesh = unsafe {
            fcl_mesh_new(vertices.as_ptr(), vertices.len() / 3, triangles.as_ptr(), triangles.len() / 3)
        };
        FclMesh { mesh, for_distance: Once::new() }
    }

    pub fn prepare_distance(&self) {
        // SAFETY: the mesh lives, and nobody asks for a distance before this is done.
        self.for_distance.call_once(|| unsafe { fcl_mesh_prepare_distance(self.mesh) });
    }

    pub fn build(&self) {
        // SAFETY: the mesh lives and is only read.
        unsafe { fcl_mesh_build(self.mesh) }
    }

    pub fn memory(&self) -> usize {
        // SAFETY: the mesh lives and is only read.
        unsafe { fcl_mesh_memory(self.mesh) }
    }

    /// The number of intersecting pairs of triangles, at most `most`.
    pub fn pairs(&self, a: &Isometry3<f64>, other: &FclMesh, b: &Isometry3<f64>, most: usize) -> usize {
        let (pa, pb) = (pose(a), pose(b));
        // SAFETY: both meshes live; a pose is seven numbers.
        unsafe { fcl_pairs(self.mesh, pa.as_ptr(), other.mesh, pb.as_ptr(), most) }
    }

    /// Fills `out` with contacts and gives their number.
    pub fn contacts(
        &self,
        a: &Isometry3<f64>,
        other: &FclMesh,
        b: &Isometry3<f64>,
        out: &mut [RawContact],
    ) -> usize {
        let (pa, pb) = (pose(a), pose(b));
        // SAFETY: both meshes live; at most `out.len()` contacts of seven numbers are written.
        unsafe {
            fcl_contacts(self.mesh, pa.as_ptr(), other.mesh, pb.as_ptr(), out.as_mut_ptr().cast(), out.len())
        }
    }

    /// When `other` meets it on a motion (line and even turn), by collision at a number of poses.
    pub fn sweep(
        &self,
        a: &Isometry3<f64>,
        other: &FclMesh,
        [from, to]: [&Isometry3<f64>; 2],
        poses: usize,
    ) -> Option<f64> {
        let (a, from, to) = (pose(a), pose(from), pose(to));
        // SAFETY: both meshes live, and the poses are of seven numbers.
        let time = unsafe { fcl_sweep(self.mesh, a.as_ptr(), other.mesh, from.as_ptr(), to.as_ptr(), poses) };
        (time <= 1.0).then_some(time)
    }

    /// How far the surfaces are apart (m).
    pub fn distance(&self, a: &Isometry3<f64>, other: &FclMesh, b: &Isometry3<f64>) -> f64 {
        self.prepare_distance();
        other.prepare_distance();
        let (pa, pb) = (pose(a), pose(b));
        // SAFETY: both meshes live and were made ready for distances.
        unsafe { fcl_distance(self.mesh, pa.as_ptr(), other.mesh, pb.as_ptr()) }
    }
}

/// Meshes of FCL that stand or move as one, in a tree of their boxes.
pub struct FclGroup {
    group: Ptr,
    /// The group borrows them; one of each, however often it stands there.
    _meshes: BTreeMap<*const TriMesh, FclMesh>,
}

impl FclGroup {
    pub fn new(parts: &[(Isometry3<f64>, Arc<TriMesh>)]) -> FclGroup {
        let mut meshes = BTreeMap::new();
        let mut pointer =
            |mesh: &Arc<TriMesh>| meshes.entry(Arc::as_ptr(mesh)).or_insert_with(|| FclMesh::new(mesh)).mesh;
        let pointers: Vec<Ptr> = parts.iter().map(|(_, mesh)| pointer(mesh)).collect();
        let poses: Vec<f64> = parts.iter().flat_map(|(at, _)| pose(at)).collect();
        // SAFETY: the arrays have as many meshes and poses as is said; the meshes live as long as the group.
        let group = unsafe { fcl_group_new(pointers.as_ptr(), poses.as_ptr(), pointers.len()) };
        FclGroup { group, _meshes: meshes }
    }

    /// Whether this group touches another that is moved to a pose.
    pub fn touches(&mut self, moved: &mut FclGroup, at: &Isometry3<f64>) -> bool {
        // SAFETY: both groups live and nobody else uses them; a pose is seven numbers.
        unsafe { fcl_group_touch(self.group, moved.group, pose(at).as_ptr()) }
    }
}

impl Drop for FclGroup {
    fn drop(&mut self) {
        // SAFETY: it was made by `fcl_group_new`, and is freed once.
        unsafe { fcl_group_free(self.group) }
    }
}

impl Drop for FclMesh {
    fn drop(&mut self) {
        // SAFETY: made by `fcl_mesh_new`, freed once.
        unsafe { fcl_mesh_free(self.mesh) }
    }
}

/// Two meshes of Bullet's GImpact. A question changes them, so each thread needs its own.
pub struct GImpactPair {
    meshes: [Ptr; 2],
    pair: Ptr,
}

// SAFETY: nothing of it is tied to a thread, and every question borrows it mutably or only reads the
// arrays.
unsafe impl Send for GImpactPair {}

impl GImpactPair {
    pub fn new(meshes: [&TriMesh; 2]) -> GImpactPair {
        let meshes = meshes.map(|mesh| {
            let (vertices, triangles) = arrays(mesh);
            // SAFETY: the counts are those of the arrays, which are copied; indices are in range.
            unsafe {
                gimpact_mesh_new(
                    vertices.as_ptr(),
                    vertices.len() / 3,
                    triangles.as_ptr(),
                    triangles.len() / 3,
                )
            }
        });
        // SAFETY: both meshes live as long as the pair.
        let pair = unsafe { gimpact_pair_new(meshes[0], meshes[1]) };
        GImpactPair { meshes, pair }
    }

    pub fn build(&self, side: usize) {
        // SAFETY: the mesh lives and only its arrays are read.
        unsafe { gimpact_mesh_build(self.meshes[side]) }
    }

    /// Fills `out` with contacts and gives their number.
    pub fn contacts(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>, out: &mut [RawContact]) -> usize {
        let (pa, pb) = (pose(a), pose(b));
        // SAFETY: the pair lives; at most `out.len()` contacts of seven numbers are written.
        unsafe { gimpact_contacts(self.pair, pa.as_ptr(), pb.as_ptr(), out.as_mut_ptr().cast(), out.len()) }
    }
}

impl Drop for GImpactPair {
    fn drop(&mut self) {
        // SAFETY: made by the functions above, freed once, the pair before its meshes.
        unsafe {
            gimpact_pair_free(self.pair);
            self.meshes.into_iter().for_each(|mesh| gimpact_mesh_free(mesh));
        }
    }
}

/// FCL's dynamic tree of boxes.
pub struct FclBoxes {
    boxes: Ptr,
    /// The pairs of the last update.
    pub pairs: Vec<[u32; 2]>,
}

impl FclBoxes {
    pub fn new(boxes: &[Aabb]) -> FclBoxes {
        let rows = rows(boxes);
        // SAFETY: six numbers for each box, copied.
        let boxes = unsafe { fcl_boxes_new(rows.as_ptr(), boxes.len()) };
        FclBoxes { boxes, pairs: Vec::new() }
    }

    pub fn step(&mut self, moved: &[(u32, Aabb)]) {
        for (slot, aabb) in moved {
            // SAFETY: the slots are those of `new`; six numbers are read.
            unsafe { fcl_boxes_move(self.boxes, *slot, row(aabb).as_ptr()) }
        }
        let mut at = std::ptr::null();
        // SAFETY: the list lives until the next call and holds two numbers for each pair.
        let found = unsafe {
            let count = fcl_boxes_update(self.boxes, &mut at);
            list(&at, count)
        };
        self.pairs.clear();
        self.pairs.extend_from_slice(found);
    }
}

impl Drop for FclBoxes {
    fn drop(&mut self) {
        // SAFETY: made by `fcl_boxes_new`, freed once.
        unsafe { fcl_boxes_free(self.boxes) }
    }
}

/// Which of Bullet's broad phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulletKind {
    /// Two dynamic trees of fat boxes.
    DynamicTree,
    /// Incremental sweep-and-prune on three axes.
    Sweep,
}

/// A broad phase of Bullet.
pub struct BulletBoxes(Ptr);

impl BulletBoxes {
    /// `bounds` must hold all boxes for ever.
    pub fn new(kind: BulletKind, boxes: &[Aabb], bounds: &Aabb) -> BulletBoxes {
        let rows = rows(boxes);
        let sweep = i32::from(kind == BulletKind::Sweep);
        // SAFETY: six numbers for each box and for the bounds, copied.
        BulletBoxes(unsafe { bullet_boxes_new(rows.as_ptr(), boxes.len(), sweep, row(bounds).as_ptr()) })
    }

    pub fn step(&mut self, moved: &[(u32, Aabb)]) {
        for (slot, aabb) in moved {
            // SAFETY: the slots are those of `new`; six numbers are read.
            unsafe { bullet_boxes_move(self.0, *slot, row(aabb).as_ptr()) }
        }
        // SAFETY: the boxes live.
        unsafe { bullet_boxes_update(self.0) }
    }

    /// The pairs kept, in no order.
    pub fn pairs(&self) -> Vec<[u32; 2]> {
        let mut at = std::ptr::null();
        // SAFETY: the list lives until the next call and holds two numbers for each pair.
        unsafe {
            let count = bullet_boxes_pairs(self.0, &mut at);
            list(&at, count).to_vec()
        }
    }
}

impl Drop for BulletBoxes {
    fn drop(&mut self) {
        // SAFETY: made by `bullet_boxes_new`, freed once.
        unsafe { bullet_boxes_free(self.0) }
    }
}

/// `count` pairs of numbers.
///
/// # Safety
/// `at` must point to as many, or may be null where there are none.
unsafe fn list(at: &*const u32, count: usize) -> &[[u32; 2]] {
    if count == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(at.cast(), count) }
}
