//! Contacts by height maps: one view of each contact along its contours' area vector, of which only the first and the last place
//! of the overlap on each line count. No closer look, no search for another translation.

use impinge_exact::contour::{Contours, Loop};
use impinge_exact::intersect::Intersections;
use impinge_geometry::Containment;
use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::View;
use nalgebra::{Point3, Vector3};

use super::intersection::measured;
use crate::memory::NarrowMemory;
use crate::patch::Patch;
use crate::patches::{Join, PatchSeed, patch, torque_about};
use crate::penetration;
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::tunables;

/// What was found of two surfaces: where they meet, and the contours.
type Found<'a> = (&'a Intersections, &'a Contours);

/// Buffers of this pass.
#[derive(Debug, Default)]
pub(super) struct HeightMaps {
    join: Join,
    /// The contact that each contour is of, by the least of its contours.
    contact: Vec<usize>,
    members: Vec<usize>,
    columns: Vec<OverlapInterval>,
}

impl HeightMaps {
    /// The patches of two surfaces, one for each contact; `false`, and nothing changed, where height maps do not do: of
    /// bodies inside each other, open or of shells that overlap, contours that are open, on virtual faces or oppose each other, faces in
    /// one plane, overlaps that are deep, hollow, or not seen along their area vector.
    pub fn run(
        &mut self,
        scene: &Scene<'_>,
        found: Found<'_>,
        containment: Containment,
        memory: &mut NarrowMemory,
        samplers: &mut Samplers,
        out: &mut Vec<Patch>,
    ) -> bool {
        let (intersections, contours) = found;
        let plain = containment == Containment::None && scene.both_closed() && scene.counts_once();
        let real = |contour: &Loop| contour.virtual_faces == 0;
        if !plain
            || !intersections.degenerate.is_empty()
            || !contours.all_closed
            || !(1..=tunables::MOST_HEIGHT_MAP_CONTOURS).contains(&contours.loops.len())
            || !contours.loops.iter().all(real)
        {
            return false;
        }
        self.unite(contours);
        let before = out.len();
        for first in 0..contours.loops.len() {
            if self.contact[first] != first {
                continue;
            }
            self.members.clear();
            self.members.extend((first..contours.loops.len()).filter(|&k| self.contact[k] == first));
            match self.patch(scene, found, memory, samplers) {
                Some(patch) => out.push(patch),
                None => {
                    memory.forget_views();
                    samplers.sampled.give_back();
                    out.truncate(before);
                    return false;
                }
            }
        }
        true
    }

    /// Contours whose boxes meet are of one contact.
    fn unite(&mut self, contours: &Contours) {
        let loops = &contours.loops;
        self.contact.clear();
        self.contact.extend(0..loops.len());
        for k in 1..loops.len() {
            for m in 0..k {
                if meet(&loops[k].aabb, &loops[m].aabb) {
                    let [one, other] = [self.contact[k], self.contact[m]];
                    let least = one.min(other);
                    self.contact.iter_mut().filter(|c| **c == one || **c == other).for_each(|c| *c = least);
                }
            }
        }
    }

    /// The patch of the contours at hand.
    fn patch(
        &mut self,
        scene: &Scene<'_>,
        (intersections, contours): Found<'_>,
        memory: &mut NarrowMemory,
        samplers: &mut Samplers,
    ) -> Option<Patch> {
        let loops = || self.members.iter().map(|&k| &contours.loops[k]);
        let gradient: Vector3<f64> = loops().map(|contour| contour.gradient).sum();
        let area = gradient.norm();
        let all: f64 = loops().map(|contour| contour.gradient.norm()).sum();
        if area <= tunables::LEAST_HEIGHT_MAP_AREA * all || area <= scene.least * scene.least {
            return None;
        }
        let normal = gradient / area;
        let each = |visit: &mut dyn FnMut(&Point3<f64>)| {
            for contour in loops() {
                contours.segments(contour, intersections).for_each(|s| s.points.iter().for_each(&mut *visit));
            }
        };
        let torque = loops().map(|contour| torque_of(contours, contour, intersections)).sum();
        let (view, serial) = memory.sample(scene, &normal, each, false, samplers);
        if normal.dot(&view.axes.depth).abs() < tunables::OBLIQUE_VIEW {
            return None;
        }
        self.gather((intersections, contours), &view, samplers);
        let lengths = |columns: &[OverlapInterval]| columns.iter().map(|c| c.length() as f64).sum::<f64>();
        let overlap = lengths(&self.columns);
        fold(&mut self.columns);
        if overlap <= 0.0 || lengths(&self.columns) > tunables::MOST_HOLLOW * overlap {
            return None;
        }
        let (volume, centroid) = measured(&view, &self.columns, &gradient)?;
        let seen = self.columns.iter().filter(|c| !c.is_touch()).count() as f64 * view.pixel_area();
        let along = gradient.dot(&view.axes.depth).abs();
        if !tunables::SAMPLED_AREA.contains(&(along / seen))
            || penetration::is_deep(scene, volume / area, &gradient)
        {
            return None;
        }
        let seed = PatchSeed {
            normal,
            gradient,
            torque,
            volume: Some((volume, centroid)),
            solid: true,
            wraps: false,
            serial,
        };
        patch(&view, &self.columns, &seed)
    }

    /// The intervals of the view that the contours at hand bound: those that they pass, and what is joined with them.
    fn gather(&mut self, (intersections, contours): Found<'_>, view: &View, samplers: &Samplers) {
        let columns = &samplers.wide.columns;
        self.join.columns(columns, self.members.len());
        for (index, &k) in self.members.iter().enumerate() {
            for segment in contours.segments(&contours.loops[k], intersections) {
                self.join.segment(columns, view, index, &segment.points[0], &segment.points[1]);
            }
        }
        self.columns.clear();
        for (at, column) in columns.list.iter().enumerate() {
            let set = self.join.of_column(at);
            if (0..self.members.len()).any(|index| self.join.of_loop(index) == set) {
                self.columns.push(*column);
            }
        }
    }
}

/// Of several intervals of a line one is left, from where the first begins to where the last ends.
fn fold(columns: &mut Vec<OverlapInterval>) {
    columns.dedup_by(|next, kept| {
        let same = (next.i, next.j) == (kept.i, kept.j);
        if same {
            for (kept, next) in kept.solid.iter_mut().zip(&next.solid) {
                if next.open < kept.open {
                    (kept.open, kept.open_triangle) = (next.open, next.open_triangle);
                }
                if next.close > kept.close {
                    (kept.close, kept.close_triangle) = (next.close, next.close_triangle);
                }
            }
        }
        same
    });
}

/// Whether two boxes share a point.
fn meet(a: &[Point3<f64>; 2], b: &[Point3<f64>; 2]) -> bool {
    (0..3).all(|k| a[0][k] <= b[1][k] && b[0][k] <= a[1][k])
}

/// The torque part of a contour, about the pair frame's origin (m³).
fn torque_of(contours: &Contours, contour: &Loop, found: &Intersections) -> Vector3<f64> {
    let center = nalgebra::center(&contour.aabb[0], &contour.aabb[1]);
    torque_about(&center, contours.outline(contour, found)) + center.coords.cross(&contour.gradient)
}
