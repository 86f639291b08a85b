//! An arm that goes from sample to sample and turns back where it would touch something.

use anyhow::{Result, bail};
use impinge::chain::{Chain, ChainPartner, ChainScratch, ChainSweep};
use impinge::query::QueryScratch;
use impinge::{PairQuery, PreparedShape, QueryFilter, ShapeId};
use impinge_reference::BodyId;
use impinge_scenes::{Scene, SceneArm};

use super::check::Check;
use super::populate::{ARM, Populated};

/// Poses of a step that are tested exactly.
const LOOKS: u32 = 4;
/// The gap that is left at a stop (m).
const GAP: f64 = 1e-5;
/// A run that stops less often shows nothing.
const LEAST_STOPS: f64 = 3.0;

/// Moves the arm of a scene.
pub struct DrivenArm {
    chain: Chain,
    scene: SceneArm,
    links: Vec<BodyId>,
    shapes: Vec<ShapeId>,
    /// The samples that it goes between, how far it has come (0 to 1), and whether it goes back.
    ends: [Vec<f64>; 2],
    share: f64,
    back: bool,
    sample: usize,
    /// Before the last step and after it.
    way: [Vec<f64>; 2],
    scratch: ChainScratch,
    query: QueryScratch,
    stops: u32,
    /// Against itself.
    own_stops: u32,
    looks: u64,
    touching: u64,
    /// The greatest gap at a stop (m).
    widest: f64,
}

impl DrivenArm {
    /// The arm of a scene, if it has one.
    pub fn of_scene(scene: &Scene, run: &Populated) -> Result<Option<DrivenArm>> {
        let Some(arm) = &scene.arm else { return Ok(None) };
        let shape = |&body: &usize| Some(PreparedShape::new(&scene.shapes[scene.bodies[body].shape].shape));
        let chain = Chain::new(arm.bodies.iter().map(shape).collect(), &arm.joints)?;
        let [first, second, ..] = &arm.samples[..] else { bail!("the arm has nowhere to go") };
        let links: Vec<BodyId> = arm.bodies.iter().map(|&body| run.bodies[body]).collect();
        let mut shapes = Vec::with_capacity(links.len());
        for &link in &links {
            shapes.push(run.simulator.world().collider(run.simulator.body(link)?.collider())?.shape);
        }
        Ok(Some(DrivenArm {
            chain,
            scene: arm.clone(),
            links,
            shapes,
            ends: [first.clone(), second.clone()],
            share: 0.0,
            back: false,
            sample: 1,
            way: [first.clone(), first.clone()],
            scratch: ChainScratch::default(),
            query: QueryScratch::default(),
            stops: 0,
            own_stops: 0,
            looks: 0,
            touching: 0,
            widest: 0.0,
        }))
    }

    /// Moves the arm on, as far as nothing is in the way; where something is, it goes back from the next step on.
    pub fn step(&mut self, run: &mut Populated) -> Result<()> {
        let pace = 1.0 / f64::from(self.scene.steps);
        let goal = if self.back { (self.share - pace).max(0.0) } else { (self.share + pace).min(1.0) };
        let way = [self.share, goal].map(|share| between(&self.ends, share));
        let queries = run.simulator.world_mut().shape_queries();
        let values = [&way[0][..], &way[1][..]];
        let found =
            queries.sweep_chain_with(&self.chain, values, &elsewhere(), Some(GAP), &mut self.scratch)?;
        if let ChainSweep::Impact(met) = &found {
            self.stops += 1;
            self.own_stops += u32::from(matches!(met.partner, ChainPartner::Link(_)));
            self.widest = self.widest.max(met.impact.gap);
        }
        self.share += (goal - self.share) * found.time().unwrap_or(1.0);
        let stopped = between(&self.ends, self.share);
        for (&link, pose) in self.links.iter().zip(self.chain.poses(&stopped)?) {
            run.simulator.set_pose(link, pose)?;
        }
        let [before, _] = way;
        match (found.time(), self.back) {
            (Some(_), false) => self.back = true,
            // It stands at the first sample again, at the next, or between both with something in its way back, too.
            (None, true) if self.share > 0.0 => {}
            (None, false) if self.share < 1.0 => {}
            _ => {
                self.sample = (self.sample + 1) % self.scene.samples.len();
                self.ends = [stopped.clone(), self.scene.samples[self.sample].clone()];
                (self.share, self.back) = (0.0, false);
            }
        }
        self.way = [before, stopped];
        Ok(())
    }

    /// Tests exactly whether anything touches on the way of the last step.
    pub fn look(&mut self, run: &mut Populated) -> Result<()> {
        let queries = run.simulator.world_mut().shape_queries();
        for look in 1..=LOOKS {
            let poses = self.chain.poses(&between(&self.way, f64::from(look) / f64::from(LOOKS)))?;
            self.looks += 1;
            let mut touches = false;
            for (&shape, pose) in self.shapes.iter().zip(&poses) {
                touches = touches || queries.touches_with(shape, pose, &elsewhere(), &mut self.query)?;
            }
            for &[a, b] in self.chain.pairs() {
                let shapes = self.chain.shapes();
                if let [Some(of_a), Some(of_b)] = [&shapes[a], &shapes[b]] {
                    let pair = PairQuery::between(of_a, of_b);
                    touches = touches || pair.touching_with(&poses[a], &poses[b], &mut self.query)?;
                }
            }
            self.touching += u64::from(touches);
        }
        Ok(())
    }

    /// The verdicts.
    pub fn checks(&self) -> Vec<Check> {
        let note = format!("of {} configurations tested exactly", self.looks);
        let stops = format!("{} stops, {} of them of links against links", self.stops, self.own_stops);
        let missing = (LEAST_STOPS - f64::from(self.stops)).max(0.0);
        vec![
            Check::judged("configurations in which the arm touches", self.touching as f64, 0.0, "", note),
            Check::judged("greatest gap at a stop", 1e3 * self.widest, 1e3 * GAP, "mm", stops.clone()),
            Check::judged("stops missing", missing, 0.0, "", stops),
        ]
    }
}

/// All but the arm's own links.
fn elsewhere() -> QueryFilter {
    QueryFilter::new().exclude_part(ARM)
}

fn between([from, to]: &[Vec<f64>; 2], share: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + (to - from) * share).collect()
}
