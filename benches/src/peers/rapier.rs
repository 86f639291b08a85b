//! rapier's broad phase, without the rest of the engine: a box is set, pairs come and go as events.

use std::collections::BTreeSet;

use impinge_broadphase::Pair;
use impinge_geometry::Aabb;
use rapier3d::prelude::{
    ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderSet,
    IntegrationParameters, RigidBodySet, Vector,
};

use super::Contender;
use crate::boxes::Boxes;

pub struct Rapier {
    parameters: IntegrationParameters,
    colliders: ColliderSet,
    bodies: RigidBodySet,
    handles: Vec<ColliderHandle>,
    broad_phase: BroadPhaseBvh,
    /// All events so far.
    events: Vec<BroadPhasePairEvent>,
}

impl Rapier {
    pub fn new(boxes: &Boxes) -> Rapier {
        let mut colliders = ColliderSet::new();
        let every = ActiveCollisionTypes::all();
        let ball = || ColliderBuilder::ball(0.5).active_collision_types(every);
        let handles = boxes.boxes.iter().map(|_| colliders.insert(ball())).collect();
        let mut rapier = Rapier {
            parameters: IntegrationParameters::default(),
            colliders,
            bodies: RigidBodySet::new(),
            handles,
            broad_phase: BroadPhaseBvh::new(),
            events: Vec::new(),
        };
        let all: Vec<(u32, Aabb)> = (0..).zip(boxes.boxes.iter().copied()).collect();
        rapier.step(&all);
        rapier
    }
}

impl Contender for Rapier {
    fn who(&self) -> &'static str {
        "rapier"
    }

    fn step(&mut self, moved: &[(u32, Aabb)]) {
        let vector = |x: [f32; 3]| Vector::new(x[0], x[1], x[2]);
        for (i, aabb) in moved {
            let aabb = parry3d::bounding_volume::Aabb { mins: vector(aabb.min), maxs: vector(aabb.max) };
            self.broad_phase.set_aabb(&self.parameters, self.handles[*i as usize], aabb);
        }
        let Rapier { parameters, colliders, bodies, broad_phase, events, .. } = self;
        broad_phase.update(parameters, colliders, bodies, &[], &[], events);
    }

    fn pairs(&self) -> Option<Vec<Pair>> {
        let slot = |handle: ColliderHandle| handle.into_raw_parts().0;
        let mut pairs = BTreeSet::new();
        for event in &self.events {
            match event {
                BroadPhasePairEvent::AddPair(pair) => {
                    pairs.insert(Pair::new(slot(pair.collider1), slot(pair.collider2)));
                }
                BroadPhasePairEvent::DeletePair(pair) => {
                    pairs.remove(&Pair::new(slot(pair.collider1), slot(pair.collider2)));
                }
            }
        }
        Some(pairs.into_iter().collect())
    }

    fn memory(&self) -> usize {
        0
    }
}
