//! A contour round two contacts at once: one view along each piece's own normal.
//!
//! The view is over all of the contour, as a view of it as a whole is. Of its columns those belong to a piece that
//! end on its facets and face along its normal; others, through the wall beside a floor, say nothing of it.

use impinge_exact::intersect::Segment;
use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::corners::to_corners;
use super::intersection::{SurfaceIntersection, measured};
use crate::memory::NarrowMemory;
use crate::patch::{Patch, PatchPoint};
use crate::patches::{
    ContourOf, FeatureKind, InteriorVertex, PatchSeed, Piece, Pieces, face_to_face, halfway, patch, pieces,
};
use crate::penetration::{MinimumNorm, SeparationConstraint, minimum_norm_translation};
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::tunables;
use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::{Extent, View};

/// A piece, and what the others are.
struct PieceView<'a, 'b> {
    scene: &'a Scene<'b>,
    pieces: &'a Pieces,
    nth: usize,
    normal: Vector3<f64>,
    /// Nothing thicker belongs to the piece (m).
    thickest: f64,
}

/// Adds the patches of a contour's pieces to `out`; whether it has several and all are thin. Where not, the contour is
/// one contact, and nothing is added.
pub(crate) fn patches(
    scene: &Scene<'_>,
    intersection: &SurfaceIntersection<'_>,
    member: u32,
    memory: &mut NarrowMemory,
    samplers: &mut Samplers,
    out: &mut Vec<Patch>,
) -> bool {
    let Some(pieces) = thick_pieces(scene, intersection, member) else { return false };
    let before = out.len();
    for nth in 0..pieces.list.len() {
        let Some(found) = one(scene, intersection, (member, &pieces, nth), memory, samplers) else {
            out.truncate(before);
            return false;
        };
        out.push(found);
    }
    let several = intersection.contours.loops.len() > 1;
    let size = intersection.features.list[member as usize].extent.longest();
    let right = separates(scene, &out[before..], (size, several), samplers);
    if !right {
        out.truncate(before);
    }
    right
}

/// Whether some contacts are all that holds the bodies: the translation that they ask for together parts these. Where
/// there are other contours that is not asked, and contacts have to be shallow. `size`: of the contour (m).
fn separates(
    scene: &Scene<'_>,
    patches: &[Patch],
    (size, several): (f64, bool),
    samplers: &mut Samplers,
) -> bool {
    let deepest = patches.iter().map(|p| p.depth).fold(0.0, f64::max);
    if several {
        return deepest <= tunables::PAIR_PATCHES_DEPTH * scene.radius;
    }
    // A view tells no depths apart that are closer than its steps.
    let depth = |p: &Patch| tunables::PIECE_LEEWAY * p.depth.max(0.0) + tunables::PIECE_SLACK * size;
    let constraints: Vec<SeparationConstraint> =
        patches.iter().map(|p| SeparationConstraint { normal: p.normal, depth: depth(p) }).collect();
    let asked = match minimum_norm_translation(&constraints) {
        MinimumNorm::Translation(asked) => asked * (1.0 + 2.0 * tunables::SOLVER_RESIDUAL),
        MinimumNorm::Aligned => {
            patches.iter().map(|p| p.normal).sum::<Vector3<f64>>().normalize()
                * (tunables::PIECE_LEEWAY * deepest + tunables::PIECE_SLACK * size)
        }
        MinimumNorm::Infeasible => return false,
    };
    scene.surfaces.is_some_and(|both| samplers.offset_test.is_free(&both, &asked))
}

/// The pieces of a contour without those that only meet in one plane; `None` where it is one contact, none is left, or
/// the contour is not all there is to its overlap.
fn thick_pieces(scene: &Scene<'_>, intersection: &SurfaceIntersection<'_>, member: u32) -> Option<Pieces> {
    let list = &intersection.features.list;
    let own = &list[member as usize];
    let FeatureKind::Loop(index) = own.kind else { return None };
    let surfaces = scene.surfaces.as_ref().filter(|_| scene.both_closed())?;
    // The other rim of the same overlap, seen from elsewhere.
    if !intersection.interior.is_whole()
        || list
            .iter()
            .filter(|feature| feature.component == own.component && feature.component.is_some())
            .count()
            > 1
    {
        return None;
    }
    let SurfaceIntersection { found: intersections, contours, interior, .. } = *intersection;
    let mut found = pieces(&ContourOf { input: surfaces, intersections, contours, interior, index })?;
    let faces = list.iter().filter(|feature| feature.family == own.family);
    let faces: Vec<_> = faces.filter_map(|feature| face_to_face(feature, intersection.found)).collect();
    let size = own.extent.longest();
    found.list.retain_mut(|piece| {
        let area = piece.gradient.norm();
        let Some(normal) = piece.gradient.try_normalize(0.0) else { return false };
        for (pair, face) in faces.iter().filter(|(_, face)| face.counted) {
            let apart = (face.center - piece.middle).dot(&pair.normal);
            if pair.normal.dot(&normal) > tunables::CREASE && apart.abs() <= tunables::FLUSH_AREA * size {
                let counted = pair.normal * face.area;
                piece.gradient -= counted;
                piece.torque -= face.center.coords.cross(&counted);
            }
        }
        piece.gradient.norm() > tunables::FLUSH_AREA * area
    });
    (!found.list.is_empty()).then_some(found)
}

/// The patch of one piece; `None` where it is thick.
fn one(
    scene: &Scene<'_>,
    intersection: &SurfaceIntersection<'_>,
    (member, pieces, nth): (u32, &Pieces, usize),
    memory: &mut NarrowMemory,
    samplers: &mut Samplers,
) -> Option<Patch> {
    let piece = &pieces.list[nth];
    let area = piece.gradient.norm();
    let normal = piece.gradient / area;
    let of = PieceView { scene, pieces, nth, normal, thickest: tunables::PIECE_THINNESS * area.sqrt() };
    // As wide as the whole contour, but no deeper than the piece: its depths are to be as fine as they can.
    let each = |visit: &mut dyn FnMut(&Point3<f64>)| {
        for segment in segments(intersection, member) {
            let own = piece.triangles.binary_search(&segment.triangles[pieces.side.index()]).is_ok();
            for p in &segment.points {
                let above = if own { 0.0 } else { (p - piece.middle).dot(&normal) };
                visit(&(p - normal * above));
            }
        }
    };
    let (view, serial) = memory.sample(scene, &normal, each, false, samplers);
    let columns: Vec<OverlapInterval> =
        samplers.wide.columns.list.iter().filter(|column| of.owns(&view, column)).copied().collect();
    let seed = PatchSeed {
        normal,
        gradient: piece.gradient,
        torque: piece.torque,
        volume: measured(&view, &columns, &piece.gradient).filter(|_| scene.counts_once()),
        solid: true,
        wraps: false,
        serial,
    };
    let mut found = patch(&view, &columns, &seed)?;
    of.deepen(intersection, (member, &view), samplers, &mut found);
    to_corners(scene, (intersection, &[member]), (&view, &columns), &mut found);
    (found.depth <= of.thickest).then_some(found)
}

/// The segments of a contour.
fn segments<'a>(intersection: &SurfaceIntersection<'a>, member: u32) -> impl Iterator<Item = &'a Segment> {
    let SurfaceIntersection { found, contours, features, .. } = *intersection;
    let index = match features.list[member as usize].kind {
        FeatureKind::Loop(index) => Some(index),
        FeatureKind::Face(_) | FeatureKind::Touch(_) => None,
    };
    index.into_iter().flat_map(move |index| contours.segments(&contours.loops[index as usize], found))
}

impl PieceView<'_, '_> {
    fn piece(&self) -> &Piece {
        &self.pieces.list[self.nth]
    }

    /// Whether a column is one of the piece's.
    fn owns(&self, view: &View, column: &OverlapInterval) -> bool {
        if column.length() as f64 * view.step > self.thickest {
            return false;
        }
        let [a, b] = &column.solid;
        let ends = if view.axes.sign(&self.normal) > 0.0 {
            [a.close_triangle, b.open_triangle]
        } else {
            [a.open_triangle, b.close_triangle]
        };
        // Where the overlap is longer than the lattice's step, A's surface has to end it, and B's to begin it.
        // (The ends of what has no end are as far as numbers go.)
        let [a_open, a_close, b_open, b_close] = [a.open, a.close, b.open, b.close].map(i64::from);
        let [near, far] = if view.axes.sign(&self.normal) > 0.0 {
            [b_open - a_open, b_close - a_close]
        } else {
            [a_close - b_close, a_open - b_open]
        };
        (near >= -1 && far >= -1) && self.faces(ends)
    }

    /// Whether the facets at a column's ends are those of the piece.
    fn faces(&self, ends: [u32; 2]) -> bool {
        let side = self.pieces.side;
        let others = self.pieces.list.iter().enumerate().filter(|(nth, _)| *nth != self.nth);
        let own = ends[side.index()];
        if others.clone().any(|(_, other)| other.triangles.binary_search(&own).is_ok()) {
            return false;
        }
        let along = |side: Side| {
            let normal = self.scene.facet_normal(side, ends[side.index()]);
            normal.map(|n| if side == Side::A { n } else { -n })
        };
        let (Some(own), Some(other)) = (along(side), along(side.other())) else { return false };
        let towards = own.dot(&self.normal);
        towards >= tunables::FACING_FACETS
            && other.dot(&self.normal) > tunables::GRAZED_FACET
            && others.clone().all(|(_, other)| other.gradient.dot(&own) <= towards * other.gradient.norm())
    }

    /// Adds the vertices of the other side that are deepest.
    fn deepen(
        &self,
        intersection: &SurfaceIntersection<'_>,
        (member, view): (u32, &View),
        samplers: &mut Samplers,
        patch: &mut Patch,
    ) {
        let side = self.pieces.side.other();
        let sign = if side == Side::A { 1.0 } else { -1.0 };
        let component = intersection.features.list[member as usize].component;
        let own =
            |i: &&InteriorVertex| i.side == side && Some(intersection.interior.of(i.contour)) == component;
        let mut tips: Vec<(f64, u64, Point3<f64>)> = intersection
            .interior
            .inside
            .iter()
            .filter(own)
            .filter_map(|i| {
                let at = self.scene.vertex(side, i.vertex)?;
                Some((sign * at.coords.dot(&self.normal), i.key(), at))
            })
            .collect();
        tips.sort_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)));
        for (_, key, at) in tips.into_iter().take(tunables::PIECE_TIPS) {
            if let Some(point) = self.through(view, &at, key, samplers).or_else(|| self.beyond(&at, key)) {
                take(view, patch, point);
            }
        }
    }

    /// The column of the piece on the line through a vertex.
    fn through(
        &self,
        view: &View,
        at: &Point3<f64>,
        key: u64,
        samplers: &mut Samplers,
    ) -> Option<PatchPoint> {
        let axes = view.axes;
        let center = axes.coordinates(&at.coords);
        let half = 1e-3 * view.pixel[0].min(view.pixel[1]);
        let reach = [half, half, 0.5 * impinge_image_space::view::DEPTH_STEPS * view.step];
        let extent = Extent {
            min: std::array::from_fn(|k| center[k] - reach[k]),
            max: std::array::from_fn(|k| center[k] + reach[k]),
        };
        let least = self.scene.least;
        let mut line =
            View::of_extent(&axes, &extent, 1, least).with_depth(extent.min[2], extent.max[2], least);
        line.far = extent.max[2] - axes.depth.dot(&line.anchor.coords);
        samplers.close.sample(self.scene, &mut line);
        let depth = line.locate(at)[2];
        let meets = |c: &&OverlapInterval| {
            f64::from(c.begin()) - 2.0 <= depth && depth <= f64::from(c.end()) + 2.0 && self.owns(&line, c)
        };
        let column = samplers.close.columns.list.iter().filter(meets).max_by_key(|c| c.length())?;
        let [near, far] =
            [column.begin(), column.end()].map(|z| line.place(column.i, column.j, f64::from(z)));
        let (on_a, on_b) = if axes.sign(&self.normal) > 0.0 { (far, near) } else { (near, far) };
        Some(PatchPoint { on_a, on_b, depth: (on_a - on_b).dot(&self.normal), weight: 0.0, key })
    }

    /// A vertex that lies in the wall beside the piece: how far it is behind the piece's facets, which end at the
    /// wall.
    fn beyond(&self, at: &Point3<f64>, key: u64) -> Option<PatchPoint> {
        let side = self.pieces.side;
        let nearest = self.piece().triangles.iter().filter_map(|&triangle| {
            let corners = self.scene.corners(side, triangle)?;
            let normal = self.scene.facet_normal(side, triangle)?;
            let slope = normal.dot(&self.normal);
            let height = (corners[0] - at).dot(&normal) / slope;
            (slope.abs() > tunables::FACING_FACETS).then_some(height)
        });
        // A concave piece is no farther than its facets' planes.
        let outward = if side == Side::A { 1.0 } else { -1.0 };
        let depth = nearest
            .map(|height| outward * height)
            .fold(None, |least: Option<f64>, height| Some(least.map_or(height, |least| least.min(height))))?;
        let beyond = at + self.normal * (outward * depth);
        let (on_a, on_b) = if side == Side::A { (beyond, *at) } else { (*at, beyond) };
        (0.0..=self.thickest).contains(&depth).then_some(PatchPoint { on_a, on_b, depth, weight: 0.0, key })
    }
}

/// Takes a point that is clearly deeper than all columns: in place of the nearest one, whose share and name it bears;
/// where none is near, beside the others.
fn take(view: &View, patch: &mut Patch, found: PatchPoint) {
    if found.depth <= (1.0 + tunables::LEAST_DEPTH_GAIN) * patch.depth {
        return;
    }
    let at = view.locate(&halfway(&found));
    let aside = |p: &PatchPoint| {
        let q = view.locate(&halfway(p));
        (q[0] - at[0]).abs().max((q[1] - at[1]).abs())
    };
    let nearest = patch.points.iter_mut().map(|p| (aside(p), p)).min_by(|p, q| p.0.total_cmp(&q.0));
    match nearest {
        Some((distance, near)) if distance < tunables::VERTEX_REACH => {
            *near = PatchPoint { weight: near.weight, key: near.key, ..found };
        }
        _ => patch.points.push(found),
    }
    patch.depth = found.depth;
}
