//! Boxes of a mesh's triangles, a few neighbours of the leaves' order in each, wide boxes of a thousand of these, and the vertices of
//! each box: a view first asks which boxes it may show, and then places the vertices of these once each.

use nalgebra::Point3;

/// Triangles of a box.
pub(crate) const BOX_TRIANGLES: u32 = 16;
/// Vertices of a box, at most.
pub(crate) const BOX_CORNERS: u32 = 3 * BOX_TRIANGLES;
/// Words of a box: its middle and half its sizes.
pub(crate) const BOX_WORDS: u32 = 6;
/// Boxes of a wide box.
pub(crate) const STRETCH: u32 = 1 << 10;

/// Words of the wide boxes and the boxes of so many triangles.
pub(crate) fn words(triangles: usize) -> usize {
    let boxes = triangles.div_ceil(BOX_TRIANGLES as usize);
    (boxes.div_ceil(STRETCH as usize) + boxes) * BOX_WORDS as usize
}

/// Appends what boxes need to know of how triangles hang together: for each triangle, in the order given, its number, and then
/// which of its box's vertices its corners are (eight bits each); where each box's vertices begin, and one more; these vertices.
pub(crate) fn push_lists(all: &[[u32; 3]], order: &[u32], words: &mut Vec<u32>) {
    words.extend_from_slice(order);
    let (mut starts, mut lists) = (vec![0], Vec::new());
    for triangles in order.chunks(BOX_TRIANGLES as usize) {
        let first = lists.len();
        for &triangle in triangles {
            let corners = all[triangle as usize].map(|vertex| {
                let known = lists[first..].iter().position(|own| *own == vertex);
                known.unwrap_or_else(|| {
                    lists.push(vertex);
                    lists.len() - 1 - first
                }) as u32
            });
            words.push(corners[0] | corners[1] << 8 | corners[2] << 16);
        }
        starts.push(lists.len() as u32);
    }
    words.extend(starts);
    words.extend(lists);
}

/// The wide boxes of triangles in this order, and then the boxes: of each its middle and half its sizes, rounded so that it holds all
/// their corners.
pub(crate) fn boxes(vertices: &[Point3<f32>], triangles: &[[u32; 3]], order: &[u32]) -> Vec<u32> {
    let corners = |triangle: u32| triangles[triangle as usize].map(|vertex| vertices[vertex as usize]);
    let mut words = boxes_of(order.iter().copied().map(corners), BOX_TRIANGLES * STRETCH);
    words.extend(boxes_of(order.iter().copied().map(corners), BOX_TRIANGLES));
    words
}

/// Boxes of `size` triangles each.
fn boxes_of(triangles: impl Iterator<Item = [Point3<f32>; 3]>, size: u32) -> Vec<u32> {
    let mut words = Vec::new();
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut held = 0;
    let mut triangles = triangles.peekable();
    while let Some(corners) = triangles.next() {
        for corner in corners {
            grow(&mut low, &mut high, &corner);
        }
        held += 1;
        if held == size || triangles.peek().is_none() {
            let middle: [f32; 3] = std::array::from_fn(|k| 0.5 * low[k] + 0.5 * high[k]);
            let half: [f32; 3] = std::array::from_fn(|k| {
                let exact = |end: f32| (f64::from(end) - f64::from(middle[k])).abs();
                up(exact(low[k]).max(exact(high[k])))
            });
            words.extend(middle.map(f32::to_bits));
            words.extend(half.map(f32::to_bits));
            (low, high, held) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3], 0);
        }
    }
    words
}

fn grow(low: &mut [f32; 3], high: &mut [f32; 3], at: &Point3<f32>) {
    for k in 0..3 {
        low[k] = low[k].min(at[k]);
        high[k] = high[k].max(at[k]);
    }
}

/// The least `f32` that is no less.
fn up(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::TriMesh;

    /// A strip of triangles along a parabola.
    fn strip(triangles: u32) -> TriMesh {
        let at = |k: u32| Point3::new(k as f32 * 0.1, (k % 2) as f32, (k as f32 * 0.01).powi(2));
        let vertices = (0..triangles + 2).map(at).collect();
        TriMesh::new(vertices, (0..triangles).map(|k| [k, k + 1, k + 2]).collect()).unwrap()
    }

    #[test]
    fn boxes_hold_their_triangles_and_are_no_larger() {
        // Two wide boxes, the second of 300 triangles.
        let triangles = BOX_TRIANGLES * STRETCH + 300;
        let mesh = strip(triangles);
        let order: Vec<u32> = (0..triangles).collect();
        let words = boxes(mesh.vertices(), mesh.triangles(), &order);
        assert_eq!(words.len(), super::words(triangles as usize));
        let (wide, narrow) = words.split_at(2 * BOX_WORDS as usize);
        for (words, size) in [(wide, BOX_TRIANGLES * STRETCH), (narrow, BOX_TRIANGLES)] {
            for (k, own) in words.chunks_exact(BOX_WORDS as usize).enumerate() {
                let own: Vec<f64> = own.iter().map(|word| f64::from(f32::from_bits(*word))).collect();
                let first = size as usize * k;
                let last = (first + size as usize).min(triangles as usize) + 1;
                for axis in 0..3 {
                    let reach =
                        mesh.vertices()[first..=last].iter().map(|v| (f64::from(v[axis]) - own[axis]).abs());
                    let most = reach.fold(0.0, f64::max);
                    assert!(most <= own[3 + axis] && own[3 + axis] <= most * 1.000_001, "{k} {axis}");
                }
            }
        }
    }

    #[test]
    fn lists_give_every_corner_and_no_vertex_twice() {
        let mesh = strip(37);
        let order: Vec<u32> = (0..37).rev().collect();
        let mut words = Vec::new();
        push_lists(mesh.triangles(), &order, &mut words);
        let (names, rest) = words.split_at(37);
        let (corners, rest) = rest.split_at(37);
        let (starts, lists) = rest.split_at(4);
        assert_eq!(names, order);
        assert_eq!((starts[0], starts[3] as usize), (0, lists.len()));
        for (slot, &packed) in corners.iter().enumerate() {
            let first = starts[slot / BOX_TRIANGLES as usize];
            let at = [packed & 255, packed >> 8 & 255, packed >> 16].map(|k| lists[(first + k) as usize]);
            assert_eq!(at, mesh.triangles()[order[slot] as usize], "{slot}");
        }
        for own in starts.windows(2) {
            let own = &lists[own[0] as usize..own[1] as usize];
            assert!((1..own.len()).all(|k| !own[..k].contains(&own[k])));
        }
    }
}
