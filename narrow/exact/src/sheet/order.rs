//! Points put in the order of their features, each pair of features once.

use impinge_geometry::TriMesh;

use super::point::{Share, SheetPoint};
use crate::distance::Feature;

/// Buffers of [`put_in_order`].
#[derive(Clone, Debug, Default)]
pub(super) struct OrderScratch {
    /// Where the points of each first feature begin.
    starts: Vec<u32>,
    /// The points by first features: the second feature, and which share and which of its points it is.
    places: Vec<(Feature, [u32; 2])>,
}

/// Appends the points of shares of the work to `out`, in the order of their features. Triangles around a feature name it, each: the
/// lowest is kept ([`SheetPoint::order`]), whatever the shares. The first features are of `mesh`.
pub(super) fn put_in_order(
    mesh: &TriMesh,
    shares: &[Share],
    scratch: &mut OrderScratch,
    out: &mut Vec<SheetPoint>,
) {
    let OrderScratch { starts, places } = scratch;
    let count: usize = shares.iter().map(|share| share.points.len()).sum();
    if count == 0 {
        return;
    }
    let (vertices, edges) = (mesh.vertices().len() as u32, mesh.edges().len() as u32);
    // Vertices before edges before faces, as features are ordered.
    let key = |feature: Feature| match feature {
        Feature::Vertex(v) => v,
        Feature::Edge(e) => vertices + e,
        Feature::Face(f) => vertices + edges + f,
        Feature::Smooth => vertices + edges + mesh.triangles().len() as u32,
    } as usize;
    starts.clear();
    starts.resize(key(Feature::Smooth) + 2, 0);
    let all = || shares.iter().flat_map(|share| &share.points);
    all().for_each(|point| starts[key(point.features[0]) + 1] += 1);
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += *start;
        *start = sum;
    }
    places.clear();
    places.resize(count, (Feature::Smooth, [0; 2]));
    for (share, of_share) in (0..).zip(shares) {
        for (k, point) in (0..).zip(&of_share.points) {
            let next = &mut starts[key(point.features[0])];
            places[*next as usize] = (point.features[1], [share, k]);
            *next += 1;
        }
    }
    let at = |[share, k]: [u32; 2]| &shares[share as usize].points[k as usize];
    let mut first = 0;
    // Each start has moved to the end of its points.
    for &end in starts.iter() {
        let of_one = &mut places[first..(end as usize).max(first)];
        first = first.max(end as usize);
        if of_one.len() > 1 {
            of_one.sort_unstable_by_key(|place| place.0);
        }
        for same in of_one.chunk_by(|p, q| p.0 == q.0) {
            let lowest = same.iter().map(|place| at(place.1)).min_by(|p, q| p.order(q));
            out.extend(lowest.copied());
        }
    }
}
