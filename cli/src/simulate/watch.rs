//! Watches a run for what its scene demands of it.

use std::f64::consts::{PI, TAU};
use std::mem;

use anyhow::Result;
use impinge_scenes::{Demand, Scene};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::check::{Check, too_short};
use super::populate::Populated;

/// One demand and what was seen of it.
pub struct Watch {
    demand: Demand,
    seen: Seen,
}

/// What was seen so far.
enum Seen {
    /// Where the bodies were at the half of the run, and how far any has gone since (m), and which.
    Still {
        poses: Vec<Isometry3<f64>>,
        farthest: (f64, usize),
    },
    /// Angles (rad) of both hinges at the half of the run and now.
    Ratio {
        from: Option<[f64; 2]>,
        to: [f64; 2],
    },
    Screw(Turning),
    /// The greatest distance since the half of the run (m).
    Seated {
        farthest: f64,
    },
    /// Which moving bodies are outside now.
    Kept {
        outside: Vec<usize>,
    },
}

/// A body that turns about an axis.
struct Turning {
    rotation: UnitQuaternion<f64>,
    /// How far it has turned since the start (rad), and where it is along the axis (m).
    now: [f64; 2],
    /// Where it began along the axis (m).
    start: f64,
    /// Where it was along the axis (m) at half a turn, one and a half, and so on.
    turns: Vec<f64>,
}

impl Watch {
    /// Watches for everything that a scene demands.
    pub fn all(scene: &Scene) -> Vec<Watch> {
        let pose = |body: usize| &scene.bodies[body].pose;
        let seen = |demand: Demand| match demand {
            Demand::Still { .. } => Seen::Still { poses: Vec::new(), farthest: (0.0, 0) },
            Demand::Ratio { .. } => Seen::Ratio { from: None, to: [0.0; 2] },
            Demand::Screw { body, axis, .. } => Seen::Screw(Turning::new(&axis, pose(body))),
            Demand::Seated { .. } => Seen::Seated { farthest: 0.0 },
            Demand::Kept(_) => Seen::Kept { outside: Vec::new() },
        };
        scene.demands.iter().map(|&demand| Watch { demand, seen: seen(demand) }).collect()
    }

    /// Looks at the simulation after a step; `late`: in the second half of the run.
    pub fn look(&mut self, scene: &Scene, run: &Populated, late: bool) -> Result<()> {
        let pose = |body: usize| Ok::<_, anyhow::Error>(*run.simulator.body(run.bodies[body])?.pose());
        match (&self.demand, &mut self.seen) {
            (Demand::Still { .. }, Seen::Still { poses, farthest }) if late => {
                let now = run.poses()?;
                if poses.is_empty() {
                    *poses = now;
                } else {
                    let ways = (0..now.len()).map(|k| (way(scene, k, &poses[k], &now[k]), k));
                    *farthest = ways.fold(*farthest, |most, way| if way.0 > most.0 { way } else { most });
                }
            }
            (Demand::Ratio { driver, driven, .. }, Seen::Ratio { from, to }) => {
                let angle =
                    |hinge: usize| Ok::<_, anyhow::Error>(run.simulator.hinge(run.hinges[hinge])?.angle());
                *to = [angle(*driver)?, angle(*driven)?];
                if late && from.is_none() {
                    *from = Some(*to);
                }
            }
            (Demand::Screw { body, axis, .. }, Seen::Screw(turning)) => turning.look(axis, &pose(*body)?),
            (Demand::Seated { body, place, .. }, Seen::Seated { farthest }) if late => {
                let at = Point3::from(pose(*body)?.translation.vector);
                *farthest = farthest.max((at - place).norm());
            }
            (Demand::Kept(space), Seen::Kept { outside }) if late => {
                let poses = run.poses()?;
                let is_outside = |&k: &usize| {
                    let middle =
                        scene.sphere(scene.bodies[k].shape).map(|s| poses[k] * s.center.cast::<f64>());
                    !scene.bodies[k].fixed && middle.is_some_and(|p| !space.holds(&p))
                };
                *outside = (0..poses.len()).filter(is_outside).collect();
            }
            _ => {}
        }
        Ok(())
    }

    /// The verdicts; `energy`: kinetic energy, the mean over the last second (J). Not judged unless the run
    /// has `ended`.
    pub fn checks(&self, scene: &Scene, energy: Option<f64>, ended: bool) -> Vec<Check> {
        let checks = match (&self.demand, &self.seen) {
            (&Demand::Still { drift, energy: limit }, Seen::Still { farthest: (way, body), .. }) => {
                let name = &scene.shapes[scene.bodies[*body].shape].name;
                let note = format!("{name} {body} wandered farthest; over the second half of the run");
                vec![
                    Check::judged("drift at rest", 1e3 * way, 1e3 * drift, "mm", note),
                    Check::judged(
                        "kinetic energy at rest",
                        energy.unwrap_or(f64::NAN),
                        limit,
                        "J",
                        "mean over the last second".into(),
                    ),
                ]
            }
            (&Demand::Ratio { ratio, within, .. }, Seen::Ratio { from, to }) => {
                let from = from.unwrap_or(*to);
                let [driver, driven] = [0, 1].map(|k| to[k] - from[k]);
                let error = (driven / (ratio * driver) - 1.0).abs();
                let note = format!(
                    "{:.4} for {ratio}: {:.3} turns for {:.3} over the second half of the run",
                    driven / driver,
                    driven / TAU,
                    driver / TAU
                );
                vec![Check::judged("error of the ratio", error, within, "of it", note)]
            }
            (&Demand::Screw { pitch, within, .. }, Seen::Screw(turning)) => {
                let ways: Vec<f64> = turning.turns.windows(2).map(|pair| pair[1] - pair[0]).collect();
                let worst = ways.iter().map(|way| (way / pitch - 1.0).abs()).fold(f64::NAN, f64::max);
                let note = format!(
                    "worst of {} whole turns; {:.2} turns moved it by {:.1} mm",
                    ways.len(),
                    turning.now[0] / TAU,
                    1e3 * (turning.now[1] - turning.start)
                );
                vec![Check::judged("error of the way per turn", worst, within, "of the pitch", note)]
            }
            (&Demand::Seated { within, .. }, Seen::Seated { farthest }) => {
                let note = "over the second half of the run".into();
                vec![Check::judged("distance from its place", 1e3 * farthest, 1e3 * within, "mm", note)]
            }
            (Demand::Kept(_), Seen::Kept { outside }) => {
                let note = if outside.is_empty() { String::new() } else { format!("{outside:?}") };
                vec![Check::judged("bodies lost", outside.len() as f64, 0.0, "bodies", note)]
            }
            _ => Vec::new(),
        };
        let judge = |check: Check| if ended { check } else { check.unjudged(&too_short()) };
        checks.into_iter().map(judge).collect()
    }
}

/// How far at most any point of a body has gone from one pose to another (m).
fn way(scene: &Scene, body: usize, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
    let body = &scene.bodies[body];
    let Some(sphere) = scene.sphere(body.shape).filter(|_| !body.fixed) else { return 0.0 };
    let middle = sphere.center.cast::<f64>();
    (to * middle - from * middle).norm() + f64::from(sphere.radius) * from.rotation.angle_to(&to.rotation)
}

impl Turning {
    fn new(axis: &Vector3<f64>, pose: &Isometry3<f64>) -> Turning {
        let start = axis.dot(&pose.translation.vector);
        Turning { rotation: pose.rotation, now: [0.0, start], start, turns: Vec::new() }
    }

    fn look(&mut self, axis: &Vector3<f64>, pose: &Isometry3<f64>) {
        let turn = (pose.rotation * self.rotation.inverse()).scaled_axis().dot(axis);
        let now = [self.now[0] + turn, axis.dot(&pose.translation.vector)];
        let last = mem::replace(&mut self.now, now);
        self.rotation = pose.rotation;
        // What is between two steps is taken for a straight line.
        let mut next = PI + TAU * self.turns.len() as f64;
        while now[0] >= next && turn > 0.0 {
            self.turns.push(last[1] + (now[1] - last[1]) * (next - last[0]) / turn);
            next += TAU;
        }
    }
}

#[cfg(test)]
mod tests {
    use impinge_scenes::Container;

    use super::*;

    /// A body that climbs 0.1 m with each of three turns, in steps of 0.2 rad.
    #[test]
    fn rotation_vectors_are_seen_between_steps() {
        let axis = Vector3::z();
        let mut turning = Turning::new(&axis, &Isometry3::identity());
        for k in 1..=95 {
            let angle = 0.2 * f64::from(k);
            turning.look(&axis, &Isometry3::new(axis * (0.1 * angle / TAU), axis * angle));
        }
        assert!((turning.now[0] - 19.0).abs() < 1e-9);
        assert_eq!(turning.turns.len(), 3);
        for (k, way) in turning.turns.iter().enumerate() {
            assert!((way - 0.1 * (k as f64 + 0.5)).abs() < 1e-9);
        }
    }

    /// A gear that is off its ratio by 2 %, a nut that slips, a body that wanders: all are seen.
    #[test]
    fn what_misses_is_failed() {
        let scene = impinge_scenes::scene("bowls", &Default::default()).unwrap();
        let judged = |demand, seen| {
            let checks = Watch { demand, seen }.checks(&scene, Some(2e-6), true);
            checks.iter().map(|check| check.to_string()[..4].to_owned()).collect::<Vec<_>>()
        };
        let ratio = Demand::Ratio { driver: 0, driven: 1, ratio: -0.5, within: 0.01 };
        let turned = |driven| Seen::Ratio { from: Some([1.0, 1.0]), to: [21.0, 1.0 + driven] };
        assert_eq!(judged(ratio, turned(-10.05)), ["PASS"]);
        assert_eq!(judged(ratio, turned(-10.2)), ["FAIL"]);
        assert_eq!(judged(ratio, Seen::Ratio { from: None, to: [0.0; 2] }), ["FAIL"]);
        let screw = Demand::Screw { body: 0, axis: Vector3::z(), pitch: 0.1, within: 0.05 };
        let turns = |turns: &[f64]| {
            Seen::Screw(Turning {
                turns: turns.to_vec(),
                ..Turning::new(&Vector3::z(), &Isometry3::identity())
            })
        };
        assert_eq!(judged(screw, turns(&[0.0, 0.1, 0.204])), ["PASS"]);
        assert_eq!(judged(screw, turns(&[0.0, 0.1, 0.19])), ["FAIL"]);
        assert_eq!(judged(screw, turns(&[0.0])), ["FAIL"]);
        let still = Demand::Still { drift: 1e-3, energy: 1e-6 };
        let wandered = |way| Seen::Still { poses: Vec::new(), farthest: (way, 0) };
        assert_eq!(judged(still, wandered(2e-3)), ["FAIL", "FAIL"]);
        assert_eq!(judged(Demand::Still { drift: 3e-3, energy: 1e-5 }, wandered(2e-3)), ["PASS", "PASS"]);
        let seated = Demand::Seated { body: 0, place: Point3::origin(), within: 0.1 };
        assert_eq!(judged(seated, Seen::Seated { farthest: 0.2 }), ["FAIL"]);
        let kept = Demand::Kept(Container { min: Point3::origin(), max: Point3::origin() });
        assert_eq!(judged(kept, Seen::Kept { outside: vec![] }), ["PASS"]);
        assert_eq!(judged(kept, Seen::Kept { outside: vec![3] }), ["FAIL"]);
    }
}
