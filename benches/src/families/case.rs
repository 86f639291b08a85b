//! One pair at one placement, and its answer in the frame of the family.
//!
//! A family builds its pair in sizes of about one. A case scales it, turns and moves it in the
//! world, changes the order of its vertices and triangles, and may exchange A and B. Answers come
//! back in the frame and the sizes of the family.

use std::sync::Arc;

use impinge::geometry::{Diagonals, HeightField, HeightFieldSettings};
use impinge::query::QueryScratch;
use impinge::{Manifold, PairQuery, QuerySettings, Shape};
use impinge_geometry::TriMesh;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::ground::Ground;
use super::log_between;
use super::solid::Solid;
use super::translation::{Constraint, shortest};

/// Steps in which a body is pushed until it touches, and how far at most, in sizes of the family.
const STEP: f64 = 0.02;
const REACH: f64 = 3.0;

/// A body of a family.
pub enum Body {
    Solid(Solid),
    /// A primitive ball.
    Ball(f64),
    /// A height field.
    Field(Ground),
}

/// A pair at one placement.
#[derive(Clone, Debug)]
pub struct Case {
    query: PairQuery,
    /// Poses of A and B, as the query takes them.
    poses: [Isometry3<f64>; 2],
    settings: QuerySettings,
    /// The second body of the family is A.
    exchanged: bool,
    scale: f64,
    /// The frame of the family in the world.
    frame: Isometry3<f64>,
    /// The bodies' surfaces after rounding, in the family's frame.
    surfaces: [Vec<[Point3<f64>; 3]>; 2],
    /// The way that the second body was moved since, in the family's frame.
    travel: Vector3<f64>,
}

/// A manifold in the frame of the family: its normal points from the first body to the second.
#[derive(Clone, Debug)]
pub struct Contact {
    pub normal: Vector3<f64>,
    pub depth: f64,
    pub points: Vec<Touch>,
}

/// A point of a manifold.
#[derive(Clone, Debug)]
pub struct Touch {
    pub at: Point3<f64>,
    pub depth: f64,
    pub normal: Vector3<f64>,
    pub weight: f64,
}

impl Case {
    /// Builds the pair of two bodies at poses in the family's frame.
    ///
    /// # Errors
    /// Fails for a surface that is not closed and for settings out of range.
    pub fn new(
        bodies: [Body; 2],
        poses: [Isometry3<f64>; 2],
        settings: QuerySettings,
        random: &mut Random,
    ) -> anyhow::Result<Case> {
        let scale = log_between(random, 1e-2, 1e2);
        let away = random.direction() * (3.0 * scale * random.unit());
        let frame = Isometry3::from_parts(Translation3::from(away), random.rotation());
        let (mut shapes, mut placed, mut surfaces) = (Vec::new(), Vec::new(), Vec::new());
        for (body, pose) in bodies.into_iter().zip(poses) {
            let rounded = rounded(body, scale, random)?;
            let pose = pose * rounded.turn.inverse();
            surfaces.push(rounded.surface.iter().map(|t| t.map(|p| pose * p)).collect());
            let at = Translation3::from(pose.translation.vector * scale);
            placed.push(frame * Isometry3::from_parts(at, pose.rotation));
            shapes.push(rounded.shape);
        }
        let exchanged = random.index(2) == 1;
        if exchanged {
            shapes.swap(0, 1);
            placed.swap(0, 1);
        }
        Ok(Case {
            query: PairQuery::new(&shapes[0], &shapes[1], settings)?,
            poses: [placed[0], placed[1]],
            settings,
            exchanged,
            scale,
            frame,
            surfaces: [surfaces.remove(0), surfaces.remove(0)],
            travel: Vector3::zeros(),
        })
    }

    /// Returns the same placement with A and B exchanged.
    ///
    /// # Errors
    /// Fails for settings out of range.
    pub fn exchange(&self) -> anyhow::Result<Case> {
        let [a, b] = self.query.prepared();
        let query = PairQuery::between(b, a).with_settings(self.settings)?;
        let poses = [self.poses[1], self.poses[0]];
        Ok(Case { query, poses, exchanged: !self.exchanged, ..self.clone() })
    }

    /// Returns the same placement with other settings.
    ///
    /// # Errors
    /// Fails for settings out of range.
    pub fn with(&self, settings: QuerySettings) -> anyhow::Result<Case> {
        Ok(Case { query: self.query.with_settings(settings)?, settings, ..self.clone() })
    }

    /// Moves the second body by a translation in the family's frame.
    pub fn advance(&mut self, by: &Vector3<f64>) {
        self.poses = self.poses_after(by);
        self.travel += by;
        self.surfaces[1].iter_mut().for_each(|t| *t = t.map(|p| p + by));
    }

    /// Returns how far the second body was moved, in the family's frame.
    pub fn travel(&self) -> Vector3<f64> {
        self.travel
    }

    /// Returns the poses of A and B after the second body is moved.
    fn poses_after(&self, by: &Vector3<f64>) -> [Isometry3<f64>; 2] {
        let second = usize::from(!self.exchanged);
        let mut poses = self.poses;
        let by = Translation3::from(self.frame.rotation * (by * self.scale));
        poses[second] = by * poses[second];
        poses
    }

    /// Returns a body's surface after rounding, in the family's frame.
    pub fn surface(&self, body: usize) -> &[[Point3<f64>; 3]] {
        &self.surfaces[body]
    }

    pub fn query(&self) -> &PairQuery {
        &self.query
    }

    pub fn poses(&self) -> &[Isometry3<f64>; 2] {
        &self.poses
    }

    /// Tests exactly whether the bodies touch after the second one is moved.
    pub fn touches(&self, by: &Vector3<f64>, scratch: &mut QueryScratch) -> anyhow::Result<bool> {
        let poses = self.poses_after(by);
        Ok(self.query.touching_with(&poses[0], &poses[1], scratch)?)
    }

    /// Returns the manifolds, deepest first.
    ///
    /// # Errors
    /// Those of the query.
    pub fn contacts(&self, scratch: &mut QueryScratch) -> anyhow::Result<Vec<Contact>> {
        let manifolds = self.query.contacts_with(&self.poses[0], &self.poses[1], scratch)?;
        let mut contacts: Vec<Contact> = manifolds.iter().map(|m| self.contact(m)).collect();
        contacts.sort_by(|p, q| q.depth.total_cmp(&p.depth));
        Ok(contacts)
    }

    fn contact(&self, manifold: &Manifold) -> Contact {
        let sign = if self.exchanged { -1.0 } else { 1.0 };
        let turn: UnitQuaternion<f64> = self.frame.rotation.inverse();
        let point = |p: &impinge::ContactPoint| Touch {
            at: Point3::from((self.frame.inverse() * p.position).coords / self.scale),
            depth: p.depth / self.scale,
            normal: turn * manifold.normal_at(p) * sign,
            weight: p.weight / self.scale.powi(2),
        };
        Contact {
            normal: turn * manifold.normal * sign,
            depth: manifold.depth / self.scale,
            points: manifold.points.iter().map(point).collect(),
        }
    }

    /// Moves the second body along `direction` (unit) until the bodies touch, and then `deeper`.
    /// Returns whether they touch there.
    ///
    /// # Errors
    /// Those of the query.
    pub fn push(&mut self, direction: &Vector3<f64>, deeper: f64) -> anyhow::Result<bool> {
        let scratch = &mut QueryScratch::default();
        let mut touches = |at: f64| self.touches(&(direction * at), scratch);
        let mut near = 0.0;
        while near < REACH && !touches(near)? {
            near += STEP;
        }
        if near == 0.0 || near >= REACH {
            return Ok(false);
        }
        let mut free = near - STEP;
        for _ in 0..30 {
            let middle = 0.5 * (free + near);
            if touches(middle)? { near = middle } else { free = middle }
        }
        let lands = touches(near + deeper)?;
        self.advance(&(direction * (near + deeper)));
        Ok(lands)
    }
}

/// Returns the shortest translation that satisfies all contacts, each with one per cent to spare.
pub fn joint_translation(contacts: &[Contact], spare: f64) -> Option<Vector3<f64>> {
    let constraint = |c: &Contact| (c.normal, 1.01 * c.depth + spare);
    shortest(&contacts.iter().map(constraint).collect::<Vec<Constraint>>())
}

/// A body after rounding.
struct Rounded {
    shape: Shape,
    /// The turn of the body's own frame.
    turn: UnitQuaternion<f64>,
    /// The surface in the body's own frame.
    surface: Vec<[Point3<f64>; 3]>,
}

/// Scales, turns, shuffles and rounds a body.
fn rounded(body: Body, scale: f64, random: &mut Random) -> anyhow::Result<Rounded> {
    let none = UnitQuaternion::identity();
    Ok(match body {
        Body::Solid(solid) => {
            let turn = if random.index(3) == 0 { random.rotation() } else { none };
            let solid = solid.moved(&Isometry3::from_parts(Translation3::identity(), turn));
            let solid = if random.index(2) == 0 { solid } else { solid.shuffled(random) };
            let mesh = solid.mesh(scale)?;
            let surface = unscaled(&mesh, scale);
            Rounded { shape: Shape::Mesh(Arc::new(mesh)), turn, surface }
        }
        Body::Ball(radius) => {
            let shape = Shape::sphere((radius * scale) as f32)?;
            Rounded { shape, turn: none, surface: Vec::new() }
        }
        Body::Field(ground) => {
            let settings = HeightFieldSettings {
                spacing: [(ground.spacing * scale) as f32; 2],
                bottom: Some((ground.bottom * scale) as f32),
                diagonals: Diagonals::Rising,
                ..HeightFieldSettings::default()
            };
            let heights = ground.heights.iter().map(|h| (h * scale) as f32).collect();
            let field = HeightField::new(ground.size, heights, &settings)?;
            let surface = ground.solid().corners();
            Rounded { shape: Shape::Field(Arc::new(field)), turn: none, surface }
        }
    })
}

fn unscaled(mesh: &TriMesh, scale: f64) -> Vec<[Point3<f64>; 3]> {
    Solid::of(mesh, 1.0 / scale).corners()
}
