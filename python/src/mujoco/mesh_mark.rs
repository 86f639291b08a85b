//! How a mesh of a model is known again from call to call, at a cost that does not grow with it.
//!
//! A small mesh is compared as a whole. Of a large one every call compares a sample, what MuJoCo's compiler derived from all of it, and the
//! next part of its arrays: another mesh is seen at once, and a lone vertex that was changed in place after as many calls as there are parts.

use super::model::MeshArrays;

/// Numbers of a part.
const PART: usize = 4096;
/// Parts that a call compares: of meshes up to 2,700 triangles, all.
const AT_ONCE: usize = 4;
/// Rows of a large mesh's vertices and faces that every call compares.
const SAMPLES: usize = 32;

/// What is remembered of a mesh.
pub struct MeshMark {
    sample: u64,
    /// Hashes of the parts of the vertices, then of the faces.
    parts: Vec<u64>,
    /// The part that the next call begins with.
    next: usize,
}

impl MeshMark {
    /// Of a mesh as it is now.
    pub fn new(arrays: &MeshArrays<'_>) -> MeshMark {
        let parts = (0..parts(arrays)).map(|part| part_hash(arrays, part)).collect();
        MeshMark { sample: sample(arrays), parts, next: 0 }
    }

    /// Whether a mesh is as it was, as far as this call can tell.
    pub fn is_of(&mut self, arrays: &MeshArrays<'_>) -> bool {
        let count = parts(arrays);
        if count != self.parts.len() || sample(arrays) != self.sample {
            return false;
        }
        let first = self.next;
        self.next = if count > AT_ONCE { (first + AT_ONCE) % count } else { 0 };
        (first..first + AT_ONCE.min(count)).map(|k| k % count).all(|k| part_hash(arrays, k) == self.parts[k])
    }
}

fn parts(arrays: &MeshArrays<'_>) -> usize {
    arrays.vertices.len().div_ceil(PART) + arrays.faces.len().div_ceil(PART)
}

fn part_hash(arrays: &MeshArrays<'_>, part: usize) -> u64 {
    fn of<T>(numbers: &[T], part: usize) -> &[T] {
        &numbers[part * PART..((part + 1) * PART).min(numbers.len())]
    }
    let of_vertices = arrays.vertices.len().div_ceil(PART);
    if part < of_vertices {
        hash(of(arrays.vertices, part), |x| x.to_bits())
    } else {
        hash(of(arrays.faces, part - of_vertices), |&v| v as u32)
    }
}

/// A hash of numbers, in four lanes that do not wait for each other.
fn hash<T>(numbers: &[T], bits: impl Fn(&T) -> u32) -> u64 {
    let mut lanes = [1u64, 2, 3, 4];
    let rows = numbers.chunks_exact(8);
    let rest = rows.remainder();
    for row in rows {
        for (k, lane) in lanes.iter_mut().enumerate() {
            *lane = mixed(*lane, u64::from(bits(&row[2 * k])) | u64::from(bits(&row[2 * k + 1])) << 32);
        }
    }
    let start = lanes.into_iter().fold(numbers.len() as u64, mixed);
    rest.iter().fold(start, |hash, number| mixed(hash, u64::from(bits(number))))
}

/// A word mixed into a hash: for each word another hash.
pub fn mixed(hash: u64, word: u64) -> u64 {
    let hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

/// A hash of where the arrays lie, their sizes, the frame that MuJoCo found for them, and of a large mesh some rows.
fn sample(arrays: &MeshArrays<'_>) -> u64 {
    let (vertices, faces) = (arrays.vertices, arrays.faces);
    let words = [vertices.len() as u64, faces.len() as u64, vertices.as_ptr() as u64, faces.as_ptr() as u64];
    let frame = arrays.frame.iter().map(|x| x.to_bits());
    let mut hash = words.into_iter().chain(frame).fold(0, mixed);
    if parts(arrays) > AT_ONCE {
        // All of a row, so that no axis and no corner goes unseen.
        for place in rows(vertices) {
            hash = place.iter().fold(hash, |hash, x| mixed(hash, u64::from(x.to_bits())));
        }
        for face in rows(faces) {
            hash = face.iter().fold(hash, |hash, &v| mixed(hash, u64::from(v as u32)));
        }
    }
    hash
}

/// Rows of three, spread over all of them, with the first and the last.
fn rows<T>(numbers: &[T]) -> impl Iterator<Item = &[T]> {
    let step = (numbers.len() / 3 / SAMPLES).max(1);
    numbers.chunks_exact(3).step_by(step).chain(numbers.rchunks_exact(3).take(1))
}
