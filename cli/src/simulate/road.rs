//! A road whose tiles are replaced under a vehicle.

use anyhow::Result;
use impinge::{NarrowMethod, ShapeId};
use impinge_reference::BodyId;
use impinge_scenes::{Scene, SceneRoad};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::check::Check;
use super::populate::Populated;
use crate::field_surface::terrain;

/// How much finer a tile is as long as the vehicle is on it.
const FINE: u32 = 2;
/// How far a contact's normal may be from the hills' (degrees).
const ASLANT: f64 = 1.0;
/// How much of its speed the vehicle may lose, hills included, as a share.
const SLOWER: f64 = 0.005;
/// How far it may leave the middle of the road (m).
const ASIDE: f64 = 0.02;
/// By how much its greatest jolt may be greater than on ground in one piece (m/s).
const JOLT: f64 = 0.01;
/// How far it may be from where it would be on such ground (m).
const OFF: f64 = 0.005;
/// Tiles passed, or the run shows nothing.
const LEAST_TILES: f64 = 3.0;

/// Keeps tiles under a vehicle and before it.
pub struct Road {
    scene: SceneRoad,
    shapes: Vec<ShapeId>,
    tiles: Vec<BodyId>,
    vehicle: BodyId,
    /// The number of the tile that each body stands for, and into how many its cells are divided.
    stands: Vec<(u32, u32)>,
    /// Where the vehicle began (m).
    start: Point3<f64>,
    /// The same drive on ground in one piece.
    twin: Populated,
    replaced: usize,
    passed: usize,
    /// Whether the run ends before the vehicle can have passed enough of them.
    short: bool,
    /// The farthest from the hills' normal that a contact's was (degrees), and where (m).
    aslant: (f64, Point3<f64>),
    contacts: u64,
    aside: f64,
    /// The farthest that it was from there (m).
    off: f64,
    /// The greatest change of the vertical velocity in a step, here and in one piece (m/s), and that velocity now.
    jolts: [f64; 2],
    rises: [Option<f64>; 2],
    slowest: f64,
}

impl Road {
    /// The road of a scene, if it has one.
    pub fn of_scene(scene: &Scene, run: &Populated, method: NarrowMethod) -> Result<Option<Road>> {
        let Some(road) = &scene.road else { return Ok(None) };
        let mut shapes = Vec::with_capacity(road.tiles.len());
        for &tile in &road.tiles {
            shapes.push(run.simulator.world().shape_of(run.simulator.body(run.bodies[tile])?.collider())?);
        }
        let body = |index: &usize| run.bodies[*index];
        let vehicle = run.bodies[road.vehicle];
        let start: Point3<f64> = run.simulator.body(vehicle)?.pose().translation.vector.into();
        let reach = start.x + (1.0 - SLOWER) * road.speed * super::DT * f64::from(scene.steps);
        // The tile under the vehicle stays, and the one behind it.
        let short = (reach / road.ground.tile_length()).floor() - 1.0 < LEAST_TILES;
        Ok(Some(Road {
            shapes,
            tiles: road.tiles.iter().map(body).collect(),
            vehicle,
            stands: (0..road.tiles.len() as u32).map(|tile| (tile, 1)).collect(),
            start,
            twin: twin(scene, road, method)?,
            scene: road.clone(),
            replaced: 0,
            passed: 0,
            short,
            aslant: (0.0, Point3::origin()),
            contacts: 0,
            aside: 0.0,
            off: 0.0,
            jolts: [0.0; 2],
            rises: [None; 2],
            slowest: f64::INFINITY,
        }))
    }

    /// Has the tile under the vehicle made finer, the one that it has left coarser again, and those far behind it stand before it as others.
    pub fn step(&mut self, run: &mut Populated) -> Result<()> {
        let length = self.scene.ground.tile_length();
        let at = run.simulator.body(self.vehicle)?.pose().translation.x;
        let under = (at / length).floor().max(0.0) as u32;
        for k in 0..self.tiles.len() {
            let (tile, fine) = self.stands[k];
            // One tile behind the vehicle stays.
            let next = if tile + 1 < under { tile + self.tiles.len() as u32 } else { tile };
            let wanted = if next == under { FINE } else { 1 };
            if (next, wanted) == (tile, fine) {
                continue;
            }
            run.simulator.world_mut().replace_shape(self.shapes[k], self.scene.ground.tile(next, wanted)?)?;
            self.replaced += 1;
            if next != tile {
                self.passed += 1;
                let place = Translation3::from(self.scene.ground.tile_place(next).coords);
                run.simulator.set_pose(self.tiles[k], place.into())?;
            }
            self.stands[k] = (next, wanted);
        }
        Ok(())
    }

    /// Looks at the contacts of the vehicle, and how the vehicle goes.
    pub fn look(&mut self, run: &Populated) -> Result<()> {
        let world = run.simulator.world();
        for manifold in world.manifolds_of(run.simulator.body(self.vehicle)?.collider())? {
            for point in &manifold.points {
                let p = point.position;
                let due = self.scene.ground.normal(p.x, p.y);
                let angle = manifold.normal_at(point).dot(&due).abs().min(1.0).acos().to_degrees();
                self.contacts += 1;
                if angle > self.aslant.0 {
                    self.aslant = (angle, p);
                }
            }
        }
        self.twin.simulator.step(super::DT)?;
        let body = run.simulator.body(self.vehicle)?;
        let place = body.pose().translation.vector;
        let other = self.twin.simulator.body(self.twin.bodies[self.scene.vehicle])?;
        let apart = place - other.pose().translation.vector;
        self.off = self.off.max(apart.norm());
        for (k, rise) in [body, other].map(|body| body.linear_velocity().z).into_iter().enumerate() {
            let before = self.rises[k].replace(rise).unwrap_or(rise);
            self.jolts[k] = self.jolts[k].max((rise - before).abs());
        }
        self.aside = self.aside.max((place.y - self.start.y).abs());
        self.slowest = self.slowest.min(body.linear_velocity().x);
        Ok(())
    }

    /// The tiles' bodies, by their indices in the scene.
    pub fn tiles(&self) -> impl Iterator<Item = usize> {
        self.scene.tiles.iter().copied()
    }

    /// Where the vertices of the tiles are (m, world).
    pub fn places(&self) -> Result<Vec<[f32; 3]>> {
        let mut places = Vec::new();
        for &(tile, _) in &self.stands {
            let place = self.scene.ground.tile_place(tile).coords.cast::<f32>();
            if let impinge::Shape::Field(field) = self.scene.ground.tile(tile, 1)? {
                let (vertices, _) = terrain(&field, f64::INFINITY);
                places.extend(vertices.iter().map(|p| <[f32; 3]>::from(p.coords + place)));
            }
        }
        Ok(places)
    }

    /// How far the vehicle has come.
    pub fn carried(&self, run: &Populated) -> Result<Isometry3<f64>> {
        let now = run.simulator.body(self.vehicle)?.pose().translation.vector;
        Ok(Translation3::from(Vector3::new(now.x - self.start.x, 0.0, now.z - self.start.z)).into())
    }

    pub fn checks(&self) -> Vec<Check> {
        let (angle, place) = self.aslant;
        let at =
            format!("of {} contact points; at x = {:.2} m, y = {:.2} m", self.contacts, place.x, place.y);
        let slower = 1.0 - self.slowest / self.scene.speed;
        let tiles = format!("{} tiles passed, {} times a shape replaced", self.passed, self.replaced);
        let [own, other] = self.jolts;
        let jolts = format!("{own:.3} m/s in a step, {other:.3} m/s there");
        let missing = (LEAST_TILES - self.passed as f64).max(0.0);
        let missing = Check::judged("tiles missing", missing, 0.0, "", tiles);
        vec![
            Check::judged("farthest of a contact's normal from the hills'", angle, ASLANT, "degrees", at),
            Check::judged(
                "speed lost at most",
                slower,
                SLOWER,
                "of it",
                format!("{:.2} m/s at least", self.slowest),
            ),
            Check::judged("farthest from the middle of the road", self.aside, ASIDE, "m", String::new()),
            Check::judged(
                "farthest from where it would be on ground in one piece",
                1e3 * self.off,
                1e3 * OFF,
                "mm",
                String::new(),
            ),
            Check::judged("greatest jolt more than on ground in one piece", own - other, JOLT, "m/s", jolts),
            if self.short { missing.unjudged("the run was short") } else { missing },
        ]
    }
}

/// The scene with all tiles that it can reach in one.
fn twin(scene: &Scene, road: &SceneRoad, method: NarrowMethod) -> Result<Populated> {
    let mut whole = scene.clone();
    let [first, others @ ..] = &road.tiles[..] else { anyhow::bail!("the road has no tiles") };
    let reach = road.speed * super::DT * f64::from(scene.steps) / road.ground.tile_length();
    let shape = whole.bodies[*first].shape;
    whole.shapes[shape].shape = road.ground.whole(reach as u32 + road.tiles.len() as u32 + 1)?;
    // Behind all other bodies, so that none of theirs has another number.
    whole.bodies.retain({
        let mut index = 0;
        move |_| {
            index += 1;
            !others.contains(&(index - 1))
        }
    });
    let world = impinge::World::builder().backend(impinge::Backend::Cpu).threads(1).build()?;
    Populated::new(world, &whole, false, method)
}
