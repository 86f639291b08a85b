//! Shapes as triangles to look at. Round ones are cut into facets here and nowhere else: collisions see
//! their closed forms.

use impinge::Shape;
use impinge::geometry::Primitive;
use nalgebra::{Isometry3, Point3, Translation3};

use super::recording::Surface;
use crate::field_surface::terrain;

/// Facets around a round shape.
const AROUND: u32 = 32;
/// Rings of facets from pole to equator.
const RINGS: u32 = 8;

/// The surface of a shape; a half-space is shown out to `reach` (m), a height field as far
/// from its middle.
pub fn surface(shape: &Shape, reach: f32) -> Surface {
    let mut out = Surface::default();
    add(&mut out, shape, &Isometry3::identity(), reach);
    out
}

/// What kind of shape it is, in a word.
pub fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Primitive(Primitive::HalfSpace) => "half-space",
        Shape::Primitive(Primitive::Sphere { .. }) => "sphere",
        Shape::Primitive(Primitive::Cuboid { .. }) => "box",
        Shape::Primitive(Primitive::Capsule { .. }) => "capsule",
        Shape::Primitive(Primitive::Cylinder { .. }) => "cylinder",
        Shape::Hull(_) => "hull",
        Shape::Mesh(_) => "mesh",
        Shape::Field(_) => "height field",
        Shape::Levels(_) => "level set",
        Shape::Particles(_) => "particles",
        Shape::Composite(_) => "composite",
        _ => "",
    }
}

fn add(out: &mut Surface, shape: &Shape, pose: &Isometry3<f64>, reach: f32) {
    match shape {
        Shape::Primitive(primitive) => add_primitive(out, primitive, pose, reach),
        Shape::Hull(hull) => add_mesh(out, hull.mesh(), pose),
        Shape::Mesh(mesh) => add_mesh(out, mesh, pose),
        Shape::Field(field) => {
            let (vertices, triangles) = terrain(field, f64::from(reach));
            place(out, vertices.iter().map(|v| v.coords.into()), &triangles, pose);
        }
        Shape::Levels(levels) => {
            // What cannot be a mesh has no triangles.
            levels.to_mesh().iter().for_each(|own| add_mesh(out, &own.mesh, pose));
        }
        Shape::Particles(particles) => {
            for (particle, center) in (0..).zip(particles.centers()) {
                let ball = Primitive::Sphere { radius: particles.radius(particle) };
                let at = Translation3::from(center.coords.cast::<f64>());
                add_primitive(out, &ball, &(pose * at), reach);
            }
        }
        Shape::Composite(composite) => {
            composite.children().iter().for_each(|(child, shape)| add(out, shape, &(pose * child), reach));
        }
        // A shape that is younger than this page stays unseen.
        _ => {}
    }
}

fn add_mesh(out: &mut Surface, mesh: &impinge::TriMesh, pose: &Isometry3<f64>) {
    place(out, mesh.vertices().iter().map(|v| v.coords.into()), mesh.triangles(), pose);
}

fn place(
    out: &mut Surface,
    vertices: impl Iterator<Item = [f32; 3]>,
    triangles: &[[u32; 3]],
    pose: &Isometry3<f64>,
) {
    let first = out.vertices.len() as u32;
    out.vertices.extend(vertices.map(|v| {
        let placed = pose * Point3::from(v.map(f64::from));
        [placed.x as f32, placed.y as f32, placed.z as f32]
    }));
    out.triangles.extend(triangles.iter().map(|t| t.map(|corner| first + corner)));
}

fn add_primitive(out: &mut Surface, primitive: &Primitive, pose: &Isometry3<f64>, reach: f32) {
    match *primitive {
        Primitive::HalfSpace => {
            let corners =
                [[-reach, -reach, 0.0], [reach, -reach, 0.0], [reach, reach, 0.0], [-reach, reach, 0.0]];
            place(out, corners.into_iter(), &[[0, 1, 2], [0, 2, 3]], pose);
        }
        Primitive::Cuboid { .. } => {
            if let Some(mesh) = primitive.surface() {
                add_mesh(out, &mesh, pose);
            }
        }
        Primitive::Sphere { radius } => turn(out, &arc(0.0, radius), pose),
        Primitive::Capsule { half_height, radius } => turn(out, &arc(half_height, radius), pose),
        Primitive::Cylinder { half_height: h, radius: r } => {
            // Rims twice, so that the ends are flat and the side is round.
            turn(out, &[[0.0, -h], [r, -h], [r, h], [0.0, h]], pose);
        }
    }
}

/// The outline of a capsule, as radius and height (m) from pole to pole.
fn arc(half_height: f32, radius: f32) -> Vec<[f32; 2]> {
    let quarter = |k: u32| {
        let (sin, cos) = libm::sincosf(std::f32::consts::FRAC_PI_2 * k as f32 / RINGS as f32);
        (radius * sin, radius * cos)
    };
    let lower = (0..=RINGS).map(|k| (quarter(k), -1.0));
    let upper = (0..=RINGS).rev().map(|k| (quarter(k), 1.0));
    lower.chain(upper).map(|((across, along), side)| [across, side * (half_height + along)]).collect()
}

/// Turns an outline (radius, height; m) around z, from the lowest to the highest point.
fn turn(out: &mut Surface, outline: &[[f32; 2]], pose: &Isometry3<f64>) {
    let rows = outline.len() as u32;
    let vertices = outline.iter().flat_map(|&[radius, z]| {
        (0..AROUND).map(move |k| {
            let (sin, cos) = libm::sincosf(std::f32::consts::TAU * k as f32 / AROUND as f32);
            [radius * cos, radius * sin, z]
        })
    });
    let mut triangles = Vec::new();
    for row in 0..rows - 1 {
        for k in 0..AROUND {
            let [a, b] = [row * AROUND + k, row * AROUND + (k + 1) % AROUND];
            triangles.push([a, b, b + AROUND]);
            triangles.push([a, b + AROUND, a + AROUND]);
        }
    }
    place(out, vertices, &triangles, pose);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six times the volume that a surface encloses (m³).
    fn volume(surface: &Surface) -> f64 {
        let corner = |k: u32| Point3::from(surface.vertices[k as usize].map(f64::from)).coords;
        let of = |t: &[u32; 3]| corner(t[0]).dot(&corner(t[1]).cross(&corner(t[2])));
        surface.triangles.iter().map(of).sum::<f64>() / 6.0
    }

    /// Facets lie inside the round shape and face outward, so the volume is a little too small.
    #[test]
    fn facets_enclose_nearly_the_volume() {
        let pi = std::f64::consts::PI;
        for (shape, whole) in [
            (Shape::sphere(0.5).unwrap(), pi / 6.0),
            (Shape::capsule(1.0, 0.5).unwrap(), pi / 6.0 + pi / 2.0),
            (Shape::cylinder(1.0, 0.5).unwrap(), pi / 2.0),
            (Shape::cuboid([0.5, 1.0, 1.5]).unwrap(), 6.0),
        ] {
            let ratio = volume(&surface(&shape, 1.0)) / whole;
            assert!((0.97..1.0 + 1e-6).contains(&ratio), "{shape:?}: {ratio}");
        }
    }

    #[test]
    fn every_kind_is_drawn() {
        let all = crate::field_surface::every_kind();
        let kinds: std::collections::BTreeSet<_> = all.iter().map(|(shape, _)| kind(shape)).collect();
        assert_eq!(kinds.len(), 11, "{kinds:?}");
        for (shape, whole) in all {
            let drawn = surface(&shape, 4.0);
            assert!(!kind(&shape).is_empty() && !drawn.triangles.is_empty(), "{shape:?}");
            let corners = drawn.triangles.as_flattened().iter();
            assert!(corners.copied().all(|v| (v as usize) < drawn.vertices.len()), "{shape:?}");
            if let Some(whole) = whole {
                let ratio = volume(&drawn) / whole;
                assert!((0.95..1.0 + 1e-5).contains(&ratio), "{}: {ratio}", kind(&shape));
            }
        }
    }

    #[test]
    fn composites_are_drawn_where_their_children_stand() {
        let ball = Shape::sphere(1.0).unwrap();
        let pair = [-3.0, 3.0].map(|x| (Isometry3::translation(x, 0.0, 0.0), ball.clone()));
        let both = surface(&Shape::composite(pair.to_vec()).unwrap(), 1.0);
        assert_eq!(both.triangles.len(), 2 * surface(&ball, 1.0).triangles.len());
        let least = both.vertices.iter().map(|v| v[0]).fold(f32::INFINITY, f32::min);
        assert!((least + 4.0).abs() < 1e-6, "{least}");
    }
}
