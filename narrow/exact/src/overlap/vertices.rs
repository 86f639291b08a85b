//! What is known of the vertices of one side.

use impinge_geometry::Side;
use nalgebra::Point3;

use crate::id_table::IdTable;
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
    /// Where in `list` a vertex is.
    places: IdTable,
}

impl KnownVertices {
    pub fn begin(&mut self, vertex_bound: u32) {
        self.list.clear();
        self.places.begin(vertex_bound);
    }

    #[inline]
    pub fn get(&self, vertex: u32) -> Option<&KnownVertex> {
        self.list.get(self.places.get(vertex)? as usize)
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
            _ => input.frame.place(side, &input.meshes[side.index()].vertex(vertex)),
        };
        self.places.set(vertex, self.list.len() as u32);
        self.list.push(KnownVertex { vertex, winding, label, at });
    }
}
