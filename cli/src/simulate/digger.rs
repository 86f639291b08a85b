//! Ground that is dug away, a ball in every step.

use std::sync::Arc;

use anyhow::{Result, bail};
use impinge::geometry::{LevelSet, LevelSetSettings};
use impinge::{PairQuery, QuerySettings, Shape, ShapeId, World};
use impinge_reference::{BodyId, StepSummary};
use impinge_scenes::{Scene, SceneDigger};

use super::check::Check;
use super::populate::Populated;

/// Steps between looks at all pairs.
const LOOK_EVERY: usize = 60;
/// Of the pairs with the ground an edit may ask so many again, in the mean (%).
const MOST_ASKED: f64 = 25.0;

/// Digs the ground of a scene.
pub struct Digger {
    scene: SceneDigger,
    ground: BodyId,
    shape: ShapeId,
    bodies: Vec<BodyId>,
    step: usize,
    edits: usize,
    /// Edits after which the surface's parts were found again.
    cuts: usize,
    asked: u64,
    pairs: u64,
    looks: u64,
    /// Whether the next step that is not split is looked at.
    due: bool,
    wrong: u64,
}

impl Digger {
    /// The digger of a scene, if it has one.
    pub fn of_scene(scene: &Scene, run: &Populated) -> Result<Option<Digger>> {
        let Some(digger) = &scene.digger else { return Ok(None) };
        let ground = run.bodies[digger.body];
        let shape = run.simulator.world().shape_of(run.simulator.body(ground)?.collider())?;
        let bodies = run.bodies.iter().copied().filter(|&body| body != ground).collect();
        Ok(Some(Digger {
            scene: digger.clone(),
            ground,
            shape,
            bodies,
            step: 0,
            edits: 0,
            cuts: 0,
            asked: 0,
            pairs: 0,
            looks: 0,
            due: false,
            wrong: 0,
        }))
    }

    /// Takes the next ball away.
    pub fn step(&mut self, run: &mut Populated) -> Result<()> {
        self.step += 1;
        let Some(&place) = self.scene.places.get(self.step - 1) else { return Ok(()) };
        let body = run.simulator.body(self.ground)?;
        let middle = body.pose().inverse_transform_point(&place);
        let (first, count, values) = {
            let levels = ground(run.simulator.world(), self.shape)?;
            let (size, spacing) = (levels.size(), levels.spacing().map(f64::from));
            let range = [0, 1, 2].map(|k| {
                let at = (middle[k] - f64::from(levels.origin()[k])) / spacing[k];
                // A cell more than the ball, so that its distances are known on both sides of its surface.
                let reach = self.scene.radius / spacing[k] + 1.0;
                let last = f64::from(size[k] - 1);
                [(at - reach).ceil().clamp(0.0, last) as u32, (at + reach).floor().clamp(0.0, last) as u32]
            });
            let [x, y, z] = range.map(|[from, to]| from..=to);
            let mut values = Vec::new();
            for k in z {
                for j in y.clone() {
                    for i in x.clone() {
                        let at = [i, j, k];
                        let along = |k: usize| f64::from(levels.along(k, at[k] as f32)) - middle[k];
                        let beyond = along(0).hypot(along(1)).hypot(along(2)) - self.scene.radius;
                        values.push(levels.value(at).max(-beyond as f32));
                    }
                }
            }
            (range.map(|[from, _]| from), range.map(|[from, to]| to + 1 - from), values)
        };
        let edit = run.simulator.world_mut().edit_levels(self.shape, first, count, &values)?;
        self.edits += 1;
        self.cuts += usize::from(edit.shells_changed);
        Ok(())
    }

    /// Looks at what the step has found: now and then all pairs are asked whether they touch ground made of its values. What a split step
    /// has found is not asked about: there pairs are carried along, and what comes to touch is found in the next.
    pub fn look(&mut self, run: &Populated, done: &StepSummary) -> Result<()> {
        let world = run.simulator.world();
        if self.step <= self.scene.places.len() {
            self.asked += done.edited_pairs as u64;
            self.pairs += self.bodies.len() as u64;
        }
        self.due |= self.step.is_multiple_of(LOOK_EVERY);
        if !self.due || done.detections > 1 {
            return Ok(());
        }
        self.due = false;
        let levels = ground(world, self.shape)?;
        let settings = LevelSetSettings { spacing: levels.spacing(), origin: levels.origin() };
        let [x, y, z] = levels.size();
        let all = (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])));
        let made: Shape =
            LevelSet::new(levels.size(), all.map(|at| levels.value(at)).collect(), &settings)?.into();
        let own = run.simulator.body(self.ground)?.collider();
        for &body in &self.bodies {
            let collider = run.simulator.body(body)?.collider();
            let query =
                PairQuery::new(&made, world.shape(world.shape_of(collider)?)?, QuerySettings::default())?;
            let touching = query.touching(&world.pose(own)?, &world.pose(collider)?)?;
            self.looks += 1;
            self.wrong += u64::from(touching == world.manifolds_between(own, collider)?.is_empty());
        }
        Ok(())
    }

    /// The body that is dug, by its index in the scene.
    pub fn body(&self) -> usize {
        self.scene.body
    }

    pub fn checks(&self) -> Vec<Check> {
        let asked = 100.0 * self.asked as f64 / self.pairs.max(1) as f64;
        let edits = format!("{} edits, {} of them cut or joined parts of the ground", self.edits, self.cuts);
        let looks = format!("of {} asked of ground made of its values", self.looks);
        vec![
            Check::judged("pairs that touch other than in new ground", self.wrong as f64, 0.0, "", looks),
            Check::judged("pairs with the ground that an edit asks again", asked, MOST_ASKED, "%", edits),
        ]
    }
}

fn ground(world: &World, shape: ShapeId) -> Result<Arc<LevelSet>> {
    match world.shape(shape)? {
        Shape::Levels(levels) => Ok(Arc::clone(levels)),
        _ => bail!("what is dug is no level set"),
    }
}
