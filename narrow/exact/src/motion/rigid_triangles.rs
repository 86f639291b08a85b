//! Two triangles of bodies that keep their forms, in motion.
//!
//! Most pairs that boxes leave are parted by one axis up to the end: that which parted the last pair, as its neighbours lie alike, or
//! a face's normal. A few dot products with the corners at both ends prove it; nearest points are found for what is left.

use impinge_geometry::{PairFrame, PairPath, Side};
use nalgebra::{Point3, Vector3};

use super::advance::{Approach, NearestPair, Tolerance};
use super::triangle_pair::{apart_along, nearest_of, sagitta_of};

/// Frames that are kept: those of a leaf's begin, middle and end, and of a time between.
const KEPT: usize = 4;

/// Where two bodies stand at the times that were asked for last.
pub(super) struct RecentFrames<'s> {
    path: &'s PairPath<'s>,
    frames: [(f64, PairFrame); KEPT],
    oldest: usize,
}

impl<'s> RecentFrames<'s> {
    /// Of a path.
    pub fn new(path: &'s PairPath<'s>) -> RecentFrames<'s> {
        RecentFrames { path, frames: [(0.0, path.at(0.0)); KEPT], oldest: 0 }
    }

    /// Where they stand at a time from 0 to 1.
    pub fn at(&mut self, time: f64) -> &PairFrame {
        let known = self.frames.iter().position(|(of, _)| *of == time);
        let k = known.unwrap_or_else(|| {
            let k = self.oldest;
            self.oldest = (k + 1) % KEPT;
            self.frames[k] = (time, self.path.at(time));
            k
        });
        &self.frames[k].1
    }
}

/// Two triangles at a time (m, pair frame).
type Placed = [[Point3<f64>; 3]; 2];

/// Two triangles of bodies in motion.
pub(super) struct RigidTriangles<'c, 's> {
    path: &'s PairPath<'s>,
    frames: &'c mut RecentFrames<'s>,
    /// In their bodies' frames (m).
    local: [[Point3<f32>; 3]; 2],
    /// No corner is farther from what its body turns about (m).
    radii: [f64; 2],
    /// Where they stood when last asked, and the time before.
    placed: [(f64, Placed); 2],
    latest: usize,
    /// From A to B along their nearest points, when these were found last (unit).
    pub normal: Option<Vector3<f64>>,
}

impl<'c, 's> RigidTriangles<'c, 's> {
    /// Two triangles by their corners in the bodies' frames, of which it is known where they stand at a time.
    pub fn new(
        path: &'s PairPath<'s>,
        frames: &'c mut RecentFrames<'s>,
        local: [[Point3<f32>; 3]; 2],
        (time, corners): (f64, Placed),
    ) -> RigidTriangles<'c, 's> {
        let radii = Side::BOTH.map(|side| path.radius_of(side, &corners[side.index()], time));
        let placed = [(time, corners); 2];
        RigidTriangles { path, frames, local, radii, placed, latest: 0, normal: None }
    }

    /// The corners at a time.
    fn place(&mut self, time: f64) -> &Placed {
        if self.placed[self.latest].0 != time {
            self.latest = 1 - self.latest;
            if self.placed[self.latest].0 != time {
                let frame = self.frames.at(time);
                let corners = Side::BOTH.map(|side| self.local[side.index()].map(|p| frame.place(side, &p)));
                self.placed[self.latest] = (time, corners);
            }
        }
        &self.placed[self.latest].1
    }

    /// Whether an axis (unit, from A to B) proves them apart from one time to another.
    pub fn is_parted(&mut self, axis: &Vector3<f64>, [begin, end]: [f64; 2], tolerance: &Tolerance) -> bool {
        let first = self.separation(begin, axis) - tolerance.error;
        first > 0.0 && {
            let last = self.separation(end, axis) - tolerance.error;
            last > 0.0 && first.min(last) > self.sagitta(axis, end - begin)
        }
    }

    /// As [`RigidTriangles::is_parted`], by a normal of one of their faces as they stand at the begin.
    pub fn is_parted_by_a_face(&mut self, within: [f64; 2], tolerance: &Tolerance) -> bool {
        let [a, b] = *self.place(within[0]);
        [&a, &b].into_iter().any(|[p, q, r]| {
            let Some(normal) = (q - p).cross(&(r - p)).try_normalize(1e-150) else { return false };
            let ahead = normal.dot(&(b[0] - a[0]));
            self.is_parted(&if ahead < 0.0 { -normal } else { normal }, within, tolerance)
        })
    }
}

impl Approach for RigidTriangles<'_, '_> {
    fn nearest(&mut self, time: f64) -> Option<NearestPair> {
        let [a, b] = self.place(time);
        let found = nearest_of(a, b);
        self.normal = found.map(|found| found.normal);
        found
    }

    fn separation(&mut self, time: f64, normal: &Vector3<f64>) -> f64 {
        let [a, b] = self.place(time);
        apart_along(a, b, normal)
    }

    fn sagitta(&self, normal: &Vector3<f64>, span: f64) -> f64 {
        sagitta_of(self.path, &self.radii, normal, span)
    }
}
