//! The least way out: a normal for overlaps that have none of their own (one body inside the other,
//! a rod through a plate), or whose own does not free them.

use impinge_geometry::Side;
use nalgebra::Vector3;

use super::region::Region;
use super::scene::{Eye, Scene};
use super::three_views::within;
use crate::columns::{Column, Sums};
use crate::patch::Patch;
use crate::patches::{Draft, patch};
use crate::view::{Axes, Extent, View};

/// A direction and how far B has to move along it until the overlap is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Unit.
    pub normal: Vector3<f64>,
    /// (m)
    pub length: f64,
    /// What its length is multiplied by when ways are compared.
    favour: f64,
    /// How finely it has been measured.
    level: usize,
}

/// Part of its size by which a region is grown when it is asked whether moving frees it: what is
/// beside the overlap may get in the way.
const BESIDE: f64 = 0.5;

/// A way along a body's own axes is taken rather than one that is shorter by less than this part: faces
/// are where bodies lie against each other.
const PREFERENCE: f64 = 0.98;

/// The least way out of the overlap in `region` (pair frame, m) over candidate directions: those of
/// the triangles at the columns' ends, and the axes, edges and corners of both bodies' frames.
/// `bound`: the length of a way that is known already (m), and only bettered by one that is clearly
/// shorter; then only facets and axes are tried, not the diagonals.
pub(super) fn least_way_out(
    scene: &Scene<'_>,
    region: &Region,
    bound: Option<f64>,
    columns: &[Column],
    eye: &mut Eye,
) -> Option<Way> {
    let mut found: Vec<Way> = Vec::new();
    let mut lines = facet_normals(scene, columns);
    let own_axes = frame_lines(scene, &mut lines);
    if bound.is_some() {
        lines.truncate(own_axes);
    }
    for (k, line) in lines.iter().enumerate() {
        let axes = Axes::along(line);
        let ways = ways(scene, region, &axes, scene.zoom(), eye);
        for (normal, length) in [axes.depth, -axes.depth].into_iter().zip(ways) {
            if length.is_finite() && length > 0.0 {
                found.push(Way {
                    normal,
                    length,
                    favour: if k < own_axes { PREFERENCE } else { 1.0 },
                    level: 0,
                });
            }
        }
    }
    // The least over coarse views is biased low: whoever leads is measured again, and more finely, until
    // one leads that has been measured finely.
    let counts = [scene.zoom(), scene.coarse(), scene.resolution];
    loop {
        let way = found.iter_mut().min_by(|a, b| (a.length * a.favour).total_cmp(&(b.length * b.favour)))?;
        if !way.length.is_finite() || bound.is_some_and(|known| way.length > 0.9 * known) {
            return None;
        }
        if way.level + 1 == counts.len() {
            return Some(*way);
        }
        way.level += 1;
        let axes = Axes::along(&way.normal);
        let ways = ways(scene, region, &axes, counts[way.level], eye);
        way.length = way.length.max(ways[usize::from(axes.sign(&way.normal) < 0.0)]);
    }
}

/// Adds lines of both bodies' frames: first the axes, then edge and corner diagonals. How many lines
/// there are up to the last axis.
fn frame_lines(scene: &Scene<'_>, lines: &mut Vec<Vector3<f64>>) -> usize {
    let mut own_axes = 0;
    for kind in 1..=3 {
        for side in Side::BOTH {
            let rotation = &scene.frame.rotation[side.index()];
            for code in 1..27i32 {
                let c = [code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1];
                let first = c.iter().find(|&&x| x != 0);
                if first == Some(&1) && c.iter().filter(|&&x| x != 0).count() == kind {
                    let line = rotation * Vector3::from(c.map(f64::from)).normalize();
                    // Bodies that stand alike share their lines.
                    if lines.iter().all(|l| l.dot(&line).abs() < 1.0 - 1e-9) {
                        lines.push(line);
                    }
                }
            }
        }
        if kind == 1 {
            own_axes = lines.len();
        }
    }
    own_axes
}

/// The most frequent facet normals at the ends of the columns, at most four, none within 15° of
/// another.
fn facet_normals(scene: &Scene<'_>, columns: &[Column]) -> Vec<Vector3<f64>> {
    let mut found: Vec<(u32, Vector3<f64>)> = Vec::new();
    for column in columns {
        for side in Side::BOTH {
            let stretch = &column.solid[side.index()];
            for triangle in [stretch.open_triangle, stretch.close_triangle] {
                let Some(n) = scene.facet_normal(side, triangle) else { continue };
                match found.iter().position(|(_, m)| m.dot(&n).abs() > 0.966) {
                    Some(at) => found[at].0 += 1,
                    None if found.len() < 32 => found.push((1, n)),
                    None => {}
                }
            }
        }
    }
    found.sort_by_key(|f| std::cmp::Reverse(f.0));
    found.into_iter().take(4).map(|(_, n)| n).collect()
}

/// How far B has to move along the axes' depth, and against it (m), until nothing in or beside the
/// region is in its way. The region has a view of its own: seen from the side, a thin one would fall
/// between the lines of the larger view.
fn ways(scene: &Scene<'_>, region: &Region, axes: &Axes, count: u32, eye: &mut Eye) -> [f64; 2] {
    let mut out = [0.0f64; 2];
    for region in [*region, region.grown(BESIDE)] {
        let seen = region.seen_along(axes);
        let ways = eye.ways_out(scene, &deep_view(scene, axes, &seen, count));
        out = [out[0].max(ways[0]), out[1].max(ways[1])];
    }
    out
}

/// A view of an extent with room for ways out as long as the bodies are wide.
fn deep_view(scene: &Scene<'_>, axes: &Axes, seen: &Extent, count: u32) -> View {
    let depth = scene.least * 2f64.powi(24);
    View::of_extent(axes, seen, count, scene.least).with_depth(seen.min[2], seen.max[2], depth)
}

/// Looks at a region along some axes; gives the view, and what tells columns of the region from others.
fn regard(
    scene: &Scene<'_>,
    region: &Region,
    axes: &Axes,
    count: u32,
    eye: &mut Eye,
) -> (View, impl Fn(&&Column) -> bool + use<>) {
    let seen = region.seen_along(axes);
    let mut view = deep_view(scene, axes, &seen, count);
    eye.look(scene, &mut view);
    let within = within(&view, &seen);
    (view, move |c: &&Column| !c.is_touch() && within(c))
}

impl Way {
    /// The patch of a region whose normal is this way's: the points are where B is entered and where A
    /// is left by the lines along it. Its area is volume ÷ length, as G says nothing here.
    pub(super) fn patch(
        &self,
        scene: &Scene<'_>,
        region: &Region,
        known: &Draft,
        eye: &mut Eye,
    ) -> Option<Patch> {
        let axes = Axes::along(&self.normal);
        let (view, inside) = regard(scene, region, &axes, scene.resolution, eye);
        let columns: Vec<Column> = eye.columns.list.iter().filter(inside).copied().collect();
        let mut sums = Sums::default();
        columns.iter().for_each(|c| sums.add(c));
        let volume = known.volume.map_or(sums.volume(&view), |v| v.0);
        let gradient = self.normal * (volume / self.length);
        let draft = Draft {
            normal: self.normal,
            gradient,
            torque: Vector3::zeros(),
            wraps: true,
            serial: 0,
            ..*known
        };
        let mut found = patch(&view, &columns, &draft)?;
        found.torque = found.centroid.coords.cross(&gradient);
        found.pressure_center = found.centroid;
        Some(found)
    }
}
