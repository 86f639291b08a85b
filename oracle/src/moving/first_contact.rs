//! The first time at which two features share a point: exact.
//!
//! Contacts are closed conditions on signs of polynomials in time. Where the four vertices are coplanar at some times only, these
//! are the roots of a cubic; else the first contact is at the start or where one of the polynomials changes its sign. At each of
//! these times signs tell whether the features share a point.

use num_bigint::BigInt;

use super::polynomial::{Dyadic, Polynomial, Root};
use super::rational::Rational;

/// What moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// A vertex, and the three corners of a face.
    VertexFace,
    /// The ends of an edge, and those of another.
    EdgeEdge,
}

/// Two features whose four vertices move on lines, on one integer scale.
#[derive(Clone, Debug)]
pub struct MovingFeatures {
    kind: FeatureKind,
    vertices: [Vector; 4],
}

type Vector = [Polynomial; 3];

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].times(&b[j]).minus(&a[j].times(&b[i]))
    })
}

fn dot(a: &Vector, b: &Vector) -> Polynomial {
    let [x, y, z] = std::array::from_fn(|k| a[k].times(&b[k]));
    x.plus(&y).plus(&z)
}

/// When a point is on a segment: the first three are zero, the last is not positive.
struct OnSegment([Polynomial; 4]);

impl OnSegment {
    fn new(p: &Vector, [a, b]: [&Vector; 2]) -> OnSegment {
        let [x, y, z] = cross(&minus(b, a), &minus(p, a));
        OnSegment([x, y, z, dot(&minus(p, a), &minus(p, b))])
    }
}

/// Everything whose signs tell of a contact.
struct Conditions {
    coplanar: Polynomial,
    normal: Vector,
    /// None is negative where the normal is not zero and the features meet.
    inside: Vec<Polynomial>,
    segments: Vec<OnSegment>,
}

impl Conditions {
    fn holds(&self, sign: &mut impl FnMut(&Polynomial) -> i32) -> bool {
        if sign(&self.coplanar) != 0 {
            return false;
        }
        if self.normal.iter().any(|n| sign(n) != 0) {
            return self.inside.iter().all(|p| sign(p) >= 0);
        }
        self.segments
            .iter()
            .any(|OnSegment([x, y, z, dot])| sign(x) == 0 && sign(y) == 0 && sign(z) == 0 && sign(dot) <= 0)
    }

    fn all(&self) -> impl Iterator<Item = &Polynomial> {
        let segments = self.segments.iter().flat_map(|segment| &segment.0);
        self.normal.iter().chain(&self.inside).chain(segments)
    }
}

impl MovingFeatures {
    /// Features whose vertices begin at the first and end at the second places.
    pub fn new(kind: FeatureKind, from: &[[Rational; 3]; 4], to: &[[Rational; 3]; 4]) -> MovingFeatures {
        let all = || from.iter().chain(to).flatten();
        // A common denominator: of powers of two the greatest, else the product of those that do not divide it.
        let mut below = BigInt::from(1);
        for x in all() {
            if &below % &x.below != BigInt::ZERO {
                below = if &x.below % &below == BigInt::ZERO { x.below.clone() } else { below * &x.below };
            }
        }
        let on = |x: &Rational| &x.above * (&below / &x.below);
        let vertices = std::array::from_fn(|v| {
            std::array::from_fn(|k| Polynomial::line(&on(&from[v][k]), &on(&to[v][k])))
        });
        MovingFeatures { kind, vertices }
    }

    fn conditions(&self) -> Conditions {
        let [p, q, r, s] = &self.vertices;
        match self.kind {
            FeatureKind::VertexFace => {
                let normal = cross(&minus(r, q), &minus(s, q));
                let edges = [[q, r], [r, s], [s, q]];
                let inside = edges.map(|[a, b]| dot(&normal, &cross(&minus(b, a), &minus(p, a)))).into();
                let segments = edges.map(|edge| OnSegment::new(p, edge)).into();
                Conditions { coplanar: dot(&normal, &minus(p, q)), normal, inside, segments }
            }
            FeatureKind::EdgeEdge => {
                let (e, f, between) = (minus(q, p), minus(s, r), minus(r, p));
                let normal = cross(&e, &f);
                let square = dot(&normal, &normal);
                let along = [dot(&cross(&between, &f), &normal), dot(&cross(&between, &e), &normal)];
                let inside = along.into_iter().flat_map(|x| [square.minus(&x), x]).collect();
                let segments = vec![
                    OnSegment::new(p, [r, s]),
                    OnSegment::new(q, [r, s]),
                    OnSegment::new(r, [p, q]),
                    OnSegment::new(s, [p, q]),
                ];
                Conditions { coplanar: dot(&normal, &between), normal, inside, segments }
            }
        }
    }

    /// When they first share a point between times 0 and 1, if they do: a time that is late by no more than 2⁻⁶⁰, and never
    /// early. Whether they do is exact.
    pub fn first_contact(&self) -> Option<f64> {
        let conditions = self.conditions();
        let start = Dyadic::whole(0);
        if conditions.holds(&mut |p| p.sign_at(&start)) {
            return Some(0.0);
        }
        let candidates: Vec<&Polynomial> = if conditions.coplanar.is_zero() {
            conditions.all().filter(|p| !p.is_zero()).collect()
        } else {
            vec![&conditions.coplanar]
        };
        let mut first: Option<f64> = None;
        for mut root in candidates.into_iter().flat_map(Root::all) {
            if conditions.holds(&mut |p| root.sign_of(p)) {
                root.refine(62);
                let Dyadic { numerator, shift } = root.high;
                let below = BigInt::from(1) << shift as usize;
                let time = Rational { above: numerator, below }.nearest();
                first = Some(first.map_or(time, |first| first.min(time)));
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(kind: FeatureKind, from: [[f64; 3]; 4], to: [[f64; 3]; 4]) -> Option<f64> {
        let exactly = |at: [[f64; 3]; 4]| at.map(|p| p.map(Rational::exactly));
        MovingFeatures::new(kind, &exactly(from), &exactly(to)).first_contact()
    }

    const FACE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn dropped(from: [f64; 3], to: [f64; 3]) -> Option<f64> {
        let [a, b, c] = FACE;
        features(FeatureKind::VertexFace, [from, a, b, c], [to, a, b, c])
    }

    #[test]
    fn vertices_by_hand() {
        assert_eq!(dropped([1.0, 1.0, 3.0], [1.0, 1.0, -1.0]), Some(0.75));
        assert_eq!(dropped([1.0, 1.0, 3.0], [1.0, 1.0, 0.0]), Some(1.0));
        assert_eq!(dropped([1.0, 1.0, 3.0], [1.0, 1.0, f64::MIN_POSITIVE]), None);
        assert_eq!(dropped([2.0, 2.0, 1.0], [2.0, 2.0, -1.0]), Some(0.5));
        assert_eq!(dropped([2.0, 2.0 + 1e-15, 1.0], [2.0, 2.0 + 1e-15, -1.0]), None);
        // In the plane of the face, into it at a quarter of the way.
        assert_eq!(dropped([-1.0, 1.0, 0.0], [3.0, 1.0, 0.0]), Some(0.25));
        assert_eq!(dropped([-1.0, 5.0, 0.0], [3.0, 5.0, 0.0]), None);
        // A face that has no area at the time of the meeting.
        let from = [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]];
        let to = [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0]];
        assert_eq!(features(FeatureKind::VertexFace, from, to), Some(0.5));
    }

    #[test]
    fn edges_by_hand() {
        let edge = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let crossed = |from: [[f64; 3]; 2], to: [[f64; 3]; 2]| {
            features(
                FeatureKind::EdgeEdge,
                [edge[0], edge[1], from[0], from[1]],
                [edge[0], edge[1], to[0], to[1]],
            )
        };
        let lowered = |x: f64| crossed([[x, -1.0, 1.0], [x, 1.0, 1.0]], [[x, -1.0, -1.0], [x, 1.0, -1.0]]);
        assert_eq!(lowered(0.3), Some(0.5));
        assert_eq!(lowered(1.0), Some(0.5));
        assert_eq!(lowered(1.0 + 1e-15), None);
        // Parallel all the time.
        let parallel =
            |x: f64| crossed([[x, 0.0, 1.0], [x + 1.0, 0.0, 1.0]], [[x, 0.0, -1.0], [x + 1.0, 0.0, -1.0]]);
        assert_eq!(parallel(0.5), Some(0.5));
        assert_eq!(parallel(1.0), Some(0.5));
        assert_eq!(parallel(1.5), None);
        // On one line, towards each other.
        assert_eq!(
            crossed([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),
            Some(0.5)
        );
    }
}
