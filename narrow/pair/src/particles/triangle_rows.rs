//! Eight points against one triangle after another, in `f32`.

use impinge_geometry::simd::{F32Lanes, Kernel, Simd};
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
    /// Across each edge in the triangle's plane, inward; 0 of a triangle without area.
    inward: [[f32; 3]; 3],
    normal: [f32; 3],
}

impl TriangleTerms {
    pub fn new(corners: &[Point3<f64>; 3]) -> TriangleTerms {
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
}

impl TriangleSpheres {
    pub fn clear(&mut self) {
        self.rows.iter_mut().for_each(Vec::clear);
        self.count = 0;
    }

    pub fn push(&mut self, center: [f32; 3], radius: f32) {
        for (row, x) in self.rows.iter_mut().zip([center[0], center[1], center[2], radius]) {
            row.truncate(self.count);
            row.push(x);
            row.resize(self.count + LANES, 0.0);
        }
        self.count += 1;
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

/// Measures a row of points against triangles.
pub(super) struct Measure<'a> {
    pub points: &'a PointRow,
    pub terms: &'a [TriangleTerms],
    /// Which of them.
    pub near: &'a [u32],
    pub out: &'a mut Vec<Measured>,
}

impl Kernel for Measure<'_> {
    /// The least squared distance of each.
    type Output = [f32; LANES];

    #[inline(always)]
    fn run<S: Simd>(self) -> [f32; LANES] {
        let Measure { points, terms, near, out } = self;
        let zero = S::F32x8::splat(0.0);
        let one = S::F32x8::splat(1.0);
        let x = S::F32x8::load(&points.0[0]);
        let y = S::F32x8::load(&points.0[1]);
        let z = S::F32x8::load(&points.0[2]);
        let mut least = S::F32x8::splat(f32::INFINITY);
        for &index in near {
            let t = &terms[index as usize];
            let mut squared = S::F32x8::splat(f32::INFINITY);
            // Negative where it is beyond an edge.
            let mut within = S::F32x8::splat(f32::INFINITY);
            let mut height = zero;
            for k in 0..3 {
                let px = x.sub(S::F32x8::splat(t.corners[k][0]));
                let py = y.sub(S::F32x8::splat(t.corners[k][1]));
                let pz = z.sub(S::F32x8::splat(t.corners[k][2]));
                let ex = S::F32x8::splat(t.edges[k][0]);
                let ey = S::F32x8::splat(t.edges[k][1]);
                let ez = S::F32x8::splat(t.edges[k][2]);
                let along = px.mul(ex).add(py.mul(ey)).add(pz.mul(ez));
                let share = along.mul(S::F32x8::splat(t.shares[k])).max(zero).min(one);
                let dx = px.sub(ex.mul(share));
                let dy = py.sub(ey.mul(share));
                let dz = pz.sub(ez.mul(share));
                squared = squared.min(dx.mul(dx).add(dy.mul(dy)).add(dz.mul(dz)));
                let inward = px
                    .mul(S::F32x8::splat(t.inward[k][0]))
                    .add(py.mul(S::F32x8::splat(t.inward[k][1])))
                    .add(pz.mul(S::F32x8::splat(t.inward[k][2])));
                within = within.min(inward);
                if k == 0 {
                    height = px
                        .mul(S::F32x8::splat(t.normal[0]))
                        .add(py.mul(S::F32x8::splat(t.normal[1])))
                        .add(pz.mul(S::F32x8::splat(t.normal[2])));
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
