//! Places where edges of one side meet faces of the other, edge by edge.

use impinge_geometry::Side;
use nalgebra::Point3;

use super::place::{edge_ends, place_error};
use crate::contour::NO_LOOP;
use crate::id_table::IdTable;
use crate::intersect::{HitKey, Intersections, Surfaces};
use crate::radix;

/// A place where an edge meets a face of the other side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub edge: u32,
    /// The face.
    pub triangle: u32,
    /// By how much the winding number of the other surface grows there, from the edge's lower vertex to the other.
    pub rise: i32,
    /// The contour through it.
    pub label: u32,
    /// (m, pair frame)
    pub point: Point3<f64>,
    /// Where along the edge, from 0 to 1, and by how much that may be wrong; of edges with several hits only.
    pub at: f64,
    pub at_error: f64,
}

/// The hits of one side.
#[derive(Clone, Debug, Default)]
pub(super) struct Hits {
    /// By edges, and along each.
    pub list: Vec<Hit>,
    /// Where the hits of an edge begin.
    starts: IdTable,
    /// Edges and the segments that begin at them, by edges.
    begins: Vec<[u32; 2]>,
    room: Vec<[u32; 2]>,
}

/// The corner of a triangle at which one of its edges begins, and whether that is the edge's lower vertex.
#[inline]
pub(super) fn corner_of(input: &Surfaces<'_>, side: Side, triangle: u32, edge: u32) -> (usize, bool) {
    let mesh = input.meshes[side.index()];
    let own = mesh.edges_of(triangle);
    let k = if own[0] == edge {
        0
    } else if own[1] == edge {
        1
    } else {
        2
    };
    let corners = mesh.vertices_of(triangle);
    (k, corners[k] < corners[(k + 1) % 3])
}

impl Hits {
    /// Collects the hits of a side; `loops`: the contour of each segment.
    pub fn gather(
        &mut self,
        input: &Surfaces<'_>,
        side: Side,
        (intersections, loops): (&Intersections, &[u32]),
    ) {
        let Hits { list, begins, room, .. } = self;
        begins.clear();
        for ((segment, place), &label) in intersections.segments.iter().zip(0..).zip(loops) {
            // Each place ends one segment and starts another: once is enough.
            let key = segment.ends[0];
            if key.edge_side == side && label != NO_LOOP {
                begins.push([key.edge, place]);
            }
        }
        radix::sort_by_number(begins, room, |[edge, _]| u64::from(*edge));
        list.clear();
        for of_edge in begins.chunk_by(|p, q| p[0] == q[0]) {
            let first = list.len();
            for &[edge, place] in of_edge {
                let segment = &intersections.segments[place as usize];
                let (_, forward) = corner_of(input, side, segment.triangles[side.index()], edge);
                // A's part lies to the left of the segment, B's to the right.
                let enters = (side == Side::B) == forward;
                list.push(Hit {
                    edge,
                    triangle: segment.ends[0].triangle,
                    rise: if enters { 1 } else { -1 },
                    label: loops[place as usize],
                    point: segment.points[0],
                    at: 0.0,
                    at_error: 0.0,
                });
            }
            list[first..].sort_unstable_by_key(|hit| (hit.triangle, hit.label));
        }
        // Edges of more than two faces have a place in several contours.
        list.dedup_by_key(|hit| (hit.edge, hit.triangle));
        self.index(input, side);
    }

    fn index(&mut self, input: &Surfaces<'_>, side: Side) {
        self.starts.begin(input.meshes[side.index()].edge_bound());
        let mut start = 0;
        for group in self.list.chunk_by_mut(|a, b| a.edge == b.edge) {
            self.starts.set(group[0].edge, start);
            start += group.len() as u32;
            if group.len() > 1 {
                order(input, side, group);
            }
        }
    }

    /// Whether an edge is hit.
    #[inline]
    pub fn is_hit(&self, edge: u32) -> bool {
        self.starts.get(edge).is_some()
    }

    /// The hits of an edge.
    #[inline]
    pub fn of(&self, edge: u32) -> &[Hit] {
        let Some(start) = self.starts.get(edge) else { return &[] };
        let rest = &self.list[start as usize..];
        &rest[..rest.iter().take_while(|hit| hit.edge == edge).count()]
    }
}

/// Sorts the hits of an edge along it.
fn order(input: &Surfaces<'_>, side: Side, group: &mut [Hit]) {
    let [p, q] = edge_ends(input, side, group[0].edge);
    let along = q - p;
    let square = along.norm_squared();
    for hit in group.iter_mut() {
        let key = HitKey { edge_side: side, edge: hit.edge, triangle: hit.triangle };
        hit.at = (hit.point - p).dot(&along) / square;
        hit.at_error = place_error(input, &key).along / square.sqrt();
    }
    group.sort_unstable_by(|a, b| a.at.total_cmp(&b.at).then(a.triangle.cmp(&b.triangle)));
}

/// Whether the order of two hits on an edge is certain.
pub(super) fn apart(a: &Hit, b: &Hit) -> bool {
    (b.at - a.at).abs() > 2.0 * (a.at_error + b.at_error)
}

/// The winding number at the lower end of an edge, as its hits tell it.
pub(super) enum Below {
    Certain(i32),
    Uncertain,
    /// It is neither 0 nor 1 all along the edge.
    Overlapping,
}

/// What the hits of an edge tell of its lower end.
pub(super) fn below(group: &[Hit]) -> Below {
    let sum: i32 = group.iter().map(|hit| hit.rise).sum();
    let clear = group.windows(2).all(|pair| apart(&pair[0], &pair[1]));
    let low = match sum {
        1 => 0,
        -1 => 1,
        0 if apart(&group[0], &group[1]) => i32::from(group[0].rise < 0),
        0 => return Below::Uncertain,
        _ => return Below::Overlapping,
    };
    let mut winding = low;
    let stays = group.iter().all(|hit| {
        winding += hit.rise;
        (0..=1).contains(&winding)
    });
    if stays || !clear { Below::Certain(low) } else { Below::Overlapping }
}
