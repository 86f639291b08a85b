//! Which triangles a leaf holds.

use std::ops::Deref;

/// The most triangles that a leaf holds.
pub const LEAF_TRIANGLES: usize = 4;

/// The numbers of the triangles of a leaf.
#[derive(Clone, Copy, Debug)]
pub enum LeafTriangles<'t> {
    /// They are stored.
    Stored(&'t [u32]),
    /// They are computed: so many of them.
    Made([u32; LEAF_TRIANGLES], usize),
}

impl LeafTriangles<'_> {
    pub(super) const NONE: LeafTriangles<'static> = LeafTriangles::Made([0; LEAF_TRIANGLES], 0);

    /// Appends one, where there is room.
    pub(super) fn push(&mut self, triangle: u32) {
        if let LeafTriangles::Made(own, count) = self
            && *count < LEAF_TRIANGLES
        {
            own[*count] = triangle;
            *count += 1;
        }
    }
}

impl Deref for LeafTriangles<'_> {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            LeafTriangles::Stored(own) => own,
            LeafTriangles::Made(own, count) => &own[..*count],
        }
    }
}

/// The numbers of the triangles of a leaf, one by one.
#[derive(Clone, Debug)]
pub struct LeafTriangleIter<'t> {
    of: LeafTriangles<'t>,
    next: usize,
}

impl Iterator for LeafTriangleIter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let triangle = self.of.get(self.next).copied()?;
        self.next += 1;
        Some(triangle)
    }
}

impl<'t> IntoIterator for LeafTriangles<'t> {
    type Item = u32;
    type IntoIter = LeafTriangleIter<'t>;

    #[inline]
    fn into_iter(self) -> LeafTriangleIter<'t> {
        LeafTriangleIter { of: self, next: 0 }
    }
}
