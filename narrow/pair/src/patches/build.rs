//! One patch out of the columns of a view.

use nalgebra::{Point3, Vector3};

use crate::patch::{Patch, PatchOrigin, PatchPoint};
use impinge_image_space::intervals::{OverlapInterval, Sums};
use impinge_image_space::view::View;

/// The seed of a patch: what is known before its points are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatchSeed {
    /// Unit normal from A to B.
    pub normal: Vector3<f64>,
    /// G (m²).
    pub gradient: Vector3<f64>,
    /// Torque part (m³).
    pub torque: Vector3<f64>,
    /// Volume of the overlap (m³) and its centroid, where they are known better than from the columns.
    pub volume: Option<(f64, Point3<f64>)>,
    /// Whether both sides bound a volume.
    pub solid: bool,
    /// Whether the points are to be where B is entered and A is left, however far that is beyond the
    /// overlap: for bodies that wrap around each other.
    pub wraps: bool,
    /// Number of the view, for the points' keys; 0 of views that are not kept.
    pub serial: u16,
}

/// Names a place of a view's lattice: the view, the pixel counted from its anchor, and which of the
/// patch's columns there it is.
fn key(view: &View, serial: u16, column: &OverlapInterval, nth: u16) -> u64 {
    let cell = |k: usize, at: u16| (view.first[k] + i64::from(at)) as u64 & 0xffff;
    u64::from(serial) << 48 | cell(0, column.i) << 32 | cell(1, column.j) << 16 | u64::from(nth)
}

/// Makes a patch of `members` (in the order of their pixels), or nothing of no columns.
pub(crate) fn patch(view: &View, members: &[OverlapInterval], seed: &PatchSeed) -> Option<Patch> {
    let mut sums = Sums::default();
    members.iter().for_each(|c| sums.add(c));
    let normal = seed.normal;
    let area = seed.gradient.norm();
    let weight = area / members.len() as f64;
    let mut points = Vec::with_capacity(members.len());
    let (mut nth, mut last) = (0, None);
    for column in members {
        nth = if last == Some((column.i, column.j)) { nth + 1 } else { 0 };
        last = Some((column.i, column.j));
        points.push(point(view, column, seed, weight, key(view, seed.serial, column, nth)));
    }
    let middle = mean(&points)?;
    let (volume, centroid) = match (seed.volume, sums.centroid(view)) {
        _ if !seed.solid => (0.0, middle),
        (Some(known), _) => known,
        (None, Some(centroid)) => (sums.volume(view), centroid),
        (None, None) => (0.0, middle),
    };
    let radius = points.iter().map(|p| (halfway(p) - centroid).norm_squared()).fold(0.0, f64::max).sqrt();
    let origin = match (seed.solid, sums.overlaps) {
        (false, _) => PatchOrigin::Contour,
        (true, 0) => PatchOrigin::Touch,
        (true, _) => PatchOrigin::OverlapIntervals,
    };
    Some(Patch {
        normal,
        depth: points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max),
        volume,
        gradient: seed.gradient,
        torque: seed.torque,
        centroid,
        pressure_center: pressure_center(&seed.gradient, &seed.torque, &centroid),
        radius,
        points,
        corners: Vec::new(),
        sectors: Vec::new(),
        origin,
        region: None,
    })
}

/// Puts points into a patch that are known beside those of its columns, no two of them in one pixel: in place of the deepest of their pixels
/// where they are deeper, and into pixels that have none. The points of columns stay in their order, before the others.
pub(crate) fn add_points(view: &View, known: &[PatchPoint], patch: &mut Patch) {
    if known.is_empty() {
        return;
    }
    let mut pixels: Vec<([i64; 2], usize)> =
        patch.points.iter().enumerate().map(|(k, p)| (pixel_of(view, &halfway(p)), k)).collect();
    pixels.sort_unstable();
    for found in known {
        let pixel = pixel_of(view, &halfway(found));
        let own = &pixels[pixels.partition_point(|(other, _)| *other < pixel)..];
        let own = own.iter().take_while(|(other, _)| *other == pixel).map(|(_, k)| *k);
        match own.reduce(|k, l| if patch.points[l].depth > patch.points[k].depth { l } else { k }) {
            None => patch.points.push(*found),
            // Names do not come and go.
            Some(k) if patch.points[k].depth < found.depth => {
                patch.points[k] = PatchPoint { key: patch.points[k].key, ..*found };
            }
            Some(_) => {}
        }
    }
    let weight = patch.gradient.norm() / patch.points.len() as f64;
    let (mut depth, mut radius) = (patch.depth, patch.radius);
    for point in &mut patch.points {
        point.weight = weight;
        depth = depth.max(point.depth);
        radius = radius.max((halfway(point) - patch.centroid).norm());
    }
    (patch.depth, patch.radius) = (depth, radius);
}

/// The pixel of a view that a place is in.
pub(crate) fn pixel_of(view: &View, at: &Point3<f64>) -> [i64; 2] {
    let [x, y, _] = view.locate(at);
    [x, y].map(|x| {
        let k = x as i64;
        k - i64::from(k as f64 > x)
    })
}

/// The point of one column: where B is entered and where A is left, going along the normal.
fn point(view: &View, column: &OverlapInterval, seed: &PatchSeed, weight: f64, key: u64) -> PatchPoint {
    let normal = &seed.normal;
    let along = view.axes.sign(normal) > 0.0;
    let [a, b] = &column.solid;
    let (on_a, on_b) = match (seed.wraps, along) {
        (true, true) => (a.close, b.open),
        (true, false) => (a.open, b.close),
        (false, true) => (column.end(), column.begin()),
        (false, false) => (column.begin(), column.end()),
    };
    let (on_a, on_b) = (f64::from(on_a), f64::from(on_b));
    // Within a step the ends are the same place.
    let middle = 0.5 * (on_a + on_b);
    let (on_a, on_b) = if column.is_touch() { (middle, middle) } else { (on_a, on_b) };
    let [on_a, on_b] = [on_a, on_b].map(|z| view.place(column.i, column.j, z));
    PatchPoint { on_a, on_b, depth: (on_a - on_b).dot(normal), weight, key }
}

/// Where a single force along G acts like the patch.
pub(crate) fn pressure_center(
    gradient: &Vector3<f64>,
    torque: &Vector3<f64>,
    centroid: &Point3<f64>,
) -> Point3<f64> {
    let square = gradient.norm_squared();
    if square <= 0.0 || !square.is_normal() {
        return *centroid;
    }
    let across = gradient.cross(torque) / square;
    Point3::from(across + gradient * (centroid.coords.dot(gradient) / square))
}

/// A torque part without its component along G. What lines measure of that is their noise, and it would twist bodies that
/// rest: of faces seen along G it is 0, and of a round body too.
pub(crate) fn without_twist(gradient: &Vector3<f64>, torque: &Vector3<f64>) -> Vector3<f64> {
    let square = gradient.norm_squared();
    if square.is_normal() { torque - gradient * (torque.dot(gradient) / square) } else { *torque }
}

/// Halfway between the two surfaces.
pub(crate) fn halfway(p: &PatchPoint) -> Point3<f64> {
    nalgebra::center(&p.on_a, &p.on_b)
}

/// The mean of the points' places.
pub(crate) fn mean(points: &[PatchPoint]) -> Option<Point3<f64>> {
    let first = halfway(points.first()?);
    let sum: Vector3<f64> = points.iter().map(|p| halfway(p) - first).sum();
    Some(first + sum / points.len() as f64)
}
