//! Colliders: shapes placed in the world.

use impinge_broadphase::Filter;
use impinge_contacts::Material;
use impinge_geometry::ShapeId;
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

/// A shape placed in the world, described before it is added by
/// [`World::add_collider`](crate::World::add_collider).
///
/// By default it stands at the origin, moves, belongs to no part, is in group 0, meets every group, and
/// has the default material and no tolerance beyond the world's, and is no sensor.
#[derive(Clone, Debug)]
pub struct Collider {
    pub(crate) shape: ShapeId,
    pub(crate) pose: Isometry3<f64>,
    pub(crate) filter: Filter,
    pub(crate) material: Material,
    pub(crate) tolerance: Option<f64>,
    pub(crate) user_data: u64,
    pub(crate) sensor: bool,
}

impl Collider {
    /// A collider that places `shape` at the origin.
    pub fn new(shape: ShapeId) -> Collider {
        Collider {
            shape,
            pose: Isometry3::identity(),
            filter: Filter::default(),
            material: Material::default(),
            tolerance: None,
            user_data: 0,
            sensor: false,
        }
    }

    /// Places it (m).
    pub fn pose(mut self, pose: Isometry3<f64>) -> Collider {
        self.pose = pose;
        self
    }

    /// Places it at a position (m), unturned.
    pub fn position(self, position: [f64; 3]) -> Collider {
        self.pose(Isometry3::from_parts(Translation3::from(position), UnitQuaternion::identity()))
    }

    /// The part it belongs to, as a body of several colliders: colliders of one part never collide with each
    /// other.
    pub fn part(mut self, part: u32) -> Collider {
        self.filter.part = Some(part);
        self
    }

    /// Whether it is fixed: fixed colliders never collide with each other.
    pub fn fixed(mut self, fixed: bool) -> Collider {
        self.filter.is_static = fixed;
        self
    }

    /// The groups it is in, a bit each (default: bit 0).
    pub fn groups(mut self, groups: u32) -> Collider {
        self.filter.groups = groups;
        self
    }

    /// The groups it may collide with, a bit each (default: all).
    pub fn mask(mut self, mask: u32) -> Collider {
        self.filter.mask = mask;
        self
    }

    /// Its material.
    pub fn material(mut self, material: Material) -> Collider {
        self.material = material;
        self
    }

    /// Its contact tolerance (m), in place of the world's.
    pub fn tolerance(mut self, tolerance: f64) -> Collider {
        self.tolerance = Some(tolerance);
        self
    }

    /// Whether it is a sensor: its pairs tell whether they touch ([`World::contacts`](crate::World::contacts)
    /// and events), exactly, and have no manifolds and no rows. That is the cheapest question about a pair.
    /// Sensors meet sensors, too, and tolerances do not act on them.
    pub fn sensor(mut self, sensor: bool) -> Collider {
        self.sensor = sensor;
        self
    }

    /// A number of the caller's own, handed to solvers in
    /// [`ContactRow::user_data`](crate::ContactRow::user_data).
    pub fn user_data(mut self, user_data: u64) -> Collider {
        self.user_data = user_data;
        self
    }
}
