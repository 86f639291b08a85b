//! Kuhn's division of a cell into six tetrahedra, and the surface in each of them, as tables.
//!
//! A corner of a cell is three bits: a step along x, y and z. A tetrahedron goes from corner 0 to corner 7 in three steps, one along each
//! axis; its four corners are numbered by their order on the way. The surface parts the corners inside from those outside, by a triangle or by
//! two that share a diagonal. Neighbouring cells cut their common face alike, so there is no ambiguous case.
//!
//! Source: Kuhn, "Some combinatorial lemmas in topology", 1960; Doi and Koide, "An efficient method of triangulating equi-valued surfaces by using
//! tetrahedral cells", 1991. We differ in that edges, too, have numbers by arithmetic, so that neighbours are known without a search.

/// Tetrahedra of a cell. Two with one first step follow each other; every second one is mirrored.
pub(super) const TETRAHEDRA: usize = 6;
/// Faces of tetrahedra whose lowest corner is one sample.
pub(super) const FACES: usize = 12;

/// The axes of a tetrahedron's steps.
const STEPS: [[usize; 3]; TETRAHEDRA] = [[0, 1, 2], [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1], [2, 1, 0]];

/// The corners of the cell that are a tetrahedron's.
pub(super) const CORNERS: [[u8; 4]; TETRAHEDRA] = corners();

const fn corners() -> [[u8; 4]; TETRAHEDRA] {
    let mut all = [[0; 4]; TETRAHEDRA];
    let mut tet = 0;
    while tet < TETRAHEDRA {
        let first = 1 << STEPS[tet][0];
        all[tet] = [0, first, first | 1 << STEPS[tet][1], 7];
        tet += 1;
    }
    all
}

/// The tetrahedron of some steps.
pub(super) const fn of_steps(first: usize, second: usize) -> usize {
    let mut tet = 0;
    while tet < TETRAHEDRA {
        if STEPS[tet][0] == first && STEPS[tet][1] == second {
            return tet;
        }
        tet += 1;
    }
    0
}

/// A face of tetrahedra by its second and third corner, as steps from its first.
const CHAINS: [[u8; 2]; FACES] =
    [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6], [1, 7], [2, 7], [4, 7], [3, 7], [5, 7], [6, 7]];

/// The second and third corner of a face, as steps from its first.
pub(super) const fn chain(face: usize) -> [u8; 2] {
    CHAINS[face]
}

const fn face_of(second: u8, third: u8) -> u8 {
    let mut face = 0;
    while face < FACES {
        if CHAINS[face][0] == second && CHAINS[face][1] == third {
            return face as u8;
        }
        face += 1;
    }
    FACES as u8
}

/// A tetrahedron beside a face: in the cell of the face's first corner or one step back along an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    /// The axis along which the cell is one step back; 3 for the cell itself.
    pub back: u8,
    pub tet: u8,
    /// Which corner of the tetrahedron the face does not have.
    pub missing: u8,
}

/// The two tetrahedra beside every face.
pub(super) const BESIDE: [[Beside; 2]; FACES] = beside();

const fn beside() -> [[Beside; 2]; FACES] {
    let mut all = [[Beside { back: 3, tet: 0, missing: 0 }; 2]; FACES];
    let mut face = 0;
    while face < FACES {
        let [b, c] = CHAINS[face];
        all[face] = match (b.count_ones(), c.count_ones()) {
            // From a corner along an edge and across a side of the cell.
            (1, 2) => {
                let (i, j) = (b.trailing_zeros() as usize, (b ^ c).trailing_zeros() as usize);
                let k = 3 - i - j;
                [
                    Beside { back: 3, tet: of_steps(i, j) as u8, missing: 3 },
                    Beside { back: k as u8, tet: of_steps(k, i) as u8, missing: 0 },
                ]
            }
            (1, _) => {
                let i = b.trailing_zeros() as usize;
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                [
                    Beside { back: 3, tet: of_steps(i, j) as u8, missing: 2 },
                    Beside { back: 3, tet: of_steps(i, k) as u8, missing: 2 },
                ]
            }
            _ => {
                let k = (7 ^ b).trailing_zeros() as usize;
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                [
                    Beside { back: 3, tet: of_steps(i, j) as u8, missing: 1 },
                    Beside { back: 3, tet: of_steps(j, i) as u8, missing: 1 },
                ]
            }
        };
        face += 1;
    }
    all
}

/// The polygon in a tetrahedron that is not mirrored, by which corners are inside: of each of its corners the ends of the edge that it is
/// on, in an order that is counter-clockwise seen from outside.
const fn polygon(inside: usize) -> ([[u8; 2]; 4], usize) {
    const NONE: [u8; 2] = [0, 0];
    match inside {
        1 => ([[0, 1], [0, 2], [0, 3], NONE], 3),
        2 => ([[1, 0], [1, 3], [1, 2], NONE], 3),
        4 => ([[2, 3], [2, 0], [2, 1], NONE], 3),
        8 => ([[3, 2], [3, 1], [3, 0], NONE], 3),
        14 => ([[0, 1], [0, 3], [0, 2], NONE], 3),
        13 => ([[1, 0], [1, 2], [1, 3], NONE], 3),
        11 => ([[2, 3], [2, 1], [2, 0], NONE], 3),
        7 => ([[3, 2], [3, 0], [3, 1], NONE], 3),
        3 => ([[0, 2], [0, 3], [1, 3], [1, 2]], 4),
        5 => ([[0, 3], [0, 1], [2, 1], [2, 3]], 4),
        9 => ([[0, 1], [0, 2], [3, 2], [3, 1]], 4),
        6 => ([[1, 0], [1, 3], [2, 3], [2, 0]], 4),
        10 => ([[1, 2], [1, 0], [3, 0], [3, 2]], 4),
        12 => ([[2, 0], [2, 1], [3, 1], [3, 0]], 4),
        _ => ([NONE; 4], 0),
    }
}

/// An edge of tetrahedra that the surface crosses: its lower end, as a corner of the cell, and the steps from there to the upper one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossed {
    pub from: u8,
    pub steps: u8,
}

/// An edge of the surface: on a face of tetrahedra, or across one.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceEdge {
    /// The face's first corner, as a corner of the cell.
    pub from: u8,
    /// The face; [`FACES`] for the diagonal.
    pub face: u8,
}

/// The surface in a tetrahedron.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    /// Triangles.
    pub count: u8,
    /// The corners of each, counter-clockwise seen from outside.
    pub corners: [[Crossed; 3]; 2],
    /// The edges of each: edge `k` joins corner `k` and corner `(k + 1) % 3`.
    pub sides: [[SurfaceEdge; 3]; 2],
    /// For each corner of the tetrahedron the triangle that has an edge on the face opposite of it; 2 for none.
    pub opposite: [u8; 4],
}

/// The surface in every tetrahedron, by which of its corners are inside.
pub(super) static PATCHES: [[Patch; 16]; TETRAHEDRA] = patches();

const fn patches() -> [[Patch; 16]; TETRAHEDRA] {
    let none = Patch {
        count: 0,
        corners: [[Crossed { from: 0, steps: 0 }; 3]; 2],
        sides: [[SurfaceEdge { from: 0, face: 0 }; 3]; 2],
        opposite: [2; 4],
    };
    let mut all = [[none; 16]; TETRAHEDRA];
    let mut tet = 0;
    while tet < TETRAHEDRA {
        let mut inside = 0;
        while inside < 16 {
            all[tet][inside] = patch(none, tet, inside);
            inside += 1;
        }
        tet += 1;
    }
    all
}

const fn patch(mut made: Patch, tet: usize, inside: usize) -> Patch {
    let (polygon, length) = polygon(inside);
    if length == 0 {
        return made;
    }
    made.count = length as u8 - 2;
    let mut triangle = 0;
    while triangle < length - 2 {
        // Mirrored tetrahedra are walked round the other way.
        let own = match tet % 2 {
            0 => [polygon[0], polygon[triangle + 1], polygon[triangle + 2]],
            _ => [polygon[0], polygon[length - 1 - triangle], polygon[length - 2 - triangle]],
        };
        let mut k = 0;
        while k < 3 {
            let ([p, q], [r, s]) = (own[k], own[(k + 1) % 3]);
            let (low, high) = if p < q { (p, q) } else { (q, p) };
            let from = CORNERS[tet][low as usize];
            made.corners[triangle][k] = Crossed { from, steps: CORNERS[tet][high as usize] ^ from };
            let on = 1u8 << p | 1 << q | 1 << r | 1 << s;
            made.sides[triangle][k] = SurfaceEdge { from: 0, face: FACES as u8 };
            if on.count_ones() == 3 {
                let missing = (15 ^ on).trailing_zeros() as usize;
                made.opposite[missing] = triangle as u8;
                made.sides[triangle][k] = side(tet, missing);
            }
            k += 1;
        }
        triangle += 1;
    }
    made
}

/// The face of a tetrahedron without one of its corners.
const fn side(tet: usize, missing: usize) -> SurfaceEdge {
    let a = CORNERS[tet][if missing == 0 { 1 } else { 0 }];
    let b = CORNERS[tet][if missing <= 1 { 2 } else { 1 }];
    let c = CORNERS[tet][if missing <= 2 { 3 } else { 2 }];
    SurfaceEdge { from: a, face: face_of(b ^ a, c ^ a) }
}

/// The tetrahedron that has the same face as one that lacks a corner, as steps from its cell along an axis (±1, or none), and itself.
pub(super) const fn across(tet: usize, missing: usize) -> (Option<(usize, bool)>, usize) {
    let [i, j, k] = STEPS[tet];
    match missing {
        0 => (Some((i, true)), of_steps(j, k)),
        1 => (None, of_steps(j, i)),
        2 => (None, of_steps(i, k)),
        _ => (Some((k, false)), of_steps(k, i)),
    }
}

/// The tetrahedron in which a place of a cell is, by its part of the way along each axis.
pub(super) fn holding(part: [f64; 3]) -> usize {
    let [x, y, z] = part;
    let first = if x >= y && x >= z { 0 } else { usize::from(y >= z) + 2 * usize::from(y < z) };
    let [j, k] = [(first + 1) % 3, (first + 2) % 3];
    of_steps(first, if part[j] >= part[k] { j } else { k })
}
