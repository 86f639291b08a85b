//! T. Vassilev, B. Spanlang, Y. Chrysanthou, "Fast cloth animation on walking avatars", 2001: the vertices of a cloth
//! against maps of an avatar's depth, normal and velocity, seen from the front and from the back.

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::body::{ClassicBody, LatticeBody};
use super::cullide::check_count;
use super::error::ClassicError;
use crate::coverage::{Sink, cover_snapped};
use crate::crossing::Crossing;
use crate::ldi::{Faces, LayeredDepthImage, LdiError};
use crate::view::View;

const WHAT: &str = "the test of Vassilev, Spanlang and Chrysanthou";

/// What one map knows of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AvatarSample {
    /// Depth of the surface (steps of the view).
    pub depth: i64,
    /// The triangle seen.
    pub triangle: u32,
    /// Its outward normal, of its corners' ones as they weigh at the pixel's centre (unit, world).
    pub normal: Vector3<f32>,
    /// Its velocity, of its corners' ones (m/s, world).
    pub velocity: Vector3<f32>,
}

/// Depth, normal and velocity maps of an avatar, from the front (the surface first seen along the view) and from the back
/// (the last).
#[derive(Clone, Debug)]
pub struct AvatarMaps {
    view: View,
    maps: [Vec<Option<AvatarSample>>; 2],
}

/// A vertex of a cloth inside of an avatar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothHit {
    /// Which vertex.
    pub vertex: u32,
    /// Whether the back map is the nearer one.
    pub back: bool,
    /// How far behind that map's surface the vertex is, along the view (m).
    pub along_view: f64,
    /// The same along the surface's normal (m): by how much the vertex has to be moved, if the surface is flat as far as the
    /// vertex is behind it. Over ridges and near the outline, where it turns sooner, that is more than need be.
    pub depth: f64,
    /// What the map has there.
    pub surface: AvatarSample,
}

impl AvatarMaps {
    /// Maps of a closed avatar along `direction` (world, any length), `pixels`² each. `velocities` has one for each vertex
    /// (m/s, world).
    ///
    /// # Errors
    /// [`ClassicError::NotClosed`], [`ClassicError::Count`] for another number of velocities, [`ClassicError::View`].
    pub fn new(
        avatar: &ClassicBody<'_>,
        velocities: &[Vector3<f32>],
        direction: Vector3<f64>,
        pixels: u32,
    ) -> Result<AvatarMaps, ClassicError> {
        let view = AvatarMaps::view_along(avatar, velocities, direction, pixels)?;
        let lattice = LatticeBody::new(avatar, &view)?;
        let mut ends =
            Ends { seen: [vec![None; (pixels * pixels) as usize], vec![None; (pixels * pixels) as usize]] };
        let level = impinge_geometry::SimdLevel::detect();
        cover_snapped(level, &view.grid(), &lattice.vertices, &lattice.triangles, &mut ends);
        Ok(AvatarMaps::shaded(avatar, velocities, view, &lattice, ends))
    }

    /// As [`AvatarMaps::new`], of the avatar's layers as any way of capturing has found them: with those that a device has
    /// drawn, the device has found the depth and the face of every pixel. The maps are the same to the last bit.
    ///
    /// # Errors
    /// As [`AvatarMaps::new`], and [`ClassicError::View`] for an image with one kind of faces.
    pub fn of_layers(
        avatar: &ClassicBody<'_>,
        velocities: &[Vector3<f32>],
        layers: &LayeredDepthImage,
    ) -> Result<AvatarMaps, ClassicError> {
        AvatarMaps::check(avatar, velocities)?;
        if layers.faces() != Faces::Both {
            return Err(LdiError::OneKindOfFaces { what: WHAT }.into());
        }
        let view = *layers.view();
        let lattice = LatticeBody::new(avatar, &view)?;
        let [width, height] = view.pixels();
        let mut ends = Ends { seen: [Vec::new(), Vec::new()] };
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let line = layers.line(x, y);
            let seen = |crossing: &Crossing| (i64::from(crossing.depth()), crossing.triangle());
            ends.seen[0].push(line.iter().find(|crossing| crossing.is_front()).map(seen));
            let last =
                line.iter().rev().find(|crossing| !crossing.is_front()).map(|crossing| crossing.depth());
            let first_of_last = |crossing: &&Crossing| !crossing.is_front() && Some(crossing.depth()) == last;
            ends.seen[1].push(line.iter().find(first_of_last).map(seen));
        }
        Ok(AvatarMaps::shaded(avatar, velocities, view, &lattice, ends))
    }

    /// The view of the maps that [`AvatarMaps::new`] makes.
    ///
    /// # Errors
    /// As [`AvatarMaps::new`].
    pub fn view_along(
        avatar: &ClassicBody<'_>,
        velocities: &[Vector3<f32>],
        direction: Vector3<f64>,
        pixels: u32,
    ) -> Result<View, ClassicError> {
        AvatarMaps::check(avatar, velocities)?;
        Ok(View::of_body(avatar.mesh, avatar.pose, direction, [pixels; 2])?)
    }

    fn check(avatar: &ClassicBody<'_>, velocities: &[Vector3<f32>]) -> Result<(), ClassicError> {
        avatar.closed(WHAT, 0)?;
        check_count("velocities of vertices", velocities.len(), avatar.mesh.vertices().len())
    }

    fn shaded(
        avatar: &ClassicBody<'_>,
        velocities: &[Vector3<f32>],
        view: View,
        lattice: &LatticeBody,
        ends: Ends,
    ) -> AvatarMaps {
        let normals = vertex_normals(avatar);
        let shade = |pixel: usize, (depth, triangle): (i64, u32)| {
            let corners = avatar.mesh.triangles()[triangle as usize].map(|v| v as usize);
            let weights = weights(lattice, triangle as usize, pixel, &view);
            let mix = |of: &[Vector3<f32>]| (0..3).map(|k| of[corners[k]] * weights[k]).sum::<Vector3<f32>>();
            let normal = mix(&normals).try_normalize(0.0).unwrap_or_default();
            AvatarSample { depth, triangle, normal, velocity: mix(velocities) }
        };
        let maps = ends.seen.map(|map| {
            map.into_iter().enumerate().map(|(pixel, seen)| seen.map(|seen| shade(pixel, seen))).collect()
        });
        AvatarMaps { view, maps }
    }

    /// The view of both maps.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What a map has of a pixel (row after row): the front one, or the back one.
    pub fn sample(&self, back: bool, pixel: u32) -> Option<&AvatarSample> {
        self.maps[usize::from(back)].get(pixel as usize)?.as_ref()
    }

    /// Which of a cloth's vertices (m, world) are inside: behind the front map's surface and before the back map's. The
    /// nearer of the two says where to.
    ///
    /// *False* hits: all between the first and the last surface along the view counts as inside, so the avatar should be
    /// convex along it, as a torso is; and within half a pixel's diagonal of the outline. *May miss* vertices that are less
    /// deep than the surface rises across half a pixel, and what the cloth does between its vertices.
    ///
    /// # Errors
    /// [`ClassicError::Value`] for a vertex that is not finite.
    pub fn test(&self, cloth: &[Point3<f64>]) -> Result<Vec<ClothHit>, ClassicError> {
        let [width, height] = self.view.count.map(f64::from);
        let mut hits = Vec::new();
        for (vertex, p) in (0..).zip(cloth) {
            let [x, y, z] = self.view.locate(p);
            if !(x.is_finite() && y.is_finite() && z.is_finite()) {
                let value = p.iter().copied().find(|x| !x.is_finite()).unwrap_or(f64::INFINITY);
                return Err(ClassicError::Value {
                    what: "a coordinate of a vertex",
                    value,
                    wanted: "finite",
                });
            }
            if !((0.0..width).contains(&x) && (0.0..height).contains(&y)) {
                continue;
            }
            let pixel = y as usize * self.view.count[0] as usize + x as usize;
            let (Some(front), Some(back)) = (self.maps[0][pixel], self.maps[1][pixel]) else { continue };
            let behind = [z - front.depth as f64, back.depth as f64 - z];
            if behind.iter().all(|steps| *steps > 0.0) {
                let of_back = behind[1] < behind[0];
                let (surface, steps) = if of_back { (back, behind[1]) } else { (front, behind[0]) };
                let along_view = steps * self.view.step;
                let slant = self.view.axes.depth.dot(&surface.normal.cast()).abs();
                let depth = along_view * slant;
                hits.push(ClothHit { vertex, back: of_back, along_view, depth, surface });
            }
        }
        Ok(hits)
    }
}

/// The first and the last surface of every pixel: depth and triangle.
struct Ends {
    seen: [Vec<Option<(i64, u32)>>; 2],
}

impl Sink for Ends {
    #[inline(always)]
    fn put(&mut self, pixel: usize, depth: i64, front: bool, triangle: u32) {
        let seen = &mut self.seen[usize::from(!front)][pixel];
        let new = (depth, triangle);
        // Of faces at one depth the first triangle.
        let nearer = |old: (i64, u32)| {
            let sooner = if front { depth < old.0 } else { depth > old.0 };
            sooner || (depth == old.0 && triangle < old.1)
        };
        if seen.is_none_or(nearer) {
            *seen = Some(new);
        }
    }
}

/// Normals of vertices: the sums of their triangles' area vectors (unit, world).
fn vertex_normals(avatar: &ClassicBody<'_>) -> Vec<Vector3<f32>> {
    let mesh: &TriMesh = avatar.mesh;
    let mut sums = vec![Vector3::<f64>::zeros(); mesh.vertices().len()];
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| mesh.vertices()[v as usize].cast::<f64>());
        let area = (b - a).cross(&(c - a));
        for v in triangle {
            sums[*v as usize] += area;
        }
    }
    let world = |sum: Vector3<f64>| avatar.pose.rotation * sum.try_normalize(0.0).unwrap_or_default();
    sums.into_iter().map(|sum| world(sum).cast::<f32>()).collect()
}

/// How the corners of a triangle weigh at a pixel's centre.
fn weights(lattice: &LatticeBody, triangle: usize, pixel: usize, view: &View) -> [f32; 3] {
    let c = lattice.corners(triangle);
    let width = view.count[0] as usize;
    let at = [pixel % width, pixel / width].map(|k| (k as i64) << view.sub_bits);
    let cross = |a: usize, b: usize| {
        let (u, v) = ([c.x[a] - at[0], c.y[a] - at[1]], [c.x[b] - at[0], c.y[b] - at[1]]);
        (i128::from(u[0]) * i128::from(v[1]) - i128::from(u[1]) * i128::from(v[0])) as f64
    };
    let parts = [cross(1, 2), cross(2, 0), cross(0, 1)];
    let sum: f64 = parts.iter().sum();
    parts.map(|part| (part / sum) as f32)
}
