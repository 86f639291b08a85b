//! Bodies whose vertices live on the GPU.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};

use impinge_geometry::{Aabb, ColliderId, PairFrame, ShapeId, Side, TriMesh};
use impinge_gpu_narrow::surfaces::{
    MeetingState, SurfaceEngine, SurfaceError, SurfaceId, SurfaceMeeting, SurfacePair, SurfaceSource,
};
use impinge_midphase::{ObbTree, Part, Surface};
use nalgebra::{Isometry3, Point3, Vector3};

use super::device_events::DeviceEvents;
use super::present::Gpu;
use crate::pair_memory::PairMemories;
use crate::report::StepCounts;
use crate::slots::Slots;
use crate::world::HeldCollider;
use crate::{PairQuery, PreparedShape, World, WorldError};

/// Gives the places of all vertices (m), where the CPU knows them: called when the GPU has not answered.
pub type KnownPlaces = Arc<dyn Fn() -> Vec<Point3<f32>> + Send + Sync>;

/// How two colliders meet of which the vertices of one at least live on the GPU ([`World::set_device_vertices`]).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceContact {
    /// The colliders; A has the lower index.
    pub colliders: [ColliderId; 2],
    /// The children of their shapes; 0 of a shape that is no composite.
    pub subshapes: [u32; 2],
    /// What is known. A state other than [`MeetingState::Apart`] and [`MeetingState::Crossing`] says nothing of whether they touch.
    pub state: MeetingState,
    /// Triangle pairs that certainly cross.
    pub crossings: u64,
    /// Triangle pairs of which nothing is certain.
    pub uncertain: u64,
    /// The area vector that the segments bound along which they cross (m², world): along the normal from A to B where these are closed lines.
    pub area: Vector3<f64>,
    /// The middle of the box of these segments (m, world); `None` where nothing crosses.
    pub center: Option<Point3<f64>>,
    /// Whether the CPU has answered, with places that it knows.
    pub on_cpu: bool,
}

/// A shape whose vertices live on the device.
struct DeviceShape {
    source: SurfaceSource,
    known: Option<KnownPlaces>,
    /// Its surface on the device, once it was asked about.
    surface: Option<SurfaceId>,
}

/// A mesh that the device was sent. The weak handles keep the addresses from being given to others.
#[derive(Debug)]
struct Sent {
    mesh: Weak<TriMesh>,
    tree: Weak<ObbTree>,
    surface: SurfaceId,
}

/// The bodies of a world whose vertices live on the GPU.
#[derive(Default)]
pub(crate) struct DeviceBodies {
    shapes: BTreeMap<ShapeId, DeviceShape>,
    sent: BTreeMap<(usize, usize), Sent>,
    engine: Option<SurfaceEngine>,
    contacts: Vec<DeviceContact>,
    pub(super) events: DeviceEvents,
}

impl fmt::Debug for DeviceBodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBodies({} shapes)", self.shapes.len())
    }
}

/// A pair of parts that is asked about.
struct Asked<'s> {
    contact: DeviceContact,
    shapes: [ShapeId; 2],
    parts: [&'s Part; 2],
    poses: [Isometry3<f64>; 2],
}

impl DeviceBodies {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// The vertices of a shape live on the device no longer.
    pub fn forget(&mut self, shape: ShapeId) {
        let before = self.shapes.remove(&shape).and_then(|own| own.surface);
        if let (Some(engine), Some(surface)) = (&mut self.engine, before) {
            engine.remove(surface);
        }
    }

    /// Answers all pairs that are theirs.
    pub fn meet(
        &mut self,
        gpu: Option<&mut Gpu>,
        memories: &mut PairMemories,
        colliders: &Slots<HeldCollider>,
        counts: &mut StepCounts,
    ) {
        self.contacts.clear();
        if !self.shapes.is_empty() {
            self.answer(gpu, memories, colliders, counts);
        }
        self.events.compare(&self.contacts);
    }

    /// Finds the contacts.
    fn answer(
        &mut self,
        gpu: Option<&mut Gpu>,
        memories: &mut PairMemories,
        colliders: &Slots<HeldCollider>,
        counts: &mut StepCounts,
    ) {
        let mut asked = Vec::new();
        for memory in memories.slots().iter().filter(|memory| memory.on_device) {
            let held = memory.colliders.map(|id| colliders.get(id.index, id.generation));
            let [Some(a), Some(b)] = held else { continue };
            for (k, of_a) in (0..).zip(a.prepared.parts()) {
                for (l, of_b) in (0..).zip(b.prepared.parts()) {
                    asked.push(Asked {
                        contact: DeviceContact {
                            colliders: memory.colliders,
                            subshapes: [k, l],
                            state: MeetingState::NotEvaluated,
                            crossings: 0,
                            uncertain: 0,
                            area: Vector3::zeros(),
                            center: None,
                            on_cpu: false,
                        },
                        shapes: [a.collider.shape, b.collider.shape],
                        parts: [of_a, of_b],
                        poses: [a.collider.pose * of_a.pose, b.collider.pose * of_b.pose],
                    });
                }
            }
        }
        self.ask(gpu, &mut asked, counts);
        for one in &mut asked {
            if one.contact.state == MeetingState::NotEvaluated {
                self.answer_on_cpu(one);
            }
            counts.device_pairs += 1;
            counts.not_evaluated +=
                u64::from(!matches!(one.contact.state, MeetingState::Apart | MeetingState::Crossing));
        }
        self.contacts.extend(asked.into_iter().map(|one| one.contact));
    }

    /// Asks the device; what it does not answer stays as it is.
    fn ask(&mut self, gpu: Option<&mut Gpu>, asked: &mut [Asked<'_>], counts: &mut StepCounts) {
        let Some(gpu) = gpu.filter(|gpu| gpu.engine().is_some()) else {
            self.forget_device();
            return;
        };
        if let Err(fault) = self.open(gpu) {
            gpu.note(&fault);
            return;
        }
        let gone = |sent: &Sent| sent.mesh.strong_count() == 0 || sent.tree.strong_count() == 0;
        if let Some(engine) = &mut self.engine {
            self.sent.values().filter(|sent| gone(sent)).for_each(|sent| engine.remove(sent.surface));
            self.sent.retain(|_, sent| !gone(sent));
        }
        let mut pairs = Vec::new();
        let mut whose = Vec::new();
        for (index, one) in asked.iter().enumerate() {
            let surfaces = [0, 1].map(|side| self.surface(one.shapes[side], one.parts[side]));
            if let [Some(a), Some(b)] = surfaces {
                pairs.push(SurfacePair {
                    surfaces: [a, b],
                    frame: PairFrame::new(&one.poses[0], &one.poses[1]),
                });
                whose.push(index);
            }
        }
        let Some(engine) = self.engine.as_mut().filter(|_| !pairs.is_empty()) else { return };
        match engine.meet(&pairs) {
            Ok(found) => {
                let [up, back] = engine.bytes();
                counts.gpu_bytes_up += up;
                counts.gpu_bytes_back += back;
                for ((index, pair), meeting) in whose.into_iter().zip(&pairs).zip(&found) {
                    asked[index].take(pair, meeting);
                }
            }
            Err(fault) => {
                tracing::warn!(%fault, "bodies on the device were not evaluated");
                gpu.note(&fault);
                self.forget_device();
            }
        }
    }

    /// An engine on the device of the world.
    fn open(&mut self, gpu: &Gpu) -> Result<(), impinge_gpu_narrow::GpuFault> {
        if self.engine.is_none()
            && let Some(engine) = gpu.engine()
        {
            self.engine = Some(SurfaceEngine::beside(engine)?);
        }
        Ok(())
    }

    /// Nothing is on a device any more.
    fn forget_device(&mut self) {
        self.engine = None;
        self.sent.clear();
        self.shapes.values_mut().for_each(|shape| shape.surface = None);
    }

    /// The surface of a part on the device; `None` where it has none or no room.
    fn surface(&mut self, shape: ShapeId, part: &Part) -> Option<SurfaceId> {
        let (engine, Surface { tree, .. }) = (self.engine.as_mut()?, part.surface.as_ref()?);
        let mesh = part.surface.as_ref()?.mesh()?;
        let order =
            || (0..tree.leaf_count() as u32).flat_map(|leaf| tree.leaf_triangles(leaf)).collect::<Vec<_>>();
        if let Some(own) = self.shapes.get_mut(&shape) {
            if own.surface.is_none() {
                let surface = engine.add(mesh, &order()).ok()?;
                own.surface = engine.set_source(surface, own.source.clone()).ok().map(|()| surface);
            }
            return own.surface;
        }
        let key = (Arc::as_ptr(mesh) as usize, Arc::as_ptr(tree) as usize);
        if let Some(sent) = self.sent.get(&key) {
            return Some(sent.surface);
        }
        let surface = engine.add(mesh, &order()).ok()?;
        let (mesh, tree) = (Arc::downgrade(mesh), Arc::downgrade(tree));
        self.sent.insert(key, Sent { mesh, tree, surface });
        Some(surface)
    }

    /// Answers a pair with the places that the CPU knows, if it knows them.
    fn answer_on_cpu(&self, one: &mut Asked<'_>) -> Option<()> {
        let mut sides = Vec::with_capacity(2);
        for (shape, part) in one.shapes.iter().zip(one.parts) {
            let mesh = part.surface.as_ref()?.mesh()?;
            let mut prepared = PreparedShape::new(&impinge_geometry::Shape::Mesh(Arc::clone(mesh)));
            if let Some(own) = self.shapes.get(shape) {
                prepared.set_vertices(&(own.known.as_ref()?)()).ok()?;
            }
            sides.push(prepared);
        }
        let query = PairQuery::between(&sides[0], &sides[1]);
        let [a, b] = &one.poses;
        let contact = &mut one.contact;
        contact.crossings = query.count_triangle_pairs(a, b).ok()?;
        let contours = query.contours(a, b).ok()?;
        contact.area = contours.iter().map(|contour| contour.area).sum();
        let points = || contours.iter().flat_map(|contour| &contour.points);
        contact.center = points().next().map(|first| {
            let [low, high] = points().fold([*first; 2], |[low, high], p| [low.inf(p), high.sup(p)]);
            nalgebra::center(&low, &high)
        });
        contact.state = if contact.crossings > 0 { MeetingState::Crossing } else { MeetingState::Apart };
        contact.on_cpu = true;
        Some(())
    }
}

impl Asked<'_> {
    /// Takes what the device has found.
    fn take(&mut self, pair: &SurfacePair, meeting: &SurfaceMeeting) {
        let (contact, answer) = (&mut self.contact, &meeting.answer);
        contact.state = meeting.state;
        (contact.crossings, contact.uncertain) = (answer.hits, answer.uncertain);
        contact.area = pair.frame.rotation[Side::A.index()] * answer.area;
        if answer.hits > 0 {
            let middle = (answer.bounds[0] + answer.bounds[1]) * 0.5;
            contact.center = Some(pair.frame.to_world(&pair.frame.place_f64(Side::A, &middle.into())));
        }
    }
}

impl World {
    /// Has the vertices of a mesh taken from a buffer on the GPU with every step from the next on: a cloth that a compute shader moves, a
    /// [skin](crate::gpu_narrow::surfaces::GpuSkin), a sheet that is tessellated. They are never read back. Triangles are those of the mesh, whose own
    /// vertices count no more; `None` has them count again.
    ///
    /// The world must share the device that the buffer belongs to ([`WorldBuilder::gpu_device`](crate::WorldBuilder::gpu_device)). Boxes of the colliders
    /// that place the shape are those of [`SurfaceSource::bounds`]; their pairs with meshes, hulls, boxes and each other are answered on the device:
    /// [`World::device_contacts`] says which triangles cross, as far as `f32` can tell for certain. Which begin to cross, and cease to, are
    /// [`World::device_events`]. They have no manifolds, and are asked whatever has moved. Of a step poses go up, and a record of each pair comes back ([`StepCounts::device_pairs`](crate::StepCounts::device_pairs)).
    ///
    /// Where the device does not answer, pairs are finished on the CPU if `known` gives the places, and else
    /// [not evaluated](MeetingState::NotEvaluated), which [`StepStatus::NOT_EVALUATED`](crate::StepStatus::NOT_EVALUATED) says.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::DeviceVertices`] for a shape that is no mesh, a world without a GPU, and a source that cannot be read. Nothing
    /// has changed then.
    pub fn set_device_vertices(
        &mut self,
        shape: ShapeId,
        source: Option<SurfaceSource>,
        known: Option<KnownPlaces>,
    ) -> Result<(), WorldError> {
        let refused = |reason: String| WorldError::DeviceVertices { id: shape, reason };
        let held = self.shapes.get(shape.index, shape.generation);
        let held = held.ok_or(WorldError::UnknownShape { id: shape })?;
        let impinge_geometry::Shape::Mesh(mesh) = held.prepared.shape() else {
            return Err(refused("it is no mesh".to_owned()));
        };
        if let Some(source) = &source {
            source
                .check(mesh.vertices().len() as u32)
                .map_err(|error: SurfaceError| refused(error.to_string()))?;
            if self.state.gpu.is_none() {
                return Err(refused("the world has no GPU".to_owned()));
            }
        }
        let slots: Vec<u32> = held.colliders().collect();
        let state = &mut *self.state;
        let bodies = &mut state.device_bodies;
        bodies.forget(shape);
        let bounds = source.as_ref().map(|source| source.bounds);
        if let Some(source) = source {
            bodies.shapes.insert(shape, DeviceShape { source, known, surface: None });
        }
        for slot in slots {
            if let Some(held) = state.colliders.at_mut(slot) {
                held.on_device = bounds;
            }
            state.mark(slot);
        }
        state.still = None;
        Ok(())
    }

    /// How the colliders of which vertices live on the GPU met others in the last step, in the order of the pairs: one for each two parts of which boxes
    /// overlap.
    pub fn device_contacts(&self) -> &[DeviceContact] {
        &self.state.device_bodies.contacts
    }

    /// The bounds of a shape whose vertices live on the device.
    pub(crate) fn device_bounds(&self, shape: ShapeId) -> Option<Aabb> {
        self.state.device_bodies.shapes.get(&shape).map(|own| own.source.bounds)
    }
}
