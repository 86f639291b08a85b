//! Makes one vertex of those at the same place.

use nalgebra::Point3;

use super::Arrays;

/// The distinct places in the order in which they first appear, and the triangles on them. Places
/// are the same where all coordinates are equal; −0 equals 0. Indices must be in range.
pub(super) fn weld((vertices, mut triangles): Arrays) -> Arrays {
    // Adding zero makes −0 to 0.
    let key = |p: &Point3<f32>| p.coords.map(|x| (x + 0.0).to_bits()).into();
    let mut order: Vec<([u32; 3], u32)> =
        vertices.iter().enumerate().map(|(i, p)| (key(p), i as u32)).collect();
    order.sort_unstable();
    let mut first = vec![0u32; vertices.len()];
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        for &(_, v) in same {
            first[v as usize] = same[0].1;
        }
    }
    let mut new = vec![0u32; vertices.len()];
    let mut kept = Vec::new();
    for (v, p) in vertices.iter().enumerate() {
        if first[v] == v as u32 {
            new[v] = kept.len() as u32;
            kept.push(*p);
        } else {
            new[v] = new[first[v] as usize];
        }
    }
    for corner in triangles.iter_mut().flatten() {
        *corner = new[*corner as usize];
    }
    (kept, triangles)
}
