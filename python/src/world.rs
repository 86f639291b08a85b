//! Worlds: colliders with poses in, manifolds out.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use impinge::nalgebra::Isometry3;
use impinge::{
    Backend, Collider, ColliderId, ContactPhase, NarrowMethod, PreparedShape, QueryFilter, ShapeId,
    UnknownNarrowMethod, World as LibraryWorld, WorldError,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;

use crate::arrays::{integers, shape_text};
use crate::contact_arrays::contact_arrays;
use crate::errors::{ForkedWorld, InvalidPose, InvalidSetting, of_build, of_world};
use crate::poses::matrix;
use crate::shapes::one_shape;
use crate::{threads, whole_numbers};

/// Colliders with poses in, contact manifolds out, step by step; points keep their keys while a contact lasts.
///
/// threads: worker threads; 0 shares those of the package. margin: pairs closer than this (m) give points of negative depth.
/// tolerance: overlaps no deeper than the sum of both colliders' tolerances (m) are dropped. resolution: columns per side of a view,
/// a power of two from 4 to 256. May be used from several threads; they wait for each other. In a forked child every call raises
/// ForkedWorld.
#[pyclass(frozen, subclass, module = "impinge._impinge")]
pub struct World {
    held: Mutex<Held>,
    pool: Arc<ThreadPool>,
    /// As [`threads::forks`] counted when it was made.
    forks: u64,
}

impl Drop for World {
    fn drop(&mut self) {
        if self.forks != threads::forks() {
            // One holder more than there are: to end the pool would be to tell threads that are not there.
            std::mem::forget(Arc::clone(&self.pool));
        }
    }
}

pub struct Held {
    pub world: LibraryWorld,
    /// Shapes that colliders place, each once, by where the shape lies in memory.
    shapes: HashMap<usize, (PreparedShape, ShapeId)>,
    /// Of each the key in `shapes`, by index and generation.
    keys: HashMap<(u32, u32), usize>,
}

impl Held {
    fn shape(&mut self, shape: &PreparedShape) -> PyResult<ShapeId> {
        // No other shape can lie there while this one is held.
        let key = std::ptr::from_ref(shape.shape()) as usize;
        if let Some((_, id)) = self.shapes.get(&key) {
            return Ok(*id);
        }
        let id = self.world.add_prepared(shape).map_err(of_world)?;
        self.shapes.insert(key, (shape.clone(), id));
        self.keys.insert((id.index, id.generation), key);
        Ok(id)
    }

    /// A shape that was changed here: it is no longer what its object is.
    pub fn disown(&mut self, id: ShapeId) {
        if let Some(key) = self.keys.remove(&(id.index, id.generation)) {
            self.shapes.remove(&key);
        }
    }

    /// Lets go of a shape that no collider places.
    fn release(&mut self, id: ShapeId) {
        if self.world.remove_shape(id).is_ok()
            && let Some(key) = self.keys.remove(&(id.index, id.generation))
        {
            self.shapes.remove(&key);
        }
    }

    /// Asks about a shape that colliders may place or not.
    fn probe<T>(
        &mut self,
        shape: &PreparedShape,
        ask: impl FnOnce(&mut LibraryWorld, ShapeId) -> Result<T, WorldError>,
    ) -> PyResult<T> {
        let id = self.shape(shape)?;
        let found = ask(&mut self.world, id).map_err(of_world);
        self.release(id);
        found
    }
}

/// A collider's name as one number.
pub fn number(id: ColliderId) -> u64 {
    u64::from(id.generation) << 32 | u64::from(id.index)
}

fn narrow_method(name: &str) -> PyResult<NarrowMethod> {
    name.parse().map_err(|error: UnknownNarrowMethod| InvalidSetting::new_err(error.to_string()))
}

pub fn named(number: u64) -> ColliderId {
    ColliderId { index: number as u32, generation: (number >> 32) as u32 }
}

impl World {
    /// Runs without the interpreter's lock, so that threads which wait for the world do not hold it.
    pub fn with<T: Send>(&self, py: Python<'_>, act: impl FnOnce(&mut Held) -> T + Send) -> PyResult<T> {
        if self.forks != threads::forks() {
            return Err(ForkedWorld::new_err(
                "this world was made before the process forked, and its threads are not here; make a new World in the child",
            ));
        }
        Ok(py.detach(|| act(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))))
    }
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (*, threads=0, margin=0.0, tolerance=0.0, resolution=32, max_points=4, max_manifolds=4))]
    fn new(
        #[pyo3(from_py_with = whole_numbers::threads)] threads: usize,
        margin: f64,
        tolerance: f64,
        #[pyo3(from_py_with = whole_numbers::resolution)] resolution: u32,
        #[pyo3(from_py_with = whole_numbers::max_points)] max_points: usize,
        #[pyo3(from_py_with = whole_numbers::max_manifolds)] max_manifolds: usize,
    ) -> PyResult<World> {
        let pool = threads::pool(Some(threads))?;
        let world = LibraryWorld::builder()
            .backend(Backend::Cpu)
            .thread_pool(Arc::clone(&pool))
            .contact_margin(margin)
            .contact_tolerance(tolerance)
            .image_resolution(resolution)
            .max_points(max_points)
            .max_manifolds(max_manifolds)
            .build()
            .map_err(|error| of_build(&error))?;
        let held = Mutex::new(Held { world, shapes: HashMap::new(), keys: HashMap::new() });
        Ok(World { held, pool, forks: threads::forks() })
    }

    /// Places a shape and returns the collider's number.
    ///
    /// fixed: never collides with other fixed ones. sensor: tells whether it touches, and has no manifolds. part: colliders of one part never
    /// collide with each other. groups, mask: bits of the groups it is in, and may collide with. tolerance (m) of its own. method: how contacts
    /// of its mesh are found, "exact", or "height-map" (a height map of each body, for what is seen whole from one side where it touches) where one
    /// of both asks for it; whether a pair touches is exact with each.
    #[pyo3(signature = (shape, pose=None, *, fixed=false, sensor=false, part=None, groups=1, mask=u32::MAX, tolerance=None, user_data=0, method="exact"))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn add(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        fixed: bool,
        sensor: bool,
        #[pyo3(from_py_with = whole_numbers::part)] part: Option<u32>,
        #[pyo3(from_py_with = whole_numbers::groups)] groups: u32,
        #[pyo3(from_py_with = whole_numbers::mask)] mask: u32,
        tolerance: Option<f64>,
        #[pyo3(from_py_with = whole_numbers::user_data)] user_data: u64,
        method: &str,
    ) -> PyResult<u64> {
        let method = narrow_method(method)?;
        let at = crate::poses::pose(pose, "pose")?;
        let prepared = one_shape(shape, "shape")?;
        self.with(py, |held| {
            let id = held.shape(&prepared)?;
            let mut collider = Collider::new(id)
                .pose(at)
                .fixed(fixed)
                .sensor(sensor)
                .groups(groups)
                .mask(mask)
                .user_data(user_data)
                .narrow_method(method);
            if let Some(part) = part {
                collider = collider.part(part);
            }
            if let Some(tolerance) = tolerance {
                collider = collider.tolerance(tolerance);
            }
            let added = held.world.add_collider(collider).map(number).map_err(of_world);
            if added.is_err() {
                held.release(id);
            }
            added
        })?
    }

    /// Removes a collider.
    fn remove(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
    ) -> PyResult<()> {
        let id = named(collider);
        self.with(py, |held| {
            let shape = held.world.shape_of(id)?;
            held.world.remove_collider(id)?;
            held.release(shape);
            Ok(())
        })?
        .map_err(of_world)
    }

    /// The numbers of all colliders, shape (C,) uint64.
    #[getter]
    fn colliders<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let all = self.with(py, |held| held.world.colliders().map(number).collect::<Vec<u64>>())?;
        Ok(PyArray1::from_vec(py, all))
    }

    /// How many shapes the colliders place; a shape that several place counts once.
    #[getter]
    fn shape_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |held| {
            let world = &held.world;
            let placed: BTreeSet<ShapeId> =
                world.colliders().filter_map(|id| world.shape_of(id).ok()).collect();
            placed.len()
        })
    }

    /// Where a collider stands, shape (4, 4) (m).
    fn pose<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let at = self.with(py, |held| held.world.pose(named(collider)))?.map_err(of_world)?;
        PyArray1::from_slice(py, &matrix(&at)).reshape([4, 4])
    }

    /// Moves a collider to a pose (m).
    fn set_pose(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
        pose: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let at = crate::poses::pose(Some(pose), "pose")?;
        self.with(py, |held| held.world.set_pose(named(collider), at))?.map_err(of_world)
    }

    /// Moves colliders, shape (C,), to poses, shape (C, 4, 4) or (C, 7) (m). Where one of the poses or numbers cannot be used,
    /// nothing is moved.
    fn set_poses(
        &self,
        py: Python<'_>,
        colliders: &Bound<'_, PyAny>,
        poses: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let ids = integers(colliders, "colliders")?;
        let at = crate::poses::poses(Some(poses), "poses", 0)?;
        if ids.shape() != at.dims {
            return Err(InvalidPose::new_err(format!(
                "colliders have shape {} and poses {}; there must be one pose for each",
                shape_text(ids.shape()),
                shape_text(&at.dims)
            )));
        }
        let ids: Vec<ColliderId> = ids.as_slice()?.iter().map(|&id| named(id as u64)).collect();
        self.with(py, |held| {
            for (id, pose) in ids.iter().zip(&at.all) {
                held.world.pose(*id).map_err(of_world)?;
                crate::poses::usable(pose)?;
            }
            ids.iter()
                .zip(&at.all)
                .try_for_each(|(id, pose)| held.world.set_pose(*id, *pose).map_err(of_world))
        })?
    }

    /// Finds the contacts of the colliders where they stand now. Returns counts of the step, and its `status`: `"ok"`, or what was
    /// dropped or is less certain.
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.with(py, |held| held.world.step())?;
        let out = PyDict::new(py);
        out.set_item("status", report.status.to_string())?;
        for (name, count) in [
            ("colliders", report.counts.colliders),
            ("pairs", report.counts.pairs),
            ("touching", report.counts.touching),
            ("manifolds", report.counts.manifolds),
            ("points", report.counts.points),
            ("dropped_manifolds", report.counts.dropped_manifolds),
            ("open_pairs", report.counts.soup_pairs),
        ] {
            out.set_item(name, count)?;
        }
        out.set_item("seconds", report.times.step.as_secs_f64())?;
        Ok(out)
    }

    /// The manifolds of the last step as flat arrays.
    fn manifold_arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let manifolds = self.with(py, |held| held.world.manifolds().to_vec())?;
        let offsets: Vec<usize> = (0..=manifolds.len()).collect();
        let out = contact_arrays(py, &manifolds, &offsets)?;
        // Manifold k is the answer k.
        out.del_item("manifold_offsets")?;
        let pairs: Vec<u64> = manifolds.iter().flat_map(|m| m.colliders.map(number)).collect();
        out.set_item("colliders", PyArray1::from_vec(py, pairs).reshape([manifolds.len(), 2])?)?;
        Ok(out)
    }

    /// The contacts that began and ended with the last step: tuples of `"begin"` or `"end"` and the numbers of both colliders.
    fn events(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, u64, u64)>> {
        self.with(py, |held| {
            let event = |event: &impinge::ContactEvent| {
                let phase = match event.phase {
                    ContactPhase::Begin => "begin",
                    ContactPhase::Persist => "persist",
                    ContactPhase::End => "end",
                };
                (phase, number(event.contact.colliders[0]), number(event.contact.colliders[1]))
            };
            held.world.events().iter().map(event).collect()
        })
    }

    /// The pairs of colliders that touch since the last step, shape (T, 2) uint64.
    fn touching_pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let pairs: Vec<u64> = self.with(py, |held| {
            held.world.contacts().flat_map(|contact| contact.colliders.map(number)).collect()
        })?;
        let rows = pairs.len() / 2;
        PyArray1::from_vec(py, pairs).reshape([rows, 2])
    }

    /// Whether a shape at poses, shape (4, 4) or (N, 4, 4) (m, world), touches any collider: bool or (N,) bool. No collider need place it.
    /// exclude: a collider that is passed over. groups, mask as in `add`.
    #[pyo3(signature = (shape, poses=None, *, exclude=None, groups=1, mask=u32::MAX))]
    fn touches<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'py, PyAny>,
        poses: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = whole_numbers::other_collider)] exclude: Option<u64>,
        #[pyo3(from_py_with = whole_numbers::groups)] groups: u32,
        #[pyo3(from_py_with = whole_numbers::mask)] mask: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let at = crate::poses::poses(poses, "poses", 0)?;
        let prepared = one_shape(shape, "shape")?;
        let mut filter = QueryFilter::new().groups(groups).mask(mask);
        if let Some(id) = exclude {
            filter = filter.exclude(named(id));
        }
        let found = self.with(py, |held| {
            held.probe(&prepared, |world, id| world.shape_queries().touches_many(id, &at.all, &filter))
        })??;
        let array = PyArray1::from_vec(py, found).reshape(at.dims.clone())?;
        if at.dims.is_empty() { array.as_any().call_method0("item") } else { Ok(array.into_any()) }
    }

    /// The colliders that a shape at one pose (m, world) touches, shape (T,) uint64. Keywords as of `touches`.
    #[pyo3(signature = (shape, pose=None, *, exclude=None, groups=1, mask=u32::MAX))]
    fn touched_by<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'py, PyAny>,
        pose: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = whole_numbers::other_collider)] exclude: Option<u64>,
        #[pyo3(from_py_with = whole_numbers::groups)] groups: u32,
        #[pyo3(from_py_with = whole_numbers::mask)] mask: u32,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let at: Isometry3<f64> = crate::poses::pose(pose, "pose")?;
        let prepared = one_shape(shape, "shape")?;
        let mut filter = QueryFilter::new().groups(groups).mask(mask);
        if let Some(id) = exclude {
            filter = filter.exclude(named(id));
        }
        let found = self.with(py, |held| {
            held.probe(&prepared, |world, id| world.shape_queries().touching(id, &at, &filter))
        })??;
        Ok(PyArray1::from_iter(py, found.into_iter().map(number)))
    }

    /// Changes a collider: fixed, sensor, tolerance (m), groups with mask, method ("exact" or "height-map").
    #[pyo3(signature = (collider, *, fixed=None, sensor=None, tolerance=None, groups=None, mask=None, method=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn change(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
        fixed: Option<bool>,
        sensor: Option<bool>,
        tolerance: Option<f64>,
        #[pyo3(from_py_with = whole_numbers::new_groups)] groups: Option<u32>,
        #[pyo3(from_py_with = whole_numbers::new_mask)] mask: Option<u32>,
        method: Option<&str>,
    ) -> PyResult<()> {
        let id = named(collider);
        let method = method.map(narrow_method).transpose()?;
        self.with(py, |held| {
            let world = &mut held.world;
            let view = world.collider(id)?;
            if let Some(fixed) = fixed {
                world.set_fixed(id, fixed)?;
            }
            if let Some(sensor) = sensor {
                world.set_sensor(id, sensor)?;
            }
            if let Some(tolerance) = tolerance {
                world.set_tolerance(id, Some(tolerance))?;
            }
            if groups.is_some() || mask.is_some() {
                world.set_groups(id, groups.unwrap_or(view.groups), mask.unwrap_or(view.mask))?;
            }
            if let Some(method) = method {
                world.set_narrow_method(id, method)?;
            }
            Ok(())
        })?
        .map_err(of_world)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |held| held.world.colliders().count())
    }

    fn __contains__(&self, py: Python<'_>, collider: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(collider) = collider.extract() else { return Ok(false) };
        self.with(py, |held| held.world.pose(named(collider)).is_ok())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("World({} colliders)", self.__len__(py)?))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<World>()
}
