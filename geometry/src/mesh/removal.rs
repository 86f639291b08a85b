//! What is known of triangles that were taken out of a mesh.

/// What was taken out of a mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Removal {
    /// How many triangles.
    pub(super) count: u32,
    /// Of a mesh that was made closed, how many edges are not run along as often forward as backward.
    pub(super) open_edges: u32,
    pub(super) was_closed: bool,
}

/// Whether a triangle was taken out: no sound one names a vertex twice.
#[inline]
pub(super) fn is_gone(corners: &[u32; 3]) -> bool {
    corners[0] == corners[1]
}
