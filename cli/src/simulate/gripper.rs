//! A hand whose fingers close about a body until they touch it, give way where they press, and stop before they meet the hand itself.

use anyhow::{Result, ensure};
use impinge::geometry::Linkage;
use impinge::query::SelfScratch;
use impinge::{ColliderId, PreparedShape, Shape, ShapeId, World};
use impinge_reference::BodyId;
use impinge_scenes::{Scene, SceneHand};
use nalgebra::{Isometry3, Point3};

use super::DT;
use super::check::Check;
use super::populate::Populated;

/// A joint closes until something that it moves is deeper than this in what is held (m), and gives way where something is deeper than the other.
const PRESSED: [f64; 2] = [0.001, 0.003];
/// A joint that has pressed keeps its place until nothing that it moves has touched what is held for as many steps.
const PATIENCE: u32 = 12;
/// A finger that would meet the hand keeps its place at first, then those beside it too; after so many rounds all fingers do.
const MOST_ROUNDS: usize = 4;
/// The hand may be deeper than this in what it holds in no step from when its fingers begin to close (m).
const DEEPEST: f64 = 0.0095;
/// What is held may have moved so far in the hand (m) since that was first turned over: a tenth of its size.
const MOST_SLIP: f64 = 0.1;
/// Fingers that have to touch it once the hand was first turned over.
const LEAST_FINGERS: usize = 4;

/// The hand of a scene.
pub struct Gripper {
    scene: SceneHand,
    linkage: Linkage,
    /// Where the bones stood at rest, inverted.
    rest: Vec<Isometry3<f64>>,
    hand: BodyId,
    held: BodyId,
    colliders: [ColliderId; 2],
    shape: ShapeId,
    /// The value of each joint that moves (rad), in the order of the bones after the palm's.
    values: Vec<f64>,
    /// How deep the bones are in what is held (m), and which touch it at all.
    depths: Vec<f64>,
    touched: Vec<bool>,
    /// Of each bone, for how many more steps its joint keeps its place.
    keeps: Vec<u32>,
    places: Vec<Point3<f32>>,
    /// The hand as its fingers would bend next, to see whether it would meet itself.
    ahead: PreparedShape,
    own: SelfScratch,
    meetings: Vec<[u32; 2]>,
    steps: u32,
    /// Steps after which triangles of the hand share a point that are no neighbours.
    tangled: u32,
    deepest: (f64, f64),
    /// Where the held body was in the hand when that was turned over, and how far its middle has come from there (m), and when (s).
    gripped: Option<Isometry3<f64>>,
    slip: (f64, f64),
    /// Which bones have touched it since.
    holding: Vec<bool>,
}

impl Gripper {
    /// The hand of a scene, if it has one.
    pub fn of_scene(scene: &Scene, run: &mut Populated) -> Result<Option<Gripper>> {
        let Some(own) = &scene.hand else { return Ok(None) };
        let linkage = Linkage::new(&own.joints)?;
        ensure!(linkage.links() == own.skin.bones(), "the hand has another number of joints than of bones");
        let mut rest = Vec::new();
        linkage.poses(&vec![0.0; linkage.degrees()], &mut rest);
        let [hand, held] = [own.body, own.held].map(|body| run.bodies[body]);
        let world = run.simulator.world();
        let colliders = [run.simulator.body(hand)?.collider(), run.simulator.body(held)?.collider()];
        let shape = world.shape_of(colliders[0])?;
        let places = mesh(world, shape)?.vertices().to_vec();
        let ahead = PreparedShape::new(world.shape(shape)?);
        run.simulator.world_mut().set_collides_with_itself(colliders[0], true)?;
        Ok(Some(Gripper {
            rest: rest.iter().map(Isometry3::inverse).collect(),
            values: vec![0.0; linkage.degrees()],
            depths: vec![0.0; linkage.links()],
            touched: vec![false; linkage.links()],
            keeps: vec![0; linkage.links()],
            holding: vec![false; linkage.links()],
            scene: own.clone(),
            linkage,
            hand,
            held,
            colliders,
            shape,
            places,
            ahead,
            own: SelfScratch::default(),
            meetings: Vec::new(),
            steps: 0,
            tangled: 0,
            deepest: (0.0, 0.0),
            gripped: None,
            slip: (0.0, 0.0),
        }))
    }

    fn time(&self) -> f64 {
        f64::from(self.steps) * DT
    }

    /// Moves the fingers on, and the hand along its path.
    pub fn step(&mut self, run: &mut Populated) -> Result<()> {
        let pose = *run.simulator.body(self.hand)?.pose();
        let next = self.scene.path.at(self.time() + DT);
        let linear = (next.translation.vector - pose.translation.vector) / DT;
        let angular = (next.rotation * pose.rotation.inverse()).scaled_axis() / DT;
        run.simulator.set_velocity(self.hand, linear, angular)?;
        if self.time() >= self.scene.closes && self.bend_free()? {
            run.simulator.world_mut().set_vertices(self.shape, &self.places)?;
            run.simulator.wake(self.held)?;
        }
        self.steps += 1;
        Ok(())
    }

    /// Bends the joints as far as the hand does not meet itself, and places its vertices; whether any moved.
    fn bend_free(&mut self) -> Result<bool> {
        let before = self.values.clone();
        if !self.bend() {
            return Ok(false);
        }
        for _ in 0..MOST_ROUNDS {
            self.place()?;
            self.ahead.set_vertices(&self.places)?;
            self.ahead.self_intersections_with(false, &mut self.own, &mut self.meetings);
            if self.meetings.is_empty() {
                return Ok(self.values != before);
            }
            self.keep_those_that_meet(&before)?;
        }
        self.values = before;
        self.place()?;
        Ok(false)
    }

    /// The fingers of which a triangle meets another stay where they were.
    fn keep_those_that_meet(&mut self, before: &[f64]) -> Result<()> {
        let Shape::Mesh(mesh) = self.ahead.shape() else { anyhow::bail!("the hand is no mesh") };
        let bones: Vec<u32> =
            self.meetings.iter().flatten().map(|&triangle| self.scene.skin.bone_of(mesh, triangle)).collect();
        for finger in self.scene.fingers.iter().filter(|own| own.iter().any(|bone| bones.contains(bone))) {
            for &bone in finger {
                self.values[bone as usize - 1] = before[bone as usize - 1];
            }
        }
        Ok(())
    }

    /// Where the vertices stand with the joints as they are.
    fn place(&mut self) -> Result<()> {
        let mut bones = Vec::new();
        self.linkage.poses(&self.values, &mut bones);
        bones.iter_mut().zip(&self.rest).for_each(|(bone, rest)| *bone *= rest);
        self.scene.skin.place(&bones, &mut self.places)?;
        Ok(())
    }

    /// Bends each joint on until what it moves presses, and back where it presses much; whether any moves.
    fn bend(&mut self) -> bool {
        let mut any = false;
        let [little, much] = PRESSED;
        for bones in &self.scene.fingers {
            for (k, &bone) in bones.iter().enumerate() {
                let pressed = bones[k..].iter().map(|&b| self.depths[b as usize]).fold(0.0, f64::max);
                let touches = bones[k..].iter().any(|&b| self.touched[b as usize]);
                let keeps = &mut self.keeps[bone as usize];
                *keeps = match *keeps {
                    _ if pressed > little => PATIENCE,
                    some if some > 0 && touches => PATIENCE,
                    some => some.saturating_sub(1),
                };
                let turn = match pressed {
                    p if p > much => -3.0 * self.scene.speed * DT,
                    _ if *keeps > 0 => 0.0,
                    _ => self.scene.speed * DT,
                };
                // The palm's bone has no value.
                let value = &mut self.values[bone as usize - 1];
                let turned = (*value + turn).clamp(0.0, self.scene.bends[k]);
                any |= turned != *value;
                *value = turned;
            }
        }
        any
    }

    /// Looks at the contacts of the step.
    pub fn look(&mut self, run: &Populated) -> Result<()> {
        let world = run.simulator.world();
        self.depths.fill(0.0);
        self.touched.fill(false);
        let mesh = mesh(world, self.shape)?;
        let [hand, held] = self.colliders;
        for manifold in world.manifolds_between(hand, held)? {
            let side = usize::from(manifold.colliders[1] == hand);
            for point in &manifold.points {
                let Some(triangle) = world.contact_triangles(manifold, point)?[side] else { continue };
                let bone = self.scene.skin.bone_of(mesh, triangle) as usize;
                self.depths[bone] = self.depths[bone].max(point.depth);
                self.touched[bone] = true;
            }
            if manifold.depth > self.deepest.0 && self.time() >= self.scene.closes {
                self.deepest = (manifold.depth, self.time());
            }
        }
        self.tangled += u32::from(!world.self_contacts(hand)?.is_empty());
        if self.time() >= self.scene.turned {
            let [hand, held] = [self.hand, self.held].map(|body| run.simulator.body(body));
            let now = hand?.pose().inv_mul(held?.pose());
            let then = *self.gripped.get_or_insert(now);
            let slip = (now.translation.vector - then.translation.vector).norm();
            self.holding.iter_mut().zip(&self.touched).for_each(|(held, touched)| *held |= touched);
            if slip > self.slip.0 {
                self.slip = (slip, self.time());
            }
        }
        Ok(())
    }

    /// The hand, by its index in the scene.
    pub fn body(&self) -> usize {
        self.scene.body
    }

    /// Where the vertices of the hand are (m, world).
    pub fn places(&self, run: &Populated) -> Result<Vec<[f32; 3]>> {
        let pose = run.simulator.body(self.hand)?.pose();
        let place = |p: &Point3<f32>| (pose * p.cast::<f64>()).cast::<f32>().coords.into();
        Ok(self.places.iter().map(place).collect())
    }

    /// The verdicts.
    pub fn checks(&self) -> Vec<Check> {
        let (deepest, when) = self.deepest;
        let depth = format!("the most after any step, at {when:.2} s");
        let (slip, at) = self.slip;
        let slipped = format!("the most of its middle, at {at:.2} s");
        let holds = |bones: &&Vec<u32>| bones.iter().any(|&bone| self.holding[bone as usize]);
        let fingers = self.scene.fingers.iter().filter(holds).count();
        let named = format!(
            "{fingers} of {} have touched it, by the bones of its contacts",
            self.scene.fingers.len()
        );
        let missing = LEAST_FINGERS.saturating_sub(fingers) as f64;
        let exact = "exact, neighbours left out".into();
        let of_grip = [
            Check::judged("motion of what is held, in the hand", 1e3 * slip, 1e3 * MOST_SLIP, "mm", slipped),
            Check::judged("fingers missing that hold it", missing, 0.0, "", named),
        ];
        let why = format!("judged after {} s", self.scene.turned);
        let long = self.time() >= self.scene.turned;
        let of_grip = of_grip.map(|check| if long { check } else { check.unjudged(&why) });
        let [moved, missing] = of_grip;
        vec![
            Check::judged(
                "steps after which the hand meets itself",
                f64::from(self.tangled),
                0.0,
                "steps",
                exact,
            ),
            Check::judged("depth of the hand in what it holds", 1e3 * deepest, 1e3 * DEEPEST, "mm", depth),
            moved,
            missing,
        ]
    }
}

fn mesh(world: &World, shape: ShapeId) -> Result<&impinge::TriMesh> {
    match world.shape(shape)? {
        Shape::Mesh(mesh) => Ok(mesh),
        _ => anyhow::bail!("the hand is no mesh"),
    }
}
