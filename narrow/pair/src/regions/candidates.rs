//! Places of a region that may become contact points: vertices inside the other body, and the farthest places of the rim.

use impinge_exact::intersect::HitKey;
use impinge_geometry::Side;
use nalgebra::{Point3, Vector2, Vector3};

use super::pair_overlaps::PairOverlaps;
use crate::patches::vertex_key;

/// Cells across and up in which the farthest vertex of each body is a candidate. More cost time.
const CELLS: usize = 8;

/// Part of the way to the region's middle by which places of the rim are moved inward: on the rim the length is all or
/// nothing, by rounding.
pub(crate) const RIM_INSET: f64 = 0.04;

/// Places this close to each other, by the region's size, are equally far.
const SAME_PLACE: f64 = 1e-9;

/// Directions across a normal, half of them; the others are the opposites.
const HALF_ROUND: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [0.923_879_532_511_286_7, 0.382_683_432_365_089_8],
    [std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2],
    [0.382_683_432_365_089_8, 0.923_879_532_511_286_7],
    [0.0, 1.0],
    [-0.382_683_432_365_089_8, 0.923_879_532_511_286_7],
    [-std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2],
    [-0.923_879_532_511_286_7, 0.382_683_432_365_089_8],
];

/// Unit axes of a plane across a normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Across {
    pub normal: Vector3<f64>,
    right: Vector3<f64>,
    up: Vector3<f64>,
    origin: Point3<f64>,
}

impl Across {
    /// Makes axes across a normal that turn with A: `rotation` is A's, and `origin` a place near the region.
    pub fn new(normal: &Vector3<f64>, rotation: &nalgebra::Matrix3<f64>, origin: Point3<f64>) -> Across {
        let local = rotation.tr_mul(normal);
        // Continuous while the same axis of A is nearest to the normal.
        let near = local.iamax();
        let other = rotation.column((near + 1) % 3).into_owned();
        let right = other - normal * other.dot(normal);
        let right = right.try_normalize(0.0).unwrap_or_else(|| normal.cross(&Vector3::x()));
        Across { normal: *normal, right, up: normal.cross(&right), origin }
    }

    /// Returns where a place is across the normal, and its height along it (m).
    #[inline]
    pub fn of(&self, p: &Point3<f64>) -> (Vector2<f64>, f64) {
        let from = p - self.origin;
        (Vector2::new(from.dot(&self.right), from.dot(&self.up)), from.dot(&self.normal))
    }

    /// Returns the place at coordinates across the normal and a height (m).
    pub fn place(&self, at: &Vector2<f64>, height: f64) -> Point3<f64> {
        self.origin + self.right * at.x + self.up * at.y + self.normal * height
    }
}

/// A place that may become a contact point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointCandidate {
    /// Its place across and along the normal (m).
    pub at: Vector2<f64>,
    pub height: f64,
    /// The side whose vertex it is.
    pub vertex_of: Option<Side>,
    pub key: u64,
    /// It is farthest in two directions beside each other.
    pub is_corner: bool,
}

/// The candidates of a region.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub list: Vec<PointCandidate>,
    cells: Vec<Option<PointCandidate>>,
}

/// Names the place where an edge crosses a face.
fn rim_key(key: &HitKey) -> u64 {
    let number = u64::from(key.edge).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ u64::from(key.triangle).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    0xfffc << 48 | (key.edge_side.index() as u64) << 47 | number >> 17
}

impl Candidates {
    /// Lists the candidates of some overlaps, by their names in rising order, as they are seen along a normal.
    pub fn gather(&mut self, crossing: &PairOverlaps<'_>, overlaps: &[u32], across: &Across) {
        self.list.clear();
        let is_own = |name: u32| overlaps.binary_search(&name).is_ok();
        let mut rim = Farthest::default();
        for (index, contour) in crossing.contours.loops.iter().enumerate() {
            if !crossing.exact.of_contour(index as u32).is_some_and(is_own) {
                continue;
            }
            for segment in crossing.contours.segments(contour, crossing.found) {
                let (at, height) = across.of(&segment.points[0]);
                rim.offer(&at, height, || rim_key(&segment.ends[0]));
            }
        }
        let (low, high) = rim.bounds;
        let middle = 0.5 * (low + high);
        let size = (high - low).norm();
        self.vertices(crossing, is_own, across, (middle, size));
        let known = self.list.len();
        for k in 0..DIRECTIONS {
            let Some(far) = rim.farthest[k] else { continue };
            let is_corner = rim.is_corner(&far.at);
            if let Some(same) = self.list[known..].iter_mut().find(|c| c.key == far.key) {
                same.is_corner |= is_corner;
                continue;
            }
            // A vertex right there says the same, and is deeper.
            if self.list[..known].iter().any(|c| (c.at - far.at).norm() <= RIM_INSET * size) {
                continue;
            }
            let at = far.at + (middle - far.at) * RIM_INSET;
            let own = PointCandidate { at, height: far.height, vertex_of: None, key: far.key, is_corner };
            self.list.push(own);
        }
    }

    /// Adds the farthest vertex of each body in each cell, and marks those that are corners of the region.
    fn vertices(
        &mut self,
        crossing: &PairOverlaps<'_>,
        is_own: impl Fn(u32) -> bool,
        across: &Across,
        (middle, size): (Vector2<f64>, f64),
    ) {
        self.cells.clear();
        self.cells.resize(2 * CELLS * CELLS, None);
        let mut far = Farthest::default();
        for inside in crossing.exact.inside().iter().filter(|inside| is_own(inside.overlap)) {
            let (at, height) = across.of(&inside.at);
            let key = vertex_key(inside.side, inside.vertex);
            far.offer(&at, height, || key);
            let cell = |x: f64, middle: f64| {
                let part = if size > 0.0 { (x - middle) / size + 0.5 } else { 0.5 };
                ((part * CELLS as f64) as usize).min(CELLS - 1)
            };
            let k = inside.side.index();
            let cell = (k * CELLS + cell(at.x, middle.x)) * CELLS + cell(at.y, middle.y);
            let up = if inside.side == Side::A { height } else { -height };
            let own = PointCandidate { at, height, vertex_of: Some(inside.side), key, is_corner: false };
            let best = &mut self.cells[cell];
            let is_farther = best.is_none_or(|best| {
                let known = if inside.side == Side::A { best.height } else { -best.height };
                up > known || up == known && key < best.key
            });
            if is_farther {
                *best = Some(own);
            }
        }
        self.list.extend(self.cells.iter().flatten());
        for candidate in &mut self.list {
            candidate.is_corner = far.is_corner(&candidate.at);
        }
    }
}

const DIRECTIONS: usize = 2 * HALF_ROUND.len();

#[derive(Clone, Copy, Debug)]
struct Far {
    along: f64,
    at: Vector2<f64>,
    height: f64,
    key: u64,
}

/// The farthest of some places in sixteen directions.
#[derive(Debug)]
struct Farthest {
    farthest: [Option<Far>; DIRECTIONS],
    bounds: (Vector2<f64>, Vector2<f64>),
}

impl Default for Farthest {
    fn default() -> Farthest {
        let infinite = Vector2::repeat(f64::INFINITY);
        Farthest { farthest: [None; DIRECTIONS], bounds: (infinite, -infinite) }
    }
}

impl Farthest {
    /// Returns whether no place is farther than a known one in two directions beside each other.
    fn is_corner(&self, at: &Vector2<f64>) -> bool {
        let slack = SAME_PLACE * (self.bounds.1 - self.bounds.0).norm();
        let is_farthest = |k: usize| {
            let [x, y] = HALF_ROUND[k % HALF_ROUND.len()];
            let along = if k < HALF_ROUND.len() { at.x * x + at.y * y } else { -(at.x * x + at.y * y) };
            self.farthest[k].is_some_and(|far| along >= far.along - slack)
        };
        (0..DIRECTIONS).any(|k| is_farthest(k) && is_farthest((k + 1) % DIRECTIONS))
    }

    #[inline]
    fn offer(&mut self, at: &Vector2<f64>, height: f64, key: impl Fn() -> u64) {
        self.bounds = (self.bounds.0.inf(at), self.bounds.1.sup(at));
        for (k, direction) in HALF_ROUND.iter().enumerate() {
            let along = at.x * direction[0] + at.y * direction[1];
            for (k, along) in [(k, along), (k + HALF_ROUND.len(), -along)] {
                let best = &mut self.farthest[k];
                if best.is_none_or(|best| along > best.along) {
                    *best = Some(Far { along, at: *at, height, key: key() });
                }
            }
        }
    }
}
