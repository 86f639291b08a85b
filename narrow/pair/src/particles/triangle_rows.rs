//! Eight points against one triangle after another, in `f32`.

use impinge_geometry::simd::{F32Lanes, Kernel, Simd};
use impinge_midphase::obb_tree::LEAF_TRIANGLES;
use nalgebra::{Point3, Vector3};

/// Points of a row.
pub(super) const LANES: usize = 8;

/// A triangle, as the kernel takes it; all relative to the group's centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriangleTerms {
    corners: [[f32; 3]; 3],
    /// From each corner to the next.
    edges: [[f32; 3]; 3],
    /// One over their squared lengths; 0 of none.
    shares: [f32; 3],
    /// Across each edge in the triangle's plane, inward, of any length; 0 of a triangle without area.
    inward: [[f32; 3]; 3],
    normal: [f32; 3],
    /// A sphere around it.
    middle: [f32; 3],
    radius: f32,
}

impl TriangleTerms {
    /// Of a triangle in the sphere of so great a `radius` about `middle`.
    pub fn new(corners: &[Point3<f64>; 3], middle: [f32; 3], radius: f32) -> TriangleTerms {
        let [a, b, c] = corners;
        let edges = [b - a, c - b, a - c];
        let across = edges[0].cross(&edges[1]);
        let length = across.norm();
        let normal = if length > 0.0 { across / length } else { Vector3::zeros() };
        let mut terms = TriangleTerms {
            corners: [small(&a.coords), small(&b.coords), small(&c.coords)],
            edges: [[0.0; 3]; 3],
            shares: [0.0; 3],
            inward: [[0.0; 3]; 3],
            normal: small(&normal),
            middle,
            radius,
        };
        for (k, edge) in edges.iter().enumerate() {
            let squared = edge.norm_squared();
            let share = (1.0 / squared) as f32;
            terms.edges[k] = small(edge);
            if share.is_finite() {
                terms.shares[k] = share;
                terms.inward[k] = small(&(normal.cross(edge) / squared.sqrt()));
            }
        }
        terms
    }
}

/// The triangles of a leaf as the kernel takes them, side by side; what no triangle has is never asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeafTerms {
    pub corners: [[[f32; LEAF_TRIANGLES]; 3]; 3],
    pub edges: [[[f32; LEAF_TRIANGLES]; 3]; 3],
    pub shares: [[f32; LEAF_TRIANGLES]; 3],
    pub inward: [[[f32; LEAF_TRIANGLES]; 3]; 3],
    pub normal: [[f32; LEAF_TRIANGLES]; 3],
    pub middle: [[f32; LEAF_TRIANGLES]; 3],
    pub radius: [f32; LEAF_TRIANGLES],
}

impl LeafTerms {
    /// Puts a triangle in a lane.
    pub fn put(&mut self, lane: usize, terms: &TriangleTerms) {
        for at in 0..3 {
            for k in 0..3 {
                self.corners[at][k][lane] = terms.corners[at][k];
                self.edges[at][k][lane] = terms.edges[at][k];
                self.inward[at][k][lane] = terms.inward[at][k];
            }
            self.shares[at][lane] = terms.shares[at];
            self.normal[at][lane] = terms.normal[at];
            self.middle[at][lane] = terms.middle[at];
        }
        self.radius[lane] = terms.radius;
    }
}

#[inline(always)]
fn small(v: &Vector3<f64>) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Spheres around triangles, side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct TriangleSpheres {
    /// x, y, z and radius (m), rounded up.
    rows: [Vec<f32>; 4],
    count: usize,
    size: f32,
}

impl TriangleSpheres {
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds those of a leaf, of which bits say which are wanted.
    pub fn push_four(
        &mut self,
        middle: &[[f32; LEAF_TRIANGLES]; 3],
        radius: &[f32; LEAF_TRIANGLES],
        wanted: u32,
    ) {
        // Room for a whole row beyond the last.
        if self.rows[0].len() < self.count + LEAF_TRIANGLES + LANES {
            self.rows.iter_mut().for_each(|row| row.resize(2 * (self.count + LEAF_TRIANGLES + LANES), 0.0));
        }
        for (row, four) in self.rows.iter_mut().zip(middle.iter().chain([radius])) {
            row[self.count..self.count + LEAF_TRIANGLES].copy_from_slice(four);
        }
        for lane in (0..LEAF_TRIANGLES).filter(|lane| wanted >> lane & 1 == 0) {
            self.put(self.count + lane, [f32::INFINITY; 3], 0.0);
        }
        self.count += LEAF_TRIANGLES;
    }

    /// Changes one.
    pub fn put(&mut self, place: usize, center: [f32; 3], radius: f32) {
        for (row, x) in self.rows.iter_mut().zip([center[0], center[1], center[2], radius]) {
            row[place] = x;
        }
    }

    /// No coordinate of what was picked is greater, but for rounding.
    pub fn size(&self) -> f32 {
        self.size
    }

    /// Takes in those of others that are named.
    pub fn pick(&mut self, others: &TriangleSpheres, which: &[u32]) {
        self.count = which.len();
        for (row, other) in self.rows.iter_mut().zip(&others.rows) {
            row.clear();
            row.extend(which.iter().map(|&at| other[at as usize]));
            row.resize(which.len() + LANES, 0.0);
        }
        let [x, y, z, radius] = self.rows.each_ref().map(|row| &row[..self.count]);
        let of = |k: usize| x[k].abs().max(y[k].abs()).max(z[k].abs()) + radius[k];
        self.size = (0..self.count).map(of).fold(0.0, f32::max);
    }
}

/// Points of a row, side by side, relative to the group's centre (m).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointRow(pub [[f32; LANES]; 3]);

/// Which triangles may come within `reach` (m) of a point.
pub(super) struct NearSpheres<'a> {
    pub spheres: &'a TriangleSpheres,
    pub center: [f32; 3],
    pub reach: f32,
    pub out: &'a mut Vec<u32>,
}

impl Kernel for NearSpheres<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let NearSpheres { spheres, center, reach, out } = self;
        let x = S::F32x8::splat(center[0]);
        let y = S::F32x8::splat(center[1]);
        let z = S::F32x8::splat(center[2]);
        let reach = S::F32x8::splat(reach);
        let slack = S::F32x8::splat(1.0 + 64.0 / 16_777_216.0);
        let least = S::F32x8::splat(f32::MIN_POSITIVE);
        let mut at = 0;
        while at < spheres.count {
            let dx = S::F32x8::load(&spheres.rows[0][at..]).sub(x);
            let dy = S::F32x8::load(&spheres.rows[1][at..]).sub(y);
            let dz = S::F32x8::load(&spheres.rows[2][at..]).sub(z);
            let far = S::F32x8::load(&spheres.rows[3][at..]).add(reach);
            let squared = dx.mul(dx).add(dy.mul(dy)).add(dz.mul(dz));
            let mut near = squared.at_most(far.mul(far).mul(slack).max(least)).bits();
            if spheres.count - at < LANES {
                near &= (1 << (spheres.count - at)) - 1;
            }
            while near != 0 {
                out.push(at as u32 + near.trailing_zeros());
                near &= near - 1;
            }
            at += LANES;
        }
    }
}

/// What is known of a row's points and one triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Squared distances (m²).
    pub squared: [f32; LANES],
    /// Heights over the triangle's plane (m).
    pub heights: [f32; LANES],
}

/// Measures a row of points against those of some triangles that come near any of them.
pub(super) struct Measure<'a> {
    pub points: &'a PointRow,
    pub terms: &'a [LeafTerms],
    /// Which of them may.
    pub candidates: &'a [u32],
    /// What is farther from all points than this is left out.
    pub reach: f32,
    pub near: &'a mut Vec<u32>,
    /// Of each that is near.
    pub out: &'a mut Vec<Measured>,
}

impl Kernel for Measure<'_> {
    /// The least squared distance of each.
    type Output = [f32; LANES];

    #[inline(always)]
    fn run<S: Simd>(self) -> [f32; LANES] {
        let Measure { points, terms, candidates, reach, near, out } = self;
        let zero = S::F32x8::splat(0.0);
        let one = S::F32x8::splat(1.0);
        let x = S::F32x8::load(&points.0[0]);
        let y = S::F32x8::load(&points.0[1]);
        let z = S::F32x8::load(&points.0[2]);
        let mut least = S::F32x8::splat(f32::INFINITY);
        let slack = S::F32x8::splat(1.0 + 64.0 / 16_777_216.0);
        let tiny = S::F32x8::splat(f32::MIN_POSITIVE);
        for &index in candidates {
            let t = &terms[index as usize / LEAF_TRIANGLES];
            let n = index as usize % LEAF_TRIANGLES;
            let dx = x.sub(S::F32x8::splat(t.middle[0][n]));
            let dy = y.sub(S::F32x8::splat(t.middle[1][n]));
            let dz = z.sub(S::F32x8::splat(t.middle[2][n]));
            let far = S::F32x8::splat(t.radius[n] + reach);
            let apart = dx.mul(dx).add(dy.mul(dy)).add(dz.mul(dz));
            if apart.at_most(far.mul(far).mul(slack).max(tiny)).bits() == 0 {
                continue;
            }
            near.push(index);
            let mut squared = S::F32x8::splat(f32::INFINITY);
            // Negative where it is beyond an edge.
            let mut within = S::F32x8::splat(f32::INFINITY);
            let mut height = zero;
            for k in 0..3 {
                let px = x.sub(S::F32x8::splat(t.corners[k][0][n]));
                let py = y.sub(S::F32x8::splat(t.corners[k][1][n]));
                let pz = z.sub(S::F32x8::splat(t.corners[k][2][n]));
                let ex = S::F32x8::splat(t.edges[k][0][n]);
                let ey = S::F32x8::splat(t.edges[k][1][n]);
                let ez = S::F32x8::splat(t.edges[k][2][n]);
                let along = px.mul(ex).add(py.mul(ey)).add(pz.mul(ez));
                let share = along.mul(S::F32x8::splat(t.shares[k][n])).max(zero).min(one);
                let dx = px.sub(ex.mul(share));
                let dy = py.sub(ey.mul(share));
                let dz = pz.sub(ez.mul(share));
                squared = squared.min(dx.mul(dx).add(dy.mul(dy)).add(dz.mul(dz)));
                let inward = px
                    .mul(S::F32x8::splat(t.inward[k][0][n]))
                    .add(py.mul(S::F32x8::splat(t.inward[k][1][n])))
                    .add(pz.mul(S::F32x8::splat(t.inward[k][2][n])));
                within = within.min(inward);
                if k == 0 {
                    height = px
                        .mul(S::F32x8::splat(t.normal[0][n]))
                        .add(py.mul(S::F32x8::splat(t.normal[1][n])))
                        .add(pz.mul(S::F32x8::splat(t.normal[2][n])));
                }
            }
            let over = zero.less(within);
            let squared = over.select(height.mul(height), squared);
            least = least.min(squared);
            let mut measured = Measured { squared: [0.0; LANES], heights: [0.0; LANES] };
            squared.store(&mut measured.squared);
            height.store(&mut measured.heights);
            out.push(measured);
        }
        let mut all = [0.0; LANES];
        least.store(&mut all);
        all
    }
}

/// Which points of a row are certainly on the side of one of them of the planes of all triangles.
pub(super) struct SameSide<'a> {
    pub points: &'a PointRow,
    /// Which of them.
    pub lane: usize,
    pub terms: &'a [LeafTerms],
    pub candidates: &'a [u32],
    /// Heights that are not greater tell nothing.
    pub least: f32,
}

impl Kernel for SameSide<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self) -> u32 {
        let SameSide { points, lane, terms, candidates, least } = self;
        let x = S::F32x8::load(&points.0[0]);
        let y = S::F32x8::load(&points.0[1]);
        let z = S::F32x8::load(&points.0[2]);
        let px = S::F32x8::splat(points.0[0][lane]);
        let py = S::F32x8::splat(points.0[1][lane]);
        let pz = S::F32x8::splat(points.0[2][lane]);
        let (least, below) = (S::F32x8::splat(least), S::F32x8::splat(-least));
        let mut same = 0xff;
        for &index in candidates {
            let t = &terms[index as usize / LEAF_TRIANGLES];
            let n = index as usize % LEAF_TRIANGLES;
            let (nx, cx) = (S::F32x8::splat(t.normal[0][n]), S::F32x8::splat(t.corners[0][0][n]));
            let (ny, cy) = (S::F32x8::splat(t.normal[1][n]), S::F32x8::splat(t.corners[0][1][n]));
            let (nz, cz) = (S::F32x8::splat(t.normal[2][n]), S::F32x8::splat(t.corners[0][2][n]));
            let all = x.sub(cx).mul(nx).add(y.sub(cy).mul(ny)).add(z.sub(cz).mul(nz));
            let one = px.sub(cx).mul(nx).add(py.sub(cy).mul(ny)).add(pz.sub(cz).mul(nz));
            let above = least.less(all).and(least.less(one));
            let under = all.less(below).and(one.less(below));
            same &= above.or(under).bits();
            if same == 0 {
                break;
            }
        }
        same
    }
}
