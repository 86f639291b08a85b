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

/// The sums of one overlap, about a place of it.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// (m, pair frame)
    pub origin: Point3<f64>,
    volume: f64,
    /// What the volume's additions have lost.
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
    /// Area vectors of both surfaces when a polygon was closed last (m²).
    closed: [Vector3<f64>; 2],
    /// Σ |c − o| |p − c| |q − c| (m³), and Σ |p − c| |q − c| (m²).
    products: f64,
    areas: f64,
    /// What the volume is off by as corners are (m³).
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
        let volume = own.dot(&area) * (1.0 / 3.0);
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
        self.face_areas[at] += (sum - self.closed[at]).norm();
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

    /// ∫ x × dA over A's surface inside B, about the pair frame's origin (m³).
    pub fn torque(&self) -> Vector3<f64> {
        self.torque + self.origin.coords.cross(&self.area)
    }

    /// The bound of the volume's error (m³), where everything was noted; infinite of a surface that is not closed.
    pub fn error(&self) -> f64 {
        let open = (self.area + self.opposite).norm();
        // Of what is not a number nothing is certain either.
        let closes = open <= 64.0 * UNIT * self.areas + f64::MIN_POSITIVE;
        if !closes {
            return f64::INFINITY;
        }
        2.0 * self.displaced + 4.0 * UNIT * (self.products + self.volume.abs()) + f64::MIN_POSITIVE
    }
}
