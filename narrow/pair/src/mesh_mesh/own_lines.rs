//! How deep a closed surface overlaps itself where none of its vertices is inside.
//!
//! Lines along the normal, on a lattice over the contours: where each has entered the surface once more than it has left it, it is inside, and
//! where twice more, in the overlap, from an entry (into the upper part, B) to the exit (out of the lower, A) that ends it. The lines
//! beside the deepest are halved in on. (Entries and exits that alternate: Heidelberger, Teschner, Gross, "Detection of Collisions and
//! Self-collisions Using Image-space Techniques", 2004; here as rays, exact in what they cross.)

use impinge_exact::ray::{Faces, PartHit, PartRay};
use impinge_midphase::obb_tree::RayScratch;
use impinge_midphase::{DescentCounts, Part};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::patch::PatchPoint;

/// Lines along each side of the lattice.
const LINES: usize = 12;
/// How often the distance to the lines beside the deepest is halved.
const HALVINGS: u32 = 8;

/// Casts rays at a part, with buffers that are used again.
#[derive(Debug, Default)]
pub(super) struct OwnRays {
    search: RayScratch,
    hits: Vec<PartHit>,
}

impl OwnRays {
    /// All hits of a ray from a place (m, the part's frame) on, until it has come `far` times the direction, by time.
    pub fn cast(
        &mut self,
        part: &Part,
        from: &Point3<f64>,
        direction: &Vector3<f64>,
        far: f64,
    ) -> &[PartHit] {
        let ray = PartRay::new(part, &Isometry3::identity(), from, direction, far, Faces::Both);
        self.hits.clear();
        ray.all(&mut self.search, &mut DescentCounts::default(), &mut self.hits);
        &self.hits
    }
}

/// The overlap that contours bound, given as the ends of their segments, along `normal` (unit): adds the deepest, then one for each line of the
/// lattice that meets the overlap, to `points`, which is empty. Gives the sum of their lengths times the area that a line stands for (m³).
pub(super) fn line_overlaps(
    part: &Part,
    segments: &[[Point3<f64>; 2]],
    normal: &Vector3<f64>,
    rays: &mut OwnRays,
    points: &mut Vec<PatchPoint>,
) -> f64 {
    let mut volume = 0.0;
    let across = if normal.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
    let u = normal.cross(&across).normalize();
    let v = normal.cross(&u);
    let mut all = segments.iter().flatten();
    let Some(first) = all.next() else { return volume };
    let place = |p: &Point3<f64>| Vector3::new(p.coords.dot(&u), p.coords.dot(&v), p.coords.dot(normal));
    let grow = |[low, high]: [Vector3<f64>; 2], p: &Point3<f64>| [low.inf(&place(p)), high.sup(&place(p))];
    let [low, high] = all.fold([place(first); 2], grow);
    let size = high - low;
    let mut caster = Caster { part, axes: [u, v, *normal], heights: [low.z, high.z], rays };
    let step = [size.x, size.y].map(|side| side / LINES as f64);
    let mut best: Option<([f64; 2], Overlap)> = None;
    for (i, j) in (0..LINES).flat_map(|i| (0..LINES).map(move |j| (i, j))) {
        let at = [low.x + (i as f64 + 0.5) * step[0], low.y + (j as f64 + 0.5) * step[1]];
        let Some(overlap) = caster.deepest(at) else { continue };
        volume += overlap.length() * step[0] * step[1];
        points.push(caster.point(at, overlap, (LINES * i + j) as u64));
        if best.as_ref().is_none_or(|(_, other)| overlap.length() > other.length()) {
            best = Some((at, overlap));
        }
    }
    let Some((mut at, mut deepest)) = best else { return volume };
    let mut reach = [0.5 * step[0], 0.5 * step[1]];
    for _ in 0..HALVINGS {
        let from = at;
        for (i, j) in (-1..=1).flat_map(|i| (-1..=1).map(move |j| (i, j))) {
            let beside = [from[0] + f64::from(i) * reach[0], from[1] + f64::from(j) * reach[1]];
            if let Some(overlap) = caster.deepest(beside)
                && overlap.length() > deepest.length()
            {
                (at, deepest) = (beside, overlap);
            }
        }
        reach = reach.map(|x| 0.5 * x);
    }
    points.insert(0, caster.point(at, deepest, (LINES * LINES) as u64));
    volume
}

/// Where a line enters an overlap and leaves it (m along the normal).
#[derive(Clone, Copy, Debug)]
struct Overlap {
    from: f64,
    to: f64,
}

impl Overlap {
    fn length(&self) -> f64 {
        self.to - self.from
    }
}

/// Casts lines along a normal.
struct Caster<'p> {
    part: &'p Part,
    /// Two across the normal, and the normal.
    axes: [Vector3<f64>; 3],
    /// The least and greatest height of the contours (m).
    heights: [f64; 2],
    rays: &'p mut OwnRays,
}

impl Caster<'_> {
    /// The longest overlap on a line that comes as near to the contours' heights as it is long; `None` where there is none.
    fn deepest(&mut self, [x, y]: [f64; 2]) -> Option<Overlap> {
        let [u, v, normal] = self.axes;
        let sphere = &self.part.sphere;
        let radius = 1.01 * f64::from(sphere.radius);
        let begin = normal.dot(&sphere.center.coords.cast::<f64>()) - radius;
        let from = Point3::from(u * x + v * y + normal * begin);
        // A ray's direction is at most 1 long in any component.
        let scale = 1.0 / normal.amax();
        let hits = self.rays.cast(self.part, &from, &(normal * scale), 2.0 * radius / scale);
        let (mut winding, mut entered, mut best) = (0, 0.0, None::<Overlap>);
        for hit in hits {
            let (height, entering) = (begin + hit.time * scale, hit.entering);
            winding += if entering { 1 } else { -1 };
            if entering && winding == 2 {
                entered = height;
            } else if !entering && winding == 1 {
                let overlap = Overlap { from: entered, to: height };
                let beside = (self.heights[0] - overlap.to).max(overlap.from - self.heights[1]);
                if beside <= overlap.length() && best.is_none_or(|other| overlap.length() > other.length()) {
                    best = Some(overlap);
                }
            }
        }
        best
    }

    fn point(&self, [x, y]: [f64; 2], overlap: Overlap, line: u64) -> PatchPoint {
        let [u, v, normal] = self.axes;
        let at = |height: f64| Point3::from(u * x + v * y + normal * height);
        PatchPoint {
            on_a: at(overlap.to),
            on_b: at(overlap.from),
            depth: overlap.length(),
            weight: 0.0,
            key: 0xfffe << 48 | line,
        }
    }
}
