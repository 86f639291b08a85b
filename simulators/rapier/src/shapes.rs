//! Shapes of rapier's made ready for queries: each one once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use impinge::PreparedShape;
use rapier3d::geometry::{Shape, SharedShape, TriMesh, TypedShape};
use rapier3d::math::Vector;

/// Shapes that no pair uses any more and that are kept for the next pair.
const IDLE: usize = 64;

/// A shape that is ours to answer, made ready.
#[derive(Debug)]
pub(crate) struct KnownShape {
    pub prepared: PreparedShape,
    /// Greatest distance of a point from the shape's origin (m); infinite for half-spaces.
    pub reach: f32,
    /// Places of some vertices of a mesh, by which one that has been deformed is found out.
    samples: Vec<(usize, Vector)>,
    vertices: usize,
}

/// Names the contents of a mesh or hull: 128 bits of hash, so that two contents never share one in practice.
type Contents = (u64, u64);

/// `None` marks shapes left to rapier.
type Entry = Option<Arc<KnownShape>>;

/// What was made ready so far. Pairs hold what they use; of the rest some are kept.
#[derive(Debug, Default)]
pub(crate) struct ShapeCache(Mutex<Shapes>);

#[derive(Default)]
struct Shapes {
    /// By contents; the number says when it was used last.
    by_contents: HashMap<Contents, (Entry, u64)>,
    /// Shapes that were named by the user, by address: the clone keeps the address and the contents from changing.
    named: HashMap<usize, (SharedShape, Entry)>,
    uses: u64,
}

impl std::fmt::Debug for Shapes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shapes({} by contents, {} named)", self.by_contents.len(), self.named.len())
    }
}

impl ShapeCache {
    fn lock(&self) -> MutexGuard<'_, Shapes> {
        // Nothing is left half done where a thread panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names a shape: to be answered by us where it can be, or left to rapier. Whether it is ours.
    pub fn name(&self, shape: &SharedShape, ours: bool) -> bool {
        let entry = if ours { self.find(&**shape) } else { None };
        let is_ours = entry.is_some();
        self.lock().named.insert(address(&**shape), (shape.clone(), entry));
        is_ours
    }

    /// The shape made ready, unless it is left to rapier.
    pub fn find(&self, shape: &dyn Shape) -> Entry {
        if let Some((_, entry)) = self.lock().named.get(&address(shape)) {
            return entry.clone();
        }
        let contents = match shape.as_typed_shape() {
            TypedShape::TriMesh(mesh) => contents(mesh.vertices(), mesh.indices()),
            TypedShape::ConvexPolyhedron(polyhedron) => contents(polyhedron.points(), &[]),
            TypedShape::Ball(_)
            | TypedShape::Cuboid(_)
            | TypedShape::Capsule(_)
            | TypedShape::Cylinder(_)
            | TypedShape::HalfSpace(_) => return KnownShape::new(shape),
            _ => return None,
        };
        let mut shapes = self.lock();
        shapes.uses += 1;
        let now = shapes.uses;
        if let Some((entry, used)) = shapes.by_contents.get_mut(&contents) {
            *used = now;
            return entry.clone();
        }
        drop(shapes);
        // Two threads may both get here; the second one's work is dropped.
        let made = KnownShape::new(shape);
        let mut shapes = self.lock();
        let entry = shapes.by_contents.entry(contents).or_insert((made, now)).0.clone();
        shapes.drop_idle(IDLE);
        entry
    }

    /// Drops what no pair uses, and shapes named that the caller has dropped. How many shapes are left.
    pub fn prune(&self) -> usize {
        let mut shapes = self.lock();
        shapes.named.retain(|_, (shape, _)| Arc::strong_count(&shape.0) > 1);
        shapes.drop_idle(0);
        shapes.by_contents.len() + shapes.named.len()
    }
}

impl Shapes {
    /// Drops shapes in no use, those used longest ago first, until there are no more than so many.
    fn drop_idle(&mut self, most: usize) {
        let is_idle = |entry: &Entry| entry.as_ref().is_none_or(|known| Arc::strong_count(known) == 1);
        let mut idle: Vec<(u64, Contents)> = Vec::new();
        if self.by_contents.len() > most {
            let unused = self.by_contents.iter().filter(|(_, (entry, _))| is_idle(entry));
            idle.extend(unused.map(|(contents, (_, used))| (*used, *contents)));
        }
        idle.sort_unstable();
        for (_, contents) in idle.iter().take(idle.len().saturating_sub(most)) {
            self.by_contents.remove(contents);
        }
    }
}

impl KnownShape {
    fn new(shape: &dyn Shape) -> Option<Arc<KnownShape>> {
        let mesh = shape.as_trimesh();
        if mesh.is_some_and(is_inside_out) {
            return None;
        }
        let prepared = impinge::parry::prepared(shape).ok().filter(PreparedShape::is_solid)?;
        let aabb = shape.compute_local_aabb();
        let reach = aabb.mins.abs().max(aabb.maxs.abs()).length();
        let vertices = mesh.map_or(&[][..], TriMesh::vertices);
        let every = vertices.len().div_ceil(32).max(1);
        let samples = vertices.iter().copied().enumerate().step_by(every).collect();
        let vertices = vertices.len();
        Some(Arc::new(KnownShape { prepared, reach, samples, vertices }))
    }

    /// Whether the shape still is what it was when it was made ready: soft bodies move their meshes' vertices.
    pub fn is_still(&self, shape: &dyn Shape) -> bool {
        let vertices = shape.as_trimesh().map_or(&[][..], TriMesh::vertices);
        vertices.len() == self.vertices && self.samples.iter().all(|(k, v)| vertices[*k] == *v)
    }
}

/// Whether the surface looks at its inside, as that of a room does.
fn is_inside_out(mesh: &TriMesh) -> bool {
    let corner = |v: u32| mesh.vertices()[v as usize].as_dvec3();
    let volume = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])));
    mesh.indices().iter().map(volume).sum::<f64>() < 0.0
}

fn address(shape: &dyn Shape) -> usize {
    (&raw const *shape).cast::<()>() as usize
}

/// Two lanes of folded multiplication (as in wyhash, Wang Yi 2019), of different keys.
fn contents(vertices: &[Vector], triangles: &[[u32; 3]]) -> Contents {
    let mut lanes = [0x9e37_79b9_7f4a_7c15, 0xe703_7ed1_a0b4_28db];
    let mut add = |word: u64| {
        for (lane, key) in lanes.iter_mut().zip([0xa076_1d64_78bd_642f, 0x8ebc_6af0_9c88_c6e3_u64]) {
            let product = u128::from(*lane ^ word) * u128::from(key);
            *lane = (product as u64) ^ ((product >> 64) as u64).rotate_left(29).wrapping_add(key);
        }
    };
    let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
    add(vertices.len() as u64);
    for v in vertices {
        add(pair(v.x.to_bits(), v.y.to_bits()));
        add(u64::from(v.z.to_bits()));
    }
    for [a, b, c] in triangles {
        add(pair(*a, *b));
        add(u64::from(*c));
    }
    (lanes[0], lanes[1])
}
