//! What is left to rapier, and what is forgotten.

use impinge_rapier::MeshDispatcher;
use rapier3d::math::{Pose, Vector};
use rapier3d::parry::query::details::ShapeCastOptions;
use rapier3d::parry::query::{DefaultQueryDispatcher, PersistentQueryDispatcher, QueryDispatcher};
use rapier3d::prelude::{Cuboid, SharedShape};

use crate::shapes::{Followed, cube, partners, pose, torus};

fn is_ours(g1: &SharedShape, g2: &SharedShape) -> bool {
    let there = pose([0.4, 0.0, 0.0], [0.0; 3]);
    let ours = MeshDispatcher::default();
    let contacts = Followed::default().ask(&ours, &there, [&**g1, &**g2], 0.02).is_ok();
    let answers = [
        ours.intersection_test(&there, &**g1, &**g2).is_ok(),
        ours.distance(&there, &**g1, &**g2).is_ok(),
        ours.closest_points(&there, &**g1, &**g2, 1.0).is_ok(),
        ours.contact(&there, &**g1, &**g2, 0.0).is_ok(),
        ours.cast_shapes(&there, Vector::X, &**g1, &**g2, ShapeCastOptions::with_max_time_of_impact(1.0))
            .is_ok(),
    ];
    assert_eq!(answers, [contacts; 5]);
    contacts
}

#[test]
fn only_closed_meshes_with_solids_are_answered() {
    let mesh = torus();
    for partner in partners() {
        assert!(is_ours(&mesh, &partner) && is_ours(&partner, &mesh));
    }
    let cuboid = Cuboid::new(Vector::splat(0.3));
    let (vertices, triangles) = cuboid.to_trimesh();
    let open = SharedShape::trimesh(vertices.clone(), triangles[1..].to_vec()).unwrap();
    let turned = triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
    let room = SharedShape::trimesh(vertices, turned).unwrap();
    let ball = SharedShape::ball(0.3);
    let compound = SharedShape::compound(vec![(Pose::IDENTITY, ball.clone())]);
    let cone = SharedShape::cone(0.2, 0.2);
    let rounded = SharedShape::round_cuboid(0.2, 0.2, 0.2, 0.05);
    for other in [&open, &room, &compound, &cone, &rounded] {
        assert!(!is_ours(&mesh, other) && !is_ours(other, &mesh));
    }
    assert!(!is_ours(&open, &ball) && !is_ours(&ball, &ball) && !is_ours(&SharedShape::new(cuboid), &ball));
}

/// Rapier goes on with an open mesh as if nothing stood before it, from the first call on.
#[test]
fn the_chain_answers_as_rapier_does() {
    let (vertices, triangles) = Cuboid::new(Vector::splat(0.5)).to_trimesh();
    let open = SharedShape::trimesh(vertices, triangles[1..].to_vec()).unwrap();
    let chain = MeshDispatcher::default().chain(DefaultQueryDispatcher);
    let (mut chained, mut own) = (Followed::default(), Followed::default());
    for k in 0..5 {
        let there = pose([0.1, 0.65 - 0.01 * k as f32, 0.0], [0.0; 3]);
        let ball = rapier3d::prelude::Ball::new(0.2);
        let Followed { manifolds, workspace } = &mut chained;
        chain.contact_manifolds(&there, &*open, &ball, 0.02, manifolds, workspace).unwrap();
        let Followed { manifolds, workspace } = &mut own;
        DefaultQueryDispatcher.contact_manifolds(&there, &*open, &ball, 0.02, manifolds, workspace).unwrap();
        let points = |followed: &Followed| -> Vec<_> {
            followed
                .manifolds
                .iter()
                .flat_map(|m| m.points.iter().map(|p| (p.local_p1.to_array(), p.dist)))
                .collect()
        };
        assert_eq!(points(&chained), points(&own));
        assert!(!points(&own).is_empty());
    }
}

/// Soft bodies move the vertices of their meshes without a word: rapier's own goes on with them.
#[test]
fn a_mesh_that_deforms_is_rapiers_from_then_on() {
    let (still, ours) = (torus(), MeshDispatcher::default());
    let mut moving = torus();
    let there = pose([0.5, 0.0, 0.0], [0.0; 3]);
    let mut pair = Followed::default();
    pair.ask(&ours, &there, [&*still, &*moving], 0.02).unwrap();
    assert!(!pair.manifolds.is_empty() && pair.workspace.is_some());
    let mesh = moving.make_mut().as_trimesh_mut().unwrap();
    mesh.update_vertices(|vertices| vertices.iter_mut().for_each(|v| v.z *= 1.001));
    assert!(pair.ask(&ours, &there, [&*still, &*moving], 0.02).is_err());
    assert!(pair.manifolds.is_empty() && pair.workspace.is_none());
    let chain = ours.chain(DefaultQueryDispatcher);
    for _ in 0..3 {
        let Followed { manifolds, workspace } = &mut pair;
        chain.contact_manifolds(&there, &*still, &*moving, 0.02, manifolds, workspace).unwrap();
        let mesh = moving.make_mut().as_trimesh_mut().unwrap();
        mesh.update_vertices(|vertices| vertices.iter_mut().for_each(|v| v.z *= 1.001));
    }
}

#[test]
fn what_is_left_to_rapier_and_what_is_made_ready() {
    let ours = MeshDispatcher::default();
    let [hollow, solid] = [cube(0.5), cube(0.5)];
    ours.leave(&hollow);
    assert!(ours.add(&solid) && !ours.add(&SharedShape::cone(0.1, 0.1)));
    let ball = rapier3d::prelude::Ball::new(0.1);
    assert!(ours.intersection_test(&Pose::IDENTITY, &*hollow, &ball).is_err());
    assert!(ours.intersection_test(&Pose::IDENTITY, &*solid, &ball).unwrap().intersecting);
    assert!(ours.clone().intersection_test(&Pose::IDENTITY, &*hollow, &ball).is_err(), "clones share it");
}

/// A world that comes and goes leaves nothing behind; what is in use stays.
#[test]
fn what_nothing_uses_is_dropped() {
    let ours = MeshDispatcher::default();
    let there = pose([0.5, 0.0, 0.0], [0.0; 3]);
    let (kept, mut pair) = (torus(), Followed::default());
    pair.ask(&ours, &there, [&*kept, &*kept], 0.02).unwrap();
    for k in 0..200 {
        let other = cube(0.2 + 0.001 * k as f32);
        let mut pair = Followed::default();
        pair.ask(&ours, &there, [&*kept, &*other], 0.02).unwrap();
    }
    {
        let named = cube(0.1);
        assert!(ours.add(&named));
        assert_eq!(ours.prune(), 3, "the torus, and the named cube by contents and by name");
    }
    assert_eq!(ours.prune(), 1, "the torus");
    drop(pair);
    assert_eq!(ours.prune(), 0);
}

#[test]
fn no_more_than_64_idle_shapes_are_kept() {
    let ours = MeshDispatcher::default();
    let there = pose([0.4, 0.0, 0.0], [0.0; 3]);
    for k in 0..100 {
        let other = cube(0.2 + 0.001 * k as f32);
        ours.distance(&there, &*other, &rapier3d::prelude::Ball::new(0.1)).unwrap();
    }
    // And the last one, which was in use when it came.
    assert!(format!("{ours:?}").contains("(65 by contents"), "{ours:?}");
}

#[test]
fn settings_out_of_range_are_named() {
    let settings = impinge::QuerySettings::default().resolution(33);
    let error = MeshDispatcher::default().with_settings(settings).unwrap_err();
    assert!(error.to_string().contains("33"), "{error}");
    assert!(MeshDispatcher::default().with_settings(impinge::QuerySettings::default().max_points(3)).is_ok());
}
