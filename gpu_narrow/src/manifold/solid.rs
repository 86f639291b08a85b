//! A mesh and a solid without triangles: views of the CPU's, in which the device finds the mesh's layers, and where the lines
//! are in the solid.

use impinge_geometry::{PairFrame, Primitive, Side};
use impinge_image_space::fixed_map::Quanta;
use impinge_image_space::view::{DEPTH_STEPS, View};
use impinge_midphase::{PairJob, PairKind, Surface};
use impinge_pair::Redo;
use nalgebra::Vector3;

use super::layout::{
    BALL, CAPSULE, CYLINDER, ContactPairHead, HALF_SPACE, LEAST_ROWS, MOST_KEPT, OF_SOLID, PAIR_ROWS,
    PAIR_TRIANGLES, Quadric, SolidSurface, USUAL_VIEWS,
};
use super::{ManifoldTicket, four, kept_view, room_of_batch};
use crate::engine::Engine;
use crate::image::layout::{COUNTED, DEEPEST_PIXEL, NAMED, TILE_SIDE, TileUnit};
use crate::intersect::layout::IntersectUnit;
use crate::intersect::{Placement, farthest};
use crate::meshes::MeshPlace;

impl Engine {
    /// Asks for all intervals of views of a mesh and a solid (pair frame), for [`Engine::view_intervals_of`], which names them by their
    /// numbers. Views after one that is too thin for the mesh's quanta are not sampled.
    ///
    /// # Errors
    /// [`Redo::Shape`] or [`Redo::Capacity`]: the pair is the CPU's.
    pub fn push_solid(&mut self, job: &PairJob<'_>, views: &[View]) -> Result<ManifoldTicket, Redo> {
        let PairKind::MeshSolid { mesh, surface, primitive } = job.kind else { return Err(Redo::Shape) };
        let triangles = surface.faces().triangle_bound();
        let whole = surface
            .mesh()
            .is_some_and(|own| own.is_closed() && own.triangles().len() == surface.tree.triangle_count());
        let side = views.first().ok_or(Redo::Shape)?.count[0];
        if !self.contacts || !whole || triangles > PAIR_TRIANGLES || side > TILE_SIDE {
            return Err(Redo::Shape);
        }
        let Engine { step, capacities, meshes, .. } = self;
        let place = meshes.place(surface, capacities.mesh_words).ok_or(Redo::Capacity)?;
        let unit = unit(job, mesh, surface, place).ok_or(Redo::Capacity)?;
        let mut quanta = [None, None];
        quanta[mesh.index()] = Some(Quanta::of(surface.faces()));
        let own = &mut step.manifolds;
        let kept: Vec<_> =
            views.iter().map_while(|view| kept_view(view, &job.frame, &unit, &quanta)).collect();
        let (first_view, pair) = (own.tiles.len() as u32, own.heads.len() as u32);
        let count = kept.len() as u32;
        let heads = own.heads.len() + kept.len().div_ceil(MOST_KEPT);
        let room = count > 0
            && first_view + count <= capacities.tiles
            && (heads * size_of::<ContactPairHead>()) as u64 <= capacities.buffer_bytes;
        if !room {
            return Err(Redo::Capacity);
        }
        let exponents = quanta.map(|quanta| quanta.map_or([0; 3], |quanta| quanta.exponents()));
        let [a, b] = Side::BOTH.map(|side| if side == mesh { place } else { MeshPlace::default() });
        let counts = Side::BOTH.map(|side| if side == mesh { triangles } else { 0 });
        let (mut views_left, mut added) = (views, 0);
        for own_views in kept.chunks(MOST_KEPT) {
            let count = own_views.len() as u32;
            let rows = (2 * triangles).clamp(LEAST_ROWS, PAIR_ROWS) * count.div_ceil(USUAL_VIEWS) + count;
            if !own.batches.add(count, rows, room_of_batch(capacities)) {
                break;
            }
            own.heads.push(ContactPairHead {
                to_a: unit.to_a,
                axes: [0, 1, 2].map(|k| four(Vector3::ith(k, 1.0), 0.0)),
                origin: unit.origin,
                scale: unit.scale,
                vertices_a: a.vertices,
                starts_a: a.starts,
                corners_a: a.corners,
                slots_a: a.slots,
                vertices_b: b.vertices,
                starts_b: b.starts,
                corners_b: b.corners,
                slots_b: b.slots,
                count_a: counts[0],
                count_b: counts[1],
                first_row: own.rows,
                room: rows,
                side,
                delta: unit.delta,
                kept: own.kept.len() as u32,
                kept_count: count,
                listed: 1,
                quanta_a: exponents[0],
                first_view: own.tiles.len() as u32,
                quanta_b: exponents[1],
                views: count,
                ..ContactPairHead::default()
            });
            own.kept.extend_from_slice(own_views);
            let (now, later) = views_left.split_at(own_views.len());
            for (nth, view) in (0..count).zip(now) {
                own.tiles.push(TileUnit {
                    first: own.rows + nth,
                    side,
                    flags: COUNTED | NAMED | OF_SOLID,
                    answer: own.solids.len() as u32,
                    deepest: capacities.layers.min(DEEPEST_PIXEL),
                    ..TileUnit::default()
                });
                own.solids.push(solid_in_view(&primitive, &job.frame, mesh.other(), view));
            }
            own.patches.push([None; 2]);
            own.rows += rows;
            own.listed += count;
            views_left = later;
            added += count;
        }
        if added == 0 {
            return Err(Redo::Capacity);
        }
        step.counts.manifolds += 1;
        let (sequence, part) = (step.sequence, step.part());
        Ok(ManifoldTicket { pair, first_view, views: added, sequence, part, simple: false, solid: true })
    }
}

/// Where the mesh stands; the solid has no place among the meshes.
fn unit(job: &PairJob<'_>, mesh: Side, surface: &Surface, place: MeshPlace) -> Option<IntersectUnit> {
    let mut reach = [Vector3::zeros(); 2];
    let mut places = [MeshPlace::default(); 2];
    (reach[mesh.index()], places[mesh.index()]) = (farthest(surface), place);
    Placement::new(job, reach, places).ok().map(|placement| placement.unit())
}

/// A place of a view in the solid's frame: at its middle, and half of what it spans along each axis (lengths are parts of the
/// radius, or of the view's width).
struct Lines {
    middle: Vector3<f64>,
    half: [Vector3<f64>; 3],
}

impl Lines {
    fn new(frame: &PairFrame, side: Side, view: &View, unit: f64) -> Lines {
        let middle = frame.to_local(side, &view.middle()).coords / unit;
        let turn = |axis: Vector3<f64>, length: f64| {
            frame.rotation[side.index()].tr_mul(&axis) * (0.5 * length / unit)
        };
        let across = |k: usize| f64::from(view.count[k]) * view.pixel[k];
        let half = [
            turn(view.axes.right, across(0)),
            turn(view.axes.up, across(1)),
            turn(view.axes.depth, DEPTH_STEPS * view.step),
        ];
        Lines { middle, half }
    }

    /// The ball of radius 1 around a height; without one, the tube of radius 1 around z.
    fn quadric(&self, height: Option<f64>) -> Quadric {
        let flat = |v: &Vector3<f64>| if height.is_some() { *v } else { Vector3::new(v.x, v.y, 0.0) };
        let m = flat(&self.middle) - Vector3::z() * height.unwrap_or(0.0);
        let [x, y, z] = self.half.each_ref().map(flat);
        // Of a line that runs along a tube nothing but rounding is left.
        let along = z.norm_squared() <= 1e-24 * self.half[2].norm_squared();
        let line = if along { [0.0; 4] } else { [z.dot(&z), m.dot(&z), x.dot(&z), y.dot(&z)] };
        let outside = (m.norm() - 1.0) * (m.norm() + 1.0);
        Quadric {
            line: line.map(|v| v as f32),
            flat: [outside, 2.0 * m.dot(&x), 2.0 * m.dot(&y), x.dot(&x)].map(|v| v as f32),
            rest: [2.0 * x.dot(&y), y.dot(&y), 0.0, 0.0].map(|v| v as f32),
        }
    }

    /// What lies at a greater height than this, or with -1 below minus this, is outside.
    fn plane(&self, sign: f64, height: f64) -> [f32; 4] {
        let of = |v: &Vector3<f64>| (sign * v.z) as f32;
        let [x, y, z] = self.half.each_ref().map(of);
        [(sign * self.middle.z - height) as f32, x, y, z]
    }
}

/// A primitive without triangles, which stands on one side of a pair, as the lines of a view see it.
fn solid_in_view(primitive: &Primitive, frame: &PairFrame, side: Side, view: &View) -> SolidSurface {
    let far = ((view.far - view.near) / view.step).floor() as i64;
    let solid = SolidSurface {
        side: side.index() as u32,
        far: far.clamp(i32::MIN.into(), i32::MAX.into()) as i32,
        ..SolidSurface::default()
    };
    let lines = |unit: f32| Lines::new(frame, side, view, f64::from(unit));
    let none = Quadric::default();
    match *primitive {
        Primitive::HalfSpace => {
            let width = f64::from(view.count[0]) * view.pixel[0];
            let lines = Lines::new(frame, side, view, width);
            SolidSurface { kind: HALF_SPACE, planes: [lines.plane(1.0, 0.0), [0.0; 4]], ..solid }
        }
        Primitive::Sphere { radius } => {
            let quadrics = [lines(radius).quadric(Some(0.0)), none, none];
            SolidSurface { kind: BALL, quadrics, ..solid }
        }
        Primitive::Cylinder { half_height, radius } => {
            let (lines, height) = (lines(radius), f64::from(half_height) / f64::from(radius));
            let planes = [1.0, -1.0].map(|sign| lines.plane(sign, height));
            SolidSurface { kind: CYLINDER, quadrics: [lines.quadric(None), none, none], planes, ..solid }
        }
        Primitive::Capsule { half_height, radius } => {
            let (lines, height) = (lines(radius), f64::from(half_height) / f64::from(radius));
            let planes = [1.0, -1.0].map(|sign| lines.plane(sign, height));
            let quadrics = [None, Some(height), Some(-height)].map(|height| lines.quadric(height));
            SolidSurface { kind: CAPSULE, quadrics, planes, ..solid }
        }
        // It has triangles: it is a surface.
        Primitive::Cuboid { .. } => solid,
    }
}
