//! Watches a soft scene for what it demands.

use std::collections::VecDeque;

use anyhow::Result;
use impinge_scenes::soft::{SoftDemand, SoftScene};
use nalgebra::Isometry3;

use super::Run;
use super::apart_watch::ApartWatch;
use super::depth::distance_to_face;
use super::meadow_watch::MeadowWatch;
use crate::simulate::DT;
use crate::simulate::check::Check;

/// Steps of a second.
const SECOND: usize = 60;

/// The run after a step.
pub struct Seen<'r, 's> {
    pub run: &'r Run<'s>,
    /// Seconds since the start.
    pub time: f64,
    /// Faces in the tool that the test has not named.
    pub unnamed: usize,
}

/// What was seen so far.
pub struct SoftWatch<'s> {
    scene: &'s SoftScene,
    /// The greatest of all steps, and when: depth of a face (m), depth of a vertex (m).
    deepest: [(f64, f64); 2],
    unnamed: usize,
    /// How far the sheet is from the lowest point of the bodies (m), when that is asked.
    pressed: Option<f64>,
    /// Kinetic energies of the last second (J).
    energies: VecDeque<f64>,
    /// Of a sheet that is kept apart.
    apart: Option<ApartWatch>,
    /// Of what stands and flies about it.
    meadow: MeadowWatch,
    /// Steps that were looked at.
    looked: usize,
    /// Whether all steps of the scene are taken.
    complete: bool,
}

impl<'s> SoftWatch<'s> {
    /// Watches a run of so many steps.
    ///
    /// # Errors
    /// Where what a sheet is kept apart by cannot be used.
    pub fn new(scene: &'s SoftScene, steps: u32) -> Result<SoftWatch<'s>> {
        let complete = steps >= scene.steps;
        let apart = ApartWatch::of_scene(scene)?;
        let (deepest, energies) = ([(0.0, 0.0); 2], VecDeque::new());
        let meadow = MeadowWatch::default();
        Ok(SoftWatch {
            scene,
            deepest,
            unnamed: 0,
            pressed: None,
            energies,
            apart,
            meadow,
            looked: 0,
            complete,
        })
    }

    /// Looks at a run after a step.
    ///
    /// # Errors
    /// Where the sheet is nowhere.
    pub fn look(&mut self, seen: &Seen<'_, '_>) -> Result<()> {
        let Seen { run, time, unnamed } = seen;
        self.unnamed += unnamed;
        self.looked += 1;
        if let Some(meadow) = &run.meadow {
            self.meadow.look(meadow, self.scene.sheet.triangles(), self.looked.is_multiple_of(SECOND));
        }
        let poses = run.poses();
        for demand in &self.scene.demands {
            let now = match demand {
                SoftDemand::FacesClear(_) => Some((0, deepest_face(run, &poses))),
                SoftDemand::VerticesClear(_) => Some((1, deepest_vertex(run, &poses))),
                SoftDemand::Pressed { time: when, .. } if (time - when).abs() < 0.5 * DT => {
                    self.pressed = Some(gap(run, &poses));
                    None
                }
                _ => None,
            };
            if let Some((kind, depth)) = now
                && depth > self.deepest[kind].0
            {
                self.deepest[kind] = (depth, *time);
            }
        }
        self.energies.push_back(run.sheet.kinetic_energy());
        if self.energies.len() > SECOND {
            self.energies.pop_front();
        }
        match &mut self.apart {
            Some(apart) => apart.look(run.sheet.places(), &poses, *time),
            None => Ok(()),
        }
    }

    /// The verdicts; those about the end are not judged of a run that is cut short.
    pub fn checks(&self, run: &Run<'_>) -> Vec<Check> {
        let of_apart = |demand: &SoftDemand| {
            let check = self.apart.as_ref().and_then(|apart| apart.check(demand))?;
            let at_end = matches!(demand, SoftDemand::Folded(_)) && !self.complete;
            let why = format!("judged after {} steps", self.scene.steps);
            Some(if at_end { check.unjudged(&why) } else { check })
        };
        let of_meadow = |demand: &SoftDemand| {
            let why = format!("judged after {} steps", self.scene.steps);
            self.meadow.check(demand, self.complete, &why)
        };
        let demands = self.scene.demands.iter();
        demands
            .filter_map(|demand| {
                of_apart(demand).or_else(|| of_meadow(demand)).or_else(|| self.check(demand, run))
            })
            .collect()
    }

    fn check(&self, demand: &SoftDemand, run: &Run<'_>) -> Option<Check> {
        let at_end = |check: Check| {
            let why = format!("judged after {} steps", self.scene.steps);
            if self.complete { check } else { check.unjudged(&why) }
        };
        let worst = |(_, time): (f64, f64)| {
            format!("the most after any step, at {time:.2} s; by the planes of the bodies")
        };
        let places = || run.sheet.places().iter();
        Some(match *demand {
            SoftDemand::Untangled
            | SoftDemand::Kept(_)
            | SoftDemand::Folded(_)
            | SoftDemand::SparksFound
            | SoftDemand::ShipSees
            | SoftDemand::Met(_) => return None,
            SoftDemand::FacesClear(limit) => {
                let worst = worst(self.deepest[0]);
                Check::judged(
                    "depth of a face in the tool",
                    1e3 * self.deepest[0].0,
                    1e3 * limit,
                    "mm",
                    worst,
                )
            }
            SoftDemand::AllFound => {
                let note = "by clipping every face against the tool".into();
                Check::judged(
                    "faces in the tool that were not named",
                    self.unnamed as f64,
                    0.0,
                    "faces",
                    note,
                )
            }
            SoftDemand::VerticesClear(limit) => {
                let worst = worst(self.deepest[1]);
                let name = "depth of a vertex in the avatar as drawn";
                Check::judged(name, 1e3 * self.deepest[1].0, 1e3 * limit, "mm", worst)
            }
            SoftDemand::Pressed { time, within } => {
                let note = format!("at {time} s");
                let name = "distance of the sheet from the tip";
                let check =
                    Check::judged(name, 1e3 * self.pressed.unwrap_or(f64::NAN), 1e3 * within, "mm", note);
                if self.pressed.is_some() { check } else { at_end(check) }
            }
            SoftDemand::Still(limit) => {
                let mean = self.energies.iter().sum::<f64>() / self.energies.len().max(1) as f64;
                let note = "mean over the last second".into();
                at_end(Check::judged("kinetic energy at rest", mean, limit, "J", note))
            }
            SoftDemand::Restored(limit) => {
                let ways = places().zip(run.sheet.rest()).map(|(now, rest)| (now - rest).norm());
                let farthest = ways.fold(0.0, f64::max);
                let note = "the farthest vertex, at the end".into();
                at_end(Check::judged("distance from its shape", 1e3 * farthest, 1e3 * limit, "mm", note))
            }
            SoftDemand::Carried(least) => {
                let mean = places().map(|p| p.z).sum::<f64>() / run.sheet.places().len().max(1) as f64;
                let note = format!("{mean:.2} m above the ground at the end");
                at_end(Check::judged(
                    "fall of the cloth's middle below its place",
                    (least - mean).max(0.0),
                    0.0,
                    "m",
                    note,
                ))
            }
        })
    }
}

fn deepest_face(run: &Run<'_>, poses: &[Isometry3<f64>]) -> f64 {
    let places = run.sheet.places();
    let mut deepest = 0.0f64;
    for (part, pose) in run.parts.iter().zip(poses) {
        for triangle in run.scene.sheet.triangles() {
            let corners = triangle.map(|v| pose.inverse_transform_point(&places[v as usize]));
            deepest = deepest.max(part.face_depth(&corners));
        }
    }
    deepest
}

fn deepest_vertex(run: &Run<'_>, poses: &[Isometry3<f64>]) -> f64 {
    let parts = run.parts.iter().zip(poses);
    let of = |(part, pose): (&super::ConvexPart, &Isometry3<f64>)| {
        let depths = run.sheet.places().iter().map(|p| part.depth(&pose.inverse_transform_point(p)));
        depths.fold(0.0, f64::max)
    };
    parts.map(of).fold(0.0, f64::max)
}

/// From the lowest point of the bodies to the sheet (m).
fn gap(run: &Run<'_>, poses: &[Isometry3<f64>]) -> f64 {
    let bodies = run.scene.movers.iter().zip(poses);
    let points =
        bodies.flat_map(|(mover, pose)| mover.mesh.vertices().iter().map(move |v| pose * v.cast::<f64>()));
    let Some(lowest) = points.min_by(|a, b| a.z.total_cmp(&b.z)) else { return f64::NAN };
    let places = run.sheet.places();
    let faces = run.scene.sheet.triangles().iter().map(|t| t.map(|v| places[v as usize]));
    faces.map(|face| distance_to_face(&lowest, &face)).fold(f64::INFINITY, f64::min)
}
