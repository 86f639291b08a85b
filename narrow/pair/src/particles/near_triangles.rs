//! The triangles near a block of particles, made ready once for all of them.

use impinge_geometry::simd::{self, F32Lanes, F32x4, Kernel, Simd};
use impinge_geometry::volume::{round_down, round_up};
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::{LEAF_TRIANGLES, LeafRoom, LeafRows};
use nalgebra::Point3;

use super::triangle_rows::{LeafTerms, TriangleSpheres, TriangleTerms};

/// `8u`: more than rounding can make of a corner, as a part of the greatest coordinate.
const ROUNDING: f32 = 8.0 / 16_777_216.0;

/// Twice the area of a triangle, as a part of its longest edge's square: if it is less, `f32` does not tell its normal well enough.
const NEEDLE: f32 = 0.25;

/// Squares below this are not told in `f32`.
const LEAST_SQUARE: f32 = 1e-24;

/// No scaled coordinate is greater.
const FARTHEST: f64 = 1e18;

/// Where a block is measured in `f32`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// In the surface's frame (m).
    pub center: Point3<f64>,
    /// A power of two that brings what is near to about 1.
    pub scale: f64,
}

impl Frame {
    /// About `center` (m); what is looked at is about as far from it as `reach` (m).
    pub fn new(center: Point3<f64>, reach: f64) -> Frame {
        let exponent = (reach.to_bits() >> 52 & 0x7ff) as i64 - 1023;
        Frame { center, scale: f64::from_bits(((1023 - exponent.clamp(-120, 120)) as u64) << 52) }
    }

    /// What is within `far` (m) of a center as kernels take it: the center, and two lengths, scaled: `far` and `reach` (m) together, and `reach`. They
    /// hold what rounding makes of places there.
    pub fn sphere(&self, center: &Point3<f64>, far: f64, reach: f64) -> ([f32; 3], [f32; 2]) {
        let center = (center - self.center) * self.scale;
        let lengths = [far + reach, reach].map(|length| length * self.scale);
        let rounding = 4.0 * f64::from(f32::EPSILON) * (center.abs().sum() + lengths[0]);
        (center.cast::<f32>().into(), lengths.map(|length| round_up(length * (1.0 + 1e-6) + rounding)))
    }
}

/// Triangles made ready, a leaf's beside each other: each has a place.
#[derive(Clone, Debug, Default)]
pub(super) struct NearTriangles {
    leaves: Vec<u32>,
    terms: Vec<LeafTerms>,
    /// Those that nothing is to come near are infinitely far.
    spheres: TriangleSpheres,
    /// Whether any face is virtual, and bits of those that are, of each leaf.
    some_virtual: bool,
    virtual_bits: Vec<u8>,
    /// Places of triangles that are made ready in `f64`.
    needles: Vec<u32>,
}

impl NearTriangles {
    /// Takes in the triangles of some leaves of a surface whose boxes meet the box from `low` to `high` (m, the surface's frame).
    pub fn gather(
        &mut self,
        surface: &Surface,
        leaves: &[u32],
        [low, high]: &[Point3<f64>; 2],
        frame: &Frame,
    ) {
        let faces = surface.faces();
        self.leaves.clear();
        self.terms.clear();
        self.spheres.clear();
        self.needles.clear();
        let box_around = [
            [0, 1, 2].map(|k| round_down((low[k] - frame.center[k]) * frame.scale)),
            [0, 1, 2].map(|k| round_up((high[k] - frame.center[k]) * frame.scale)),
        ];
        let NearTriangles { leaves: kept, terms, spheres, needles, .. } = self;
        let gather = Gather { surface, leaves, frame, box_around, kept, terms, spheres, needles };
        simd::run(surface.tree.simd(), gather);
        for at in 0..self.needles.len() {
            let place = self.needles[at];
            let corners = faces.corners(self.number(place, surface)).map(|p| {
                // What is farther is not told from infinity: then nothing is told in `f32`.
                ((p.cast::<f64>() - frame.center) * frame.scale).map(|x| x.clamp(-FARTHEST, FARTHEST)).into()
            });
            let (terms, center, radius) = ready(&corners);
            self.terms[place as usize / LEAF_TRIANGLES].put(place as usize % LEAF_TRIANGLES, &terms);
            self.spheres.put(place as usize, center, radius);
        }
        self.some_virtual = faces.has_virtual_faces();
        self.virtual_bits.clear();
        if self.some_virtual {
            let bits = |&leaf: &u32| {
                let triangles = (0..).zip(surface.tree.leaf_triangles(leaf));
                triangles.fold(0, |bits, (k, triangle)| bits | u8::from(faces.is_virtual(triangle)) << k)
            };
            self.virtual_bits.extend(self.leaves.iter().map(bits));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// What kernels take: of a triangle at a place `p`, lane `p % 4` of `p / 4`.
    pub fn terms(&self) -> &[LeafTerms] {
        &self.terms
    }

    /// Spheres around the triangles, by their places.
    pub fn spheres(&self) -> &TriangleSpheres {
        &self.spheres
    }

    /// The number of a triangle in its surface.
    pub fn number(&self, place: u32, surface: &Surface) -> u32 {
        let leaf = self.leaves[place as usize / LEAF_TRIANGLES];
        surface.tree.leaf_triangles(leaf).into_iter().nth(place as usize % LEAF_TRIANGLES).unwrap_or(u32::MAX)
    }

    /// Moves the places of virtual faces to a list of their own.
    pub fn part(&self, places: &mut Vec<u32>, of_virtual: &mut Vec<u32>) {
        of_virtual.clear();
        if self.some_virtual {
            let is_virtual = |place: &u32| {
                let [leaf, lane] = [*place as usize / LEAF_TRIANGLES, *place as usize % LEAF_TRIANGLES];
                self.virtual_bits[leaf] >> lane & 1 == 1
            };
            of_virtual.extend(places.iter().filter(|place| is_virtual(place)));
            places.retain(|place| !is_virtual(place));
        }
    }
}

/// A triangle as kernels take it, and a sphere around it, all in a frame.
fn ready(corners: &[Point3<f64>; 3]) -> (TriangleTerms, [f32; 3], f32) {
    let [a, b, c] = corners;
    let middle = nalgebra::center(&a.inf(b).inf(c), &a.sup(b).sup(c)).cast::<f32>();
    let from_middle = middle.cast::<f64>();
    let radius = corners.iter().map(|p| (p - from_middle).norm_squared()).fold(0.0, f64::max).sqrt();
    let radius = round_up(radius);
    (TriangleTerms::new(corners, middle.into(), radius), middle.into(), radius)
}

/// Makes the triangles of leaves ready, four at a time.
struct Gather<'a> {
    surface: &'a Surface,
    leaves: &'a [u32],
    frame: &'a Frame,
    /// Lowest and highest coordinates of what is wanted.
    box_around: [[f32; 3]; 2],
    kept: &'a mut Vec<u32>,
    terms: &'a mut Vec<LeafTerms>,
    spheres: &'a mut TriangleSpheres,
    needles: &'a mut Vec<u32>,
}

impl Kernel for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Gather { surface, leaves, frame, box_around, kept, terms, spheres, needles } = self;
        let mut room = LeafRoom::NEW;
        let scale = S::F32x4::splat(frame.scale as f32);
        let [low, high] = box_around.map(|corner| corner.map(S::F32x4::splat));
        for &leaf in leaves {
            let rows = surface.tree.leaf_rows(leaf, &mut room);
            let corners = placed::<S>(&rows, frame, scale);
            let least = extreme::<S>(&corners, false);
            let most = extreme::<S>(&corners, true);
            let size = [0, 1, 2].map(|k| least[k].abs().max(most[k].abs()));
            let size = size[0].max(size[1]).max(size[2]);
            let slack = size.mul(S::F32x4::splat(ROUNDING));
            let mut beside = S::F32x4::splat(0.0);
            for k in 0..3 {
                beside = beside.or(high[k].less(least[k].sub(slack)));
                beside = beside.or(most[k].add(slack).less(low[k]));
            }
            let wanted = !beside.bits() & ((1 << rows.count()) - 1);
            if wanted == 0 {
                continue;
            }
            let (leaf_terms, healthy) = leaf_terms::<S>(&corners, &least, &most, slack);
            let first = (LEAF_TRIANGLES * kept.len()) as u32;
            spheres.push_four(&leaf_terms.middle, &leaf_terms.radius, wanted);
            kept.push(leaf);
            terms.push(leaf_terms);
            let mut needle = wanted & !healthy;
            while needle != 0 {
                needles.push(first + needle.trailing_zeros());
                needle &= needle - 1;
            }
        }
    }
}

/// The corners of a leaf's triangles in a frame, by corner and axis.
#[inline(always)]
fn placed<S: Simd>(rows: &LeafRows<'_>, frame: &Frame, scale: S::F32x4) -> [[S::F32x4; 3]; 3] {
    let mut placed = [[scale; 3]; 3];
    let corners = rows.corners();
    for k in 0..3 {
        let offset = (f64::from(rows.origin[k]) - frame.center[k]) * frame.scale;
        let offset = S::F32x4::splat(offset as f32);
        for corner in 0..3 {
            placed[corner][k] = S::F32x4::new(*corners[corner][k]).mul(scale).add(offset);
        }
    }
    placed
}

/// The least or the greatest coordinates of triangles.
#[inline(always)]
fn extreme<S: Simd>(corners: &[[S::F32x4; 3]; 3], greatest: bool) -> [S::F32x4; 3] {
    let [a, b, c] = corners;
    let mut all = *a;
    for k in 0..3 {
        all[k] = if greatest { a[k].max(b[k]).max(c[k]) } else { a[k].min(b[k]).min(c[k]) };
    }
    all
}

/// What kernels take of a leaf's triangles, and bits of those of which it holds.
#[inline(always)]
fn leaf_terms<S: Simd>(
    corners: &[[S::F32x4; 3]; 3],
    least: &[S::F32x4; 3],
    most: &[S::F32x4; 3],
    slack: S::F32x4,
) -> (LeafTerms, u32) {
    let zero = S::F32x4::splat(0.0);
    let one = S::F32x4::splat(1.0);
    let mut terms = LeafTerms::default();
    let mut edges = [[zero; 3]; 3];
    let mut longest = zero;
    let mut shortest = S::F32x4::splat(f32::INFINITY);
    for at in 0..3 {
        for k in 0..3 {
            edges[at][k] = corners[(at + 1) % 3][k].sub(corners[at][k]);
            corners[at][k].store_four(&mut terms.corners[at][k]);
            edges[at][k].store_four(&mut terms.edges[at][k]);
        }
        let squared = dot::<S>(&edges[at], &edges[at]);
        one.div(squared).store_four(&mut terms.shares[at]);
        longest = longest.max(squared);
        shortest = shortest.min(squared);
    }
    let across = cross::<S>(&edges[0], &edges[1]);
    let length = dot::<S>(&across, &across).sqrt();
    let normal = [across[0].div(length), across[1].div(length), across[2].div(length)];
    for k in 0..3 {
        normal[k].store_four(&mut terms.normal[k]);
    }
    for at in 0..3 {
        let inward = cross::<S>(&normal, &edges[at]);
        for k in 0..3 {
            inward[k].store_four(&mut terms.inward[at][k]);
        }
    }
    let half = S::F32x4::splat(0.5);
    let mut middle = [zero; 3];
    for k in 0..3 {
        middle[k] = least[k].add(most[k]).mul(half);
        middle[k].store_four(&mut terms.middle[k]);
    }
    let mut far = zero;
    for corner in corners {
        let from = [corner[0].sub(middle[0]), corner[1].sub(middle[1]), corner[2].sub(middle[2])];
        far = far.max(dot::<S>(&from, &from));
    }
    far.sqrt().add(slack).store_four(&mut terms.radius);
    let least_square = S::F32x4::splat(LEAST_SQUARE);
    let wide = longest.mul(S::F32x4::splat(NEEDLE)).at_most(length);
    let seen = least_square.at_most(shortest).and(longest.at_most(S::F32x4::splat(1.0 / LEAST_SQUARE)));
    (terms, wide.and(seen).bits())
}

#[inline(always)]
fn dot<S: Simd>(a: &[S::F32x4; 3], b: &[S::F32x4; 3]) -> S::F32x4 {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
fn cross<S: Simd>(a: &[S::F32x4; 3], b: &[S::F32x4; 3]) -> [S::F32x4; 3] {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}
