//! Points of contact between the features of two solids.

use nalgebra::{Point3, Vector3};

use crate::contact::{Contact, perpendicular};
use crate::feature::{Corner, Feature};
use crate::region::ConvexPoint;

/// What two features share, seen along the normal.
#[derive(Clone, Debug)]
pub(crate) struct Meeting {
    /// The points, without weights.
    pub points: Vec<ConvexPoint>,
    /// Area of the polygon they share, length of the segment, or nothing (m², m).
    pub shared: Shared,
}

/// The extent of what two features share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shared {
    Polygon(f64),
    Segment(f64),
    Point,
}

/// A place on the plane across the normal, and how high both features stand there.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: [f64; 2],
    key: u64,
}

/// Clips the two features against each other (Sutherland, Hodgman, 1974), lifts the result onto both,
/// keeps what is at least `least` deep (m), and adds the deepest point where it is not among them.
pub(crate) fn meet(contact: &Contact, a: &Feature, b: &Feature, least: f64, slack: f64) -> Meeting {
    let n = contact.normal;
    let u = perpendicular(n).normalize();
    let v = n.cross(&u);
    let flat = |p: &Point3<f64>| [p.coords.dot(&u), p.coords.dot(&v)];
    let outline = |f: &Feature| f.corners.iter().map(|c| (flat(&c.point), *c)).collect::<Vec<_>>();
    let (oa, ob) = (outline(a), outline(b));
    let (places, shared) = match (oa.len(), ob.len()) {
        (1, _) | (_, 1) => (Vec::new(), Shared::Point),
        (2, 2) => alongside(&oa, &ob, slack),
        _ => overlap(&oa, &ob),
    };
    let mut points: Vec<ConvexPoint> = places
        .iter()
        .filter_map(|place| {
            let (ha, hb) = (height(a, &oa, place.at, &n)?, height(b, &ob, place.at, &n)?);
            let base = u * place.at[0] + v * place.at[1];
            Some(ConvexPoint {
                on_a: Point3::from(base + n * ha),
                on_b: Point3::from(base + n * hb),
                depth: ha - hb,
                weight: 0.0,
                key: place.key,
            })
        })
        .filter(|p| p.depth >= least - slack && p.depth <= contact.depth + slack)
        .collect();
    let deepest = points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
    if deepest < contact.depth - slack {
        points.push(ConvexPoint {
            on_a: contact.on_a,
            on_b: contact.on_b,
            depth: (contact.on_a - contact.on_b).dot(&n),
            weight: 0.0,
            key: key(3, a.corners[0].id, b.corners[0].id),
        });
    }
    Meeting { points, shared }
}

fn key(kind: u64, a: u32, b: u32) -> u64 {
    kind << 62 | u64::from(a & 0x7fff_ffff) << 31 | u64::from(b & 0x7fff_ffff)
}

fn length(v: [f64; 2]) -> f64 {
    (v[0] * v[0] + v[1] * v[1]).sqrt()
}

fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// How high a feature stands along `n` over a place; `None` where its polygon stands too steep.
fn height(f: &Feature, outline: &[([f64; 2], Corner)], at: [f64; 2], n: &Vector3<f64>) -> Option<f64> {
    let along = |c: &Corner| c.point.coords.dot(n);
    match (outline, &f.normal) {
        ([(p, c), (q, d)], _) => {
            let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
            let length2 = dx * dx + dy * dy;
            let t = if length2 > 0.0 { ((at[0] - p[0]) * dx + (at[1] - p[1]) * dy) / length2 } else { 0.5 };
            Some(along(c) + (along(d) - along(c)) * t.clamp(0.0, 1.0))
        }
        ([(p, c), ..], Some(normal)) => {
            let facing = normal.dot(n);
            if facing.abs() < 0.2 {
                return None;
            }
            // A point `c + Δ + n·s` of the plane: normal · (Δ + n s) = 0, Δ across n.
            let u = perpendicular(*n).normalize();
            let v = n.cross(&u);
            let shift = u * (at[0] - p[0]) + v * (at[1] - p[1]);
            Some(along(c) - normal.dot(&shift) / facing)
        }
        _ => None,
    }
}

/// Two segments: the stretch they share where they are nearly parallel and close, else nothing (they
/// cross in the deepest point).
fn alongside(a: &[([f64; 2], Corner)], b: &[([f64; 2], Corner)], slack: f64) -> (Vec<Place>, Shared) {
    let ([p, q], [r, s]) = ([a[0].0, a[1].0], [b[0].0, b[1].0]);
    let (du, dv) = ([q[0] - p[0], q[1] - p[1]], [s[0] - r[0], s[1] - r[1]]);
    let (la, lb) = (length(du), length(dv));
    let turn = du[0] * dv[1] - du[1] * dv[0];
    if la <= slack || lb <= slack || turn.abs() > 0.02 * la * lb {
        return (Vec::new(), Shared::Point);
    }
    let along = |x: [f64; 2]| ((x[0] - p[0]) * du[0] + (x[1] - p[1]) * du[1]) / la;
    let (tr, ts) = (along(r), along(s));
    let (low, high) = (tr.min(ts).max(0.0), tr.max(ts).min(la));
    if high - low <= slack {
        return (Vec::new(), Shared::Point);
    }
    let place = |t: f64, end: u32| {
        let at = [p[0] + du[0] * (t / la), p[1] + du[1] * (t / la)];
        Place { at, key: key(2, end, end) }
    };
    (vec![place(low, 0), place(high, 1)], Shared::Segment(high - low))
}

/// What a polygon or segment and a polygon share.
fn overlap(a: &[([f64; 2], Corner)], b: &[([f64; 2], Corner)]) -> (Vec<Place>, Shared) {
    let (subject, clip, swapped) = if b.len() > 2 { (a, b, false) } else { (b, a, true) };
    let corner_key = |c: &Corner| if swapped { key(1, 0, c.id) } else { key(0, c.id, 0) };
    // Names of edges: the corner they start at.
    let mut open = subject.len() == 2;
    let mut polygon: Vec<(Place, u32)> =
        subject.iter().map(|(at, c)| (Place { at: *at, key: corner_key(c) }, c.id)).collect();
    let area: f64 =
        clip.iter().zip(clip.iter().cycle().skip(1)).map(|(p, q)| cross(clip[0].0, p.0, q.0)).sum();
    for (k, (from, corner)) in clip.iter().enumerate() {
        let to = clip[(k + 1) % clip.len()].0;
        let side = |x: [f64; 2]| if area >= 0.0 { cross(*from, to, x) } else { -cross(*from, to, x) };
        let mut kept: Vec<(Place, u32)> = Vec::with_capacity(polygon.len() + 2);
        for (i, (place, edge)) in polygon.iter().enumerate() {
            let h = side(place.at);
            if h >= 0.0 {
                kept.push((*place, *edge));
            }
            let last = i + 1 == polygon.len();
            if open && last {
                break;
            }
            let next = polygon[(i + 1) % polygon.len()].0;
            let hn = side(next.at);
            if (h > 0.0 && hn < 0.0) || (h < 0.0 && hn > 0.0) {
                let t = h / (h - hn);
                let at = [
                    place.at[0] + (next.at[0] - place.at[0]) * t,
                    place.at[1] + (next.at[1] - place.at[1]) * t,
                ];
                let (ea, eb) = if swapped { (corner.id, *edge) } else { (*edge, corner.id) };
                // Where the outline goes out, it goes on along the clipping edge.
                let leaving = u32::from(h > 0.0);
                kept.push((
                    Place { at, key: key(2, ea << 1 | leaving, eb) },
                    if h > 0.0 { 1 << 20 | corner.id } else { *edge },
                ));
            }
        }
        polygon = kept;
        open = open && polygon.len() == 2;
    }
    let places: Vec<Place> = polygon.into_iter().map(|(p, _)| p).collect();
    let shared = match (subject.len(), places.len()) {
        (2, 2) => {
            let (p, q) = (places[0].at, places[1].at);
            Shared::Segment(length([q[0] - p[0], q[1] - p[1]]))
        }
        (2, _) | (_, 0..=2) => Shared::Point,
        _ => {
            let base = places[0].at;
            let twice: f64 = places.windows(2).map(|w| cross(base, w[0].at, w[1].at)).sum();
            Shared::Polygon(0.5 * twice.abs())
        }
    };
    (places, shared)
}
