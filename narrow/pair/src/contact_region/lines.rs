//! Lines along a patch's normal through both bodies, and where these overlap on them.

use impinge_convex::SolidLines;
use impinge_geometry::Side;
use impinge_image_space::layers::Body;
use impinge_image_space::view::Axes;
use nalgebra::{Point3, Vector3};

use super::facets::{Crossing, Facets, Rectangle};
use super::owners::Owners;
use super::plane::At;
use crate::scene::Scene;

/// A line whose crossings do not add up (rounding beside a needle) is cast again this far beside it (part of the
/// rectangle), twice at most.
const NUDGE: At = [1e-9, 0.7e-9];

/// What a line meets where it enters or leaves a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Face {
    Triangle(u32),
    /// Outward unit normal of a convex solid.
    Normal(Vector3<f64>),
}

/// Where a line enters or leaves a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Along the line (m).
    pub at: f64,
    pub face: Face,
}

/// What of a line is inside one body, without a break.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    pub open: End,
    pub close: End,
}

/// An overlap on a line: an interval of A and one of B that meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineOverlap {
    pub of: [Inside; 2],
}

impl LineOverlap {
    /// Where it begins and ends (m along the line).
    pub fn ends(&self) -> [f64; 2] {
        let [a, b] = &self.of;
        [a.open.at.max(b.open.at), a.close.at.min(b.close.at)]
    }

    /// Its middle (m along the line).
    pub fn middle(&self) -> f64 {
        let [begin, end] = self.ends();
        0.5 * (begin + end)
    }
}

/// A body as lines see it.
enum BodyLines<'a> {
    Facets(Facets),
    Solid(&'a SolidLines),
}

/// Lines along the depth of some axes, and the overlaps of one patch on them.
pub(super) struct RegionLines<'a> {
    axes: Axes,
    /// All that may overlap is in here.
    pub rectangle: Rectangle,
    bodies: [BodyLines<'a>; 2],
    owners: Owners<'a>,
    /// Of faces that only meet: how far they may be apart (m).
    touch: Option<f64>,
    crossings: Vec<Crossing>,
    inside: [Vec<Inside>; 2],
    overlaps: Vec<LineOverlap>,
}

impl<'a> RegionLines<'a> {
    pub fn new(scene: &'a Scene<'_>, axes: Axes, owners: Owners<'a>, touch: Option<f64>) -> RegionLines<'a> {
        let seen = scene.whole.seen_along(&axes).grown(scene.least);
        let rectangle = Rectangle { low: [seen.min[0], seen.min[1]], high: [seen.max[0], seen.max[1]] };
        let bodies = Side::BOTH.map(|side| match &scene.bodies[side.index()] {
            Body::Surface { mesh, tree } => {
                BodyLines::Facets(Facets::new((*mesh, tree), (scene.frame, side), &axes, rectangle))
            }
            Body::Solid(lines) => BodyLines::Solid(lines),
        });
        RegionLines {
            axes,
            rectangle,
            bodies,
            owners,
            touch,
            crossings: Vec::new(),
            inside: Default::default(),
            overlaps: Vec::new(),
        }
    }

    /// The patches that overlaps are divided among.
    pub fn into_owners(self) -> Owners<'a> {
        self.owners
    }

    /// Whether all that overlaps is the patch's.
    pub fn single(&self) -> bool {
        self.owners.single()
    }

    /// The place on a line at a depth (m, pair frame).
    pub fn place(&self, at: At, depth: f64) -> Point3<f64> {
        Point3::from(self.axes.vector([at[0], at[1], depth]))
    }

    /// The line through a place of the pair frame.
    pub fn line_of(&self, p: &Point3<f64>) -> At {
        let [u, v, _] = self.axes.coordinates(&p.coords);
        [u, v]
    }

    /// Whether the patch's overlap is on a line.
    pub fn meets(&mut self, at: At) -> bool {
        !self.overlaps(at).is_empty()
    }

    /// The middle of the patch's longest overlap on a line (m along it), where there is one.
    pub fn middle(&mut self, at: At) -> Option<f64> {
        let length = |overlap: &&LineOverlap| {
            let [begin, end] = overlap.ends();
            end - begin
        };
        let longest = self.overlaps(at).iter().max_by(|p, q| length(p).total_cmp(&length(q)))?;
        Some(longest.middle())
    }

    /// The patch's overlaps on a line, in the order of their depths.
    pub fn overlaps(&mut self, at: At) -> &[LineOverlap] {
        self.overlaps.clear();
        let Rectangle { low, high } = self.rectangle;
        if (0..2).any(|k| at[k] < low[k] || at[k] > high[k])
            || !self.cast(Side::A, at)
            || !self.cast(Side::B, at)
        {
            return &self.overlaps;
        }
        let [of_a, of_b] = &self.inside;
        let (mut a, mut b) = (0, 0);
        while a < of_a.len() && b < of_b.len() {
            let overlap = LineOverlap { of: [of_a[a], of_b[b]] };
            let [begin, end] = overlap.ends();
            let meets = match self.touch {
                Some(near) => (of_a[a].close.at - of_b[b].open.at).abs() <= near || end - begin > near,
                None => end > begin,
            };
            let middle = Point3::from(self.axes.vector([at[0], at[1], 0.5 * (begin + end)]));
            if meets && (end - begin).is_finite() && self.owners.own(&middle) {
                self.overlaps.push(overlap);
            }
            let (ends_a, ends_b) = (of_a[a].close.at, of_b[b].close.at);
            // Of faces that meet, the one before may touch the next as well.
            a += usize::from(ends_a <= ends_b);
            b += usize::from(ends_b < ends_a);
        }
        &self.overlaps
    }

    /// Finds what of a line is inside a body; whether there is anything.
    fn cast(&mut self, side: Side, at: At) -> bool {
        let inside = &mut self.inside[side.index()];
        inside.clear();
        match &self.bodies[side.index()] {
            BodyLines::Facets(facets) => {
                for nudge in 0..3 {
                    let step = [0, 1].map(|k| f64::from(nudge) * NUDGE[k] * self.rectangle.size(k));
                    self.crossings.clear();
                    facets.cross([at[0] + step[0], at[1] + step[1]], &mut self.crossings);
                    if read(&mut self.crossings, inside) {
                        break;
                    }
                }
            }
            BodyLines::Solid(lines) => {
                let origin = Point3::from(self.axes.vector([at[0], at[1], 0.0]));
                if let Some(found) = lines.interval(&origin, &self.axes.depth) {
                    let end = |at: f64, normal: Vector3<f64>| End { at, face: Face::Normal(normal) };
                    let open = end(found.enter, found.enter_normal);
                    inside.push(Inside { open, close: end(found.exit, found.exit_normal) });
                }
            }
        }
        !inside.is_empty()
    }
}

/// Reads the crossings of a closed surface: inside is where the line has gone in more often than out. Whether it ends
/// outside; where it does not, nothing is inside.
fn read(crossings: &mut [Crossing], inside: &mut Vec<Inside>) -> bool {
    inside.clear();
    crossings.sort_unstable_by(|p, q| {
        p.depth.total_cmp(&q.depth).then(p.turn.cmp(&q.turn)).then(p.triangle.cmp(&q.triangle))
    });
    let (mut winding, mut open) = (0, None);
    for crossing in crossings.iter() {
        let end = End { at: crossing.depth, face: Face::Triangle(crossing.triangle) };
        let before = winding;
        winding += crossing.turn;
        if before <= 0 && winding > 0 {
            // Two faces back to back have nothing between them.
            let last: Option<Inside> = inside.pop_if(|last| last.close.at == end.at);
            open = Some(last.map_or(end, |last| last.open));
        } else if before > 0
            && winding <= 0
            && let Some(open) = open.take()
        {
            inside.push(Inside { open, close: end });
        }
    }
    if winding != 0 {
        inside.clear();
    }
    winding == 0
}
