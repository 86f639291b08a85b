//! The plain truth.

use std::collections::{BTreeMap, BTreeSet};

use impinge_geometry::Aabb;

use super::calls::Op;
use crate::{BroadPhase, Disabling, Filter, Pair, Ray, Touch};

/// A collider as it was last set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// The box that counts: with a margin, the fat one.
    pub aabb: Aabb,
    pub filter: Filter,
    pub disabled: Option<Disabling>,
}

#[derive(Default)]
pub(super) struct Truth {
    pub held: BTreeMap<u32, Held>,
    pub pairs: BTreeSet<Pair>,
    pub removed: BTreeSet<u32>,
    pub begun: Vec<Pair>,
    pub ended: Vec<Pair>,
    /// Those not disabled, as of the last update.
    seen: Vec<(u32, Held)>,
}

impl Truth {
    pub fn update(&mut self) {
        self.seen.clear();
        self.seen
            .extend(self.held.iter().filter(|x| x.1.disabled.is_none()).map(|(&slot, held)| (slot, *held)));
        let mut now = BTreeSet::new();
        for (i, (a, x)) in self.seen.iter().enumerate() {
            for (b, y) in &self.seen[i + 1..] {
                if x.aabb.overlaps(&y.aabb) && x.filter.allows(&y.filter) {
                    now.insert(Pair { a: *a, b: *b });
                }
            }
        }
        let renewed = |p: &Pair| self.removed.contains(&p.a) || self.removed.contains(&p.b);
        let news = |from: &BTreeSet<Pair>, to: &BTreeSet<Pair>| -> Vec<Pair> {
            to.iter().filter(|p| !from.contains(p) || renewed(p)).copied().collect()
        };
        self.begun = news(&self.pairs, &now);
        self.ended = news(&now, &self.pairs);
        self.pairs = now;
        self.removed.clear();
    }

    /// Every collider that the asker may find, and when a box that moves by `way` touches it, if it
    /// does within `length`.
    fn touches(&self, aabb: &Aabb, way: [f32; 3], length: f32, asker: &Filter) -> Vec<Touch> {
        let seen = self.seen.iter().filter(|x| x.1.filter.allows(asker));
        let touches = seen.filter_map(|(slot, held)| {
            let time = touch(&held.aabb, aabb, way, f64::from(length))?;
            Some(Touch { slot: *slot, time })
        });
        let mut touches: Vec<Touch> = touches.collect();
        touches.sort_by(|x, y| x.time.total_cmp(&y.time).then(x.slot.cmp(&y.slot)));
        touches
    }
}

/// When a moving box touches another, from the times at which their intervals meet on each axis.
fn touch(other: &Aabb, aabb: &Aabb, way: [f32; 3], length: f64) -> Option<f64> {
    let (mut from, mut to) = (0.0f64, length);
    for k in 0..3 {
        let way = f64::from(way[k]);
        let ahead = f64::from(other.min[k]) - f64::from(aabb.max[k]);
        let behind = f64::from(other.max[k]) - f64::from(aabb.min[k]);
        if way == 0.0 && (ahead > 0.0 || behind < 0.0) {
            return None;
        } else if way > 0.0 {
            (from, to) = (from.max(ahead / way), to.min(behind / way));
        } else if way < 0.0 {
            (from, to) = (from.max(behind / way), to.min(ahead / way));
        }
    }
    (from <= to).then_some(from)
}

/// Asks the structure and the truth the same questions.
pub(super) fn compare_answers(
    structure: &mut BroadPhase,
    truth: &Truth,
    aabb: &Aabb,
    length: f32,
    direction: [f32; 3],
    asker: &Filter,
) {
    let queries = structure.queries();
    let found = |test: &dyn Fn(&Aabb) -> bool| -> Vec<u32> {
        let seen = truth.seen.iter().filter(|x| x.1.filter.allows(asker) && test(&x.1.aabb));
        seen.map(|x| x.0).collect()
    };
    assert_eq!(queries.in_box(aabb, asker), Ok(found(&|x| x.overlaps(aabb))));
    let center = aabb.min;
    if center.iter().all(|x| x.is_finite()) {
        let in_sphere = |x: &Aabb| {
            let distance = (0..3).map(|k| {
                let center = f64::from(center[k]);
                (f64::from(x.min[k]) - center).max(center - f64::from(x.max[k])).max(0.0)
            });
            distance.map(|x| x * x).sum::<f64>().sqrt() <= f64::from(length)
        };
        // The last bit of a sum of squares may differ between the two.
        let [less, answer, more] =
            [0.999_999, 1.0, 1.000_001].map(|by| queries.in_sphere(center, length * by, asker).unwrap());
        assert!(
            less.iter().all(|slot| answer.contains(slot)) && answer.iter().all(|slot| more.contains(slot))
        );
        let truth = found(&in_sphere);
        assert!(less.iter().all(|slot| truth.contains(slot)) && truth.iter().all(|slot| more.contains(slot)));
    }
    if let Some(ray) = Op::ray(aabb, length, direction) {
        let Ray { origin, direction, length } = ray;
        let point = Aabb { min: origin, max: origin };
        let touches = truth.touches(&point, direction, length, asker);
        assert_eq!(queries.first_on_ray(&ray, asker), Ok(touches.first().copied()));
        assert_eq!(queries.all_on_ray(&ray, asker), Ok(touches));
    }
    if aabb.is_finite() {
        let touches = truth.touches(aabb, direction, 1.0, asker);
        assert_eq!(queries.first_on_way(aabb, direction, asker), Ok(touches.first().copied()));
        assert_eq!(queries.all_on_way(aabb, direction, asker), Ok(touches));
    }
}
