//! What the patches of a view are, by the definition alone: sets of intervals that hang together, found by asking every
//! interval about every other.

use impinge_gpu_narrow::manifold::layout::*;
use impinge_image_space::reference_view::{ReferenceImage, ReferenceInterval};

/// Sums over the intervals of a cluster's set, and those that stand for it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReferencePatch {
    pub overlaps: u32,
    pub longest: i64,
    pub length: i64,
    pub moment: [i128; 3],
    pub closing: i64,
    pub apart: [i64; 2],
    /// Pixel, depths, triangles.
    pub candidates: Vec<([u16; 2], [i32; 4], [u32; 4])>,
}

struct Sets(Vec<usize>);

impl Sets {
    fn root(&self, mut node: usize) -> usize {
        while self.0[node] != node {
            node = self.0[node];
        }
        node
    }

    fn unite(&mut self, p: usize, q: usize) {
        let (p, q) = (self.root(p), self.root(q));
        self.0[p.max(q)] = p.min(q);
    }
}

fn begin(interval: &ReferenceInterval) -> i32 {
    interval.depths[0][0].max(interval.depths[1][0])
}

fn end(interval: &ReferenceInterval) -> i32 {
    interval.depths[0][1].min(interval.depths[1][1])
}

/// Places along a segment, in pixels and steps.
fn places(segment: &ContourSegment, rows: &[[f32; 4]; 3]) -> Vec<[f32; 3]> {
    let at = |p: [f32; 3]| -> [f32; 3] {
        std::array::from_fn(|k| {
            let row = rows[k];
            let along = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
            if k < 2 { along / 65536.0 + 0.5 } else { along }
        })
    };
    let (p, q) = (at(segment.start), at(segment.end));
    let parts = (q[0] - p[0]).abs().max((q[1] - p[1]).abs()).ceil().clamp(1.0, 32.0);
    let mut out = Vec::new();
    let mut part = 0.5;
    while part < parts {
        out.push(std::array::from_fn(|k| p[k] + (q[k] - p[k]) * (part / parts)));
        part += 1.0;
    }
    out
}

/// The patch of a cluster of a pair in its view; the status says why there is none.
pub fn patch(pair: &ContactPair, cluster: usize, image: &ReferenceImage) -> Result<ReferencePatch, u32> {
    let view = &pair.view[cluster];
    let list = &image.intervals;
    if image.crossings.iter().any(|line| line.len() > 32) {
        return Err(OVER_LAYERS);
    }
    if list.iter().any(|one| list.iter().filter(|other| other.pixel == one.pixel).count() > 3) {
        return Err(OVER_INTERVALS);
    }
    if image.cut > 0 {
        return Err(CUT_OFF);
    }
    let count = list.len();
    let mut sets = Sets((0..count + MOST_CONTOURS as usize).collect());
    for (p, one) in list.iter().enumerate() {
        for (q, other) in list.iter().enumerate().take(p) {
            let aside = one.pixel[0].abs_diff(other.pixel[0]) + one.pixel[1].abs_diff(other.pixel[1]);
            if aside == 1 && end(one).min(end(other)) - begin(one).max(begin(other)) >= -2 {
                sets.unite(p, q);
            }
        }
    }
    let norm = |row: [f32; 4]| (row[0] * row[0] + row[1] * row[1] + row[2] * row[2]).sqrt();
    let [right, up, depth] = view.rows.map(norm);
    let slack = 65536.0 / right.min(up) * depth;
    for segment in &pair.segment[..pair.segments as usize] {
        if segment.contour >= MOST_CONTOURS {
            continue;
        }
        for at in places(segment, &view.rows) {
            for (p, one) in list.iter().enumerate() {
                let near = (0..2).all(|k| (i32::from(one.pixel[k]) - at[k].floor() as i32).abs() <= 1);
                if near && begin(one) as f32 - slack <= at[2] && at[2] <= end(one) as f32 + slack {
                    sets.unite(p, count + segment.contour as usize);
                }
            }
        }
    }
    let own = pair.cluster[cluster].contours;
    let of_contour = |c: u32| sets.root(count + c as usize);
    let label = of_contour(own.trailing_zeros());
    for c in 0..pair.contours {
        let is_own = own >> c & 1 == 1;
        if is_own && of_contour(c) >= count {
            return Err(NO_INTERVAL);
        }
        if is_own != (of_contour(c) == label) {
            return Err(SEVERAL_SETS);
        }
    }
    sums(list, |p| sets.root(p) == label, i64::from(pair.head.side))
}

fn sums(
    list: &[ReferenceInterval],
    is_own: impl Fn(usize) -> bool,
    side: i64,
) -> Result<ReferencePatch, u32> {
    let mut out = ReferencePatch { apart: [i64::MIN; 2], ..ReferencePatch::default() };
    let own: Vec<&ReferenceInterval> = list
        .iter()
        .enumerate()
        .filter(|(p, one)| is_own(*p) && one.length() > 1)
        .map(|(_, one)| one)
        .collect();
    if own.is_empty() {
        return Err(NO_INTERVAL);
    }
    for one in &own {
        let [[a, b], [c, d]] = one.depths.map(|ends| ends.map(i64::from));
        let length = one.length();
        out.overlaps += 1;
        out.longest = out.longest.max(length);
        out.length += length;
        let place = [2 * i64::from(one.pixel[0]) + 1, 2 * i64::from(one.pixel[1]) + 1];
        out.moment[0] += i128::from(length * place[0]);
        out.moment[1] += i128::from(length * place[1]);
        out.moment[2] += i128::from(length) * i128::from(begin(one) as i64 + end(one) as i64);
        let share = |x: i64| {
            if x > 1 {
                2
            } else if x < -1 {
                0
            } else {
                1
            }
        };
        out.closing += share(d - b) - share(a - c);
        out.apart[0] = out.apart[0].max(b - c);
        out.apart[1] = out.apart[1].max(d - a);
    }
    out.apart = out.apart.map(|apart| apart.min(i64::from(i32::MAX)));
    // The first of those that are as good.
    let best = |worth: &dyn Fn(&ReferenceInterval) -> i64| {
        own.iter().copied().reduce(|best, one| if worth(one) > worth(best) { one } else { best })
    };
    let at = |one: &ReferenceInterval| one.pixel.map(|x| 2 * i64::from(x) + 1 - side);
    let mut picked: Vec<&ReferenceInterval> = Vec::new();
    picked.extend(best(&|one| one.length()));
    picked.extend(best(&|one| -(at(one)[0] * at(one)[0] + at(one)[1] * at(one)[1])));
    for turn in 0..4 {
        for [x, y] in [[7, 0], [6, 4], [4, 6]] {
            let [x, y] = [[x, y], [-y, x], [-x, -y], [y, -x]][turn];
            picked.extend(best(&|one| at(one)[0] * x + at(one)[1] * y));
        }
    }
    for one in picked {
        let [[a, b], [c, d]] = one.depths;
        let [[p, q], [r, s]] = one.triangles;
        let candidate = (one.pixel, [a, b, c, d], [p, q, r, s]);
        if !out.candidates.contains(&candidate) {
            out.candidates.push(candidate);
        }
    }
    Ok(out)
}
