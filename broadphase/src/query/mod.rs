//! Queries: the colliders in a box or a sphere, and those that a ray or a moving box hits.
//!
//! The answers are those of the last update: what was set since is not seen yet. They walk the
//! columns that the question meets, and in each the blocks that it can reach along the sweep axis.

mod cast;

use impinge_geometry::Aabb;
use rayon::prelude::*;

use crate::broad_phase::BroadPhase;
use crate::error::BroadPhaseError;
use crate::grid::CellRange;
use crate::pairs::pair::Filter;
use crate::registry::proxy::Extent;
use crate::sweep::lanes::{Change, Hit};

pub use cast::{Ray, Touch};

/// Chooses the colliders that a query may find.
pub trait Asker {
    /// Whether the collider in a slot, which has this filter, may be found.
    fn accepts(&self, slot: u32, filter: &Filter) -> bool;
}

/// Finds the colliders that a collider with this filter could be paired with.
impl Asker for Filter {
    fn accepts(&self, _: u32, filter: &Filter) -> bool {
        filter.allows(self)
    }
}

/// Answers about the colliders as of the last update; see [`BroadPhase::queries`].
///
/// Each query takes an [`Asker`], as a filter: only colliders that it accepts are found. Disabled colliders are never
/// found.
///
/// ```
/// use impinge_broadphase::{BroadPhase, Filter, Ray};
/// use impinge_geometry::Aabb;
///
/// let cube = |x: f32| Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
/// let anyone = Filter::default();
/// let mut broad_phase = BroadPhase::default();
/// broad_phase.insert(&[(7, cube(2.0), anyone), (3, cube(5.0), anyone)])?;
/// broad_phase.update();
/// let queries = broad_phase.queries();
/// assert_eq!(queries.in_box(&cube(2.5), &anyone)?, [7]);
/// let ray = Ray { origin: [0.0, 0.5, 0.5], direction: [1.0, 0.0, 0.0], length: f32::INFINITY };
/// assert_eq!(queries.first_on_ray(&ray, &anyone)?.map(|touch| (touch.slot, touch.time)), Some((7, 2.0)));
/// # Ok::<(), impinge_broadphase::BroadPhaseError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    structure: &'a BroadPhase,
}

impl BroadPhase {
    /// Prepares for queries, which may then be made from many threads at once. Costs a pass over
    /// the colliders after an update in which most of them moved, and nothing where few or none did.
    pub fn queries(&mut self) -> Queries<'_> {
        let (proxies, epoch) = (&self.proxies, self.epoch);
        self.columns.par_iter_mut().with_min_len(16).for_each(|column| column.cache(proxies, epoch));
        Queries { structure: self }
    }
}

impl Queries<'_> {
    /// The slots of the colliders whose boxes share a point with a box (m), sorted.
    ///
    /// # Errors
    /// A box with NaN or a minimum above its maximum.
    pub fn in_box(&self, aabb: &Aabb, asker: &impl Asker) -> Result<Vec<u32>, BroadPhaseError> {
        if !(0..3).all(|k| aabb.min[k] <= aabb.max[k]) {
            return Err(BroadPhaseError::Query {
                what: "a bound of the box is NaN, or a minimum above its maximum",
            });
        }
        let extent = Extent::new(aabb, self.structure.grid().axes);
        let mut slots = Vec::new();
        self.visit(self.structure.grid().range(&extent), &extent, &mut |id, _| {
            slots.extend(self.slot(id, asker));
        });
        slots.sort_unstable();
        slots.dedup();
        Ok(slots)
    }

    /// The slots of the colliders whose boxes come as near to a point as `radius` (m), sorted.
    ///
    /// # Errors
    /// A centre that is not finite, or a radius that is NaN or negative.
    pub fn in_sphere(
        &self,
        center: [f32; 3],
        radius: f32,
        asker: &impl Asker,
    ) -> Result<Vec<u32>, BroadPhaseError> {
        if !center.iter().all(|x| x.is_finite()) || radius.is_nan() || radius < 0.0 {
            return Err(BroadPhaseError::Query {
                what: "the centre is not finite, or the radius is NaN or negative",
            });
        }
        let axes = self.structure.grid().axes;
        // One step outward, so that the box holds the sphere in spite of the rounding.
        let around = Aabb {
            min: center.map(|x| (x - radius).next_down()),
            max: center.map(|x| (x + radius).next_up()),
        };
        let extent = Extent::new(&around, axes);
        let center = axes.map(|axis| f64::from(center[axis]));
        let mut slots = Vec::new();
        self.visit(self.structure.grid().range(&extent), &extent, &mut |id, found| {
            let distance = (0..3).map(|k| {
                let (min, max) = (f64::from(found.min[k]), f64::from(found.max[k]));
                (min - center[k]).max(center[k] - max).max(0.0).powi(2)
            });
            if distance.sum::<f64>() <= f64::from(radius).powi(2) {
                slots.extend(self.slot(id, asker));
            }
        });
        slots.sort_unstable();
        slots.dedup();
        Ok(slots)
    }

    /// The collider of a proxy, if the asker accepts it.
    fn slot(&self, id: u32, asker: &impl Asker) -> Option<u32> {
        let slot = self.structure.proxies[id as usize].slot;
        asker.accepts(slot, &self.structure.filters[id as usize]).then_some(slot)
    }

    /// Every proxy that overlaps a box, in the columns `cells` or apart; once for each column.
    fn visit(&self, cells: CellRange, extent: &Extent, found: &mut impl FnMut(u32, &Extent)) {
        let BroadPhase { proxies, columns, huge, epoch, .. } = self.structure;
        let mut hits: Vec<Hit> = Vec::new();
        let change = Change { new: *extent, old: Extent::NONE };
        for cell in cells.cells() {
            for (ids, cached) in columns[self.structure.grid().index(cell)].parts() {
                cached.probe(self.structure.settings.simd, &change, 0, &mut hits);
                for place in hits.drain(..).flat_map(Hit::places) {
                    found(ids[place], &cached.get(place));
                }
            }
        }
        for &id in &huge.ids {
            let other = proxies[id as usize].reported(*epoch);
            if other.overlaps(extent) {
                found(id, other);
            }
        }
    }
}
