//! Particles that are poured out of a hopper.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use impinge::query::QueryScratch;
use impinge::{ColliderId, PairQuery, PointFeature, QuerySettings, Shape};
use impinge_reference::{BodyId, Powder, PowderSettings, PowderTimes, StepSummary};
use impinge_scenes::random::Random;
use impinge_scenes::{Scene, ScenePowder};
use nalgebra::{Isometry3, Point3, Vector3};

use super::DT;
use super::check::Check;
use super::populate::Populated;

/// Steps between looks.
const LOOK_EVERY: u32 = 60;
/// Particles looked at each time: all that come near the body that they are poured over are among these, up to so many; and so many others.
const LOOKED_AT: usize = 400;
/// What is nearer to touching than this part of the radius may be told either way.
const SKIN: f64 = 1e-4;
/// Shares of the radius: the deepest that a particle may be in a body at the end, and in another in the mean.
const DEEPEST: f64 = 0.1;
const MEAN_OVERLAP: f64 = 0.05;
/// The greatest mean speed over the last second (m/s).
const SPEED: f64 = 0.03;
/// So many particles lie on the body at the end, of a thousand.
const LEAST_ON_BODY: f64 = 10.0;
/// Outside of this box (m) a particle is lost.
const LOWEST: f64 = -0.1;
/// What goes slower rests (m/s).
const REST: f64 = 0.02;
/// Substeps in a step, and how often contacts are gone through in each.
const SUBSTEPS: u32 = 4;
const ITERATIONS: u32 = 8;

/// Pours the particles of a scene.
pub struct Pourer {
    scene: ScenePowder,
    powder: Powder,
    radius: f64,
    /// The body that they are poured over.
    over: BodyId,
    /// Half the width of what holds them (m).
    half: f64,
    taken: u32,
    /// Of the last step.
    times: PowderTimes,
    random: Random,
    looks: u64,
    wrong: u64,
    /// Of the last step: particles lost, deepest in a body and mean overlap (shares of the radius), contacts with the body poured over.
    lost: Vec<Point3<f64>>,
    deepest: f64,
    overlap: f64,
    on_body: usize,
    contacts: usize,
    /// Mean speeds of the last second (m/s).
    speeds: Vec<f64>,
}

impl Pourer {
    /// The powder of a scene, if it has one.
    pub fn of_scene(scene: &Scene, run: &mut Populated) -> Result<Option<Pourer>> {
        let Some(powder) = &scene.powder else { return Ok(None) };
        let collider = run.simulator.body(run.bodies[powder.body])?.collider();
        let Shape::Particles(particles) = &scene.shapes[scene.bodies[powder.body].shape].shape else {
            bail!("what is poured is no powder");
        };
        let radius = f64::from(particles.greatest_radius());
        let settings = PowderSettings {
            gravity: scene.gravity,
            friction: powder.friction,
            rest: REST,
            substeps: SUBSTEPS,
            iterations: ITERATIONS,
            ..PowderSettings::default()
        };
        let made = Powder::new(run.simulator.world_mut(), collider, settings)?;
        // Between the walls.
        let wide = |body: &impinge_scenes::SceneBody| body.pose.translation.vector.xy().amax();
        let half = scene.bodies.iter().filter(|body| body.fixed).map(wide).fold(0.0, f64::max);
        Ok(Some(Pourer {
            scene: *powder,
            powder: made,
            radius,
            over: run.bodies[powder.over],
            half,
            taken: 0,
            times: PowderTimes::default(),
            random: Random::new(7),
            looks: 0,
            wrong: 0,
            lost: Vec::new(),
            deepest: 0.0,
            overlap: 0.0,
            on_body: 0,
            contacts: 0,
            speeds: Vec::new(),
        }))
    }

    /// Lets the layers go that have come to the opening, and moves all on.
    pub fn step(&mut self, run: &mut Populated) -> Result<()> {
        let sunk = self.scene.speed * DT * f64::from(self.taken);
        let free = (sunk / self.scene.rise) as usize * self.scene.layer;
        self.powder.lead(free, -Vector3::z() * self.scene.speed)?;
        self.times = self.powder.step(run.simulator.world_mut(), DT)?;
        self.taken += 1;
        Ok(())
    }

    /// Looks at the contacts where the step has left the particles; now and then some are found by brute force as well.
    pub fn look(&mut self, run: &Populated) -> Result<()> {
        let world = run.simulator.world();
        let own = self.powder.collider();
        let over = run.simulator.body(self.over)?.collider();
        (self.deepest, self.on_body, self.contacts) = (0.0, 0, 0);
        let (mut overlaps, mut among) = (0.0, 0usize);
        for pair in world.particle_contacts() {
            self.contacts += pair.contacts.len();
            let depths = pair.contacts.iter().map(|contact| contact.depth / self.radius);
            if pair.other == own {
                (overlaps, among) = (overlaps + depths.sum::<f64>(), among + pair.contacts.len());
            } else {
                self.deepest = depths.fold(self.deepest, f64::max);
            }
            if pair.other == over {
                self.on_body = pair.contacts.len();
            }
        }
        self.overlap = overlaps / among.max(1) as f64;
        let inside = |p: &Point3<f64>| p.x.abs() < self.half && p.y.abs() < self.half && p.z > LOWEST;
        self.lost = self.powder.places().filter(|p| !inside(p)).collect();
        let speeds = self.powder.velocities().iter().map(Vector3::norm).sum::<f64>();
        self.speeds.push(speeds / self.powder.len().max(1) as f64);
        if self.taken.is_multiple_of(LOOK_EVERY) {
            self.compare(run, own, over)?;
        }
        Ok(())
    }

    /// Compares the contacts of some particles with what brute force finds.
    fn compare(&mut self, run: &Populated, own: ColliderId, over: ColliderId) -> Result<()> {
        let world = run.simulator.world();
        let places: Vec<Point3<f64>> = match world.shape(world.shape_of(own)?)? {
            Shape::Particles(particles) => particles.centers().iter().map(|p| p.cast()).collect(),
            _ => bail!("what is poured is no powder"),
        };
        let told = |other: ColliderId| -> Result<BTreeSet<[u32; 2]>> {
            let pair = world.particle_contacts_between(own, other)?;
            let contacts = pair.into_iter().flat_map(|pair| pair.contacts);
            Ok(contacts
                .map(|contact| match contact.feature {
                    PointFeature::Particle(other) => {
                        [contact.particle.min(other), contact.particle.max(other)]
                    }
                    _ => [contact.particle; 2],
                })
                .collect())
        };
        let (on_body, among) = (told(over)?, told(own)?);
        let shape = world.shape(world.shape_of(over)?)?;
        let balls = [1.0 - SKIN, 1.0 + SKIN].map(|by| Shape::sphere((self.radius * by) as f32));
        let [smaller, larger] = balls;
        let query = |ball: &Shape| PairQuery::new(shape, ball, QuerySettings::default());
        let (smaller, larger) = (query(&smaller?)?, query(&larger?)?);
        let (pose, mut scratch) = (world.pose(over)?, QueryScratch::default());
        let sphere = shape.bounding_sphere();
        let (middle, reach) = (pose * sphere.center.cast::<f64>(), f64::from(sphere.radius) + self.radius);
        let near: Vec<usize> = (0..places.len()).filter(|&k| (places[k] - middle).norm() < reach).collect();
        for of in [&near, &(0..places.len()).collect()] {
            for _ in 0..LOOKED_AT.min(of.len()) {
                let k = of[self.random.index(of.len())];
                let (here, number) = (Isometry3::from(places[k]), k as u32);
                let [sure, possible] = [
                    smaller.touching_with(&pose, &here, &mut scratch)?,
                    larger.touching_with(&pose, &here, &mut scratch)?,
                ];
                let found = on_body.contains(&[number; 2]);
                self.looks += 1;
                self.wrong += u64::from(sure && !found || found && !possible);
                for (other, place) in places.iter().enumerate().filter(|&(other, _)| other != k) {
                    let gap = (place - places[k]).norm() - 2.0 * self.radius;
                    if gap < SKIN * self.radius {
                        let pair = [number.min(other as u32), number.max(other as u32)];
                        let found = among.contains(&pair);
                        self.wrong += u64::from(!found && gap < -SKIN * self.radius);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds to a step of the simulator what the powder has taken before it.
    pub fn add_times(&self, done: &mut StepSummary) {
        done.detect_time += self.times.detect;
        done.solve_time += self.times.solve;
        done.report.times.particles += self.times.particles;
    }

    /// The powder's body, by its index in the scene.
    pub fn body(&self) -> usize {
        self.scene.body
    }

    /// Where the particles are (m).
    pub fn places(&self) -> Vec<[f32; 3]> {
        self.powder.places().map(|p| p.coords.cast::<f32>().into()).collect()
    }

    pub fn checks(&self) -> Vec<Check> {
        let last = &self.speeds[self.speeds.len().saturating_sub(60)..];
        let speed = last.iter().sum::<f64>() / last.len().max(1) as f64;
        let poured =
            self.scene.speed * DT * f64::from(self.taken) / self.scene.rise * self.scene.layer as f64;
        let ended = poured >= self.powder.len() as f64;
        let looks = format!("of {} particles, by exact tests and by all pairs", self.looks);
        let missing = (1e-3 * LEAST_ON_BODY * self.powder.len() as f64 - self.on_body as f64).max(0.0);
        let lying = format!("{} lie on it, {} contacts in all", self.on_body, self.contacts);
        let late = [
            Check::judged(
                "deepest in a body at the end",
                self.deepest,
                DEEPEST,
                "of the radius",
                String::new(),
            ),
            Check::judged(
                "mean overlap of particles at the end",
                self.overlap,
                MEAN_OVERLAP,
                "of the radius",
                String::new(),
            ),
            Check::judged("mean speed over the last second", speed, SPEED, "m/s", String::new()),
            Check::judged("particles missing on the body", missing, 0.0, "", lying),
        ];
        let late =
            late.map(|check| if ended { check } else { check.unjudged("judged when all are poured out") });
        let places: Vec<String> =
            self.lost.iter().take(5).map(|p| format!("{:.2?}", p.coords.as_slice())).collect();
        let lost = Check::judged("particles lost", self.lost.len() as f64, 0.0, "", places.join(", "));
        let wrong =
            Check::judged("contacts that brute force does not confirm", self.wrong as f64, 0.0, "", looks);
        [lost, wrong].into_iter().chain(late).collect()
    }
}
