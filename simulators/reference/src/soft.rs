//! Damped springs as impulses. Source: Catto 2011, "Soft Constraints"; Box2D v3 `b2MakeSoft`.

use std::f64::consts::TAU;

/// Coefficients of a damped spring solved implicitly over a substep: the impulse is
/// `-mass · M · (speed + bias · distance) - impulse · (impulse so far)`, M being the effective mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    /// Speed at which a distance is corrected (1/s).
    pub bias: f64,
    /// Share of the effective mass.
    pub mass: f64,
    /// Share of the impulse so far that is given back.
    pub impulse: f64,
}

/// No spring: the speed is taken away at once.
pub(crate) const RIGID: Softness = Softness { bias: 0.0, mass: 1.0, impulse: 0.0 };

impl Softness {
    /// A spring of `frequency` (Hz) and `damping` ratio, over a substep of `h` (s).
    pub fn new(frequency: f64, damping: f64, h: f64) -> Softness {
        let omega = TAU * frequency;
        let a = 2.0 * damping + h * omega;
        Softness::from_rates(omega / a, h * omega * a)
    }

    /// A spring of `stiffness` k (N/m) and `damping` c (N·s/m) that moves the effective mass `mass` (kg).
    pub fn of_spring(stiffness: f64, damping: f64, mass: f64, h: f64) -> Softness {
        let drag = damping + h * stiffness;
        if drag <= 0.0 {
            return Softness { bias: 0.0, mass: 0.0, impulse: 1.0 };
        }
        Softness::from_rates(stiffness / drag, h * drag / mass)
    }

    fn from_rates(bias: f64, ratio: f64) -> Softness {
        let impulse = 1.0 / (1.0 + ratio);
        Softness { bias, mass: ratio * impulse, impulse }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// k = m ω², c = 2 m ζ ω: both ways to say it give the same spring.
    #[test]
    fn frequency_and_stiffness_agree() {
        let (m, f, z, h) = (3.0, 5.0, 0.7, 1.0 / 480.0);
        let omega = TAU * f;
        let a = Softness::new(f, z, h);
        let b = Softness::of_spring(m * omega * omega, 2.0 * m * z * omega, m, h);
        for (x, y) in [(a.bias, b.bias), (a.mass, b.mass), (a.impulse, b.impulse)] {
            assert!((x - y).abs() < 1e-12 * x.abs());
        }
    }

    #[test]
    fn no_spring_gives_no_impulse() {
        let none = Softness::of_spring(0.0, 0.0, 1.0, 0.01);
        assert_eq!((none.mass, none.impulse), (0.0, 1.0));
    }
}
