//! Watches a meadow: what is said of the firework's points, and what the ship's map meets, against all triangles, by distances and
//! angles that share nothing with the questions.

use std::f64::consts::TAU;

use impinge_scenes::soft::SoftDemand;
use nalgebra::{Isometry3, Point3, Vector3};

use super::depth::distance_to_face;
use super::meadow::MeadowRun;
use crate::simulate::check::Check;

/// Points that are looked at in the ship each time, of the firework and of the rest.
const LOOKED_AT: usize = 64;
/// Depths may differ by so much (m), and what is no deeper may be told or not.
const ROUNDING: f64 = 2e-6;

/// A triangle.
type Face = [Point3<f64>; 3];

/// What was seen so far.
#[derive(Default)]
pub struct MeadowWatch {
    /// Steps in which the ship met something, and in which points of the firework touched the flag.
    met: [u32; 2],
    /// Points of the firework that touched the flag when it was looked at, and wrong answers.
    sparks: [usize; 2],
    /// Points that were deep in the ship when it was looked at, and those of them that its map did not have.
    deep: [usize; 2],
}

impl MeadowWatch {
    /// Looks at the answers of a step; `closely` where they are to be compared with all triangles.
    pub fn look(&mut self, run: &MeadowRun<'_>, flag: &[[u32; 3]], closely: bool) {
        self.met[0] += u32::from(run.met());
        self.met[1] += u32::from(!run.touching().is_empty());
        if closely {
            self.compare_sparks(run, flag);
            self.compare_ship(run);
        }
    }

    /// Each point of the firework with each triangle of the flag that it could touch.
    fn compare_sparks(&mut self, run: &MeadowRun<'_>, flag: &[[u32; 3]]) {
        let radius = f64::from(run.meadow().spark);
        let faces: Vec<Face> =
            flag.iter().map(|corners| corners.map(|v| run.flag()[v as usize].cast())).collect();
        let (low, high) = bounds(faces.iter().flatten());
        let mut found = vec![None; run.points().len()];
        for contact in run.touching() {
            found[contact.particle as usize] = Some(contact.depth);
        }
        for (point, found) in run.points().iter().zip(found) {
            let p = Point3::from(*point).cast::<f64>();
            let near = (0..3).all(|k| p[k] >= low[k] - radius && p[k] <= high[k] + radius);
            let distance = if near { distance_to(&faces, &p) } else { f64::INFINITY };
            let depth = radius - distance;
            let right = match found {
                Some(found) => (found - depth).abs() <= ROUNDING,
                None => depth <= ROUNDING,
            };
            self.sparks[0] += usize::from(depth >= 0.0);
            self.sparks[1] += usize::from(!right);
        }
    }

    /// Some of the points in the box about the ship with all of its triangles.
    fn compare_ship(&mut self, run: &MeadowRun<'_>) {
        let (ship, pose, meadow) = (&run.meadow().ship, run.ship(), run.meadow());
        let faces: Vec<Face> =
            (0..ship.triangles().len() as u32).map(|t| ship.corners(t).map(|p| p.cast())).collect();
        let box_of = bounds(faces.iter().flatten());
        let deep = |p: &Point3<f64>| winding(&faces, p) > 0.5 && distance_to(&faces, p) > run.pixel();
        let sparks = run.points().iter().map(|p| Point3::from(*p));
        for (k, p) in some_in(sparks, &pose, &box_of) {
            if deep(&p) {
                self.deep[0] += 1;
                self.deep[1] += usize::from(!run.inside().contains(&k));
            }
        }
        let others = run.flag().iter().chain(&meadow.plants).chain(meadow.hills.vertices());
        for (_, p) in some_in(others.copied(), &pose, &box_of) {
            if deep(&p) {
                self.deep[0] += 1;
                self.deep[1] += usize::from(!run.met());
            }
        }
    }

    /// The verdict on a demand; nothing of those that are not about a meadow. One that is about all steps is not judged unless the run is `complete`,
    /// `why` not.
    pub fn check(&self, demand: &SoftDemand, complete: bool, why: &str) -> Option<Check> {
        Some(match *demand {
            SoftDemand::SparksFound => {
                let [touching, wrong] = self.sparks;
                let note = format!("{touching} touched it when all were compared, once a second");
                let name = "points of the firework wrongly said to touch the flag or not";
                Check::judged(name, wrong as f64, 0.0, "points", note)
            }
            SoftDemand::ShipSees => {
                let [deep, missed] = self.deep;
                let note = format!("{deep} were as deep as a pixel when some were looked at, once a second");
                Check::judged(
                    "points in the ship that its map has missed",
                    missed as f64,
                    0.0,
                    "points",
                    note,
                )
            }
            SoftDemand::Met(least) => {
                let [ship, flag] = self.met;
                let note =
                    format!("the ship met something in {ship}, points the flag in {flag}; {least} asked");
                let missing = least.saturating_sub(ship.min(flag));
                let name = "steps missing in which the scene's parts meet";
                let check = Check::judged(name, f64::from(missing), 0.0, "steps", note);
                if complete { check } else { check.unjudged(why) }
            }
            _ => return None,
        })
    }
}

/// Least and greatest coordinates.
fn bounds<'p>(points: impl Iterator<Item = &'p Point3<f64>>) -> (Point3<f64>, Point3<f64>) {
    let none = (Point3::from([f64::INFINITY; 3]), Point3::from([f64::NEG_INFINITY; 3]));
    points.fold(none, |(low, high), p| (low.inf(p), high.sup(p)))
}

/// Some of the points in a box that stands at a pose, in its frame and with their numbers, spread evenly over all that are in it.
fn some_in(
    points: impl Iterator<Item = Point3<f32>>,
    pose: &Isometry3<f64>,
    (low, high): &(Point3<f64>, Point3<f64>),
) -> Vec<(u32, Point3<f64>)> {
    let within = |p: &Point3<f64>| (0..3).all(|k| p[k] > low[k] && p[k] < high[k]);
    let all: Vec<_> = (0..)
        .zip(points)
        .map(|(k, p)| (k, pose.inverse_transform_point(&p.cast())))
        .filter(|(_, p)| within(p))
        .collect();
    all.iter().step_by(all.len().div_ceil(LOOKED_AT).max(1)).copied().collect()
}

/// From a point to the nearest of some triangles (m).
fn distance_to(faces: &[Face], p: &Point3<f64>) -> f64 {
    faces.iter().map(|face| distance_to_face(p, face)).fold(f64::INFINITY, f64::min)
}

/// How often a surface goes round a point: the solid angles of its triangles, summed (Van Oosterom and Strackee 1983).
fn winding(faces: &[Face], p: &Point3<f64>) -> f64 {
    let angle = |face: &Face| {
        let [a, b, c]: [Vector3<f64>; 3] = face.map(|corner| corner - p);
        let (x, y, z) = (a.norm(), b.norm(), c.norm());
        let below = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
        2.0 * a.dot(&b.cross(&c)).atan2(below)
    };
    faces.iter().map(angle).sum::<f64>() / (2.0 * TAU)
}

#[cfg(test)]
mod tests {
    use impinge_scenes::soft::meadow::ship;

    use super::*;

    #[test]
    fn a_surface_goes_round_what_is_in_it() {
        let ship = ship().unwrap();
        let faces: Vec<Face> =
            (0..ship.triangles().len() as u32).map(|t| ship.corners(t).map(|p| p.cast())).collect();
        let (low, high) = bounds(faces.iter().flatten());
        // In the ring's tube, and beyond all.
        let tube = Point3::new(0.0, 0.5, 0.0);
        assert!(winding(&faces, &tube) > 0.99, "{}", winding(&faces, &tube));
        assert!(distance_to(&faces, &tube) < 0.031);
        let beyond = high + (high - low);
        assert!(winding(&faces, &beyond).abs() < 1e-9);
    }
}
