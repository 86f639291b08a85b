//! An environment drawn into a cloud's pictures.

use std::ops::ControlFlow;

use impinge_geometry::simd::F32x8 as Wide;
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::Covered;
use nalgebra::{Isometry3, Vector3};
use rayon::prelude::*;

use super::lens::Lens;
use super::map::CloudMap;
use super::view::{CloudView, FACES};
use crate::coverage::eight::{self, Batch, PixelSink};
use crate::coverage::rows::Window;
use crate::height_map::primitive_points;
use impinge_convex::primitive_interval;

/// From this many triangles on, bands of rows are drawn by several threads.
const BIG: usize = 1 << 12;

impl CloudMap {
    /// The rows of one picture, with their place.
    fn picture(&mut self, picture: usize) -> (&mut [f32], &mut [u32]) {
        let ([width, height], _) = self.view.pictures();
        let size = width as usize * height as usize;
        let own = picture * size..(picture + 1) * size;
        (&mut self.depth[own.clone()], &mut self.seen[own])
    }

    pub(super) fn draw_primitive(
        &mut self,
        picture: usize,
        primitive: &impinge_geometry::Primitive,
        pose: &Isometry3<f64>,
        number: u32,
    ) {
        let view = self.view;
        let width = self.width;
        let (depths, seen) = self.picture(picture);
        let mut offer = |k: usize, depth: f64| offer(&mut depths[k], &mut seen[k], depth as f32, number);
        match &view {
            CloudView::Along(plane) => {
                let [near, far] = plane.depths();
                let window = whole(plane.pixels());
                primitive_points(primitive, pose, plane, &window, |x, y, depth, _| {
                    if near <= depth && depth <= far {
                        offer(y as usize * width + x as usize, depth);
                    }
                });
            }
            CloudView::Around { center, near, pixels } => {
                let origin = pose.inverse_transform_point(center);
                let [right, down, forward] =
                    FACES[picture].map(|axis| pose.inverse_transform_vector(&Vector3::from(axis)));
                let across = |n: u32| (f64::from(n) + 0.5) / f64::from(*pixels) * 2.0 - 1.0;
                for y in 0..*pixels {
                    for x in 0..*pixels {
                        let ray = forward + right * across(x) + down * across(y);
                        let length = ray.norm();
                        let Some(span) = primitive_interval(primitive, &origin, &(ray / length)) else {
                            continue;
                        };
                        for depth in [span.enter / length, span.exit / length] {
                            if depth >= *near && depth.is_finite() {
                                offer(y as usize * width + x as usize, depth);
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn draw_surface(
        &mut self,
        picture: usize,
        surface: &Surface,
        pose: &Isometry3<f64>,
        first: u32,
    ) {
        let view = self.view;
        let (size, _) = view.pictures();
        let lens = Lens::new(&view, picture, pose);
        // What may be seen, by the tree; and whether all of it lies behind the near plane, so that a
        // closed mesh shows its outer side alone.
        let mut listed = std::mem::take(&mut self.listed);
        listed.clear();
        let mut ahead = surface.faces().is_closed();
        let open = |covered: &Covered| lens.may_show(covered, &mut ahead);
        let leaf = |leaf| {
            listed.extend_from_slice(&surface.tree.leaf_triangles(leaf));
            ControlFlow::Continue(())
        };
        let _ = surface.tree.projected(&lens.projection, open, leaf, &mut self.stack);
        if listed.is_empty() {
            self.listed = listed;
            return;
        }
        let mut spots = std::mem::take(&mut self.spots);
        spots.clear();
        let mesh = surface.mesh();
        spots.extend(mesh.iter().flat_map(|mesh| mesh.vertices()).map(|v| lens.spot((*v).into())));
        let threads = if listed.len() < BIG { 1 } else { rayon::current_num_threads() };
        let rows = (size[1] as usize).div_ceil(threads).max(1);
        let width = size[0] as usize;
        let (depths, seen) = self.picture(picture);
        let bands = depths.par_chunks_mut(rows * width).zip(seen.par_chunks_mut(rows * width));
        let draw = |(band, (depth, seen)): (usize, (&mut [f32], &mut [u32]))| {
            let start = (band * rows) as u32;
            let end = start + (depth.len() / width) as u32;
            let window = Window { columns: 0..size[0], rows: start..end };
            let mut nearest = Nearest { depth, seen, first, lens: &lens };
            let (mut left, mut drawn) = (Vec::new(), 0);
            match mesh {
                Some(mesh) => {
                    let batch = Batch {
                        spots: &spots,
                        triangles: mesh.triangles(),
                        listed: Some(&listed),
                        outside_only: ahead,
                        width: size[0],
                        columns: 0..size[0],
                        rows: start..end,
                    };
                    drawn += eight::draw(&batch, &mut nearest, &mut left);
                }
                // Without vertices in a row each triangle is drawn by itself.
                None => left.extend_from_slice(&listed),
            }
            for triangle in left {
                let corners = surface.faces().corners(triangle).map(|p| lens.projection.at(p.into()));
                drawn += u64::from(lens.show(&corners, &window, ahead, |span, depth| {
                    let row = (span.y - start) as usize * width;
                    for x in span.first..span.end {
                        let k = row + x as usize;
                        let own = &mut nearest;
                        offer(&mut own.depth[k], &mut own.seen[k], depth(span.value(x)), first + triangle);
                    }
                }));
            }
            drawn
        };
        let drawn: u64 = if threads > 1 {
            bands.enumerate().map(draw).sum()
        } else {
            let (depths, seen) = self.picture(picture);
            draw((0, (depths, seen)))
        };
        self.counts.triangles += drawn;
        (self.listed, self.spots) = (listed, spots);
    }
}

/// Rows of a picture.
struct Nearest<'m> {
    depth: &'m mut [f32],
    seen: &'m mut [u32],
    /// The part's first number.
    first: u32,
    lens: &'m Lens,
}

impl PixelSink for Nearest<'_> {
    const ALIGNED: bool = false;

    #[inline(always)]
    fn eight<W: Wide>(&mut self, at: usize, mask: W, value: W, number: u32) {
        let (Some(depth), Some(seen)) =
            (self.depth[at..].first_chunk_mut::<8>(), self.seen[at..].first_chunk_mut::<8>())
        else {
            return;
        };
        let (value, mask) = self.lens.depths(value, mask);
        let held = W::load(depth);
        let ahead = mask.and(value.less(held));
        let level = mask.and(value.at_most(held)).bits() & !ahead.bits();
        let number = self.first + number;
        if ahead.bits() != 0 {
            ahead.select(value, W::splat(f32::INFINITY)).min(held).store(depth);
            eight::put(ahead, W::splat(f32::from_bits(number)), seen);
        }
        if level != 0 {
            for (lane, seen) in seen.iter_mut().enumerate() {
                if level >> lane & 1 == 1 {
                    *seen = number.min(*seen);
                }
            }
        }
    }
}

/// Keeps the nearer of what a pixel holds and what is offered, of equal ones that of the lower number.
#[inline(always)]
fn offer(depth: &mut f32, seen: &mut u32, offered: f32, number: u32) {
    if offered < *depth || (offered == *depth && number < *seen) {
        (*depth, *seen) = (offered, number);
    }
}

fn whole([width, height]: [u32; 2]) -> Window {
    Window { columns: 0..width, rows: 0..height }
}
