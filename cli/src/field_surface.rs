//! What of a height field is drawn.

use impinge::geometry::HeightField;
use nalgebra::Point3;

/// So many cells along a side are drawn, at most.
const MOST: u32 = 640;

/// The terrain within `reach` (m) of the field's middle: a large field is drawn where its scene is, not to its borders.
pub fn terrain(field: &HeightField, reach: f64) -> (Vec<Point3<f32>>, Vec<[u32; 3]>) {
    let range = [0, 1].map(|k| {
        let (last, spacing) = (field.size()[k] - 1, f64::from(field.spacing()[k]));
        let middle = last.div_ceil(2);
        let half = ((reach / spacing).ceil() as u32).min(MOST / 2);
        [middle.saturating_sub(half), middle.saturating_add(half).min(last)]
    });
    let width = range[0][1] - range[0][0] + 1;
    let mut vertices = Vec::new();
    for j in range[1][0]..=range[1][1] {
        for i in range[0][0]..=range[0][1] {
            let p = field.vertex(field.vertex_number([i, j]));
            // What is no terrain belongs to no triangle.
            vertices.push(if p.z.is_nan() { Point3::new(p.x, p.y, field.bottom()) } else { p });
        }
    }
    let mut triangles = Vec::new();
    for j in range[1][0]..range[1][1] {
        for i in range[0][0]..range[0][1] {
            for k in (0..2).filter(|&k| field.has_triangle_at([i, j], k)) {
                let number = |v: u32| {
                    let [x, y] = field.sample_place(v);
                    (y - range[1][0]) * width + (x - range[0][0])
                };
                let triangle = 2 * field.vertex_number([i, j]) + k;
                triangles.push(field.vertices_of(triangle).map(number));
            }
        }
    }
    (vertices, triangles)
}

/// A shape of every kind, a metre or two large, and the volume of its surface (m³) where that is closed.
#[cfg(test)]
pub fn every_kind() -> Vec<(impinge::Shape, Option<f64>)> {
    use impinge::geometry::{HeightFieldSettings, LevelSetSettings, Radii};
    use impinge::{LevelSet, Particles, Shape};
    use nalgebra::Isometry3;
    let grid = LevelSetSettings { spacing: [0.125; 3], origin: [-1.25; 3] };
    let ball = LevelSet::from_function([21; 3], &grid, |p| p.coords.norm() - 1.0).unwrap();
    let mesh = impinge_scenes::mesh::Torus::default().mesh().unwrap();
    let centers = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from).to_vec();
    let ground = HeightField::new([5, 5], vec![0.5; 25], &HeightFieldSettings::default()).unwrap();
    let children = [-1.0, 1.0].map(|x| (Isometry3::translation(x, 0.0, 0.0), Shape::sphere(0.5).unwrap()));
    let shapes: Vec<Shape> = vec![
        Shape::sphere(1.0).unwrap(),
        Shape::cuboid([1.0, 0.5, 0.25]).unwrap(),
        Shape::capsule(0.5, 0.5).unwrap(),
        Shape::cylinder(0.5, 0.5).unwrap(),
        mesh.hull().unwrap().into(),
        mesh.into(),
        ball.into(),
        Particles::new(centers, Radii::One(0.25)).unwrap().into(),
        Shape::composite(children.to_vec()).unwrap(),
    ];
    let closed = |shape: Shape| {
        let volume = shape.mass_properties().unwrap().volume;
        (shape, Some(volume))
    };
    let open = [(Shape::half_space(), None), (ground.into(), None)];
    shapes.into_iter().map(closed).chain(open).collect()
}

#[cfg(test)]
mod tests {
    use impinge::geometry::HeightFieldSettings;

    use super::*;

    #[test]
    fn what_is_drawn_is_the_terrain_round_the_middle() {
        let mut heights: Vec<f32> = (0..100).map(|k| k as f32).collect();
        heights[55] = f32::NAN;
        let field = HeightField::new([10, 10], heights, &HeightFieldSettings::default()).unwrap();
        let (vertices, triangles) = terrain(&field, 100.0);
        assert_eq!((vertices.len(), triangles.len()), (100, 162 - 6));
        let (vertices, triangles) = terrain(&field, 2.0);
        assert_eq!(vertices.len(), 25);
        for corners in triangles {
            let [a, b, c] = corners.map(|v| vertices[v as usize]);
            assert!((b - a).cross(&(c - a)).z > 0.0);
            assert!(a.z == 10.0 * a.y + a.x, "{a}");
        }
    }
}
