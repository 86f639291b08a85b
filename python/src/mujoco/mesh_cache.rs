//! Meshes of MuJoCo's models as prepared shapes: by what is in them, not by where they lie, since a copy of a model lies elsewhere
//! and another model may lie where one was freed.
//!
//! Every thread remembers which of its models' meshes is which, and sees in each call whether it still is, see [`super::mesh_mark`].
//! All threads share the shapes. Where they have more triangles than the budget, those that were not used for the longest go.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use impinge::geometry::RepairSettings;
use impinge::nalgebra::Point3;
use impinge::{PreparedShape, TriMesh};
use pyo3::prelude::*;

use super::counts::{COUNTS, add};
use super::mesh_mark::{MeshMark, mixed};
use super::model::{MeshArrays, Model};
use super::open_meshes;
use crate::threads::prepared;

/// A shape that one of so many last calls used stays, whatever the budget: else a pair that exceeds it would be built in every call.
const RECENT_CALLS: u64 = 64;
/// What a mesh counts beside its triangles.
const EACH: usize = 64;

/// Triangles of the shapes that are kept.
static BUDGET: AtomicUsize = AtomicUsize::new(1_000_000);

/// Sets how many triangles the shapes that are kept may have.
pub fn set_budget(triangles: usize) {
    BUDGET.store(triangles, Ordering::Relaxed);
}

/// A mesh of some model.
pub struct CachedMesh {
    /// `None` of an open mesh.
    shape: Option<PreparedShape>,
    /// What it counts against the budget.
    triangles: usize,
    /// The number of the call that used it last.
    used: AtomicU64,
}

/// A hash of all that is in a mesh.
type Content = [u64; 2];

static SHARED: Mutex<Option<HashMap<Content, Arc<CachedMesh>>>> = Mutex::new(None);
/// Grows when everything is to be forgotten.
static EPOCH: AtomicU64 = AtomicU64::new(0);

#[derive(Default)]
struct Known {
    epoch: u64,
    /// By the address of the model and the mesh's number: how it is known again, and what it is.
    meshes: HashMap<(usize, usize), (MeshMark, Weak<CachedMesh>)>,
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// The shape of a mesh; `None` of an open one.
pub fn mesh_shape(model: &Model<'_>, mesh: usize) -> Option<PreparedShape> {
    let arrays = model.mesh(mesh);
    let now = COUNTS.pairs.load(Ordering::Relaxed);
    KNOWN.with_borrow_mut(|known| {
        let epoch = EPOCH.load(Ordering::Relaxed);
        if known.epoch != epoch {
            *known = Known { epoch, ..Known::default() };
        }
        let key = (model.address(), mesh);
        if let Some((mark, cached)) = known.meshes.get_mut(&key)
            && mark.is_of(&arrays)
            && let Some(cached) = cached.upgrade()
        {
            cached.used.store(now, Ordering::Relaxed);
            return cached.shape.clone();
        }
        let cached = shared(mesh, &arrays, now);
        known.meshes.retain(|_, (_, cached)| cached.strong_count() > 0);
        let shape = cached.shape.clone();
        known.meshes.insert(key, (MeshMark::new(&arrays), Arc::downgrade(&cached)));
        shape
    })
}

/// Lets go of the shapes that were not used for the longest, until the rest are within the budget.
fn evict(all: &mut HashMap<Content, Arc<CachedMesh>>, now: u64) {
    let budget = BUDGET.load(Ordering::Relaxed);
    let mut held: usize = all.values().map(|cached| cached.triangles).sum();
    if held <= budget {
        return;
    }
    let mut by_age: Vec<(u64, Content)> =
        all.iter().map(|(content, cached)| (cached.used.load(Ordering::Relaxed), *content)).collect();
    by_age.sort_unstable();
    for (used, content) in by_age {
        if held <= budget || used + RECENT_CALLS >= now {
            return;
        }
        held -= all.remove(&content).map_or(0, |cached| cached.triangles);
    }
}

/// The shape that all threads share. It is built under the lock: a thread that needs it, too, would else build it again.
fn shared(mesh: usize, arrays: &MeshArrays<'_>, now: u64) -> Arc<CachedMesh> {
    let content = content(arrays);
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let all = shared.get_or_insert_default();
    if let Some(cached) = all.get(&content) {
        cached.used.store(now, Ordering::Relaxed);
        return Arc::clone(cached);
    }
    add(&COUNTS.meshes, 1);
    let shape = prepare(mesh, arrays);
    let triangles = EACH + shape.as_ref().map_or(0, |_| arrays.faces.len() / 3);
    let cached = Arc::new(CachedMesh { shape, triangles, used: AtomicU64::new(now) });
    all.insert(content, Arc::clone(&cached));
    evict(all, now);
    cached
}

/// Makes a mesh ready; one that is open is noted and left to MuJoCo.
fn prepare(mesh: usize, arrays: &MeshArrays<'_>) -> Option<PreparedShape> {
    let vertices = arrays.vertices.chunks_exact(3).map(|p| Point3::new(p[0], p[1], p[2])).collect();
    let faces: Option<Vec<[u32; 3]>> = arrays
        .faces
        .chunks_exact(3)
        .map(|f| Some([u32::try_from(f[0]).ok()?, u32::try_from(f[1]).ok()?, u32::try_from(f[2]).ok()?]))
        .collect();
    let triangles = arrays.faces.len() / 3;
    let open = |reason: String| {
        open_meshes::note(mesh, triangles, reason);
        None
    };
    match TriMesh::repaired(vertices, faces?, &RepairSettings::default()) {
        Ok(made) if made.is_closed() => prepared(&made.into()).ok(),
        Ok(made) => {
            open(made.repairs().holes.first().map_or("it is not closed".to_owned(), ToString::to_string))
        }
        Err(error) => open(error.to_string()),
    }
}

/// A hash of all vertices and faces.
fn content(arrays: &MeshArrays<'_>) -> Content {
    let mut hashes = [arrays.vertices.len() as u64, !(arrays.faces.len() as u64)];
    let words = arrays.vertices.iter().map(|x| x.to_bits()).chain(arrays.faces.iter().map(|&v| v as u32));
    for word in words.map(u64::from) {
        hashes = [mixed(hashes[0], word), mixed(hashes[1].rotate_left(7), word ^ 0x5555_5555)];
    }
    hashes
}

/// How many meshes are kept, and their triangles.
#[pyfunction]
pub fn mujoco_kept() -> (usize, usize) {
    let shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let all = shared.iter().flat_map(HashMap::values);
    all.fold((0, 0), |(meshes, triangles), cached| (meshes + 1, triangles + cached.triangles - EACH))
}

/// Forgets every mesh, for models whose vertices were changed in place.
#[pyfunction]
pub fn mujoco_forget() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
    *SHARED.lock().unwrap_or_else(PoisonError::into_inner) = None;
}
