//! Sums over the surface of one overlap.

use nalgebra::{Point3, Vector3};

use super::place::UNIT;

/// A corner of a fan's triangle: a vertex, or a place with what it may be off by (m).
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub at: Point3<f64>,
    /// From the planes of the faces beside it.
    pub off_plane: f64,
    /// Along the edge that it is on.
    pub along: f64,
}

impl Corner {
    pub fn vertex(at: Point3<f64>) -> Corner {
        Corner { at, off_plane: 0.0, along: 0.0 }
    }
}

/// Faces whose normals differ by no more than this part (1 − cos²) lie in one plane: by 1.4 mrad.
const SAME_PLANE: f64 = 2e-6;

/// The plane that most of a surface lies in, if one has more than half of its area: found by letting each face's area vote for its
/// plane or against that of the others. Source: Boyer & Moore 1991, "MJRTY: a fast majority vote algorithm".
#[derive(Clone, Copy, Debug, Default)]
struct Majority {
    /// Area vector of the faces that voted for the plane (m²).
    area: Vector3<f64>,
    /// By how much they outvote the others: at most the area of the faces in the plane (m²).
    weight: f64,
}

impl Majority {
    #[inline]
    fn vote(&mut self, own: &Vector3<f64>, area: f64) {
        let along = self.area.dot(own);
        if along > 0.0 && along * along >= (1.0 - SAME_PLANE) * self.area.norm_squared() * (area * area) {
            self.area += own;
            self.weight += area;
        } else if area > self.weight {
            (self.area, self.weight) = (*own, area - self.weight);
        } else {
            self.weight -= area;
        }
    }

    fn area_vector(&self) -> Vector3<f64> {
        self.area.try_normalize(0.0).map_or_else(Vector3::zeros, |unit| unit * self.weight)
    }
}

/// The sums of one overlap, about a place of it.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// (m, pair frame)
    pub origin: Point3<f64>,
    volume: f64,
    /// The rounding that the volume's additions have lost.
    lost: f64,
    /// ∫ x (m⁴).
    moment: Vector3<f64>,
    /// Area vector and ∫ x × dA of A's surface inside B.
    pub area: Vector3<f64>,
    pub torque: Vector3<f64>,
    /// Area vector of B's surface inside A: together they are none.
    pub opposite: Vector3<f64>,
    /// Areas of the polygons of A's surface and of B's (m²), as far as they were closed.
    pub face_areas: [f64; 2],
    /// ∫ (x − origin) · dA over A's surface inside B and over B's inside A (m³).
    fluxes: [f64; 2],
    /// The faces in one plane that have most of the area, of A's surface and of B's.
    flat: [Majority; 2],
    /// Area vectors of both surfaces when a polygon was closed last (m²).
    closed: [Vector3<f64>; 2],
    /// Σ |c − o| |p − c| |q − c| (m³), and Σ |p − c| |q − c| (m²).
    products: f64,
    areas: f64,
    /// The volume's error from corners being off (m³).
    displaced: f64,
    /// Box of all corners (m, pair frame).
    pub low: Point3<f64>,
    pub high: Point3<f64>,
}

impl Sums {
    pub fn new(origin: Point3<f64>) -> Sums {
        let zero = Vector3::zeros();
        Sums {
            origin,
            volume: 0.0,
            lost: 0.0,
            moment: zero,
            area: zero,
            torque: zero,
            opposite: zero,
            face_areas: [0.0; 2],
            fluxes: [0.0; 2],
            flat: [Majority::default(); 2],
            closed: [zero; 2],
            products: 0.0,
            areas: 0.0,
            displaced: 0.0,
            low: origin,
            high: origin,
        }
    }

    /// Adds the triangle of a fan, `weight` times; `of_a`: it is of A's surface.
    #[inline]
    pub fn add(&mut self, corners: [&Point3<f64>; 3], weight: f64, of_a: bool) {
        let [c, p, q] = corners;
        self.extend(p);
        self.extend(q);
        // Half of all fans begin at their own corner: they have no area.
        if c == p || c == q {
            return;
        }
        let own = c - self.origin;
        let (u, v) = (p - c, q - c);
        let area = u.cross(&v) * (0.5 * weight);
        let sum = own * 3.0 + u + v;
        let flux = own.dot(&area);
        let volume = flux * (1.0 / 3.0);
        self.fluxes[usize::from(!of_a)] += flux;
        // Neumaier: what is lost of the smaller of both.
        let total = self.volume + volume;
        self.lost += if self.volume.abs() >= volume.abs() {
            (self.volume - total) + volume
        } else {
            (volume - total) + self.volume
        };
        self.volume = total;
        self.moment += sum * (0.25 * volume);
        if of_a {
            self.area += area;
            self.torque += sum.cross(&area) * (1.0 / 3.0);
        } else {
            self.opposite += area;
        }
    }

    /// Closes the polygon whose triangles were added since the last one: adds its area to those of its side's faces.
    #[inline]
    pub fn close_polygon(&mut self, of_a: bool) {
        let (at, sum) = if of_a { (0, self.area) } else { (1, self.opposite) };
        let own = sum - self.closed[at];
        let area = own.norm();
        self.face_areas[at] += area;
        self.flat[at].vote(&own, area);
        self.closed[at] = sum;
    }

    /// Makes the box hold a place.
    #[inline]
    pub fn extend(&mut self, at: &Point3<f64>) {
        for k in 0..3 {
            self.low[k] = if at[k] < self.low[k] { at[k] } else { self.low[k] };
            self.high[k] = if at[k] > self.high[k] { at[k] } else { self.high[k] };
        }
    }

    /// Notes what the last triangle of a fan may be off by; `moved`: how far the ends of a segment may be from their
    /// places, together (m).
    #[inline]
    pub fn note(&mut self, [c, p, q]: [&Corner; 3], weight: f64, moved: f64) {
        let (u, v) = (p.at - c.at, q.at - c.at);
        let product = (u.norm_squared() * v.norm_squared()).sqrt() * weight.abs();
        self.products += (c.at - self.origin).norm() * product;
        self.areas += product;
        let off = c.off_plane.max(p.off_plane).max(q.off_plane);
        let length = if moved > 0.0 { (q.at - p.at).norm() } else { 0.0 };
        self.displaced += off * (0.5 * product + 0.5 * moved * (length + moved));
    }

    /// Adds another overlap's sums.
    pub fn merge(&mut self, other: &Sums) {
        let apart = other.origin - self.origin;
        self.moment += other.moment + apart * other.volume();
        self.torque += other.torque + apart.cross(&other.area);
        self.area += other.area;
        self.opposite += other.opposite;
        for side in 0..2 {
            self.face_areas[side] += other.face_areas[side];
            self.flat[side].vote(&other.flat[side].area_vector(), other.flat[side].weight);
            let area = if side == 0 { other.area } else { other.opposite };
            self.fluxes[side] += other.fluxes[side] + apart.dot(&area);
        }
        self.lost += other.lost;
        self.volume += other.volume;
        self.products += other.products;
        self.areas += other.areas;
        self.displaced += other.displaced;
        self.low = self.low.inf(&other.low);
        self.high = self.high.sup(&other.high);
    }

    /// Volume (m³).
    pub fn volume(&self) -> f64 {
        self.volume + self.lost
    }

    /// ∫ x about the pair frame's origin (m⁴).
    pub fn moment(&self) -> Vector3<f64> {
        self.moment + self.origin.coords * self.volume()
    }

    /// Returns ∫ (x − middle) · dA over A's surface inside B, and over B's inside A (m³).
    pub fn fluxes(&self, middle: &Point3<f64>) -> [f64; 2] {
        let from = middle - self.origin;
        [self.fluxes[0] - from.dot(&self.area), self.fluxes[1] - from.dot(&self.opposite)]
    }

    /// Returns the area vectors of the faces in one plane that have most of the area, of A's surface inside B and of B's
    /// inside A (m²): their lengths are lower bounds.
    pub fn flat_areas(&self) -> [Vector3<f64>; 2] {
        [0, 1].map(|side| self.flat[side].area_vector())
    }

    /// ∫ x × dA over A's surface inside B, about the pair frame's origin (m³).
    pub fn torque(&self) -> Vector3<f64> {
        self.torque + self.origin.coords.cross(&self.area)
    }

    /// The bound of the volume's error (m³), where everything was noted; infinite of a surface that is not closed.
    pub fn error(&self) -> f64 {
        let open = (self.area + self.opposite).norm();
        // Nothing is certain of values that are not numbers either.
        let closes = open <= 64.0 * UNIT * self.areas + f64::MIN_POSITIVE;
        if !closes {
            return f64::INFINITY;
        }
        2.0 * self.displaced + 4.0 * UNIT * (self.products + self.volume.abs()) + f64::MIN_POSITIVE
    }
}
