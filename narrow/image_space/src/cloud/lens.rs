//! From places to pixels, and from triangles to spans, in either kind of view.

use impinge_geometry::simd::F32x8 as Wide;
use impinge_midphase::obb_tree::{Covered, Projection};
use nalgebra::Isometry3;

use super::view::{CloudView, FACES};
use crate::coverage::eight::{Spot, spot};
use crate::coverage::rows::{Span, Window, cover};
use crate::height_map::beyond;

/// Points that are sampled together.
pub(super) const BLOCK: usize = 256;

/// What turns a place into a pixel.
pub(super) struct Sampler {
    /// For [`CloudView::Along`] the projection; for a cube none.
    along: Option<Projection>,
    center: [f64; 3],
    size: [f64; 2],
    /// Of the points (m).
    pub radius: f64,
}

impl Sampler {
    pub fn new(view: &CloudView, radius: f64) -> Sampler {
        let ([width, height], _) = view.pictures();
        let size = [f64::from(width), f64::from(height)];
        match view {
            CloudView::Along(plane) => {
                let along = Some(plane.projection(&Isometry3::identity()));
                Sampler { along, center: [0.0; 3], size, radius }
            }
            CloudView::Around { center, .. } => {
                Sampler { along: None, center: (*center).into(), size, radius }
            }
        }
    }

    /// The depth of what is a radius ahead of a place at `depth`, along its line of sight.
    #[inline(always)]
    pub fn front(&self, p: &[f32; 3], depth: f64) -> f64 {
        if self.along.is_some() || self.radius == 0.0 {
            return depth + self.radius;
        }
        let away = (0..3).map(|k| (f64::from(p[k]) - self.center[k]).powi(2)).sum::<f64>().sqrt();
        depth * (1.0 + self.radius / away)
    }

    /// Pixel and depth of a place; `None` beside the picture, or of what is not finite.
    #[inline(always)]
    pub fn sample(&self, p: &[f32; 3]) -> Option<(usize, f64)> {
        let ([x, y], row, depth) = match &self.along {
            Some(projection) => {
                let [x, y, depth] = projection.at(*p);
                ([x, y], 0.0, depth)
            }
            None => {
                let v: [f64; 3] = std::array::from_fn(|k| f64::from(p[k]) - self.center[k]);
                let [a, b, c] = v.map(f64::abs);
                let axis = if a >= b && a >= c {
                    0
                } else if b >= c {
                    1
                } else {
                    2
                };
                let face = 2 * axis + usize::from(v[axis] < 0.0);
                let depth = v[axis].abs();
                let [right, down, _] = FACES[face];
                let dot = |of: [f64; 3]| of[0] * v[0] + of[1] * v[1] + of[2] * v[2];
                let at = |of: [f64; 3]| (dot(of) / depth + 1.0) * 0.5 * self.size[0];
                let inside = |x: f64| x.min(self.size[0] * (1.0 - 1e-15));
                ([inside(at(right)), inside(at(down))], face as f64 * self.size[1], depth)
            }
        };
        let inside = x >= 0.0 && x < self.size[0] && y >= 0.0 && y < self.size[1] && depth.is_finite();
        let pixel = (row as usize + y as usize) * self.size[0] as usize + x as usize;
        inside.then_some((pixel, depth))
    }
}

impl Sampler {
    /// Pixels and depths of places; of what is beside the picture, or not finite, the first pixel, and a
    /// depth before every surface.
    pub fn sample_all(&self, places: &[[f32; 3]], pixels: &mut [u32; BLOCK], depths: &mut [f64; BLOCK]) {
        let Some(projection) = &self.along else {
            for ((p, pixel), depth) in places.iter().zip(pixels).zip(depths) {
                let seen = self.sample(p).unwrap_or((0, f64::NEG_INFINITY));
                (*pixel, *depth) = (seen.0 as u32, seen.1);
            }
            return;
        };
        for ((p, pixel), to) in places.iter().zip(pixels).zip(depths) {
            let [x, y, depth] = projection.at(*p);
            let inside = (x >= 0.0) & (x < self.size[0]) & (y >= 0.0) & (y < self.size[1]);
            let inside = inside & (depth.abs() < f64::INFINITY);
            let row = (y as i32 as u32).wrapping_mul(self.size[0] as u32);
            let at = row.wrapping_add(x as i32 as u32);
            *pixel = if inside { at } else { 0 };
            *to = if inside { depth } else { f64::NEG_INFINITY };
        }
    }
}

/// What turns triangles into pixels of one picture.
pub(super) struct Lens {
    pub projection: Projection,
    /// Of a cube's face: least depth, and pixels along a side.
    cube: Option<[f64; 2]>,
    depths: [f64; 2],
    size: [f64; 2],
}

impl Lens {
    pub fn new(view: &CloudView, picture: usize, pose: &Isometry3<f64>) -> Lens {
        let ([width, height], _) = view.pictures();
        let size = [f64::from(width), f64::from(height)];
        match view {
            CloudView::Along(plane) => {
                Lens { projection: plane.projection(pose), cube: None, depths: plane.depths(), size }
            }
            CloudView::Around { center, near, pixels } => {
                let seen = CloudView::face(center, picture) * pose;
                let m = seen.rotation.to_rotation_matrix().into_inner();
                let t = seen.translation.vector;
                let row = |k: usize| [m[(k, 0)], m[(k, 1)], m[(k, 2)], t[k]];
                let projection = Projection { rows: [row(0), row(1), row(2)] };
                let depths = [*near, f64::INFINITY];
                Lens { projection, cube: Some([*near, f64::from(*pixels)]), depths, size }
            }
        }
    }

    /// Whether something that covers this much may be seen; `ahead` becomes false for what may reach
    /// before the near plane.
    pub fn may_show(&self, [x, y, depth]: &Covered, ahead: &mut bool) -> bool {
        let [near, far] = self.depths.map(|d| d as f32);
        *ahead &= depth[0] > near.next_up();
        if self.cube.is_some() {
            // Beside a side of the pyramid of sight where all of the box is.
            let beside = |[low, high]: &[f32; 2]| *low > depth[1].max(0.0) || *high < -depth[1].max(0.0);
            return !(depth[1] < near || beside(x) || beside(y));
        }
        let [width, height] = self.size.map(|n| n as f32);
        !(depth[1] < near.next_down()
            || depth[0] > far.next_up()
            || x[1] < 0.0
            || x[0] > width
            || y[1] < 0.0
            || y[0] > height)
    }

    /// A vertex of the body on the picture; none for what is nearer than a cube's near plane.
    #[inline(always)]
    pub fn spot(&self, p: [f32; 3]) -> Spot {
        let at = self.projection.at(p);
        match self.cube {
            None => spot(at),
            Some([least, _]) if at[2] < least => [f32::NAN; 4],
            Some([_, pixels]) => spot(seen(&at, pixels)),
        }
    }

    /// Depths from the values of pixels, and which of them count.
    #[inline(always)]
    pub fn depths<W: Wide>(&self, value: W, mask: W) -> (W, W) {
        if self.cube.is_some() {
            return (W::splat(1.0).div(value), mask);
        }
        let [near, far] = [W::splat(self.depths[0] as f32), W::splat(self.depths[1] as f32)];
        (value, mask.and(near.at_most(value)).and(value.at_most(far)))
    }

    /// Draws a triangle, given as the projection has it; `row` is told each span and how its values
    /// become depths. Whether anything of it may have been seen.
    #[inline(always)]
    pub fn show(
        &self,
        corners: &[[f64; 3]; 3],
        window: &Window,
        ahead: bool,
        mut row: impl FnMut(&Span, &dyn Fn(f64) -> f32),
    ) -> bool {
        let [near, far] = self.depths;
        let Some([least, pixels]) = self.cube else {
            if beyond(corners, self.depths, window) || (ahead && faces_away(corners)) {
                return false;
            }
            // Out of range depths are as if nothing was there.
            let depth = |d: f64| if near <= d && d <= far { d as f32 } else { f32::INFINITY };
            cover(corners, window, |span| row(&span, &depth));
            return true;
        };
        let mut shown = false;
        let see = |p: &[f64; 3]| seen(p, pixels);
        let inverse = |v: f64| (1.0 / v) as f32;
        clipped(corners, least, |t| {
            let t = [see(&t[0]), see(&t[1]), see(&t[2])];
            let hidden = ahead && faces_away(&t);
            if !hidden && !beyond(&t, [f64::NEG_INFINITY, f64::INFINITY], window) {
                shown = true;
                cover(&t, window, |span| row(&span, &inverse));
            }
        });
        shown
    }
}

/// Where a cube's face shows a place: pixels to the right and down, and one over the depth.
#[inline(always)]
fn seen(p: &[f64; 3], pixels: f64) -> [f64; 3] {
    let inverse = 1.0 / p[2];
    let at = |x: f64| (x * inverse + 1.0) * 0.5 * pixels;
    [at(p[0]), at(p[1]), inverse]
}

/// Whether a triangle certainly turns its inner side to the viewer, also after its corners are snapped.
#[inline(always)]
fn faces_away(c: &[[f64; 3]; 3]) -> bool {
    let [u, v] = [1, 2].map(|k| [c[k][0] - c[0][0], c[k][1] - c[0][1]]);
    let area = u[0] * v[1] - u[1] * v[0];
    area > (u[0].abs() + u[1].abs() + v[0].abs() + v[1].abs() + 1.0) / 128.0
}

/// The parts of a triangle that are no nearer than `near`, as triangles.
#[inline(always)]
fn clipped(c: &[[f64; 3]; 3], near: f64, mut visit: impl FnMut(&[[f64; 3]; 3])) {
    let inside = c.map(|p| p[2] >= near);
    let count = inside.iter().filter(|i| **i).count();
    if count == 3 {
        return visit(c);
    }
    if count == 0 {
        return;
    }
    // Turned so that the one that differs comes first.
    let odd = (0..3).find(|&k| inside[k] == (count == 1)).unwrap_or(0);
    let [a, b, d] = [c[odd], c[(odd + 1) % 3], c[(odd + 2) % 3]];
    let cut = |p: [f64; 3], q: [f64; 3]| {
        let t = (near - p[2]) / (q[2] - p[2]);
        let at = |k: usize| p[k] + (q[k] - p[k]) * t;
        [at(0), at(1), near]
    };
    if count == 1 {
        visit(&[a, cut(a, b), cut(a, d)]);
    } else {
        let (p, q) = (cut(a, b), cut(a, d));
        visit(&[p, b, d]);
        visit(&[p, d, q]);
    }
}
