//! On which side of a closed surface points are, told from others whose side is known.
//!
//! A ball that no triangle reaches is on one side of the surface, and so are two such balls that overlap.

use impinge_exact::containment::point_inside;
use impinge_geometry::{PairFrame, Side};
use impinge_midphase::Surface;
use nalgebra::{Isometry3, Point3};

/// How many balls are kept.
const KEPT: usize = 16;

/// A ball that no triangle reaches.
#[derive(Clone, Copy, Debug)]
struct FreeBall {
    center: Point3<f64>,
    radius: f64,
    inside: bool,
}

/// Balls whose side is known, those seen last.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    balls: Vec<FreeBall>,
    next: usize,
}

impl Sides {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.balls.clear();
        self.next = 0;
    }

    /// What the balls seen last say of one that no triangle reaches, if they say anything.
    pub fn told(&self, center: &Point3<f64>, radius: f64) -> Option<bool> {
        let overlaps = |ball: &&FreeBall| {
            let reach = (ball.radius + radius) * (1.0 - 1e-9);
            reach > 0.0 && (ball.center - center).norm_squared() < reach * reach
        };
        self.balls.iter().find(overlaps).map(|ball| ball.inside)
    }

    /// Whether the centre of a ball that no triangle reaches is in the solid; `known` where that is known already.
    pub fn inside(
        &mut self,
        surface: &Surface,
        center: &Point3<f64>,
        radius: f64,
        known: Option<bool>,
    ) -> bool {
        let inside = known.or_else(|| self.told(center, radius)).unwrap_or_else(|| holds(surface, center));
        self.keep(center, radius, inside);
        inside
    }

    /// Remembers a ball whose side is known.
    pub fn keep(&mut self, center: &Point3<f64>, radius: f64, inside: bool) {
        let ball = FreeBall { center: *center, radius, inside };
        if self.balls.len() < KEPT {
            self.balls.push(ball);
        } else {
            self.balls[self.next] = ball;
        }
        self.next = (self.next + 1) % KEPT;
    }
}

/// Whether a closed surface winds round a place (m, its frame).
fn holds(surface: &Surface, p: &Point3<f64>) -> bool {
    let frame = PairFrame::with_point(&Isometry3::identity(), p);
    let at = Point3::from(frame.offset[Side::B.index()]);
    point_inside(surface.faces(), &surface.tree, &frame, Side::A, &at)
}
