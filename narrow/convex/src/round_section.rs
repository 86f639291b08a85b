//! The part of a triangle that lies in a round primitive.
//!
//! A sphere, capsule or cylinder and a triangle come in, the area vector of their common part and
//! its first moment come out. The triangle is cut at the planes that part a capsule's barrel from
//! its ends. Each piece then lies in a ball or in a barrel, which its plane cuts in a disc or in an
//! ellipse, and sums over the piece's edges give the area in closed form.

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use crate::nearest::unit_normal;

/// Planes that lean by no more than this against a barrel's axis (sine) are treated as parallel to
/// it.
const ALONG_BARREL: f64 = 1e-4;

/// The part of a triangle in a primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundSection {
    /// Its area vector (m²), along the triangle's right-hand normal.
    pub area: Vector3<f64>,
    /// ∫ x dA over it (m³).
    pub moment: Vector3<f64>,
}

impl RoundSection {
    /// Nothing in common.
    pub const NONE: RoundSection =
        RoundSection { area: Vector3::new(0.0, 0.0, 0.0), moment: Vector3::new(0.0, 0.0, 0.0) };

    /// Measures the part of a triangle (m, in the primitive's frame) that lies in a sphere, capsule
    /// or cylinder. Returns nothing in common for other primitives and for needles. The area is
    /// exact to rounding, except where the triangle's plane leans by less than 1e-4 against the
    /// axis of a capsule or cylinder: there it is off by no more than that part of it.
    pub fn new(primitive: &Primitive, t: &[Point3<f64>; 3]) -> RoundSection {
        let Some(normal) = unit_normal(t) else { return RoundSection::NONE };
        let whole = Polygon::of(t);
        let (area, moment) = match *primitive {
            Primitive::Sphere { radius } => in_ball(&whole, &normal, 0.0, f64::from(radius)),
            Primitive::Cylinder { half_height, radius } => {
                let half = f64::from(half_height);
                in_barrel(&whole.below(half).above(-half), &normal, f64::from(radius))
            }
            Primitive::Capsule { half_height, radius } => {
                let (half, radius) = (f64::from(half_height), f64::from(radius));
                let barrel = in_barrel(&whole.below(half).above(-half), &normal, radius);
                let top = in_ball(&whole.above(half), &normal, half, radius);
                let bottom = in_ball(&whole.below(-half), &normal, -half, radius);
                (barrel.0 + top.0 + bottom.0, barrel.1 + top.1 + bottom.1)
            }
            Primitive::HalfSpace | Primitive::Cuboid { .. } => return RoundSection::NONE,
        };
        RoundSection { area: normal * area, moment }
    }
}

/// The most corners of a triangle that is cut by four planes.
const MOST: usize = 8;

/// A convex polygon.
#[derive(Clone, Copy, Debug)]
struct Polygon {
    corners: [Point3<f64>; MOST],
    count: usize,
}

impl Polygon {
    fn of(t: &[Point3<f64>; 3]) -> Polygon {
        let mut corners = [Point3::origin(); MOST];
        corners[..3].copy_from_slice(t);
        Polygon { corners, count: 3 }
    }

    fn below(&self, level: f64) -> Polygon {
        self.cut(|p| p.z - level)
    }

    fn above(&self, level: f64) -> Polygon {
        self.cut(|p| level - p.z)
    }

    /// Keeps the part at which `height`, a linear function, is not positive.
    fn cut(&self, height: impl Fn(&Point3<f64>) -> f64) -> Polygon {
        let mut kept = Polygon { corners: [Point3::origin(); MOST], count: 0 };
        for k in 0..self.count {
            let (p, q) = (self.corners[k], self.corners[(k + 1) % self.count]);
            let (hp, hq) = (height(&p), height(&q));
            if hp <= 0.0 {
                kept.push(p);
            }
            if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
                kept.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        kept
    }

    fn push(&mut self, p: Point3<f64>) {
        if self.count < MOST {
            self.corners[self.count] = p;
            self.count += 1;
        }
    }

    /// Its edges, in their order.
    fn edges(&self) -> impl Iterator<Item = (Point3<f64>, Point3<f64>)> + '_ {
        (0..self.count).map(|k| (self.corners[k], self.corners[(k + 1) % self.count]))
    }
}

/// Returns the area (m²) and the moment (m³) of a polygon in a ball whose centre is at `z` on the
/// axis.
fn in_ball(polygon: &Polygon, normal: &Vector3<f64>, z: f64, radius: f64) -> (f64, Vector3<f64>) {
    if polygon.count < 3 {
        return (0.0, Vector3::zeros());
    }
    let center = Vector3::new(0.0, 0.0, z);
    let height = normal.dot(&(polygon.corners[0].coords - center));
    let disc = (radius - height) * (radius + height);
    if disc.is_nan() || disc <= 0.0 {
        return (0.0, Vector3::zeros());
    }
    let foot = center + normal * height;
    let right = perpendicular(normal);
    let up = normal.cross(&right);
    let mut sums = DiscSums::default();
    for (p, q) in polygon.edges() {
        let [p, q] = [p, q].map(|p| {
            let from = p.coords - foot;
            [right.dot(&from), up.dot(&from)]
        });
        sums.add(p, q, disc);
    }
    let [x, y] = sums.moment;
    (sums.area, foot * sums.area + right * x + up * y)
}

/// Returns the area (m²) and the moment (m³) of a polygon in an endless barrel around the axis.
fn in_barrel(polygon: &Polygon, normal: &Vector3<f64>, radius: f64) -> (f64, Vector3<f64>) {
    if polygon.count < 3 {
        return (0.0, Vector3::zeros());
    }
    let offset = normal.dot(&polygon.corners[0].coords);
    if normal.z.abs() <= ALONG_BARREL {
        return in_strip(polygon, normal, offset, radius);
    }
    // Seen along the axis, the barrel is a disc.
    let mut sums = DiscSums::default();
    for (p, q) in polygon.edges() {
        sums.add([p.x, p.y], [q.x, q.y], radius * radius);
    }
    let area = sums.area / normal.z;
    let [x, y] = sums.moment.map(|m| m / normal.z);
    (area, Vector3::new(x, y, (offset * area - normal.x * x - normal.y * y) / normal.z))
}

/// As [`in_barrel`], of a polygon whose plane runs along the axis.
fn in_strip(polygon: &Polygon, normal: &Vector3<f64>, offset: f64, radius: f64) -> (f64, Vector3<f64>) {
    let half = (radius - offset) * (radius + offset);
    if half.is_nan() || half <= 0.0 {
        return (0.0, Vector3::zeros());
    }
    let half = half.sqrt();
    let right = Vector3::new(-normal.y, normal.x, 0.0);
    let kept = polygon.cut(|p| right.dot(&p.coords) - half).cut(|p| -half - right.dot(&p.coords));
    let (mut area, mut moment) = (0.0, Vector3::zeros());
    for k in 1..kept.count.saturating_sub(1) {
        let [p, q, r] = [0, k, k + 1].map(|k| kept.corners[k].coords);
        let own = 0.5 * normal.dot(&(q - p).cross(&(r - p)));
        area += own;
        moment += (p + q + r) * (own / 3.0);
    }
    (area, moment)
}

/// A unit vector square to another.
fn perpendicular(normal: &Vector3<f64>) -> Vector3<f64> {
    let least = normal.iamin();
    normal.cross(&Vector3::ith(least, 1.0)).normalize()
}

/// The sums over a polygon's edges of the part of it that lies in a disc around the origin.
#[derive(Clone, Copy, Debug, Default)]
struct DiscSums {
    area: f64,
    moment: [f64; 2],
}

impl DiscSums {
    /// Adds the triangle of the origin and the edge from `p` to `q`; `disc`: the radius, squared
    /// (m²).
    fn add(&mut self, p: [f64; 2], q: [f64; 2], disc: f64) {
        let along = [q[0] - p[0], q[1] - p[1]];
        let square = along[0] * along[0] + along[1] * along[1];
        if square <= 0.0 {
            return;
        }
        // The place of the edge's line nearest to the origin, and half of its chord, as parts of
        // the edge.
        let nearest = -(p[0] * along[0] + p[1] * along[1]) / square;
        let beside = p[0] * along[1] - p[1] * along[0];
        let chord2 = (disc - beside * beside / square) / square;
        if chord2.is_nan() || chord2 <= 0.0 {
            return self.add_sector(p, q, disc);
        }
        let chord = chord2.sqrt();
        let [enters, leaves] = [(nearest - chord).clamp(0.0, 1.0), (nearest + chord).clamp(0.0, 1.0)];
        if enters >= leaves {
            return self.add_sector(p, q, disc);
        }
        let [first, last] = [enters, leaves].map(|part| [p[0] + along[0] * part, p[1] + along[1] * part]);
        if enters > 0.0 {
            self.add_sector(p, first, disc);
        }
        if leaves < 1.0 {
            self.add_sector(last, q, disc);
        }
        let area = 0.5 * beside * (leaves - enters);
        self.area += area;
        for k in 0..2 {
            self.moment[k] += area * (first[k] + last[k]) / 3.0;
        }
    }

    fn add_sector(&mut self, p: [f64; 2], q: [f64; 2], disc: f64) {
        let [lp, lq] = [p, q].map(|p| (p[0] * p[0] + p[1] * p[1]).sqrt());
        if lp <= 0.0 || lq <= 0.0 {
            return;
        }
        // The library's own arctangent, the same on every system.
        let turn = nalgebra::RealField::atan2(p[0] * q[1] - p[1] * q[0], p[0] * q[0] + p[1] * q[1]);
        self.area += 0.5 * disc * turn;
        let cube = disc * disc.sqrt() / 3.0;
        self.moment[0] += cube * (q[1] / lq - p[1] / lp);
        self.moment[1] -= cube * (q[0] / lq - p[0] / lp);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::line_interval::inside;

    /// Counts places of a lattice over the triangle.
    fn counted(primitive: &Primitive, t: &[Point3<f64>; 3]) -> (f64, Vector3<f64>) {
        const ROWS: i32 = 1000;
        let whole = 0.5 * (t[1] - t[0]).cross(&(t[2] - t[0])).norm();
        let cell = whole / f64::from(ROWS * ROWS);
        let (mut area, mut moment) = (0.0, Vector3::zeros());
        for i in 0..ROWS {
            for j in 0..ROWS {
                let [mut u, mut v] = [i, j].map(|k| (f64::from(k) + 0.5) / f64::from(ROWS));
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let p = t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v;
                if inside(primitive, &p) {
                    area += cell;
                    moment += p.coords * cell;
                }
            }
        }
        (area, moment)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Areas and moments of triangles at any angle, along the axis and across it, are those
        /// that places count.
        #[test]
        fn sections_are_those_that_places_count(
            corners in prop::array::uniform3(prop::array::uniform3(-1.0f64..1.0)),
            kind in 0usize..3,
            flat in 0usize..4,
        ) {
            let mut t = corners.map(|p| Point3::from(Vector3::from(p) * 1.5));
            match flat {
                0 => t[2] = Point3::new(t[0].x, t[0].y, t[2].z),
                1 => (t[1].z, t[2].z) = (t[0].z, t[0].z),
                _ => {}
            }
            prop_assume!(unit_normal(&t).is_some());
            let (half_height, radius) = (0.5, 0.6);
            let primitive = [
                Primitive::Sphere { radius },
                Primitive::Capsule { half_height, radius },
                Primitive::Cylinder { half_height, radius },
            ][kind];
            let found = RoundSection::new(&primitive, &t);
            let (area, moment) = counted(&primitive, &t);
            prop_assert!((found.area.norm() - area).abs() <= 5e-3, "{} {area}", found.area.norm());
            prop_assert!((found.moment - moment).norm() <= 5e-3, "{} {moment}", found.moment);
        }
    }
}
