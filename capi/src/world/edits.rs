//! Changes of the shapes that colliders place, and the contacts of particles.

use std::mem::MaybeUninit;

use impinge::nalgebra::Point3;
use impinge::{ShapeId, World, WorldError};

use super::{Held, ImpWorld, with};
use crate::contacts::{named, number};
use crate::grids::{product, three};
use crate::memory::{array, out};
use crate::shape::{ImpShape, prepared};
use crate::status::{Failure, ImpStatus, call};

/// A particle that touches.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpParticleContact {
    /// The collider of the particle, and what it touches; twice the same where it is another particle of it.
    pub colliders: [u64; 2],
    /// Midway between the deepest point of each in the other (m, world).
    pub position: [f64; 3],
    /// Unit, towards the particle (world): along it the particle is freed soonest.
    pub normal: [f32; 3],
    /// The particle.
    pub particle: u32,
    /// How far it has to go along the normal until it is free (m).
    pub depth: f64,
}

/// Changes the shape that a collider places, for all of the world that place it. From then on it is the world's own: its handle is what it was.
fn edit<T>(
    world: *const ImpWorld,
    collider: u64,
    change: impl FnOnce(&mut World, ShapeId) -> Result<T, WorldError>,
) -> Result<T, Failure> {
    with(world, |held| {
        let shape = held.world.shape_of(named(collider))?;
        let changed = change(&mut held.world, shape)?;
        held.disown(shape);
        Ok(changed)
    })
}

/// Gives samples of the height field that a collider places other heights (m): `count_x` times `count_y`, row by row, from the sample `first_x` of the row `first_y` on.
/// All colliders of this world that place it change; contacts keep their keys. The shape's handle is what it was: so it is with all of these calls.
///
/// # Safety
/// `heights` has as many numbers as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_set_heights(
    world: *mut ImpWorld,
    collider: u64,
    first_x: u32,
    first_y: u32,
    count_x: u32,
    count_y: u32,
    heights: *const f32,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let heights = unsafe { array(heights, product(&[count_x, count_y]), "heights") }?;
        edit(world, collider, |world, shape| {
            world.set_heights(shape, [first_x, first_y], [count_x, count_y], heights).map(|_| ())
        })
    })
}

/// Gives samples of the level set that a collider places other values: `counts[0] * counts[1] * counts[2]`, x fastest, from the sample `first` on (three numbers each).
///
/// # Safety
/// The arrays have as many numbers as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_edit_levels(
    world: *mut ImpWorld,
    collider: u64,
    first: *const u32,
    counts: *const u32,
    values: *const f32,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let (first, counts) = unsafe { (three(first, "first")?, three(counts, "counts")?) };
        // SAFETY: the caller's promise.
        let values = unsafe { array(values, product(&counts), "values") }?;
        edit(world, collider, |world, shape| world.edit_levels(shape, first, counts, values).map(|_| ()))
    })
}

/// Has `count` vertices of the mesh that a collider places stand elsewhere: their indices, and x, y, z (m) of each.
///
/// # Safety
/// The arrays have as many numbers as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_edit_vertices(
    world: *mut ImpWorld,
    collider: u64,
    vertices: *const u32,
    places: *const f32,
    count: usize,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let (vertices, places) = unsafe {
            (array(vertices, count, "vertices")?, array(places.cast::<[f32; 3]>(), count, "places")?)
        };
        let edits: Vec<(u32, Point3<f32>)> =
            vertices.iter().zip(places).map(|(&vertex, &place)| (vertex, Point3::from(place))).collect();
        edit(world, collider, |world, shape| world.edit_vertices(shape, &edits).map(|_| ()))
    })
}

/// Takes `count` triangles out of the mesh that a collider places, by their indices.
///
/// # Safety
/// `triangles` has as many numbers as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_remove_triangles(
    world: *mut ImpWorld,
    collider: u64,
    triangles: *const u32,
    count: usize,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let triangles = unsafe { array(triangles, count, "triangles") }?;
        edit(world, collider, |world, shape| world.remove_triangles(shape, triangles).map(|_| ()))
    })
}

/// Puts `count` particles of the shape that a collider places from index `first` on elsewhere: x, y, z (m) of each.
///
/// # Safety
/// `centers` has as many numbers as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_set_particles(
    world: *mut ImpWorld,
    collider: u64,
    first: usize,
    centers: *const f32,
    count: usize,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let centers = unsafe { array(centers.cast::<[f32; 3]>(), count, "centers") }?;
        let centers: Vec<Point3<f32>> = centers.iter().map(|&p| Point3::from(p)).collect();
        edit(world, collider, |world, shape| world.set_particles(shape, first, &centers).map(|_| ()))
    })
}

/// Puts another shape in the place of the one that a collider places, for all of the world that place it: ground that is loaded, a ball of another radius. Contacts that
/// go on keep their keys.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_replace_shape(
    world: *mut ImpWorld,
    collider: u64,
    shape: *const ImpShape,
) -> ImpStatus {
    call(|| {
        let new = prepared(shape, "shape")?;
        edit(world, collider, |world, shape| world.replace_prepared(shape, &new).map(|_| ()))
    })
}

/// The contacts of particles that the last step found. Borrowed from the world until its next step or call of this.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_particle_contacts(
    world: *mut ImpWorld,
    contacts: Option<&mut MaybeUninit<*const ImpParticleContact>>,
    count: Option<&mut MaybeUninit<usize>>,
) -> ImpStatus {
    call(|| {
        let (contacts, count) = (out(contacts, "contacts")?, out(count, "count")?);
        let (first, length) = with(world, |held| {
            let Held { world, particle_contacts, .. } = held;
            particle_contacts.clear();
            for pair in world.particle_contacts() {
                let colliders = [pair.particles, pair.other].map(number);
                particle_contacts.extend(pair.contacts.iter().map(|contact| ImpParticleContact {
                    colliders,
                    position: contact.position.into(),
                    normal: contact.normal.into(),
                    particle: contact.particle,
                    depth: contact.depth,
                }));
            }
            Ok((particle_contacts.as_ptr(), particle_contacts.len()))
        })?;
        contacts.write(first);
        count.write(length);
        Ok(())
    })
}
