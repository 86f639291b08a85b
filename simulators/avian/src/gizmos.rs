//! Manifolds drawn as lines.

use avian3d::prelude::{ContactGraph, ContactManifold, PhysicsLengthUnit};
use bevy::app::{App, Plugin, PostUpdate};
use bevy::color::Color;
use bevy::ecs::prelude::Res;
use bevy::gizmos::AppGizmoBuilder;
use bevy::gizmos::config::{GizmoConfigGroup, GizmoConfigStore};
use bevy::gizmos::gizmos::{GizmoBuffer, Gizmos};
use bevy::math::Vec3;
use bevy::reflect::Reflect;

/// Draws every manifold of Avian's contact graph that is in touch, of sleeping bodies, too: the polygon of its points, and at each point its normal, as long as it
/// would take to see it. Needs Bevy's `GizmoPlugin` (`DefaultPlugins` has it).
#[derive(Clone, Copy, Debug, Default)]
pub struct ManifoldGizmosPlugin;

/// How manifolds are drawn. To change it, `app.insert_gizmo_config(ManifoldGizmos { .. }, ..)`.
#[derive(Reflect, GizmoConfigGroup, Clone, Copy, Debug)]
pub struct ManifoldGizmos {
    /// Of the polygon of a manifold's points.
    pub outline: Color,
    /// Of the normals, from the first body to the second.
    pub normal: Color,
    /// Of normals of points that are apart (negative depth).
    pub apart: Color,
    /// Length of a normal (length units of Avian's).
    pub length: f32,
}

impl Default for ManifoldGizmos {
    fn default() -> ManifoldGizmos {
        ManifoldGizmos {
            outline: Color::srgb(1.0, 0.8, 0.1),
            normal: Color::srgb(0.9, 0.2, 0.2),
            apart: Color::srgb(0.3, 0.6, 1.0),
            length: 0.1,
        }
    }
}

impl Plugin for ManifoldGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<ManifoldGizmos>().add_systems(PostUpdate, draw);
    }
}

fn draw(
    graph: Res<ContactGraph>,
    unit: Res<PhysicsLengthUnit>,
    store: Res<GizmoConfigStore>,
    mut gizmos: Gizmos<ManifoldGizmos>,
) {
    let (_, style) = store.config::<ManifoldGizmos>();
    let touching = graph.iter_active_touching().chain(graph.iter_sleeping_touching());
    for manifold in touching.flat_map(|pair| &pair.manifolds) {
        draw_manifold(manifold, style, style.length * unit.0, &mut gizmos);
    }
}

/// The outline of a manifold's points, and at each point the normal, of this length (m).
fn draw_manifold(
    manifold: &ContactManifold,
    style: &ManifoldGizmos,
    length: f32,
    gizmos: &mut GizmoBuffer<ManifoldGizmos, ()>,
) {
    // Of double precision where the app has Avian so.
    #[allow(clippy::unnecessary_cast)]
    let at = |p: avian3d::math::RVec3| Vec3::new(p.x as f32, p.y as f32, p.z as f32);
    let mut corners: Vec<Vec3> = manifold.points.iter().map(|point| at(point.point)).collect();
    in_turn(&mut corners, manifold.normal);
    if corners.len() > 2 {
        corners.push(corners[0]);
    }
    gizmos.linestrip(corners, style.outline);
    for point in &manifold.points {
        let color = if point.penetration < 0.0 { style.apart } else { style.normal };
        gizmos.ray(at(point.point), manifold.normal * length, color);
    }
}

/// Sorts points by their angle about the normal through their middle.
fn in_turn(points: &mut [Vec3], normal: Vec3) {
    let middle = points.iter().sum::<Vec3>() / points.len().max(1) as f32;
    let Some(normal) = normal.try_normalize() else { return };
    let (right, up) = normal.any_orthonormal_pair();
    let angle = |p: &Vec3| (p - middle).dot(up).atan2((p - middle).dot(right));
    points.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
}

#[cfg(test)]
mod tests {
    use avian3d::prelude::ContactPoint;

    use super::*;

    /// The corners of a square, given across: their outline goes around, and each has its normal.
    #[test]
    fn a_manifold_is_a_polygon_with_normals() {
        let corners = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 2.0));
        #[allow(clippy::useless_conversion)]
        let point = |(k, at): (usize, Vec3)| ContactPoint::new(at, at, at.into(), 0.01 * (k as f32 - 0.5));
        let manifold = ContactManifold::new(corners.into_iter().enumerate().map(point), Vec3::Z);
        let mut gizmos = GizmoBuffer::new();
        draw_manifold(&manifold, &ManifoldGizmos::default(), 0.25, &mut gizmos);
        let drawn = gizmos.buffer();
        let outline: Vec<Vec3> = drawn.strip_positions.iter().copied().filter(|p| !p.is_nan()).collect();
        assert_eq!((outline.len(), outline[0]), (5, outline[4]));
        let around: f32 = outline.windows(2).map(|side| side[0].distance(side[1])).sum();
        assert_eq!(around, 4.0);
        let normals: Vec<Vec3> = drawn.list_positions.chunks(2).map(|line| line[1] - line[0]).collect();
        assert_eq!(normals, [Vec3::Z * 0.25; 4]);
        let colors: Vec<_> = drawn.list_colors.iter().step_by(2).collect();
        assert!(colors[0] != colors[1] && colors[1] == colors[2], "one point is apart");
    }
}
