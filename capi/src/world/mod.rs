//! Worlds: colliders with poses in, contacts out.

use std::mem::MaybeUninit;
mod colliders;
mod edits;
mod filter;
mod questions;
mod step;

use std::collections::HashMap;
use std::sync::Mutex;

use impinge::{Backend, PreparedShape, ShapeId, World, WorldError};

use crate::contacts::ContactRows;
use crate::handle::{self, Handle, exclusive};
use crate::memory::{Sized32, out, settings};
use crate::status::{Failure, ImpStatus, call};
use edits::ImpParticleContact;
use step::ImpEvent;

/// Colliders with poses in, contacts out, step by step; for one thread at a time. A step runs on threads of the world's own.
pub struct ImpWorld {
    _private: [u8; 0],
}

/// What a world holds.
pub(crate) struct Held {
    world: World,
    /// Shapes that colliders place, each once, by where the shape lies in memory.
    shapes: HashMap<usize, (PreparedShape, ShapeId)>,
    /// Of each the key in `shapes`, by index and generation.
    keys: HashMap<(u32, u32), usize>,
    rows: ContactRows,
    events: Vec<ImpEvent>,
    particle_contacts: Vec<ImpParticleContact>,
}

impl Handle for ImpWorld {
    type Object = Mutex<Held>;
    const NAME: &str = "world";
}

/// How a world works.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImpWorldSettings {
    /// Size of the structure.
    pub size: u32,
    /// Worker threads; 0 for one per core. No answer depends on it.
    pub threads: u32,
    /// Columns per side of a view: a power of two from 4 to 256.
    pub resolution: u32,
    /// Points of a manifold: 1 to 4.
    pub max_points: u32,
    /// Manifolds of a pair of subshapes: at least 1; the deepest are kept.
    pub max_manifolds: u32,
    /// 0; not used.
    pub reserved: u32,
    /// Bodies closer than this give points of negative depth (m).
    pub margin: f64,
    /// Overlaps no deeper than the sum of both colliders' tolerances are dropped (m).
    pub tolerance: f64,
}

// SAFETY: integers and floats without padding.
unsafe impl Sized32 for ImpWorldSettings {
    const DEFAULT: ImpWorldSettings = ImpWorldSettings {
        size: size_of::<ImpWorldSettings>() as u32,
        threads: 0,
        resolution: 32,
        max_points: 4,
        max_manifolds: 4,
        reserved: 0,
        margin: 0.0,
        tolerance: 0.0,
    };
}

impl Held {
    fn shape(&mut self, shape: &PreparedShape) -> Result<ShapeId, Failure> {
        // No other shape can lie there while this one is held.
        let key = std::ptr::from_ref(shape.shape()) as usize;
        if let Some((_, id)) = self.shapes.get(&key) {
            return Ok(*id);
        }
        let id = self.world.add_prepared(shape)?;
        self.shapes.insert(key, (shape.clone(), id));
        self.keys.insert((id.index, id.generation), key);
        Ok(id)
    }

    /// A shape that was changed here: it is no longer what its handle is.
    fn disown(&mut self, id: ShapeId) {
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
        ask: impl FnOnce(&mut World, ShapeId) -> Result<T, WorldError>,
    ) -> Result<T, Failure> {
        let id = self.shape(shape)?;
        let found = ask(&mut self.world, id);
        self.release(id);
        Ok(found?)
    }
}

/// Uses a world.
fn with<T>(world: *const ImpWorld, act: impl FnOnce(&mut Held) -> Result<T, Failure>) -> Result<T, Failure> {
    let held = handle::object(world)?;
    let mut held = exclusive(&held, ImpWorld::NAME)?;
    act(&mut held)
}

/// The defaults of worlds.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_settings_default() -> ImpWorldSettings {
    ImpWorldSettings::DEFAULT
}

/// A world without colliders. No settings are the defaults.
///
/// # Safety
/// `world_settings` is null or has its size in front.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_world_new(
    world_settings: *const ImpWorldSettings,
    world: Option<&mut MaybeUninit<*mut ImpWorld>>,
) -> ImpStatus {
    call(|| {
        let out = out(world, "world")?;
        out.write(std::ptr::null_mut());
        // SAFETY: the caller's promise.
        let given = unsafe { settings(world_settings, "world_settings") }?;
        if given.threads > 1024 {
            return Err(Failure::setting(format!("`threads` is {}; it must be at most 1024", given.threads)));
        }
        let world = World::builder()
            .backend(Backend::Cpu)
            .threads(given.threads as usize)
            .image_resolution(given.resolution)
            .max_points(given.max_points as usize)
            .max_manifolds(given.max_manifolds as usize)
            .contact_margin(given.margin)
            .contact_tolerance(given.tolerance)
            .build()?;
        let (rows, events) = (ContactRows::default(), Vec::new());
        let held = Held {
            world,
            shapes: HashMap::new(),
            keys: HashMap::new(),
            rows,
            events,
            particle_contacts: Vec::new(),
        };
        out.write(handle::hold(Mutex::new(held)));
        Ok(())
    })
}

/// Lets go of a world with all its colliders, and of what is borrowed from it. Null is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn imp_world_free(world: *mut ImpWorld) -> ImpStatus {
    call(|| handle::free(world))
}
