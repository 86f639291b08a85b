//! Contacts as C sees them: flat rows.

use impinge::{ColliderId, Manifold};

/// One point of contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpContactPoint {
    /// Halfway between the two surfaces (m, world).
    pub position: [f64; 3],
    /// Unit normal from A to B at the point (world).
    pub normal: [f64; 3],
    /// Overlap along the normal (m); negative for a gap.
    pub depth: f64,
    /// The share of the contact's area that the point stands for (m²).
    pub weight: f64,
    /// The point on A's surface, in A's frame (m).
    pub local_a: [f32; 3],
    /// The point on B's surface, in B's frame (m).
    pub local_b: [f32; 3],
    /// Of trackers and worlds: the same for as long as the contact lasts, for impulses that are carried from step to step.
    pub key: u64,
}

/// One region of contact with its points.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpManifold {
    /// The colliders A and B; of queries and trackers 0 and 1.
    pub colliders: [u64; 2],
    /// The touching children of composites; 0 of simple shapes.
    pub subshapes: [u32; 2],
    /// The first of its points in `ImpContacts.points`.
    pub first_point: u64,
    /// How many it has: one to four, the deepest first.
    pub point_count: u64,
    /// Unit normal from A to B (world).
    pub normal: [f64; 3],
    /// How far B has to move along the normal to be free (m); negative for a gap.
    pub depth: f64,
    /// Volume of the overlap (m³).
    pub volume: f64,
    /// Its area seen along the normal (m²).
    pub area: f64,
    /// Its centroid (m, world).
    pub centroid: [f64; 3],
}

/// Contacts, borrowed from the object that was asked: valid until its next use, or until it is freed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImpContacts {
    /// The manifolds.
    pub manifolds: *const ImpManifold,
    /// How many there are.
    pub manifold_count: usize,
    /// The points of all of them.
    pub points: *const ImpContactPoint,
    /// How many there are.
    pub point_count: usize,
    /// Of batches, the first manifold of each answer, and in the end `manifold_count`: `answer_count + 1` numbers.
    pub offsets: *const usize,
    /// How many answers there are: 1 but of batches.
    pub answer_count: usize,
}

/// Rows that C borrows.
#[derive(Debug, Default)]
pub(crate) struct ContactRows {
    manifolds: Vec<ImpManifold>,
    points: Vec<ImpContactPoint>,
    offsets: Vec<usize>,
}

/// A collider's name as one number.
pub(crate) fn number(id: ColliderId) -> u64 {
    u64::from(id.generation) << 32 | u64::from(id.index)
}

/// A collider's name from its number.
pub(crate) fn named(number: u64) -> ColliderId {
    ColliderId { index: number as u32, generation: (number >> 32) as u32 }
}

impl ContactRows {
    pub fn fill(&mut self, manifolds: &[Manifold]) -> ImpContacts {
        self.fill_many(manifolds, &[0, manifolds.len()])
    }

    /// With the first manifold of each answer, and in the end the number of all.
    pub fn fill_many(&mut self, manifolds: &[Manifold], offsets: &[usize]) -> ImpContacts {
        let ContactRows { manifolds: rows, points, offsets: firsts } = self;
        rows.clear();
        points.clear();
        firsts.clear();
        firsts.extend_from_slice(offsets);
        for manifold in manifolds {
            rows.push(ImpManifold {
                colliders: manifold.colliders.map(number),
                subshapes: manifold.subshapes,
                first_point: points.len() as u64,
                point_count: manifold.points.len() as u64,
                normal: manifold.normal.into(),
                depth: manifold.depth,
                volume: manifold.volume,
                area: manifold.area,
                centroid: manifold.centroid.into(),
            });
            points.extend(manifold.points.iter().map(|point| ImpContactPoint {
                position: point.position.into(),
                normal: manifold.normal_at(point).into(),
                depth: point.depth,
                weight: point.weight,
                local_a: point.local_a.into(),
                local_b: point.local_b.into(),
                key: point.key,
            }));
        }
        ImpContacts {
            manifolds: rows.as_ptr(),
            manifold_count: rows.len(),
            points: points.as_ptr(),
            point_count: points.len(),
            offsets: firsts.as_ptr(),
            answer_count: firsts.len() - 1,
        }
    }
}
