//! Colliders: shapes placed in the world.

use impinge_broadphase::Filter;
use impinge_contacts::Material;
use impinge_geometry::{PartId, ShapeId};
use impinge_pair::NarrowMethod;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// A shape placed in the world, described before it is added by
/// [`World::add_collider`](crate::World::add_collider).
///
/// By default it stands at the origin, moves, belongs to no part, is in group 0, meets every group, and
/// has the default material and no tolerance beyond the world's, is no sensor and not fast, and no velocity is said of it.
#[derive(Clone, Debug)]
pub struct Collider {
    pub(crate) shape: ShapeId,
    pub(crate) pose: Isometry3<f64>,
    pub(crate) filter: Filter,
    pub(crate) material: Material,
    pub(crate) tolerance: Option<f64>,
    pub(crate) user_data: u64,
    pub(crate) sensor: bool,
    pub(crate) fast: bool,
    pub(crate) method: NarrowMethod,
    pub(crate) sweep_beyond: f64,
    pub(crate) carried: CarriedVelocity,
    pub(crate) meets_itself: bool,
    pub(crate) of: Option<Membership>,
}

/// The part that a collider belongs to, and where it stands in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Membership {
    pub part: PartId,
    /// The collider's pose in the part's frame.
    pub offset: Isometry3<f64>,
}

/// What tells the members of a part apart from all others, in a filter. Numbers of [`Collider::part`] are below.
pub(crate) fn filter_part(part: PartId) -> u64 {
    1 << 32 | u64::from(part.index)
}

/// Velocities that solvers see and do not find themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CarriedVelocity {
    /// Of the origin of a fixed collider (m/s).
    pub linear: Vector3<f64>,
    /// Of a fixed collider (rad/s, world axes).
    pub angular: Vector3<f64>,
    /// Of a belt along the surface (m/s, the collider's frame).
    pub belt: Vector3<f64>,
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
            fast: false,
            method: NarrowMethod::Exact,
            sweep_beyond: 0.0,
            carried: CarriedVelocity::default(),
            meets_itself: false,
            of: None,
        }
    }

    /// Sets whether steps say where the collider's mesh meets itself ([`World::self_contacts`](crate::World::self_contacts); default: they do
    /// not), or its particles each other ([`World::particle_contacts`](crate::World::particle_contacts)). For meshes that deform; shapes that are neither
    /// never meet themselves.
    pub fn collides_with_itself(mut self, collides: bool) -> Collider {
        self.meets_itself = collides;
        self
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

    /// The part it belongs to by a number of the caller's own, as a body of several colliders that the caller moves: colliders of one part
    /// never collide with each other.
    pub fn part(mut self, part: u32) -> Collider {
        self.filter.part = Some(u64::from(part));
        self
    }

    /// Makes it a member of a part of the world ([`World::add_part`](crate::World::add_part)): it stands at `offset` (m) in the part's frame, moves
    /// with it, and never collides with its other members. Its own [`pose`](Collider::pose) and [`part`](Collider::part) say nothing then.
    pub fn of(mut self, part: PartId, offset: Isometry3<f64>) -> Collider {
        self.of = Some(Membership { part, offset });
        self
    }

    /// Whether it is fixed: fixed colliders never collide with each other, and no solver moves them. The program may,
    /// by [`World::set_pose`](crate::World::set_pose), as far and as often as it likes: contacts are found where it
    /// stands, and a pair of which it is a part costs in that step what a pair with a moving body does. Solvers take
    /// it to stand still unless its [`velocity`](Collider::velocity) is said.
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

    /// Whether it is fast: [`World::step_motion`](crate::World::step_motion) sweeps its pairs, so that nothing passes through
    /// it on its [path](crate::World::set_path), nor it through anything. Its contacts begin before it touches, at four times
    /// the gap that sweeps leave (4e-4 of the smaller radius), if the world's margin is not greater.
    pub fn fast(mut self, fast: bool) -> Collider {
        self.fast = fast;
        self
    }

    /// How contacts of its mesh with other meshes, hulls, boxes and height fields are found (default: [`NarrowMethod::Exact`]). One
    /// of both asking for [`NarrowMethod::HeightMap`] is enough; whether the pair touches is exact with each.
    pub fn narrow_method(mut self, method: NarrowMethod) -> Collider {
        self.method = method;
        self
    }

    /// Two colliders whose points come nearer to each other by no more than the lesser of their two lengths (m) in a motion are not
    /// swept by [`World::step_motion`](crate::World::step_motion): a part of the thickness of a solid, which contacts push out again
    /// when they are no deeper in it (default: 0, all are swept).
    pub fn sweep_beyond(mut self, length: f64) -> Collider {
        self.sweep_beyond = length;
        self
    }

    /// The velocity of a [fixed](Collider::fixed) collider that the program moves: of its origin (m/s), and its angular
    /// velocity (rad/s, world axes). Of colliders that are not fixed it is not used; theirs is the solver's. See
    /// [`World::set_velocity`](crate::World::set_velocity).
    pub fn velocity(mut self, linear: Vector3<f64>, angular: Vector3<f64>) -> Collider {
        self.carried = CarriedVelocity { linear, angular, ..self.carried };
        self
    }

    /// Lets its surface run along it like a conveyor belt or a track, with `velocity` (m/s) in the collider's own
    /// frame, while the body itself stays where it is, or goes where its solver moves it. On every face only the part
    /// of it along the face counts. What lies there is carried along by friction.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # struct Rows(Vec<ContactRow>);
    /// # impl Solver for Rows {
    /// #     type Error = std::convert::Infallible;
    /// #     fn solve(&mut self, rows: &[ContactRow], _: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
    /// #         self.0 = rows.to_vec();
    /// #         Ok(())
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (mut solver, dt) = (Rows(Vec::new()), 0.01);
    /// let mut world = World::builder().build()?;
    /// let belt = world.add_shape(Shape::cuboid([5.0, 0.5, 0.1])?)?;
    /// let parcel = world.add_shape(Shape::cuboid([0.2, 0.2, 0.2])?)?;
    /// let running = Collider::new(belt).fixed(true).surface_velocity(Vector3::new(0.8, 0.0, 0.0));
    /// world.add_collider(running)?;
    /// world.add_collider(Collider::new(parcel).position([0.0, 0.0, 0.299]))?;
    /// world.step();
    /// world.solve(&mut solver, dt)?;
    /// // The parcel, B, stands still, and its surface goes backward as the belt, A, sees it.
    /// assert!((world.rows()[0].surface_velocity.x + 0.8).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn surface_velocity(mut self, velocity: Vector3<f64>) -> Collider {
        self.carried.belt = velocity;
        self
    }

    /// A number of the caller's own, handed to solvers in
    /// [`ContactRow::user_data`](crate::ContactRow::user_data).
    pub fn user_data(mut self, user_data: u64) -> Collider {
        self.user_data = user_data;
        self
    }
}
