//! Loops that lie near each other: seen together in one view.

use nalgebra::{Point3, Vector3};

use super::{Contours, Loop};

/// Loops whose boxes overlap, directly or through others of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Indices into [`Contours::loops`], rising.
    pub loops: Vec<u32>,
    /// Sum of the loops' area vectors (m²).
    pub gradient: Vector3<f64>,
    /// Least and greatest corner of the box around all of them (m, pair frame).
    pub aabb: [Point3<f64>; 2],
    /// Whether every loop is closed.
    pub closed: bool,
    /// Whether every loop belongs to virtual faces only.
    pub virtual_face: bool,
}

/// Groups the loops whose boxes overlap (touching counts); ordered by their first loop.
pub fn clusters(contours: &Contours) -> Vec<Cluster> {
    let loops = &contours.loops;
    let mut by_low: Vec<u32> = (0..loops.len() as u32).collect();
    by_low.sort_by(|&i, &j| low(loops, i).total_cmp(&low(loops, j)));
    let mut parent: Vec<u32> = (0..loops.len() as u32).collect();
    for (at, &i) in by_low.iter().enumerate() {
        let own = &loops[i as usize];
        for &j in &by_low[at + 1..] {
            if low(loops, j) > own.aabb[1].x {
                break;
            }
            if overlap(own, &loops[j as usize]) {
                let (p, q) = (root(&mut parent, i), root(&mut parent, j));
                parent[p.max(q) as usize] = p.min(q);
            }
        }
    }
    gather(loops, &mut parent)
}

fn gather(loops: &[Loop], parent: &mut [u32]) -> Vec<Cluster> {
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut place = vec![u32::MAX; loops.len()];
    for (i, own) in loops.iter().enumerate() {
        let top = root(parent, i as u32) as usize;
        if place[top] == u32::MAX {
            place[top] = clusters.len() as u32;
            clusters.push(Cluster {
                loops: Vec::new(),
                gradient: Vector3::zeros(),
                aabb: own.aabb,
                closed: true,
                virtual_face: true,
            });
        }
        let cluster = &mut clusters[place[top] as usize];
        cluster.loops.push(i as u32);
        cluster.gradient += own.gradient;
        cluster.aabb = [cluster.aabb[0].inf(&own.aabb[0]), cluster.aabb[1].sup(&own.aabb[1])];
        cluster.closed &= own.closed;
        cluster.virtual_face &= own.is_virtual();
    }
    clusters
}

fn low(loops: &[Loop], i: u32) -> f64 {
    loops[i as usize].aabb[0].x
}

fn overlap(a: &Loop, b: &Loop) -> bool {
    (0..3).all(|k| a.aabb[0][k] <= b.aabb[1][k] && b.aabb[0][k] <= a.aabb[1][k])
}

/// The lowest member of a set; the lowest always becomes the root.
fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}
