//! Distance between convex sets.
//!
//! Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between complex objects
//! in three-dimensional space", 1988, on the cores of both sets, in `f64`. The nearest point of a
//! simplex is the best of all its edges and faces, each a true point of the set, so that flat
//! simplices need no special treatment.

use nalgebra::{Point3, Vector3};

use crate::support::Placed;

/// The nearest points of two convex sets whose cores are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Distance (m); negative where the grown sets overlap although their cores do not.
    pub distance: f64,
    /// Unit vector from A to B.
    pub normal: Vector3<f64>,
    /// The point of A nearest to B (m).
    pub on_a: Point3<f64>,
    /// The point of B nearest to A (m).
    pub on_b: Point3<f64>,
}

/// A point of the difference A − B, with the two points it came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    /// a − b.
    pub w: Vector3<f64>,
    /// The point of A's core.
    pub a: Point3<f64>,
    /// The point of B's core.
    pub b: Point3<f64>,
}

impl Vertex {
    /// The vertex of A − B farthest along `direction`.
    pub fn farthest(a: &Placed, b: &Placed, direction: &Vector3<f64>) -> Vertex {
        let (p, q) = (a.core_support(direction), b.core_support(&-direction));
        Vertex { w: p - q, a: p, b: q }
    }
}

/// Up to four vertices, on the stack: of a deep mesh a solid asks for millions of distances.
#[derive(Clone, Copy)]
struct Simplex {
    corners: [Vertex; 4],
    count: usize,
}

impl Simplex {
    fn new(corner: Vertex) -> Simplex {
        Simplex { corners: [corner; 4], count: 1 }
    }

    fn push(&mut self, corner: Vertex) {
        self.corners[self.count] = corner;
        self.count += 1;
    }

    fn corners(&self) -> &[Vertex] {
        &self.corners[..self.count]
    }
}

const MAX_ROUNDS: usize = 200;

/// The nearest points of two convex sets; `None` where their cores meet, or are closer than 1e-13 of
/// their size, so that no direction can be told.
pub fn distance(a: &Placed, b: &Placed) -> Option<Gap> {
    let first = Vertex::farthest(a, b, &(b.center() - a.center()));
    let mut simplex = Simplex::new(first);
    let mut size = first.w.norm();
    let mut v = first.w;
    for _ in 0..MAX_ROUNDS {
        let length2 = v.norm_squared();
        if length2 <= (1e-13 * size).powi(2) {
            return None;
        }
        let next = Vertex::farthest(a, b, &-v);
        size = size.max(next.w.norm());
        let progress = length2 - v.dot(&next.w);
        if progress <= 1e-12 * length2 || simplex.corners().iter().any(|s| s.w == next.w) {
            break;
        }
        let mut grown = simplex;
        grown.push(next);
        let (nearest, kept) = reduce(grown.corners())?;
        if nearest.norm_squared() >= length2 {
            break;
        }
        (v, simplex) = (nearest, kept);
    }
    gap(a, b, simplex.corners())
}

fn gap(a: &Placed, b: &Placed, simplex: &[Vertex]) -> Option<Gap> {
    let (v, weights) = weigh(simplex);
    let length = v.norm();
    if length <= 0.0 {
        return None;
    }
    let normal = -v / length;
    let blend = |point: fn(&Vertex) -> Point3<f64>| {
        Point3::from(
            simplex
                .iter()
                .zip(&weights)
                .map(|(s, w)| point(s).coords * *w)
                .fold(Vector3::zeros(), |x, y| x + y),
        )
    };
    Some(Gap {
        distance: length - a.radius() - b.radius(),
        normal,
        on_a: blend(|s| s.a) + normal * a.radius(),
        on_b: blend(|s| s.b) - normal * b.radius(),
    })
}

/// The point of the simplex nearest to the origin, and the vertices that hold it. `None` where a
/// tetrahedron holds the origin.
fn reduce(simplex: &[Vertex]) -> Option<(Vector3<f64>, Simplex)> {
    if let [p, q, r, s] = simplex
        && holds_origin([p.w, q.w, r.w, s.w])
    {
        return None;
    }
    let faces: &[&[usize]] = match simplex.len() {
        1 => &[&[0]],
        2 => &[&[0, 1]],
        3 => &[&[0, 1, 2]],
        _ => &[&[0, 1, 3], &[0, 2, 3], &[1, 2, 3], &[0, 1, 2]],
    };
    let mut best: Option<(Vector3<f64>, [f64; 3], &[usize])> = None;
    for &face in faces {
        let mut corners = Simplex { corners: [simplex[face[0]]; 4], count: face.len() };
        for (corner, &k) in corners.corners.iter_mut().zip(face) {
            *corner = simplex[k];
        }
        let (v, weights) = weigh(corners.corners());
        if best.is_none_or(|(b, ..)| v.norm_squared() < b.norm_squared()) {
            best = Some((v, weights, face));
        }
    }
    let (v, weights, face) = best?;
    let mut kept = Simplex { corners: [simplex[face[0]]; 4], count: 0 };
    face.iter().zip(weights).filter(|(_, w)| *w > 0.0).for_each(|(&k, _)| kept.push(simplex[k]));
    Some((v, kept))
}

fn holds_origin(t: [Vector3<f64>; 4]) -> bool {
    let volume = (t[1] - t[0]).cross(&(t[2] - t[0])).dot(&(t[3] - t[0]));
    let size = t.iter().map(Vector3::norm).fold(0.0, f64::max);
    if volume.abs() <= 1e-15 * size * size * size {
        return false;
    }
    [[0, 1, 2, 3], [0, 3, 1, 2], [0, 2, 3, 1], [1, 3, 2, 0]].into_iter().all(|[i, j, k, other]| {
        let n = (t[j] - t[i]).cross(&(t[k] - t[i]));
        let (origin, apex) = (-n.dot(&t[i]), n.dot(&(t[other] - t[i])));
        origin * apex >= 0.0
    })
}

/// The point nearest to the origin of a simplex of at most three vertices, and its weights.
fn weigh(simplex: &[Vertex]) -> (Vector3<f64>, [f64; 3]) {
    match simplex {
        [p] => (p.w, [1.0, 0.0, 0.0]),
        [p, q] => {
            let (v, t) = on_segment(p.w, q.w);
            (v, [1.0 - t, t, 0.0])
        }
        [p, q, r, ..] => on_triangle([p.w, q.w, r.w]),
        [] => (Vector3::zeros(), [0.0; 3]),
    }
}

fn on_segment(p: Vector3<f64>, q: Vector3<f64>) -> (Vector3<f64>, f64) {
    let d = q - p;
    let length2 = d.norm_squared();
    let t = if length2 > 0.0 { (-p.dot(&d) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (p + d * t, t)
}

fn on_triangle(t: [Vector3<f64>; 3]) -> (Vector3<f64>, [f64; 3]) {
    let (mut best, mut weights) = (t[0], [1.0, 0.0, 0.0]);
    for k in 0..3 {
        let next = (k + 1) % 3;
        let (v, s) = on_segment(t[k], t[next]);
        if v.norm_squared() < best.norm_squared() {
            best = v;
            weights = [0.0; 3];
            weights[k] = 1.0 - s;
            weights[next] = s;
        }
    }
    let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let n2 = n.norm_squared();
    let size2 = (t[1] - t[0]).norm_squared().max((t[2] - t[0]).norm_squared());
    if n2 > 1e-26 * size2 * size2 {
        let part = |k: usize| n.dot(&t[(k + 1) % 3].cross(&t[(k + 2) % 3])) / n2;
        let w = [part(0), part(1), part(2)];
        if w.iter().all(|x| *x > 0.0) {
            // From the weights, not along the normal: of a needle that may point anywhere.
            let sum = w[0] + w[1] + w[2];
            let w = w.map(|x| x / sum);
            let foot = t[0] * w[0] + t[1] * w[1] + t[2] * w[2];
            if foot.norm_squared() < best.norm_squared() {
                return (foot, w);
            }
        }
    }
    (best, weights)
}
