//! The least translation that frees two bodies, by yes-or-no questions alone.

use std::f64::consts::TAU;

use nalgebra::Vector3;

/// How finely to search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Directions over the whole sphere.
    pub directions: u32,
    /// Places tried along each direction, short of the best so far: a body may come free and catch
    /// again farther on.
    pub places: u32,
    /// A direction is followed only where it is better than the best by this factor, just below 1.
    pub gain: f64,
    /// By what factor steps along a hint grow, above 1: between two walls a body is free for a short way only.
    pub growth: f64,
    /// Widths of the cones of directions searched around the best, each `narrowing` times the one before.
    pub cones: u32,
    /// How much narrower each cone is.
    pub narrowing: f64,
    /// How often a cone is searched again around a better direction.
    pub rounds: u32,
    /// Directions on each cone.
    pub around: u32,
    /// Halvings between touching and free: the distance is right to a share of 2⁻ʰ.
    pub halvings: u32,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            directions: 400,
            places: 4,
            gain: 0.9995,
            growth: 1.1,
            cones: 14,
            narrowing: 0.6,
            rounds: 1,
            around: 10,
            halvings: 20,
        }
    }
}

/// A translation of B that frees it from A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Unit direction (world axes).
    pub direction: Vector3<f64>,
    /// How far (m).
    pub distance: f64,
}

/// The shortest translation of B found that frees it from A: zero where it is free already, at most `limit`
/// (m), beyond which it is free in any direction. Directions of `hints` (unit) are tried first, then the whole
/// sphere, then cones around the best. `is_free` says whether B is free after a translation; every answer
/// was seen to be, so none is shorter than the true least.
///
/// # Errors
/// Those of `is_free`.
pub fn least_translation<E>(
    hints: &[Vector3<f64>],
    limit: f64,
    search: &Search,
    mut is_free: impl FnMut(&Vector3<f64>) -> Result<bool, E>,
) -> Result<Separation, E> {
    if is_free(&Vector3::zeros())? {
        return Ok(Separation { direction: Vector3::z(), distance: 0.0 });
    }
    let best = Separation { direction: Vector3::z(), distance: limit };
    let mut finder = Finder { search, is_free, best };
    for direction in hints {
        finder.first_free(direction)?;
    }
    for k in 0..search.directions {
        finder.follow(&on_sphere(k, search.directions))?;
    }
    // Nearest neighbours on the sphere are about √(4π/n) apart.
    let mut angle = (2.0 * TAU / f64::from(search.directions.max(1))).sqrt();
    for cone in 0..search.cones {
        for _ in 0..search.rounds {
            let axis = finder.best.direction;
            let across = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
            let up = axis.cross(&across);
            for k in 0..search.around {
                let turn = TAU * (f64::from(k) + 0.5 * f64::from(cone % 2)) / f64::from(search.around);
                let aside = across * turn.cos() + up * turn.sin();
                finder.follow(&(axis * angle.cos() + aside * angle.sin()).normalize())?;
            }
            if finder.best.direction == axis {
                break;
            }
        }
        angle *= search.narrowing;
    }
    Ok(finder.best)
}

/// How far B must be moved along `direction` (unit) to be free: the first free place found in steps of `step`
/// (m), then by 20 halvings; about `limit` (m) where there is none nearer.
///
/// # Errors
/// Those of `is_free`.
pub fn along<E>(
    direction: &Vector3<f64>,
    step: f64,
    limit: f64,
    mut is_free: impl FnMut(&Vector3<f64>) -> Result<bool, E>,
) -> Result<f64, E> {
    if is_free(&Vector3::zeros())? {
        return Ok(0.0);
    }
    let step = step.max(limit / 4096.0);
    let (mut touching, mut free) = (0.0, step);
    while free < limit && !is_free(&(direction * free))? {
        touching = free;
        free += step;
    }
    halve(direction, [touching, free], 20, &mut is_free)
}

/// The far end of the way from touching to free, halved.
fn halve<E>(
    direction: &Vector3<f64>,
    [mut touching, mut free]: [f64; 2],
    halvings: u32,
    is_free: &mut impl FnMut(&Vector3<f64>) -> Result<bool, E>,
) -> Result<f64, E> {
    for _ in 0..halvings {
        let middle = 0.5 * (touching + free);
        if is_free(&(direction * middle))? { free = middle } else { touching = middle }
    }
    Ok(free)
}

struct Finder<'s, F> {
    search: &'s Search,
    is_free: F,
    best: Separation,
}

impl<E, F: FnMut(&Vector3<f64>) -> Result<bool, E>> Finder<'_, F> {
    /// Shortens the best to the first free place along `direction` that growing steps find.
    fn first_free(&mut self, direction: &Vector3<f64>) -> Result<(), E> {
        let (mut touching, mut free) = (0.0, self.best.distance * 2f64.powi(-16));
        while free < self.best.distance {
            if (self.is_free)(&(direction * free))? {
                return self.shorten(direction, [touching, free]);
            }
            touching = free;
            free *= self.search.growth;
        }
        Ok(())
    }

    /// Shortens the best if the pair comes free along `direction` before it does.
    fn follow(&mut self, direction: &Vector3<f64>) -> Result<(), E> {
        let mut touching = 0.0;
        for place in 1..=self.search.places {
            let share = f64::from(place) / f64::from(self.search.places);
            let free = self.best.distance * self.search.gain * share;
            if (self.is_free)(&(direction * free))? {
                return self.shorten(direction, [touching, free]);
            }
            touching = free;
        }
        Ok(())
    }

    fn shorten(&mut self, direction: &Vector3<f64>, between: [f64; 2]) -> Result<(), E> {
        let distance = halve(direction, between, self.search.halvings, &mut self.is_free)?;
        self.best = Separation { direction: *direction, distance };
        Ok(())
    }
}

/// The `k`-th of `count` directions spread evenly over the sphere.
///
/// Source: Swinbank, Purser, "Fibonacci grids: A novel approach to global modelling", 2006.
fn on_sphere(k: u32, count: u32) -> Vector3<f64> {
    let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(count);
    let turn = f64::from(k) * TAU * (2.0 - 0.5 * (1.0 + 5f64.sqrt()));
    let r = (1.0 - z * z).max(0.0).sqrt();
    Vector3::new(r * turn.cos(), r * turn.sin(), z)
}
