//! Views of a mesh and a primitive that are sampled elsewhere, by a device: where they stand, and patches of what they show.
//!
//! A device has no view to find the overlap by, so views stand around the hits: what of their triangles lies in the primitive,
//! and the deepest places. Both the worker that asks and the one that answers lay them, of the same hits. A view of more than
//! [`SIDE`] pixels a side is sampled in parts, which are views of their own.

use impinge_geometry::{Primitive, Side};
use nalgebra::{Matrix3, Point3};

use super::hits::{Hit, MeshSolidPair, SolidScratch};
use crate::overlap::{ExtremeVertex, ExtremeVertices, given_overlaps, look_from_three_sides, patch_in_view};
use crate::patch::Patch;
use crate::patches::Join;
use crate::region::Region;
use crate::sampled_views::SampledView;
use crate::sampler::Samplers;
use crate::tunables;
use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::{DEPTH_STEPS, Extent, View};

/// Pixels per side of what is sampled in one piece.
const SIDE: u32 = 16;

/// The parts of a view, row after row.
fn parts_of(view: &View) -> impl Iterator<Item = View> {
    let [across, up] = view.count.map(|count| count.div_ceil(SIDE));
    let view = *view;
    (0..across * up).map(move |k| {
        let at = [k % across, k / across].map(|n| n * SIDE);
        let part = |k: usize| SIDE.min(view.count[k] - at[k]);
        let first = [0, 1].map(|k| view.first[k] + i64::from(at[k]));
        View { first, count: [part(0), part(1)], ..view }
    })
}

impl MeshSolidPair<'_, '_> {
    /// The views of a cluster of hits.
    pub fn views_of(&self, hits: &[Hit], scratch: &mut SolidScratch) -> Vec<View> {
        if matches!(self.pair.primitive, Primitive::HalfSpace) {
            return parts_of(&self.out_of_half_space(hits, scratch)).collect();
        }
        let region = self.around_hits(hits, scratch);
        let views = look_from_three_sides(self.scene, &region, self.scene.resolution);
        views.iter().flat_map(|(view, _)| parts_of(view)).collect()
    }

    /// A view out of a half-space: what is behind its border plays no part.
    fn out_of_half_space(&self, hits: &[Hit], scratch: &mut SolidScratch) -> View {
        let axes = self.scene.towards(&self.pair.rotation().column(2).into_owned());
        let extent = self.below_border(hits, &axes, scratch);
        let mut view = View::of_extent(&axes, &extent, self.scene.resolution, self.scene.least);
        view.far = view.near + 1.25 * DEPTH_STEPS * view.step;
        view
    }

    /// Around the hits of a round primitive: its axes along their mean normal.
    fn around_hits(&self, hits: &[Hit], scratch: &mut SolidScratch) -> Region {
        let axes = match self.mean_normal(hits) {
            Some(normal) => self.scene.along(&normal),
            None => self.scene.lattice_axes(),
        };
        let columns = Matrix3::from_columns(&[axes.right, axes.up, axes.depth]);
        let mut extent = Extent::EMPTY;
        for hit in hits {
            if let Some(local) = self.pair.local_corners(hit.triangle) {
                extent.merge(&self.reach(&local, &columns, scratch));
            }
            for place in [hit.closest.on_triangle, hit.closest.on_primitive()] {
                extent.add(axes.coordinates(&place.coords));
            }
        }
        let mut region = Region { axes, extent };
        self.clip_to_primitive(&mut region);
        region
    }

    /// Takes the intervals of cluster number `nth` on a half-space, where its view was sampled elsewhere, and gives that view.
    pub fn given_along_half_space(
        &self,
        nth: usize,
        hits: &[Hit],
        samplers: &mut Samplers,
        scratch: &mut SolidScratch,
    ) -> Option<View> {
        let view = self.out_of_half_space(hits, scratch);
        samplers.take_given(nth, &view).then_some(view)
    }

    /// The patch of cluster number `nth` by its three views; `false`, and nothing changed, where these were not sampled, show
    /// several overlaps or none, or one that is small in them, goes on beside them, or is not seen along its own normal.
    pub fn in_given_views(
        &self,
        nth: usize,
        hits: &[Hit],
        (samplers, join): (&mut Samplers, &mut Join),
        scratch: &mut SolidScratch,
        out: &mut Vec<Patch>,
    ) -> bool {
        let region = self.around_hits(hits, scratch);
        let Some(found) = given_overlaps(self.scene, &region, 3 * nth, samplers, join) else { return false };
        let [mut found] = found[..] else { return false };
        let [least, most] = found.volumes;
        let whole =
            found.fills(tunables::GIVEN_VIEW_FILL, &region.extent) && least >= tunables::GIVEN_VOLUMES * most;
        self.correct_gradient(hits, &mut found);
        let area = found.gradient.norm();
        let seen = area > tunables::LEAST_NET_AREA * found.area
            && found.gradient.dot(&region.axes.depth).abs() >= tunables::GIVEN_VIEW_ANGLE * area;
        whole && seen && patch_in_view(self.scene, &region, &found, 3 * nth + 2, samplers, out)
    }

    /// Of the corners of some hits the one that is deepest in a half-space, where a view of some columns shows it.
    pub fn lowest_corner(&self, hits: &[Hit], view: &View, columns: &[OverlapInterval]) -> ExtremeVertices {
        let outward = self.pair.rotation().column(2).into_owned();
        let shown = |at: &Point3<f64>| {
            let [x, y, _] = view.locate(at);
            let beside = |c: &OverlapInterval| {
                (f64::from(c.i) + 0.5 - x).abs() < 1.5 && (f64::from(c.j) + 0.5 - y).abs() < 1.5
            };
            columns.iter().any(beside)
        };
        let corners = hits.iter().flat_map(|hit| {
            let corners = self.scene.corners(self.pair.mesh, hit.triangle);
            corners.into_iter().flatten().map(|at| ExtremeVertex { at, key: u64::from(hit.triangle) })
        });
        let height = |corner: &ExtremeVertex| corner.at.coords.dot(&outward);
        let lowest = corners
            .filter(|corner| shown(&corner.at))
            .reduce(|p, q| if height(&q) < height(&p) { q } else { p });
        let mut extremes = ExtremeVertices::default();
        if let Some(lowest) = lowest {
            let border = self.pair.to_frame(&Point3::origin()).coords.dot(&outward);
            // From A to B the normal leads out of the half-space where the mesh is B.
            let [low, high] = [height(&lowest), border];
            extremes.interval = Some(if self.pair.mesh == Side::B { [high, low] } else { [-low, -high] });
            extremes.list[self.pair.mesh.index()] = Some(lowest);
        }
        extremes
    }
}

impl Samplers {
    /// Takes over a view that was sampled elsewhere, number `nth` of views of its size; whether all its parts were.
    pub fn take_given(&mut self, nth: usize, view: &View) -> bool {
        let Samplers { sampled, wide, .. } = self;
        let mut intervals: Vec<OverlapInterval> = Vec::new();
        let mut parts = 0;
        let first = nth * parts_of(view).count();
        for (number, part) in (first..).zip(parts_of(view)) {
            let own = sampled.left().find(|(_, own)| own.view == SampledView::Kept(number));
            let Some((_, own)) = own else { return false };
            let [i, j] = [0, 1].map(|k| (part.first[k] - view.first[k]) as u16);
            intervals.extend(own.intervals.iter().map(|c| OverlapInterval { i: c.i + i, j: c.j + j, ..*c }));
            parts += 1;
        }
        if parts > 1 {
            // Those of one line are of one part, and in their order.
            intervals.sort_by_key(|c| (c.j, c.i));
        }
        wide.take(view.count, &intervals);
        true
    }
}
