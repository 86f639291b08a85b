//! Box and sphere of a mesh of which a few vertices move or go.
//!
//! Both are those of a mesh made of the vertices that are left, to the bit. All vertices are looked at only where one moves or goes that had made them
//! what they are, or comes to stand beyond them.

use std::sync::Arc;

use nalgebra::Point3;

use super::{Connectivity, TriMesh, topology};
use crate::Aabb;
use crate::volume::SphereTrace;

/// A vertex that stood somewhere, and where it stands now; `None` where no triangle has it any more.
pub(super) struct MovedVertex {
    pub vertex: u32,
    pub from: Point3<f32>,
    pub to: Option<Point3<f32>>,
}

impl TriMesh {
    /// Brings box and sphere up to date with vertices that triangles use or have used.
    pub(super) fn update_bounds(&mut self, moved: &[MovedVertex]) {
        if moved.is_empty() {
            return;
        }
        let lost = |own: &MovedVertex| {
            (0..3).any(|k| {
                let (from, to) = (own.from[k], own.to.map(|to| to[k]));
                from <= self.aabb.min[k] && to.is_none_or(|to| to > from)
                    || from >= self.aabb.max[k] && to.is_none_or(|to| to < from)
            })
        };
        if moved.iter().any(lost) {
            self.aabb = Aabb::of_points(used(&self.vertices, &self.connectivity).map(|(_, p)| p));
        } else {
            let to: Vec<Point3<f32>> = moved.iter().filter_map(|own| own.to).collect();
            self.aabb = self.aabb.merged(&Aabb::of_points(&to));
        }
        let keeps = |trace: &Arc<SphereTrace>| {
            moved.iter().all(|own| trace.keeps(own.vertex, &own.from, own.to.as_ref()))
        };
        if !self.trace.as_ref().is_some_and(keeps) {
            let used: Vec<(u32, Point3<f32>)> =
                used(&self.vertices, &self.connectivity).map(|(number, p)| (number, *p)).collect();
            self.trace = SphereTrace::of(used.iter().copied()).map(Arc::new);
            if let Some(trace) = &self.trace {
                self.sphere = trace.sphere();
            }
        }
    }
}

/// The vertices that triangles use.
fn used<'v>(
    vertices: &'v [Point3<f32>],
    connectivity: &Connectivity,
) -> impl Iterator<Item = (u32, &'v Point3<f32>)> {
    let used = connectivity.loose.then(|| topology::used(vertices.len(), &connectivity.triangles));
    (0..).zip(vertices).filter(move |(k, _)| used.as_ref().is_none_or(|used| used[*k as usize]))
}
