//! How deep bodies are in each other, whoever put them there: the least translation that parts them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use impinge::query::QueryScratch;
use impinge::{PairQuery, QuerySettings};
use impinge_geometry::{Shape, TriMesh};
use impinge_oracle::{Movable, Search};
use impinge_scenes::Scene;
use impinge_scenes::random::Random;
use nalgebra::Isometry3;
use rayon::prelude::*;

/// Touching pairs that are measured.
const SAMPLES: usize = 50;

/// Depths of sampled pairs (m), sorted; and how many pairs touch.
pub struct Depths {
    pub sampled: Vec<f64>,
    pub touching: usize,
}

impl Depths {
    /// Of the bodies of a scene at `poses`: of all pairs that touch, exactly, 50 by lot.
    pub fn new(scene: &Scene, poses: &[Isometry3<f64>]) -> anyhow::Result<Depths> {
        let queries = queries(scene)?;
        let query = |[a, b]: [usize; 2]| &queries[&[scene.bodies[a].shape, scene.bodies[b].shape]];
        let mut touching = Vec::new();
        let mut scratch = QueryScratch::default();
        for b in 0..poses.len() {
            for a in 0..b {
                if !near(scene, [a, b], poses) {
                    continue;
                }
                if query([a, b]).touching_with(&poses[a], &poses[b], &mut scratch)? {
                    touching.push([a, b]);
                }
            }
        }
        let mut random = Random::new(7);
        for k in (1..touching.len()).rev() {
            touching.swap(k, random.index(k + 1));
        }
        let sampled = &touching[..touching.len().min(SAMPLES)];
        let depth = |&[a, b]: &[usize; 2]| -> anyhow::Result<f64> {
            let (at, meshes) = ([&poses[a], &poses[b]], [mesh(scene, a), mesh(scene, b)]);
            // The ways that contacts would take are tried first, for all alike.
            let contacts = query([a, b]).contacts(at[0], at[1])?;
            let normals: Vec<_> = contacts.iter().map(|manifold| manifold.normal).collect();
            Ok(Movable::new(meshes, at).least_translation(&normals, &SEARCH).distance)
        };
        let mut sampled: Vec<f64> = sampled.par_iter().map(depth).collect::<Result<_, _>>()?;
        sampled.sort_by(f64::total_cmp);
        Ok(Depths { sampled, touching: touching.len() })
    }

    /// The depth that a share of the sampled pairs do not exceed (m); 0 where nothing touches.
    pub fn at(&self, share: f64) -> f64 {
        let rank = (share * self.sampled.len() as f64).ceil() as usize;
        self.sampled.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    }
}

const SEARCH: Search = Search {
    directions: 400,
    places: 4,
    gain: 0.9995,
    growth: 1.1,
    cones: 8,
    narrowing: 0.6,
    rounds: 1,
    around: 8,
    halvings: 12,
};

fn mesh(scene: &Scene, body: usize) -> &TriMesh {
    match &scene.shapes[scene.bodies[body].shape].shape {
        Shape::Mesh(mesh) => mesh,
        other => unreachable!("{other:?} was refused"),
    }
}

/// A question for each pair of shapes that bodies have.
fn queries(scene: &Scene) -> anyhow::Result<BTreeMap<[usize; 2], PairQuery>> {
    for shape in &scene.shapes {
        anyhow::ensure!(matches!(shape.shape, Shape::Mesh(_)), "{} is no mesh", shape.name);
    }
    let mut queries = BTreeMap::new();
    for (k, b) in scene.bodies.iter().enumerate() {
        for a in &scene.bodies[..k] {
            if let Entry::Vacant(entry) = queries.entry([a.shape, b.shape]) {
                let [a, b] = [a, b].map(|body| &scene.shapes[body.shape].shape);
                entry.insert(PairQuery::new(a, b, QuerySettings::default())?);
            }
        }
    }
    Ok(queries)
}

fn near(scene: &Scene, pair: [usize; 2], poses: &[Isometry3<f64>]) -> bool {
    if pair.iter().all(|&k| scene.bodies[k].fixed) {
        return false;
    }
    let spheres = pair.map(|k| {
        let sphere = scene.sphere(scene.bodies[k].shape)?;
        Some((poses[k] * sphere.center.cast::<f64>(), f64::from(sphere.radius)))
    });
    match spheres {
        [Some((p, r)), Some((q, s))] => (p - q).norm() < r + s,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use impinge_scenes::SceneParams;

    use super::*;

    /// A knot that stands in the floor of a bin leaves it upward: by as much as its lowest point is under it.
    #[test]
    fn what_stands_in_the_floor_is_as_deep_as_its_lowest_point() {
        let params = SceneParams { bodies: Some(1), ..SceneParams::default() };
        let scene = impinge_scenes::scene("bin", &params).unwrap();
        let moving = (0..scene.bodies.len()).find(|&k| !scene.bodies[k].fixed).unwrap();
        let mut poses: Vec<_> = scene.bodies.iter().map(|body| body.pose).collect();
        assert_eq!(Depths::new(&scene, &poses).unwrap().touching, 0);
        let lowest = |pose: &Isometry3<f64>| {
            let heights = mesh(&scene, moving).vertices().iter().map(|v| (pose * v.cast::<f64>()).z);
            heights.fold(f64::INFINITY, f64::min)
        };
        poses[moving].translation.z -= lowest(&poses[moving]) + 0.01;
        let depths = Depths::new(&scene, &poses).unwrap();
        assert_eq!(depths.touching, 1);
        assert!((depths.at(0.5) / 0.01 - 1.0).abs() < 0.01, "{}", depths.at(0.5));
        assert_eq!(depths.at(1.0), depths.at(0.5));
    }
}
