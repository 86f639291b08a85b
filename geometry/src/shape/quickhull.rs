//! The convex hull of points, with exact predicates.
//!
//! Quickhull with conflict lists: every point that is still outside waits at one face that it sees;
//! the farthest of a face's points replaces all faces it sees by a fan over their border. A point in
//! a face's plane does not see it, which is the same as moving the point inward by less than
//! anything: what is seen is always a disc, and no new triangle is without area. So the result is
//! convex to the last bit for any input, however nearly coplanar, small or large.
//!
//! Sources: Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996; the exact
//! signs are Shewchuk's, 1997.

use nalgebra::Point3;

use crate::mesh::Arrays;
use crate::predicate::{area_vector, is_degenerate, orient3d};

/// Points nearer to a common plane than this, relative to their largest coordinate, are taken to
/// lie in it: it is no more than `f32` coordinates are rounded by.
const FLATNESS: f64 = 1.0 / (1 << 22) as f64;

struct Face {
    corners: [u32; 3],
    /// The face across the edge from corner `k` to corner `k + 1`.
    neighbors: [u32; 3],
    /// Points that see this face, of those that no earlier face of the same fan took.
    outside: Vec<u32>,
    alive: bool,
}

/// An edge of the border of what a point sees.
struct Border {
    from: u32,
    to: u32,
    /// The face beyond it.
    beyond: u32,
}

struct Hull<'p> {
    points: &'p [Point3<f64>],
    faces: Vec<Face>,
    /// Scratch: which faces have been looked at from the current point.
    looked_at: Vec<u32>,
    /// Scratch: the new face whose border edge begins at a vertex.
    begins_at: Vec<u32>,
}

/// Vertices (m) and outward faces of the convex hull of finite points; vertices are some of the
/// points in their order. `None` where the points lie in a plane.
pub(super) fn convex_hull(points: &[Point3<f32>]) -> Option<Arrays> {
    let exact: Vec<Point3<f64>> = points.iter().map(|p| p.cast()).collect();
    let simplex = first_simplex(&exact)?;
    let mut hull =
        Hull { points: &exact, faces: Vec::new(), looked_at: Vec::new(), begins_at: vec![0; points.len()] };
    hull.begin(simplex);
    let mut next = 0;
    while next < hull.faces.len() {
        // New faces come behind, so that one pass sees all of them.
        match hull.farthest(next as u32) {
            Some(point) => hull.take(next as u32, point),
            None => next += 1,
        }
    }
    let triangles: Vec<[u32; 3]> = hull.faces.iter().filter(|f| f.alive).map(|f| f.corners).collect();
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut index = hull.begins_at;
    for (new, &old) in used.iter().enumerate() {
        index[old as usize] = new as u32;
    }
    let vertices = used.iter().map(|&v| points[v as usize]).collect();
    Some((vertices, triangles.into_iter().map(|t| t.map(|v| index[v as usize])).collect()))
}

/// Four points that span a large volume, the fourth below the plane of the others.
fn first_simplex(points: &[Point3<f64>]) -> Option<[u32; 4]> {
    let greatest = |value: &dyn Fn(&Point3<f64>) -> f64| {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, p) in points.iter().enumerate() {
            let v = value(p);
            if v > best.1 {
                best = (i, v);
            }
        }
        best.0
    };
    let first = points.first()?;
    let a = greatest(&|p| (p - first).norm_squared());
    let b = greatest(&|p| (p - points[a]).norm_squared());
    let c = greatest(&|p| area_vector(&[points[a], points[b], *p]).norm_squared());
    let plane = [points[a], points[b], points[c]];
    if is_degenerate(&plane) {
        return None;
    }
    let d = greatest(&|p| orient3d(&plane[0], &plane[1], &plane[2], p).abs());
    let volume = orient3d(&plane[0], &plane[1], &plane[2], &points[d]);
    let height = volume.abs() / (2.0 * area_vector(&plane).norm());
    let largest = points.iter().map(|p| p.coords.amax()).fold(0.0, f64::max);
    if volume == 0.0 || height <= FLATNESS * largest {
        return None;
    }
    let [b, c] = if volume > 0.0 { [b, c] } else { [c, b] };
    Some([a, b, c, d].map(|i| i as u32))
}

impl Hull<'_> {
    fn at(&self, v: u32) -> &Point3<f64> {
        &self.points[v as usize]
    }

    /// Positive where the point sees the face from outside, growing with its distance.
    fn seen(&self, corners: &[u32; 3], point: u32) -> f64 {
        let [a, b, c] = corners.map(|v| self.at(v));
        -orient3d(a, b, c, self.at(point))
    }

    fn add(&mut self, corners: [u32; 3], neighbors: [u32; 3]) {
        self.faces.push(Face { corners, neighbors, outside: Vec::new(), alive: true });
        self.looked_at.push(u32::MAX);
    }

    fn begin(&mut self, [a, b, c, d]: [u32; 4]) {
        self.add([a, b, c], [1, 2, 3]);
        self.add([b, a, d], [0, 3, 2]);
        self.add([c, b, d], [0, 1, 3]);
        self.add([a, c, d], [0, 2, 1]);
        self.hand_out((0..self.points.len() as u32).collect(), 0);
    }

    /// Lets each point wait at the first face, from index `first` on, that it sees.
    fn hand_out(&mut self, points: Vec<u32>, first: usize) {
        for point in points {
            let face = (first..self.faces.len()).find(|&f| self.seen(&self.faces[f].corners, point) > 0.0);
            if let Some(face) = face {
                self.faces[face].outside.push(point);
            }
        }
    }

    /// The farthest of the points that wait at a face, the first of them where several are.
    fn farthest(&self, face: u32) -> Option<u32> {
        let face = &self.faces[face as usize];
        let mut best: Option<(u32, f64)> = None;
        for &point in &face.outside {
            let seen = self.seen(&face.corners, point);
            if best.is_none_or(|(_, most)| seen > most) {
                best = Some((point, seen));
            }
        }
        best.map(|(point, _)| point)
    }

    /// Makes a point part of the hull, starting from a face that it sees.
    fn take(&mut self, face: u32, point: u32) {
        let (seen, border) = self.view(face, point);
        let first = self.faces.len();
        for (k, edge) in border.iter().enumerate() {
            self.begins_at[edge.from as usize] = (first + k) as u32;
        }
        for (k, edge) in border.iter().enumerate() {
            let new = (first + k) as u32;
            let after = self.begins_at[edge.to as usize];
            self.add([edge.from, edge.to, point], [edge.beyond, after, u32::MAX]);
            let beyond = &mut self.faces[edge.beyond as usize];
            if let Some(k) = beyond.corners.iter().position(|&v| v == edge.to) {
                beyond.neighbors[k] = new;
            }
        }
        for k in first..self.faces.len() {
            let after = self.faces[k].neighbors[1] as usize;
            self.faces[after].neighbors[2] = k as u32;
        }
        let mut waiting = Vec::new();
        for face in seen {
            self.faces[face as usize].alive = false;
            waiting.append(&mut self.faces[face as usize].outside);
        }
        waiting.retain(|&p| p != point);
        self.hand_out(waiting, first);
    }

    /// The faces that a point sees, and the border around them.
    fn view(&mut self, face: u32, point: u32) -> (Vec<u32>, Vec<Border>) {
        let (mut seen, mut border, mut open) = (vec![face], Vec::new(), vec![face]);
        self.looked_at[face as usize] = point;
        while let Some(face) = open.pop() {
            let Face { corners, neighbors, .. } = self.faces[face as usize];
            for k in 0..3 {
                let beyond = neighbors[k];
                if self.looked_at[beyond as usize] == point {
                    continue;
                }
                if self.seen(&self.faces[beyond as usize].corners, point) > 0.0 {
                    self.looked_at[beyond as usize] = point;
                    seen.push(beyond);
                    open.push(beyond);
                } else {
                    border.push(Border { from: corners[k], to: corners[(k + 1) % 3], beyond });
                }
            }
        }
        (seen, border)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{pose, scale};
    use crate::{ConvexHull, Shape, ShapeError};

    /// The definition: a closed sphere-like surface, its vertices among the points, and no point
    /// outside of any face, exactly.
    fn is_hull_of(hull: &ConvexHull, points: &[Point3<f32>]) -> Result<(), String> {
        let mesh = hull.mesh();
        if !mesh.is_closed() || !mesh.report().defects.is_empty() {
            return Err(format!("{:?}", mesh.report()));
        }
        let euler = mesh.vertices().len() as i64 - mesh.edges().len() as i64 + mesh.triangles().len() as i64;
        if euler != 2 || mesh.components().len() != 1 {
            return Err(format!("Euler characteristic {euler}"));
        }
        if let Some(p) = mesh.vertices().iter().find(|p| !points.contains(p)) {
            return Err(format!("vertex {p} is none of the points"));
        }
        for t in 0..mesh.triangles().len() as u32 {
            let [a, b, c] = mesh.corners(t).map(|p| p.cast());
            if let Some(p) = points.iter().find(|p| orient3d(&a, &b, &c, &p.cast()) < 0.0) {
                return Err(format!("{p} is outside of face {t}"));
            }
        }
        Ok(())
    }

    #[test]
    fn the_hull_of_a_lattice_is_its_box() {
        // 125 points, most of them in a plane, on a line or inside.
        let points: Vec<Point3<f32>> =
            (0..125u8).map(|i| Point3::from([i % 5, i / 5 % 5, i / 25].map(f32::from))).collect();
        let hull = ConvexHull::new(&points).unwrap();
        is_hull_of(&hull, &points).unwrap();
        assert!((hull.mesh().mass_properties().unwrap().volume - 64.0).abs() < 1e-12);
    }

    #[test]
    fn a_hull_far_from_its_origin_is_still_one() {
        let points: Vec<Point3<f32>> =
            (0..8u8).map(|i| Point3::from([0, 1, 2].map(|k| 1e6 + f32::from(i >> k & 1)))).collect();
        let hull = ConvexHull::new(&points).unwrap();
        is_hull_of(&hull, &points).unwrap();
    }

    #[test]
    fn points_without_volume_are_refused() {
        let plane = |x: f32, y: f32| Point3::new(x, y, 0.5 * x + 0.25 * y);
        let flat: Vec<Point3<f32>> = (0..9).map(|i| plane((i % 3) as f32, (i / 3) as f32)).collect();
        let line: Vec<Point3<f32>> = (0..9).map(|i| Point3::new(i as f32, 2.0, 0.0)).collect();
        for points in [&[][..], &flat[..1], &flat[..3], &flat, &line, &[flat[0]; 20]] {
            let error = ConvexHull::new(points).unwrap_err();
            assert_eq!(error, ShapeError::FlatHull { points: points.len() });
        }
        for bad in [f32::NAN, f32::INFINITY] {
            let error = Shape::hull(&[Point3::origin(), Point3::new(0.0, bad, 0.0)]).unwrap_err();
            assert!(matches!(error, ShapeError::HullPoint { index: 1, .. }), "{error}");
        }
    }

    #[test]
    fn a_plane_turned_in_f32_is_flat_although_its_points_are_not_quite() {
        let turn = nalgebra::UnitQuaternion::from_euler_angles(0.4, 0.9, -2.0);
        let points: Vec<Point3<f32>> = (0..100)
            .map(|i| (turn * Point3::new(f64::from(i % 10), f64::from(i / 10), 0.0)).cast())
            .collect();
        assert!(matches!(ConvexHull::new(&points), Err(ShapeError::FlatHull { .. })));
    }

    #[test]
    fn ten_thousand_points_on_a_ball_are_all_vertices() {
        // A Fibonacci lattice; f32 rounding leaves the points a little off the sphere.
        let points: Vec<Point3<f32>> = (0..10_000)
            .map(|i| {
                let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 10_000.0;
                let (s, c) = libm::sincos(f64::from(i) * 2.399_963_229_728_653);
                let r = (1.0 - z * z).sqrt();
                Point3::new(r * c, r * s, z).cast()
            })
            .collect();
        let hull = ConvexHull::new(&points).unwrap();
        assert!(hull.mesh().vertices().len() > 9_990);
        assert_eq!(hull.mesh().triangles().len(), 2 * hull.mesh().vertices().len() - 4);
        assert!(hull.mesh().is_closed());
    }

    proptest! {
        /// Clouds of any size, squeezed towards a plane or a line, turned, near and far.
        #[test]
        fn every_point_is_inside_the_hull(
            cloud in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 4..80),
            squeeze in prop::array::uniform3(-5.0f64..0.0),
            pose in pose(3.0),
            scale in scale(),
        ) {
            let squeeze = Vector3::from(squeeze.map(|e| libm::pow(10.0, e)));
            let points: Vec<Point3<f32>> = cloud
                .iter()
                .map(|p| (pose * Point3::from(Vector3::from(*p).component_mul(&squeeze)) * scale).cast())
                .collect();
            match ConvexHull::new(&points) {
                Ok(hull) => prop_assert_eq!(is_hull_of(&hull, &points), Ok(())),
                Err(error) => prop_assert_eq!(error, ShapeError::FlatHull { points: points.len() }),
            }
        }

        /// Points of a small lattice: nothing but ties.
        #[test]
        fn lattice_points_are_inside_the_hull(
            lattice in prop::collection::vec(prop::array::uniform3(0u8..4), 4..60),
            scale in scale(),
        ) {
            let points: Vec<Point3<f32>> =
                lattice.iter().map(|p| Point3::from(p.map(|x| f32::from(x) * scale as f32))).collect();
            if let Ok(hull) = ConvexHull::new(&points) {
                prop_assert_eq!(is_hull_of(&hull, &points), Ok(()));
            }
        }
    }
}
