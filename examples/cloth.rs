//! A small cloth by position-based dynamics (Müller, Heidelberger, Hennix, Ratcliff 2007): it falls over a knot, folds, and crosses neither that nor itself,
//! which exact tests confirm at the end.
//!
//! `cargo run --release --example cloth`

use std::error::Error;

use impinge::prelude::*;
use impinge::query::{SheetPoint, SheetQuery, SheetScratch};
use impinge_scenes::mesh::Knot;

/// Vertices along a side, and the side's length (m).
const SIDE: usize = 36;
const LENGTH: f64 = 1.5;
/// How thick the cloth is, and how far a vertex goes in a step at most (m).
const THICKNESS: f64 = 0.02;
const REACH: f64 = 0.5 * THICKNESS;
/// A step (s), how many there are, and how often all is gone through in each.
const STEP: f64 = 1.0 / 240.0;
const STEPS: usize = 600;
const ROUNDS: usize = 8;
/// Coefficient of friction.
const FRICTION: f64 = 0.6;
/// Of its distance, or of what it should keep, a pair has to have so much left.
const LEFT: f64 = 0.2;

struct Cloth {
    places: Vec<Point3<f64>>,
    velocities: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
    /// Two vertices and how far apart they want to be (m).
    links: Vec<([usize; 2], f64)>,
}

/// Two places to be kept apart: vertices and what they weigh, the first's above 0; of a body its place.
struct Pair {
    corners: Vec<(usize, f64)>,
    body: Option<Point3<f64>>,
    normal: Vector3<f64>,
    distance: f64,
    keep: f64,
}

impl Cloth {
    fn new() -> Cloth {
        let at = |k: usize| LENGTH * (k as f64 / (SIDE - 1) as f64 - 0.5);
        let name = |i: usize, j: usize| j * SIDE + i;
        let places: Vec<_> =
            (0..SIDE * SIDE).map(|k| Point3::new(at(k % SIDE), at(k / SIDE), 0.45)).collect();
        let (mut triangles, mut ends) = (Vec::new(), Vec::new());
        for j in 0..SIDE {
            for i in 0..SIDE {
                // Edges, and across two squares what keeps it from folding sharply.
                for (di, dj) in [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)] {
                    if i + di < SIDE && j + dj < SIDE {
                        ends.push([name(i, j), name(i + di, j + dj)]);
                    }
                }
                if i + 1 < SIDE && j + 1 < SIDE {
                    let [a, b, c, d] = [name(i, j), name(i + 1, j), name(i + 1, j + 1), name(i, j + 1)];
                    triangles.extend([[a, b, c], [a, c, d]].map(|t| t.map(|v| v as u32)));
                }
            }
        }
        let links = ends.into_iter().map(|[a, b]| ([a, b], (places[b] - places[a]).norm())).collect();
        Cloth { velocities: vec![Vector3::zeros(); places.len()], places, triangles, links }
    }

    fn rounded(&self) -> Vec<Point3<f32>> {
        self.places.iter().map(|p| p.cast()).collect()
    }

    fn step(&mut self, pairs: &[Pair]) {
        let last = self.places.clone();
        for (place, velocity) in self.places.iter_mut().zip(&self.velocities) {
            *place += (velocity + Vector3::new(0.0, 0.0, -9.81 * STEP)) * STEP;
        }
        for _ in 0..ROUNDS {
            for ([a, b], length) in &self.links {
                let apart = self.places[*b] - self.places[*a];
                let shift = apart * (0.5 * (1.0 - length / apart.norm().max(1e-12)));
                self.places[*a] += shift;
                self.places[*b] -= shift;
            }
            pairs.iter().for_each(|pair| pair.keep_apart(&mut self.places, &last));
        }
        for (place, from) in self.places.iter_mut().zip(&last) {
            let way = *place - from;
            *place = from + way * (REACH / way.norm().max(REACH));
        }
        // What would all but cross goes half of its way, and half again.
        for _ in 0..12 {
            for pair in pairs {
                if pair.apart(&self.places) < LEFT * pair.distance.min(pair.keep) {
                    for &(v, _) in &pair.corners {
                        self.places[v] = nalgebra::center(&self.places[v], &last[v]);
                    }
                }
            }
        }
        for ((place, from), velocity) in self.places.iter().zip(&last).zip(&mut self.velocities) {
            *velocity = (place - from) * (0.995 / STEP);
        }
    }
}

impl Pair {
    fn new(triangles: &[[u32; 3]], point: &SheetPoint, of_body: bool) -> Pair {
        let mut corners = Vec::new();
        for (side, sense) in [(0, 1.0), (1, -1.0)] {
            if let Some(t) = point.triangles[side].filter(|_| side == 0 || !of_body) {
                let weights = point.weights[side].map(|w| sense * w);
                corners.extend(triangles[t as usize].map(|v| v as usize).into_iter().zip(weights));
            }
        }
        corners.retain(|(_, weight)| *weight != 0.0);
        let body = of_body.then_some(point.points[1]);
        Pair { corners, body, normal: point.normal, distance: point.distance, keep: point.keep }
    }

    /// How far the second place is from the first along the line that was between them (m).
    fn apart(&self, places: &[Point3<f64>]) -> f64 {
        let sheet: Vector3<f64> = self.corners.iter().map(|&(v, weight)| places[v].coords * weight).sum();
        self.normal.dot(&(self.body.map_or(Vector3::zeros(), |p| p.coords) - sheet))
    }

    /// Pushes them apart, and takes back of what they slid past each other as much as friction holds.
    fn keep_apart(&self, places: &mut [Point3<f64>], last: &[Point3<f64>]) {
        let missing = self.keep - self.apart(places);
        let weights: f64 = self.corners.iter().map(|(_, weight)| weight * weight).sum();
        if missing > 0.0 && weights > 0.0 {
            let moved: Vector3<f64> = self.corners.iter().map(|&(v, w)| (places[v] - last[v]) * w).sum();
            let slid = moved - self.normal * moved.dot(&self.normal);
            let held = slid * (FRICTION * missing / slid.norm().max(1e-12)).min(1.0);
            for &(v, weight) in &self.corners {
                places[v] -= (self.normal * missing + held) * (weight / weights);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut cloth = Cloth::new();
    let knot = PreparedShape::new(&Shape::from(Knot::default().mesh()?));
    let mesh = TriMesh::new(cloth.rounded(), cloth.triangles.clone())?;
    let mut query = SheetQuery::new(mesh.clone(), THICKNESS)?;
    query.set_margin(2.0 * REACH)?;
    let here = Isometry3::identity();
    let (mut scratch, mut found) = (SheetScratch::default(), Vec::new());
    let mut most = 0;
    for step in 1..=STEPS {
        query.set_vertices(&cloth.rounded())?;
        query.self_contacts(&mut scratch, &mut found);
        let folded = found.len();
        let mut pairs: Vec<Pair> = found.iter().map(|p| Pair::new(&cloth.triangles, p, false)).collect();
        query.contacts(&here, &knot, &here, &mut scratch, &mut found)?;
        pairs.extend(found.iter().map(|p| Pair::new(&cloth.triangles, p, true)));
        most = most.max(folded);
        if step % 60 == 0 {
            let lowest = cloth.places.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
            println!(
                "{:.2} s: lowest {lowest:.3} m; near the knot {}, near itself {folded}",
                step as f64 * STEP,
                found.len()
            );
        }
        cloth.step(&pairs);
    }
    let mut now = PreparedShape::new(&Shape::from(mesh));
    now.set_vertices(&cloth.rounded())?;
    let with_itself = now.self_intersections().len();
    let with_knot = PairQuery::between(&now, &knot).count_triangle_pairs(&here, &here)?;
    println!(
        "exactly: {with_itself} pairs of its own triangles cross, {with_knot} with the knot; at most {most} places near itself"
    );
    if with_itself > 0 || with_knot > 0 {
        return Err("the cloth has crossed something".into());
    }
    Ok(())
}
