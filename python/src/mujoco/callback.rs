//! The collision function.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use impinge::nalgebra::{self, Isometry3};
use impinge::query::QueryScratch;
use impinge::{Manifold, PairQuery, PreparedShape, Shape};
use pyo3::prelude::*;

use super::contact_choice::{Chosen, choose};
use super::counts::{COUNTS, add};
use super::ellipsoid::ellipsoid;
use super::mesh_cache::mesh_shape;
use super::model::Model;
use super::setup::{Setup, setup};
use crate::threads::prepared;

const PLANE: i32 = 0;
const SPHERE: i32 = 2;
const CAPSULE: i32 = 3;
const ELLIPSOID: i32 = 4;
const CYLINDER: i32 = 5;
const BOX: i32 = 6;
const MESH: i32 = 7;

/// Primitives that a thread remembers at most.
const PRIMITIVES: usize = 1024;

/// One thread's buffers. Nothing in them changes an answer.
#[derive(Default)]
struct Worker {
    scratch: QueryScratch,
    chosen: Vec<Chosen>,
    /// By type and size.
    primitives: HashMap<(i32, [u64; 3]), PreparedShape>,
}

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::default();
}

/// What a pair gives MuJoCo.
enum Found {
    Regions(Vec<Manifold>),
    /// Of bodies apart under a large margin: the distance.
    Nearest(Chosen),
}

/// A margin larger than this part of the smaller body's diagonal asks for the distance, as `mj_geomDistance` does: views of so much
/// of the surface would be too coarse for it.
const FAR: f64 = 0.25;

/// Why a pair is MuJoCo's.
enum Left {
    Open,
    Other,
}

/// The address of the collision function.
#[pyfunction]
pub fn mujoco_callback() -> usize {
    collide as *const () as usize
}

/// MuJoCo's collision function for a geom and a mesh.
///
/// # Safety
/// Called by MuJoCo, with a model and data of its own, and room for as many contacts as it says.
unsafe extern "C" fn collide(
    model: *const c_void,
    data: *mut c_void,
    contacts: *mut c_void,
    g1: c_int,
    g2: c_int,
    margin: f64,
) -> c_int {
    let (Some(setup), Ok(first), Ok(second)) = (setup(), usize::try_from(g1), usize::try_from(g2)) else {
        return 0;
    };
    add(&COUNTS.pairs, 1);
    let started = Instant::now();
    // SAFETY: by the contract of this function.
    let view = unsafe { Model::new(model, data, &setup.offsets) };
    let room = || match setup.room {
        // SAFETY: it is MuJoCo's own function, asked about its own model.
        Some(room) => unsafe { room(model, g1, g2, c_int::from(margin > 0.0)) }.max(0) as usize,
        None => setup.most,
    };
    let answer = catch_unwind(AssertUnwindSafe(|| {
        WORKER.with_borrow_mut(|worker| {
            let found = worker.answer(setup, &view, [first, second], margin);
            found.map(|found| {
                let points = match &found {
                    Found::Regions(manifolds) => {
                        let points = manifolds.iter().map(|m| m.points.len()).sum();
                        choose(manifolds, if points > 0 { room() } else { 0 }, &mut worker.chosen);
                        points
                    }
                    Found::Nearest(nearest) => {
                        worker.chosen.clear();
                        worker.chosen.extend((room() > 0).then_some(*nearest));
                        1
                    }
                };
                add(&COUNTS.left_out, (points - worker.chosen.len()) as u64);
                // SAFETY: there is room for so many contacts of this size.
                unsafe { write(&worker.chosen, contacts, setup.stride) };
                worker.chosen.len()
            })
        })
    }));
    add(&COUNTS.nanoseconds, started.elapsed().as_nanos() as u64);
    match answer {
        Ok(Ok(count)) => {
            add(&COUNTS.touching, u64::from(count > 0));
            add(&COUNTS.points, count as u64);
            return count as c_int;
        }
        Ok(Err(Left::Open)) => add(&COUNTS.open, 1),
        Ok(Err(Left::Other)) => add(&COUNTS.other, 1),
        Err(_) => add(&COUNTS.panics, 1),
    };
    let kind = usize::try_from(view.geom_type(first)).unwrap_or(usize::MAX);
    match setup.before.get(kind) {
        // SAFETY: it is what MuJoCo would have called, with what it gave.
        Some(&Some(before)) => unsafe { before(model, data, contacts, g1, g2, margin) },
        _ => 0,
    }
}

/// Writes the ten numbers that begin every version's contact: −depth, position, normal, and the first tangent as 0, which MuJoCo
/// replaces.
///
/// # Safety
/// There is room for as many contacts of `stride` bytes.
unsafe fn write(chosen: &[Chosen], contacts: *mut c_void, stride: usize) {
    for (k, contact) in chosen.iter().enumerate() {
        let (p, n) = (contact.position, contact.normal);
        let numbers = [-contact.depth, p.x, p.y, p.z, n.x, n.y, n.z, 0.0, 0.0, 0.0];
        // SAFETY: by the contract of this function.
        unsafe { contacts.byte_add(k * stride).cast::<[f64; 10]>().write(numbers) };
    }
}

impl Worker {
    /// The contacts of two geoms.
    fn answer(
        &mut self,
        setup: &Setup,
        model: &Model<'_>,
        geoms: [usize; 2],
        margin: f64,
    ) -> Result<Found, Left> {
        let [Some(a), Some(b)] = geoms.map(|geom| model.pose(geom)) else {
            add(&COUNTS.not_finite, 1);
            return Ok(Found::Regions(Vec::new()));
        };
        let [p, q] = [self.shape(model, geoms[0])?, self.shape(model, geoms[1])?];
        // Settings were checked when they were set, and poses are finite: what is refused is too far away to touch.
        let query = PairQuery::between(&p, &q).with_settings(setup.settings).map_err(|_| Left::Other)?;
        let size = |shape: &PreparedShape| {
            let bounds = shape.shape().aabb();
            let squares = bounds.min.iter().zip(&bounds.max).map(|(low, high)| f64::from(high - low).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let far = FAR * size(&p).min(size(&q));
        Ok(self.contacts(&query, &a, &b, margin, margin > far))
    }

    /// What overlaps is all that is told; only of bodies apart, what is nearer than the margin: `far`, in the nearest points alone.
    fn contacts(
        &mut self,
        query: &PairQuery,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        margin: f64,
        far: bool,
    ) -> Found {
        let overlaps = query.contacts_with(a, b, &mut self.scratch).unwrap_or_default();
        if !overlaps.is_empty() || margin.is_nan() || margin <= 0.0 {
            return Found::Regions(overlaps);
        }
        if far
            && let Ok(Some(found)) = query.distance_within_with(a, b, margin, &mut self.scratch)
            && let Some(nearest) = found.nearest()
        {
            return Found::Nearest(Chosen {
                depth: -nearest.distance,
                position: nalgebra::center(&nearest.on_a, &nearest.on_b),
                normal: nearest.normal,
            });
        }
        Found::Regions(query.contacts_within_with(a, b, margin, &mut self.scratch).unwrap_or_default())
    }

    fn shape(&mut self, model: &Model<'_>, geom: usize) -> Result<PreparedShape, Left> {
        let kind = model.geom_type(geom);
        if kind == MESH {
            let mesh = model.mesh_of(geom).ok_or(Left::Other)?;
            return mesh_shape(model, mesh).ok_or(Left::Open);
        }
        // Planes are endless; what their size says is how they are drawn.
        let size = if kind == PLANE { [0.0; 3] } else { model.geom_size(geom) };
        let key = (kind, size.map(f64::to_bits));
        if let Some(shape) = self.primitives.get(&key) {
            return Ok(shape.clone());
        }
        let [x, y, z] = size.map(|x| x as f32);
        let made = match kind {
            PLANE => Some(Shape::half_space()),
            SPHERE => Shape::sphere(x).ok(),
            CAPSULE => Shape::capsule(y, x).ok(),
            CYLINDER => Shape::cylinder(y, x).ok(),
            BOX => Shape::cuboid([x, y, z]).ok(),
            _ => None,
        };
        let shape = match made {
            Some(shape) => prepared(&shape).map_err(|_| Left::Other)?,
            None if kind == ELLIPSOID => ellipsoid(size).ok_or(Left::Other)?,
            None => return Err(Left::Other),
        };
        if self.primitives.len() >= PRIMITIVES {
            self.primitives.clear();
        }
        self.primitives.insert(key, shape.clone());
        Ok(shape)
    }
}
