//! Points in space, found by box.

use nalgebra::Point3;

/// A k-d tree without nodes: the middle of every range parts it along the axis of its depth.
pub(super) struct Points {
    /// Places and the vertices that stand there.
    sorted: Vec<(Point3<f64>, u32)>,
}

impl Points {
    pub(super) fn new(mut points: Vec<(Point3<f64>, u32)>) -> Points {
        part(&mut points, 0);
        Points { sorted: points }
    }

    /// Calls `found` with every point between `low` and `high`.
    pub(super) fn within(&self, [low, high]: &[Point3<f64>; 2], found: &mut impl FnMut(&Point3<f64>, u32)) {
        descend(&self.sorted, 0, low, high, found);
    }
}

fn part(points: &mut [(Point3<f64>, u32)], axis: usize) {
    if points.len() < 2 {
        return;
    }
    let middle = points.len() / 2;
    points.select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    let (below, above) = points.split_at_mut(middle);
    part(below, (axis + 1) % 3);
    part(&mut above[1..], (axis + 1) % 3);
}

fn descend(
    points: &[(Point3<f64>, u32)],
    axis: usize,
    low: &Point3<f64>,
    high: &Point3<f64>,
    found: &mut impl FnMut(&Point3<f64>, u32),
) {
    let Some((place, vertex)) = points.get(points.len() / 2) else { return };
    if low <= place && place <= high {
        found(place, *vertex);
    }
    let (below, above) = points.split_at(points.len() / 2);
    if low[axis] <= place[axis] {
        descend(below, (axis + 1) % 3, low, high, found);
    }
    if high[axis] >= place[axis] {
        descend(&above[1..], (axis + 1) % 3, low, high, found);
    }
}
