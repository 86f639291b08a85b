//! Many balls that are one shape: powder, grains, the particles of a fluid.

mod error;
mod mass;

use nalgebra::{Point3, Vector3};

pub use error::{MOST_PARTICLES, ParticlesError};

use crate::volume::{round_down, round_up};
use crate::{Aabb, BoundingSphere, FARTHEST};

/// The radii of particles (m).
#[derive(Clone, Debug, PartialEq)]
pub enum Radii {
    /// The same of all.
    One(f32),
    /// One for each.
    Each(Vec<f32>),
}

impl From<f32> for Radii {
    fn from(radius: f32) -> Radii {
        Radii::One(radius)
    }
}

impl From<Vec<f32>> for Radii {
    fn from(radii: Vec<f32>) -> Radii {
        Radii::Each(radii)
    }
}

/// Many balls that are one shape, each where it is put. They have no surface, no pair of them is connected, and each touches for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Particles {
    points: Vec<Point3<f32>>,
    radii: Radii,
    greatest: f32,
    aabb: Aabb,
}

impl Particles {
    /// Balls about `centers` (m), of one radius or one each (m).
    ///
    /// ```
    /// use impinge_geometry::Particles;
    /// use nalgebra::Point3;
    ///
    /// let row: Vec<Point3<f32>> = (0..10).map(|k| Point3::new(0.1 * k as f32, 0.0, 0.0)).collect();
    /// let powder = Particles::new(row, 0.05)?;
    /// assert_eq!((powder.len(), powder.radius(3)), (10, 0.05));
    /// # Ok::<(), impinge_geometry::ParticlesError>(())
    /// ```
    ///
    /// # Errors
    /// [`ParticlesError`] names the first centre or radius that cannot be used.
    pub fn new(centers: Vec<Point3<f32>>, radii: impl Into<Radii>) -> Result<Particles, ParticlesError> {
        let radii = radii.into();
        if centers.is_empty() {
            return Err(ParticlesError::Empty);
        }
        if centers.len() > MOST_PARTICLES {
            return Err(ParticlesError::TooMany { given: centers.len() });
        }
        let given = match &radii {
            Radii::One(radius) => std::slice::from_ref(radius),
            Radii::Each(radii) if radii.len() != centers.len() => {
                return Err(ParticlesError::RadiusCount { radii: radii.len(), centers: centers.len() });
            }
            Radii::Each(radii) => radii,
        };
        if let Some(index) = given.iter().position(|r| !(*r > 0.0 && *r <= FARTHEST as f32)) {
            return Err(ParticlesError::Radius { index, value: given[index] });
        }
        let greatest = given.iter().fold(0.0, |most: f32, &r| most.max(r));
        check(&centers)?;
        let mut particles = Particles { points: centers, radii, greatest, aabb: Aabb::EMPTY };
        particles.bound();
        Ok(particles)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Never: there is at least one.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Their centres (m).
    pub fn centers(&self) -> &[Point3<f32>] {
        &self.points
    }

    /// Their radii.
    pub fn radii(&self) -> &Radii {
        &self.radii
    }

    /// The radius of one (m); 0 where there is no such particle.
    #[inline]
    pub fn radius(&self, particle: u32) -> f32 {
        match &self.radii {
            Radii::One(radius) => *radius,
            Radii::Each(radii) => radii.get(particle as usize).copied().unwrap_or(0.0),
        }
    }

    /// The greatest radius (m).
    pub fn greatest_radius(&self) -> f32 {
        self.greatest
    }

    /// Puts particles from index `first` on elsewhere (m). Gives how far one has moved at most (m).
    ///
    /// # Errors
    /// [`ParticlesError::Range`] or [`ParticlesError::Center`], which is counted from `first`; all are then where they were.
    pub fn set_centers(&mut self, first: usize, centers: &[Point3<f32>]) -> Result<f64, ParticlesError> {
        let (given, count) = (centers.len(), self.points.len());
        let places = first.checked_add(given).and_then(|end| self.points.get_mut(first..end));
        let places = places.ok_or(ParticlesError::Range { first, given, count })?;
        check(centers)?;
        let moved =
            |(from, to): (&Point3<f32>, &Point3<f32>)| (to.cast::<f64>() - from.cast()).norm_squared();
        let most = places.iter().zip(centers).map(moved).fold(0.0, f64::max).sqrt();
        places.copy_from_slice(centers);
        self.bound();
        Ok(most)
    }

    /// Box of all balls (m).
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Sphere around all balls (m).
    pub fn bounding_sphere(&self) -> BoundingSphere {
        let Aabb { min, max } = self.aabb;
        let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (f64::from(min[k]) + f64::from(max[k])));
        let center = Point3::from(middle).cast::<f32>();
        let half = |k: usize| {
            let c = f64::from(center[k]);
            (f64::from(max[k]) - c).max(c - f64::from(min[k]))
        };
        let radius = Vector3::new(half(0), half(1), half(2)).norm();
        BoundingSphere { center, radius: round_up(radius * (1.0 + 1e-12)) }
    }

    /// The particles made larger or smaller about the origin.
    ///
    /// # Errors
    /// [`ParticlesError`] for centres and radii that it makes too large or too small.
    pub fn scaled(&self, factor: f64) -> Result<Particles, ParticlesError> {
        let scaled = |x: f32| (f64::from(x) * factor) as f32;
        let radii = match &self.radii {
            Radii::One(radius) => Radii::One(scaled(*radius)),
            Radii::Each(radii) => Radii::Each(radii.iter().map(|&r| scaled(r)).collect()),
        };
        Particles::new(self.points.iter().map(|p| p.map(scaled)).collect(), radii)
    }

    /// Finds the box of all.
    fn bound(&mut self) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        match &self.radii {
            Radii::One(radius) => {
                for p in &self.points {
                    for k in 0..3 {
                        low[k] = low[k].min(p[k]);
                        high[k] = high[k].max(p[k]);
                    }
                }
                let r = f64::from(*radius);
                low = low.map(|x| round_down(f64::from(x) - r));
                high = high.map(|x| round_up(f64::from(x) + r));
            }
            Radii::Each(radii) => {
                for (p, &r) in self.points.iter().zip(radii) {
                    let r = f64::from(r);
                    for k in 0..3 {
                        low[k] = low[k].min(round_down(f64::from(p[k]) - r));
                        high[k] = high[k].max(round_up(f64::from(p[k]) + r));
                    }
                }
            }
        }
        self.aabb = Aabb { min: low, max: high };
    }
}

fn check(centers: &[Point3<f32>]) -> Result<(), ParticlesError> {
    let usable = |p: &Point3<f32>| p.iter().all(|x| x.abs() <= FARTHEST as f32);
    match centers.iter().position(|p| !usable(p)) {
        Some(index) => Err(ParticlesError::Center { index, value: centers[index].into() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn three() -> Vec<Point3<f32>> {
        [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [-4.0, 0.5, 0.25]].map(Point3::from).to_vec()
    }

    #[test]
    fn what_cannot_be_used_is_named_and_changes_nothing() {
        assert_eq!(Particles::new(vec![], 1.0).unwrap_err(), ParticlesError::Empty);
        for bad in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, 2e30] {
            let error = Particles::new(three(), bad).unwrap_err();
            assert!(matches!(error, ParticlesError::Radius { index: 0, .. }), "{error}");
            let error = Particles::new(three(), vec![1.0, bad, 1.0]).unwrap_err();
            assert!(matches!(error, ParticlesError::Radius { index: 1, .. }), "{error}");
        }
        let error = Particles::new(three(), vec![1.0; 2]).unwrap_err();
        assert_eq!(error, ParticlesError::RadiusCount { radii: 2, centers: 3 });
        let mut particles = Particles::new(three(), 0.5).unwrap();
        let before = particles.clone();
        for bad in [f32::NAN, f32::INFINITY, -2e30] {
            let lost = Point3::new(0.0, bad, 0.0);
            let error = Particles::new(vec![three()[0], lost], 1.0).unwrap_err();
            assert!(matches!(error, ParticlesError::Center { index: 1, .. }), "{error}");
            let error = particles.set_centers(1, &[three()[0], lost]).unwrap_err();
            assert!(matches!(error, ParticlesError::Center { index: 1, .. }), "{error}");
        }
        for first in [2, 4, usize::MAX] {
            let error = particles.set_centers(first, &three()[..2]).unwrap_err();
            assert_eq!(error, ParticlesError::Range { first, given: 2, count: 3 });
        }
        assert_eq!(particles, before);
    }

    #[test]
    fn bounds_hold_every_ball() {
        for radii in [Radii::One(0.3), Radii::Each(vec![0.5, 0.1, 2.0])] {
            let mut particles = Particles::new(three(), radii).unwrap();
            assert_eq!(particles.set_centers(1, &[Point3::new(1.0, 2.0, 7.0)]).unwrap(), 4.0);
            let (aabb, sphere) = (particles.aabb(), particles.bounding_sphere());
            for (k, p) in (0..).zip(particles.centers()) {
                let r = particles.radius(k);
                assert!((0..3).all(|k| aabb.min[k] <= p[k] - r && p[k] + r <= aabb.max[k]));
                let reach = (p - sphere.center).norm() + r;
                assert!(reach <= sphere.radius * (1.0 + 1e-6));
            }
        }
    }

    #[test]
    fn their_mass_is_that_of_so_many_balls() {
        let particles = Particles::new(three(), vec![0.5, 0.1, 2.0]).unwrap();
        let centers = three();
        let balls = (0..).zip(&centers).map(|(k, p)| {
            let at = nalgebra::Isometry3::translation(f64::from(p.x), f64::from(p.y), f64::from(p.z));
            (at, Shape::sphere(particles.radius(k)).unwrap())
        });
        let expected = Shape::composite(balls.collect()).unwrap().mass_properties().unwrap();
        let own = Shape::from(particles).mass_properties().unwrap();
        assert!((own.volume / expected.volume - 1.0).abs() < 1e-12);
        assert!((own.center - expected.center).norm() < 1e-12);
        assert!((own.inertia - expected.inertia).norm() < 1e-9 * expected.inertia.norm());
    }
}
