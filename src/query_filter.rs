//! Which colliders a question to the world is about.

use impinge_broadphase::Filter;
use impinge_geometry::{ColliderId, PartId};

use crate::Collider;
use crate::collider::filter_part;

/// The colliders that a question to the world may find. By default all that are in some group and meet some group:
/// sensors and fixed ones, too. (Disabled ones are never found.)
///
/// ```
/// use impinge::prelude::*;
/// use impinge::{QueryFilter, Ray};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::builder().backend(Backend::Cpu).build()?;
/// let ball = world.add_shape(Shape::sphere(0.5)?)?;
/// let at = |x: f64| Collider::new(ball).position([x, 0.0, 0.0]);
/// let hunter = world.add_collider(at(0.0))?;
/// let trigger = world.add_collider(at(2.0).sensor(true))?;
/// let wall = world.add_collider(at(4.0).fixed(true))?;
/// let prey = world.add_collider(at(6.0))?;
///
/// let boxes = world.box_queries();
/// let ray = Ray { origin: [0.0; 3], direction: [1.0, 0.0, 0.0], length: f32::INFINITY };
/// let first = |filter: QueryFilter| boxes.cast_ray(&ray, &filter).map(|hit| hit.map(|hit| hit.collider));
/// assert_eq!(first(QueryFilter::new())?, Some(hunter));
/// let others = QueryFilter::new().exclude(hunter);
/// assert_eq!(first(others)?, Some(trigger));
/// assert_eq!(first(others.sensors(false))?, Some(wall));
/// assert_eq!(first(others.sensors(false).fixed(false))?, Some(prey));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryFilter {
    /// The groups in which the question is asked, a bit each: only colliders whose mask meets them are found.
    pub groups: u32,
    /// The groups that are asked for, a bit each: only colliders that are in one of them are found.
    pub mask: u32,
    /// The colliders of this part, by the caller's number, are left out.
    pub part: Option<u32>,
    /// The members of this part of the world are left out.
    pub members_of: Option<PartId>,
    /// Whether sensors are found.
    pub sensors: bool,
    /// Whether fixed colliders are found.
    pub fixed: bool,
    /// One collider that is left out: the one that asks.
    pub exclude: Option<ColliderId>,
}

impl Default for QueryFilter {
    fn default() -> QueryFilter {
        let all = u32::MAX;
        QueryFilter {
            groups: all,
            mask: all,
            part: None,
            members_of: None,
            sensors: true,
            fixed: true,
            exclude: None,
        }
    }
}

impl QueryFilter {
    /// Every collider that is in some group and meets some group.
    pub fn new() -> QueryFilter {
        QueryFilter::default()
    }

    /// The groups in which the question is asked, a bit each (default: all): as a collider in these groups, it finds
    /// only those whose [`mask`](Collider::mask) meets them.
    pub fn groups(mut self, groups: u32) -> QueryFilter {
        self.groups = groups;
        self
    }

    /// The groups that are asked for, a bit each (default: all): only colliders that are
    /// [in one of them](Collider::groups) are found.
    pub fn mask(mut self, mask: u32) -> QueryFilter {
        self.mask = mask;
        self
    }

    /// Leaves out the colliders of a [part](Collider::part), as those of the body that asks.
    pub fn exclude_part(mut self, part: u32) -> QueryFilter {
        self.part = Some(part);
        self
    }

    /// Leaves out the members of a part of the world ([`World::add_part`](crate::World::add_part)).
    pub fn exclude_members(mut self, part: PartId) -> QueryFilter {
        self.members_of = Some(part);
        self
    }

    /// Whether [sensors](Collider::sensor) are found (default: yes).
    pub fn sensors(mut self, sensors: bool) -> QueryFilter {
        self.sensors = sensors;
        self
    }

    /// Whether [fixed](Collider::fixed) colliders are found (default: yes).
    pub fn fixed(mut self, fixed: bool) -> QueryFilter {
        self.fixed = fixed;
        self
    }

    /// Leaves out one collider, as the one that asks. (A name that no collider has any more leaves out none.)
    pub fn exclude(mut self, id: ColliderId) -> QueryFilter {
        self.exclude = Some(id);
        self
    }

    /// Whether a question with this filter may find a collider; whether that is disabled only the broad phase knows.
    pub(crate) fn accepts(&self, id: ColliderId, collider: &Collider) -> bool {
        collider.filter.allows(&self.of_boxes())
            && (self.sensors || !collider.sensor)
            && self.exclude != Some(id)
            && (self.members_of.is_none() || self.members_of != collider.of.map(|of| of.part))
    }

    /// The same as far as the broad phase knows it: fixed colliders are never paired with each other.
    pub(crate) fn of_boxes(&self) -> Filter {
        let part = self.part.map(u64::from).or(self.members_of.map(filter_part));
        Filter { groups: self.groups, mask: self.mask, part, is_static: !self.fixed }
    }
}

#[cfg(test)]
mod tests {
    use impinge_geometry::ShapeId;

    use super::*;

    const SOME: ColliderId = ColliderId { index: 3, generation: 1 };

    fn plain() -> Collider {
        Collider::new(ShapeId { index: 0, generation: 0 })
    }

    #[test]
    fn each_condition_leaves_out_what_it_names() {
        let all = QueryFilter::new();
        let cases = [
            (all.sensors(false), plain().sensor(true)),
            (all.fixed(false), plain().fixed(true)),
            (all.mask(0b10), plain().groups(0b101)),
            (all.groups(0b10), plain().mask(0b101)),
            (all.exclude_part(7), plain().part(7)),
        ];
        for (filter, collider) in cases {
            assert!(
                all.accepts(SOME, &collider) && filter.accepts(SOME, &plain().groups(0b11)),
                "{filter:?}"
            );
            assert!(!filter.accepts(SOME, &collider), "{filter:?}");
        }
    }

    #[test]
    fn one_collider_is_left_out_and_not_its_slot() {
        let filter = QueryFilter::new().exclude(SOME);
        assert!(!filter.accepts(SOME, &plain()));
        assert!(filter.accepts(ColliderId { generation: 2, ..SOME }, &plain()));
    }
}
