//! What is known of the vertices of one side.

use impinge_geometry::Side;
use nalgebra::Point3;

use crate::intersect::Surfaces;

/// A vertex of which it is known how often the other surface winds round it.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownVertex {
    pub vertex: u32,
    pub winding: i32,
    /// What it belongs to where it is inside.
    pub label: u32,
    /// (m, pair frame); of vertices inside.
    pub at: Point3<f64>,
}

/// The vertices of one side that are known.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownVertices {
    pub list: Vec<KnownVertex>,
    /// For each vertex the pair in which it became known, and where in `list` it is.
    slots: Vec<(u32, u32)>,
    stamp: u32,
}

impl KnownVertices {
    pub fn begin(&mut self, vertices: usize) {
        self.list.clear();
        if self.slots.len() < vertices {
            self.slots.resize(vertices, (0, 0));
        }
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill((0, 0));
            self.stamp = 1;
        }
    }

    #[inline]
    pub fn get(&self, vertex: u32) -> Option<&KnownVertex> {
        let (stamp, at) = self.slots[vertex as usize];
        if stamp == self.stamp { self.list.get(at as usize) } else { None }
    }

    /// A vertex inside.
    #[inline]
    pub fn inside(&self, vertex: u32) -> Option<&KnownVertex> {
        self.get(vertex).filter(|known| known.winding != 0)
    }

    /// Adds a vertex that is not known yet.
    pub fn add(&mut self, input: &Surfaces<'_>, side: Side, vertex: u32, winding: i32, label: u32) {
        let at = match winding {
            0 => Point3::origin(),
            _ => input.frame.place(side, &input.meshes[side.index()].vertices()[vertex as usize]),
        };
        self.slots[vertex as usize] = (self.stamp, self.list.len() as u32);
        self.list.push(KnownVertex { vertex, winding, label, at });
    }
}
