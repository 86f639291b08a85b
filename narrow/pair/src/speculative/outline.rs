//! Two convex outlines laid over each other along a normal, each with its height along it.

/// Most corners of an outline: a triangle has three, the end of a cylinder eight.
const MOST: usize = 8;

/// A corner of an outline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Corner {
    /// Its place across the normal (m).
    pub at: [f64; 2],
    /// How high it stands along the normal (m).
    pub height: f64,
    /// Its name.
    pub name: u32,
    /// The name of the edge from it to the next corner.
    pub edge: u32,
}

/// A flat convex polygon, a segment or a point, seen along a normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    corners: [Corner; MOST],
    count: usize,
    /// How its height grows across the normal.
    slope: [f64; 2],
    /// 1 where it runs counter-clockwise, −1 where clockwise.
    turn: f64,
    /// Places this near to an edge (m) are on it.
    near: f64,
    /// The least and the greatest of its corners: right, up, and along the normal (m).
    bounds: [[f64; 3]; 2],
}

/// Part of an outline's size by which rounding may put what two outlines share beyond their bounds.
const BEYOND: f64 = 1e-6;

/// A place that two outlines share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shared {
    /// Where it is across the normal (m).
    pub at: [f64; 2],
    /// How high A and B stand there (m).
    pub heights: [f64; 2],
    /// Names the features that meet.
    pub key: u64,
}

fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn length(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((b[0] - a[0]).powi(2) + (b[1] - a[1]).powi(2)).sqrt()
}

/// A name for two features that meet. (Mixed, so that it is not taken for the name of anything else:
/// Steele, Lea, InteriorVertices, "Fast splittable pseudorandom number generators", 2014.)
fn key(kind: u64, a: u32, b: u32) -> u64 {
    let x = kind << 62 | u64::from(a & 0x7fff_ffff) << 31 | u64::from(b & 0x7fff_ffff);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The name of a witness, which is nothing's corner.
pub(super) fn witness_key(a: u32, b: u32) -> u64 {
    key(3, a, b)
}

impl Outline {
    /// An outline; of a polygon the corners go round it. Corners beyond the eighth are left out.
    pub fn new(corners: &[Corner]) -> Outline {
        let mut outline = Outline {
            corners: [Corner::default(); MOST],
            count: 0,
            slope: [0.0; 2],
            turn: 1.0,
            near: 0.0,
            bounds: [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]],
        };
        for &corner in corners.iter().take(MOST) {
            outline.corners[outline.count] = corner;
            outline.count += 1;
            let at = [corner.at[0], corner.at[1], corner.height];
            let [low, high] = &mut outline.bounds;
            for k in 0..3 {
                (low[k], high[k]) = (low[k].min(at[k]), high[k].max(at[k]));
            }
        }
        let c = outline.list();
        let Some(first) = c.first() else { return outline };
        let size = c.iter().map(|p| length(first.at, p.at)).fold(0.0, f64::max);
        let (mut area, mut slope) = (0.0, [0.0; 2]);
        if c.len() == 2 {
            let d = [c[1].at[0] - first.at[0], c[1].at[1] - first.at[1]];
            let rise = (c[1].height - first.height) / (d[0] * d[0] + d[1] * d[1]);
            slope = if rise.is_finite() { [d[0] * rise, d[1] * rise] } else { [0.0; 2] };
        }
        // The plane through the widest corner triangle with the first.
        let mut widest = 0.0f64;
        for w in c.windows(2).skip(1) {
            let twice = cross(first.at, w[0].at, w[1].at);
            area += twice;
            if twice.abs() > widest.abs() {
                widest = twice;
                let [p, q] = [w[0].height - first.height, w[1].height - first.height];
                let (u, v) = (
                    [w[0].at[0] - first.at[0], w[0].at[1] - first.at[1]],
                    [w[1].at[0] - first.at[0], w[1].at[1] - first.at[1]],
                );
                slope = [(p * v[1] - q * u[1]) / twice, (q * u[0] - p * v[0]) / twice];
            }
        }
        (outline.slope, outline.near) = (slope, 1e-9 * size);
        outline.turn = if area < 0.0 { -1.0 } else { 1.0 };
        outline
    }

    /// Returns its corners.
    pub fn list(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    fn height(&self, at: [f64; 2]) -> f64 {
        let c = &self.corners[0];
        c.height + self.slope[0] * (at[0] - c.at[0]) + self.slope[1] * (at[1] - c.at[1])
    }

    /// Its edges: those of a polygon, one of a segment, none of a point.
    fn edges(&self) -> impl Iterator<Item = (&Corner, &Corner)> {
        let n = self.count;
        let edges = if n > 2 { n } else { n.saturating_sub(1) };
        (0..edges).map(move |k| (&self.corners[k], &self.corners[(k + 1) % n]))
    }

    /// Whether a place lies in a polygon; the border counts.
    fn holds(&self, at: [f64; 2]) -> bool {
        self.count > 2
            && self.edges().all(|(p, q)| self.turn * cross(p.at, q.at, at) >= -self.near * length(p.at, q.at))
    }

    /// Whether the bounds alone say that nothing which this and another above it share is a gap greater than the first and
    /// not greater than the second of two lengths (m).
    pub fn is_clear_of(&self, other: &Outline, [more, most]: [f64; 2]) -> bool {
        let ([low, high], [other_low, other_high]) = (&self.bounds, &other.bounds);
        let size = |[low, high]: &[[f64; 3]; 2]| (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let slack = BEYOND * (size(&self.bounds) + size(&other.bounds));
        let beside = |k: usize| low[k] > other_high[k] + slack || other_low[k] > high[k] + slack;
        beside(0)
            || beside(1)
            || other_low[2] - high[2] > most + slack
            || other_high[2] - low[2] + slack <= more
    }

    /// Visits the corners of what two outlines share.
    pub fn meet(&self, other: &Outline, visit: &mut impl FnMut(Shared)) {
        for c in self.list().iter().filter(|c| other.holds(c.at)) {
            visit(Shared { at: c.at, heights: [c.height, other.height(c.at)], key: key(0, c.name, 0) });
        }
        for c in other.list().iter().filter(|c| self.holds(c.at)) {
            visit(Shared { at: c.at, heights: [self.height(c.at), c.height], key: key(1, 0, c.name) });
        }
        for (p, q) in self.edges() {
            for (r, s) in other.edges() {
                let (from, to) = (cross(r.at, s.at, p.at), cross(r.at, s.at, q.at));
                let (start, end) = (cross(p.at, q.at, r.at), cross(p.at, q.at, s.at));
                if from * to >= 0.0 || start * end >= 0.0 {
                    continue;
                }
                let (t, u) = (from / (from - to), start / (start - end));
                let along = |a: f64, b: f64, t: f64| a + (b - a) * t;
                visit(Shared {
                    at: [along(p.at[0], q.at[0], t), along(p.at[1], q.at[1], t)],
                    heights: [along(p.height, q.height, t), along(r.height, s.height, u)],
                    key: key(2, p.edge, r.edge),
                });
            }
        }
    }

    /// Its area (m²).
    pub fn area(&self) -> f64 {
        let c = self.list();
        let twice: f64 = c.windows(2).skip(1).map(|w| cross(c[0].at, w[0].at, w[1].at)).sum();
        0.5 * twice.abs()
    }

    /// The area that two polygons share (m²; Sutherland and Hodgman, "Reentrant Polygon Clipping",
    /// 1974).
    pub fn shared_area(&self, other: &Outline) -> f64 {
        if self.count < 3 || other.count < 3 {
            return 0.0;
        }
        let mut polygon = [[0.0; 2]; 2 * MOST];
        let mut count = self.count;
        for (to, c) in polygon.iter_mut().zip(self.list()) {
            *to = c.at;
        }
        for (p, q) in other.edges() {
            let side = |x: [f64; 2]| other.turn * cross(p.at, q.at, x);
            let (mut kept, mut n) = ([[0.0; 2]; 2 * MOST], 0);
            for k in 0..count {
                let (x, y) = (polygon[k], polygon[(k + 1) % count]);
                let (h, i) = (side(x), side(y));
                if h >= 0.0 && n < kept.len() {
                    kept[n] = x;
                    n += 1;
                }
                if ((h > 0.0 && i < 0.0) || (h < 0.0 && i > 0.0)) && n < kept.len() {
                    let t = h / (h - i);
                    kept[n] = [x[0] + (y[0] - x[0]) * t, x[1] + (y[1] - x[1]) * t];
                    n += 1;
                }
            }
            (polygon, count) = (kept, n);
        }
        let twice: f64 = (2..count).map(|k| cross(polygon[0], polygon[k - 1], polygon[k])).sum();
        0.5 * twice.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(low: f64, high: f64, height: f64, slope: f64, turned: bool) -> Outline {
        let places = [[low, low], [high, low], [high, high], [low, high]];
        let mut corners: Vec<Corner> = (0..4u32)
            .map(|k| {
                let at = places[k as usize];
                Corner { at, height: height + slope * at[0], name: k, edge: k }
            })
            .collect();
        if turned {
            corners.reverse();
        }
        Outline::new(&corners)
    }

    #[test]
    fn two_squares_share_their_common_corners_and_area() {
        for (turn_a, turn_b) in [(false, false), (true, false), (false, true), (true, true)] {
            let a = square(0.0, 1.0, 0.0, 0.5, turn_a);
            let b = square(0.25, 2.0, 3.0, -1.0, turn_b);
            let mut found = Vec::new();
            a.meet(&b, &mut |s| found.push(s));
            assert_eq!(found.len(), 4);
            for s in &found {
                assert!((s.heights[0] - 0.5 * s.at[0]).abs() < 1e-12);
                assert!((s.heights[1] - 3.0 + s.at[0]).abs() < 1e-12);
            }
            assert!((a.shared_area(&b) - 0.75 * 0.75).abs() < 1e-12);
            assert!((b.shared_area(&a) - 0.75 * 0.75).abs() < 1e-12);
        }
        let far = square(1.5, 2.0, 0.0, 0.0, false);
        square(0.0, 1.0, 0.0, 0.0, false).meet(&far, &mut |s| panic!("{s:?}"));
    }

    #[test]
    fn a_segment_over_a_square_is_cut_at_its_border() {
        let a = square(0.0, 1.0, 0.0, 0.0, false);
        let corner = |x: f64, name| Corner { at: [x, 0.5], height: 1.0 + x, name, edge: 9 };
        let b = Outline::new(&[corner(0.25, 0), corner(2.25, 1)]);
        let mut places = Vec::new();
        a.meet(&b, &mut |s| places.push((s.at[0], s.heights[1])));
        assert_eq!(places, [(0.25, 1.25), (1.0, 2.0)]);
        assert_eq!(a.shared_area(&b), 0.0);
    }
}
