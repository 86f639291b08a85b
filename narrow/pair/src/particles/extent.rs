//! Particles of a block, and where they are.

use nalgebra::{Point3, Vector3};

/// A particle of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub number: u32,
    pub radius: f64,
    /// In the surface's frame (m).
    pub center: Point3<f64>,
}

pub(super) const NO_BALL: Ball = Ball { number: 0, radius: 0.0, center: Point3::new(0.0, 0.0, 0.0) };

/// Where some balls are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub low: Point3<f64>,
    pub high: Point3<f64>,
    /// The middle of the box around their centres, and how far from it any of these is (m).
    pub center: Point3<f64>,
    pub far: f64,
    pub greatest_radius: f64,
}

impl Extent {
    pub fn of(balls: &[Ball]) -> Extent {
        let (mut low, mut high) = (balls[0].center, balls[0].center);
        let mut greatest_radius: f64 = 0.0;
        for ball in balls {
            low = low.inf(&ball.center);
            high = high.sup(&ball.center);
            greatest_radius = greatest_radius.max(ball.radius);
        }
        let center = nalgebra::center(&low, &high);
        let far = balls.iter().map(|ball| (ball.center - center).norm_squared()).fold(0.0, f64::max);
        Extent { low, high, center, far: far.sqrt(), greatest_radius }
    }

    /// The radius of a sphere in which all is that is within `reach` (m) of a centre, rounding included.
    pub fn around(&self, reach: f64) -> f64 {
        (self.far + reach) * (1.0 + 1e-9) + 1e-15 * self.center.coords.abs().sum()
    }

    /// The box in which all is that is within `reach` (m) of a centre, rounding included.
    pub fn grown(&self, reach: f64) -> [Point3<f64>; 2] {
        let by = Vector3::repeat(self.around(reach) - self.far);
        [self.low - by, self.high + by]
    }

    /// The radius of a ball about the middle of that box.
    pub fn inner(&self, reach: f64) -> f64 {
        0.5 * (self.high - self.low).min() + reach
    }
}
