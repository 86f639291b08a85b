//! Which of a pair's points MuJoCo gets, where it has room for fewer than there are.

use impinge::Manifold;
use impinge::nalgebra::{Point3, Vector3};

/// A contact as MuJoCo wants it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// Overlap (m), negative for a gap.
    pub depth: f64,
    pub position: Point3<f64>,
    /// Unit, from the first geom to the second.
    pub normal: Vector3<f64>,
}

/// The deepest point, then always the one that is least like those chosen, by place and normal. `out` has no more than `room`.
pub fn choose(manifolds: &[Manifold], room: usize, out: &mut Vec<Chosen>) {
    out.clear();
    out.extend(manifolds.iter().flat_map(|manifold| {
        manifold.points.iter().map(|point| Chosen {
            depth: point.depth,
            position: point.position,
            normal: manifold.normal_at(point),
        })
    }));
    let deepest = (0..out.len()).reduce(|best, k| if out[k].depth > out[best].depth { k } else { best });
    let Some(deepest) = deepest.filter(|_| room > 0) else { return out.clear() };
    if out.len() <= room {
        return;
    }
    out.swap(0, deepest);
    let first = out[0].position;
    let size = out.iter().map(|p| (p.position - first).norm_squared()).fold(f64::MIN_POSITIVE, f64::max);
    let unlike = |p: &Chosen, q: &Chosen| {
        (p.position - q.position).norm_squared() / size + (p.normal - q.normal).norm_squared()
    };
    for taken in 1..room {
        let (chosen, rest) = out.split_at(taken);
        let least = |p: &Chosen| chosen.iter().map(|q| unlike(p, q)).fold(f64::INFINITY, f64::min);
        let far = rest.iter().map(least);
        let best = far.enumerate().fold((0, -1.0), |best, (k, d)| if d > best.1 { (k, d) } else { best });
        out.swap(taken, taken + best.0);
    }
    out.truncate(room);
}
