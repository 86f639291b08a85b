//! Whether a primitive touches a height field, asked of the cells under it: no tree is searched.
//!
//! Boxes see the samples under them in their own frame. A sample inside by more than rounding is a touch, a triangle whose corners are all beyond one
//! face is none, and the 13 axes of triangle and box tell of the rest, wherever they tell by more than rounding. What they do not is not answered here.
//! Round primitives are measured against the triangles of the cells that are as high as they are.

use impinge_geometry::{Faces, HeightField, PairFrame, Primitive, Side};
use impinge_midphase::{Part, Solid, Surface};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::MeshSolid;

/// Samples along a side of the largest rectangle that is looked at: larger bodies ask the tree.
const SAMPLES: usize = 16;

/// More than what `f64` is off by, part of the lengths that went in.
const ROUNDING: f64 = 1e-11;

/// An axis along an edge and one of the box's that are as parallel as this (sine) is none.
const PARALLEL: f64 = 1e-7;

/// By how much triangle and box overlap along every other axis at least, part of their sizes, where they overlap for certain: more than an axis that
/// was left out as [`PARALLEL`] can hide.
const CERTAIN: f64 = 1e-5;

/// Whether a height field and a primitive touch, as [`parts_touch`](crate::touch::parts_touch) has it; `None` of other parts, and where this is not the way to know.
pub(crate) fn primitive_touches(parts: [&Part; 2], frame: &PairFrame) -> Option<bool> {
    Side::BOTH.into_iter().find_map(|mesh| {
        let surface = parts[mesh.index()].surface.as_ref()?;
        let Faces::Field(field) = &surface.faces else { return None };
        let Solid::Primitive(primitive) = parts[mesh.other().index()].solid else { return None };
        touches(field, surface, &MeshSolid { mesh, surface, primitive, frame })
    })
}

fn touches(field: &HeightField, surface: &Surface, both: &MeshSolid<'_>) -> Option<bool> {
    debug_assert!(std::ptr::eq(both.surface, surface));
    let own = both.mesh.index();
    let turn = both.frame.rotation[own].tr_mul(both.rotation());
    let center = both.frame.to_local(both.mesh, &both.to_frame(&Point3::origin()));
    let reach = match both.primitive {
        Primitive::HalfSpace => return None,
        Primitive::Sphere { radius } => Vector3::repeat(f64::from(radius)),
        Primitive::Capsule { half_height, radius } => {
            turn.column(2).abs() * f64::from(half_height) + Vector3::repeat(f64::from(radius))
        }
        Primitive::Cuboid { .. } | Primitive::Cylinder { .. } => {
            turn.abs() * Vector3::from(both.primitive.aabb().max.map(f64::from))
        }
    };
    let rounding = ROUNDING * (center.coords.abs().sum() + reach.sum());
    let Some(under) = Under::new(field, &center, &reach, rounding) else { return Some(false) };
    match both.primitive {
        Primitive::Cuboid { half } => {
            let box_in_field = BoxInField { half: half.map(f64::from).into(), turn, center, rounding };
            box_in_field.touches(field, &under)
        }
        _ => round_touches(field, both, &under),
    }
}

/// The cells under a body.
#[derive(Clone, Copy, Debug)]
struct Under {
    /// The first and the last along x and y.
    cells: [[u32; 2]; 2],
    /// The body's least and greatest height (m).
    heights: [f64; 2],
}

impl Under {
    /// The cells that a body within `reach` (m) of a place may touch; `None` where there are none.
    fn new(field: &HeightField, center: &Point3<f64>, reach: &Vector3<f64>, rounding: f64) -> Option<Under> {
        let mut cells = [[0; 2]; 2];
        for k in 0..2 {
            let [low, high] = [-1.0, 1.0]
                .map(|sign| (center[k] + sign * (reach[k] + rounding)) / f64::from(field.spacing()[k]));
            // The places of samples are rounded to `f32`: a little more.
            let slack = 1e-6 * (low.abs() + high.abs());
            let (low, high) = (low - slack, high + slack);
            let last = field.size()[k] - 2;
            if !(high >= 0.0 && low <= f64::from(last + 1)) {
                return None;
            }
            cells[k] = [(low.max(0.0) as u32).min(last), (high as u32).min(last)];
        }
        let heights = [center.z - reach.z - rounding, center.z + reach.z + rounding];
        Some(Under { cells, heights })
    }

    /// How many there are along an axis.
    fn count(&self, axis: usize) -> usize {
        (self.cells[axis][1] - self.cells[axis][0] + 1) as usize
    }
}

/// A round primitive against the cells that are as high as it is.
fn round_touches(field: &HeightField, both: &MeshSolid<'_>, under: &Under) -> Option<bool> {
    let [[left, right], [near, far]] = under.cells;
    if (0..2).any(|k| under.count(k) >= SAMPLES) {
        return None;
    }
    for j in near..=far {
        for i in left..=right {
            let [low, high] = field.heights([i, j], [1, 1]).map(f64::from);
            if high < under.heights[0] || low > under.heights[1] {
                continue;
            }
            let first = 2 * field.vertex_number([i, j]);
            if (first..first + 2).any(|triangle| both.touching_corners(triangle).is_some()) {
                return Some(true);
            }
        }
    }
    Some(both.encloses_primitive())
}

/// What an axis, or all of them, say of a triangle and a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Apart,
    Touching,
    /// By no more than rounding.
    Unsure,
}

/// The samples of a field as a box sees them.
struct Seen<'a> {
    field: &'a HeightField,
    /// From the field's frame to the box's.
    turn: Matrix3<f64>,
    center: &'a Point3<f64>,
    /// The sample that others are counted from.
    first: [u32; 2],
}

impl Seen<'_> {
    /// Where a sample is (box frame, m).
    #[inline]
    fn place(&self, at: [usize; 2]) -> Vector3<f64> {
        let at = [0, 1].map(|k| self.first[k] + at[k] as u32);
        let [x, y] = [0, 1].map(|k| f64::from(self.field.along(k, at[k])) - self.center[k]);
        self.turn * Vector3::new(x, y, f64::from(self.field.height(at)) - self.center.z)
    }
}

/// A box in the frame of a field.
struct BoxInField {
    half: Vector3<f64>,
    /// From its frame to the field's.
    turn: Matrix3<f64>,
    center: Point3<f64>,
    /// (m).
    rounding: f64,
}

impl BoxInField {
    fn touches(&self, field: &HeightField, under: &Under) -> Option<bool> {
        let [[left, right], [near, far]] = under.cells;
        if field.has_gaps() || (0..2).any(|k| under.count(k) >= SAMPLES) {
            return None;
        }
        let [_, high] = field.heights([left, near], [right - left + 1, far - near + 1]);
        if f64::from(high) < under.heights[0] {
            // All of the terrain under the box is lower than it: its centre is outside.
            return Some(false);
        }
        let seen = Seen { field, turn: self.turn.transpose(), center: &self.center, first: [left, near] };
        let mut sides = [[0u8; SAMPLES]; SAMPLES];
        let mut beyond = u8::MAX;
        for (j, row) in sides.iter_mut().enumerate().take(under.count(1) + 1) {
            for (i, sides) in row.iter_mut().enumerate().take(under.count(0) + 1) {
                let place = seen.place([i, j]);
                *sides = self.sides(&place);
                if *sides == 0 && self.is_inside(&place) {
                    return Some(true);
                }
                beyond &= *sides;
            }
        }
        let (mut unsure, [columns, rows]) = (false, [0, 1].map(|axis| under.count(axis)));
        let cells = (0..if beyond == 0 { rows } else { 0 }).flat_map(|j| (0..columns).map(move |i| [i, j]));
        for [i, j] in cells {
            let beyond =
                |corners: &[[usize; 2]]| corners.iter().fold(u8::MAX, |all, &[i, j]| all & sides[j][i]) != 0;
            let corners @ [a, b, c, d] = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
            if beyond(&corners) {
                continue;
            }
            let falls = field.diagonal_falls([left + i as u32, near + j as u32]);
            let triangles = if falls { [[a, b, d], [c, d, b]] } else { [[a, b, c], [a, c, d]] };
            for triangle in triangles.iter().filter(|triangle| !beyond(&triangle[..])) {
                match self.told(&triangle.map(|corner| seen.place(corner))) {
                    Told::Touching => return Some(true),
                    Told::Unsure => unsure = true,
                    Told::Apart => {}
                }
            }
        }
        // What touches no triangle is all of it in the ground, or all of it outside; what is in it may cross the bottom or a wall.
        (!unsure && !field.holds(&self.center)).then_some(false)
    }

    /// One bit for each face that a place (box frame, m) is beyond by more than rounding.
    #[inline]
    fn sides(&self, p: &Vector3<f64>) -> u8 {
        let mut sides = 0;
        for k in 0..3 {
            let out = self.half[k] + self.rounding;
            sides |= u8::from(p[k] > out) << k | u8::from(p[k] < -out) << (k + 3);
        }
        sides
    }

    /// Whether a place is in the box by more than rounding.
    #[inline]
    fn is_inside(&self, p: &Vector3<f64>) -> bool {
        (0..3).all(|k| p[k].abs() < self.half[k] - self.rounding)
    }

    /// What the axes of triangle and box say of them.
    fn told(&self, t: &[Vector3<f64>; 3]) -> Told {
        let edges = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let size = edges[0].abs().sum() + edges[1].abs().sum() + self.half.sum();
        let mut all = Told::Touching;
        let mut axis = |axis: &Vector3<f64>, length: f64| {
            let reach = self.half.dot(&axis.abs());
            let along = t.map(|p| axis.dot(&p));
            let (low, high) = (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]));
            let overlap = (high + reach).min(reach - low);
            if overlap < -self.rounding * length {
                return true;
            }
            // Not a number is unsure.
            let certain = overlap > (CERTAIN * size + self.rounding) * length;
            all = if certain { all } else { Told::Unsure };
            false
        };
        for unit in [Vector3::x(), Vector3::y(), Vector3::z()] {
            if axis(&unit, 1.0) {
                return Told::Apart;
            }
        }
        let normal = edges[0].cross(&edges[1]);
        if axis(&normal, normal.norm()) {
            return Told::Apart;
        }
        for edge in &edges {
            let length = edge.norm();
            for cross in [
                Vector3::new(0.0, -edge.z, edge.y),
                Vector3::new(edge.z, 0.0, -edge.x),
                Vector3::new(-edge.y, edge.x, 0.0),
            ] {
                let own = cross.norm();
                if own > PARALLEL * length && axis(&cross, own) {
                    return Told::Apart;
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use impinge_geometry::{HeightFieldSettings, Shape};
    use impinge_midphase::{PairKind, PreparedShape};
    use nalgebra::{Isometry3, Translation3, UnitQuaternion};
    use proptest::prelude::*;

    use super::*;
    use crate::intersect::{LastHit, Surfaces};
    use crate::touch::{LeafPairs, TouchScratch, surfaces_touch};

    const SIDE: u32 = 24;

    fn field(seed: u32, scale: f32, shape: u8) -> HeightField {
        let height = |k: u32| {
            let noise = ((k + seed).wrapping_mul(2_654_435_761) >> 20) as f32 / 2048.0 - 1.0;
            let [x, y] = [k % SIDE, k / SIDE].map(|n| n as f32);
            let height = match shape {
                0 => 0.0,
                1 => 0.4 * x - 0.2 * y,
                2 => (0.7 * x).sin() * (0.5 * y).cos(),
                _ => 1.5 * noise,
            };
            scale * height
        };
        let settings = HeightFieldSettings {
            spacing: [scale, 0.7 * scale],
            bottom: seed.is_multiple_of(2).then_some(-20.0 * scale),
            ..HeightFieldSettings::default()
        };
        HeightField::new([SIDE; 2], (0..SIDE * SIDE).map(height).collect(), &settings).unwrap()
    }

    fn primitive(kind: u8, sizes: [f32; 3], scale: f32) -> Shape {
        let [a, b, c] = sizes.map(|size| size * scale);
        match kind {
            0 | 1 => Shape::cuboid([a, b, c]),
            2 => Shape::sphere(a),
            3 => Shape::capsule(a, b),
            _ => Shape::cylinder(a, b),
        }
        .unwrap()
    }

    /// What the trees say.
    fn due(parts: [&Part; 2], frame: &PairFrame) -> bool {
        match PairKind::new(parts).unwrap() {
            PairKind::Surfaces(both) => {
                let (mut last, mut scratch) = (LastHit::default(), TouchScratch::default());
                surfaces_touch(&Surfaces::new(both, frame), LeafPairs::Search(&mut last), &mut scratch)
            }
            PairKind::MeshSolid { mesh, surface, primitive } => {
                MeshSolid { mesh, surface, primitive, frame }.touches()
            }
            PairKind::Convex => unreachable!("a field is not convex"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Fields flat, sloping, wavy and rough, bodies smaller and larger than cells, deep and shallow, upright and turned, over the border and far
        /// off, at any scale: what is answered is what the trees say, and nearly all is.
        #[test]
        fn the_cells_say_what_the_trees_say(
            (seed, shape, exponent) in (0u32..1000, 0u8..4, -3i32..4),
            (kind, sizes) in (0u8..5, prop::array::uniform3(0.05f32..3.0)),
            place in prop::array::uniform3(0.0f64..1.0),
            (axis, angle) in (prop::array::uniform3(-1.0f64..1.0), prop::sample::select(vec![0.0, 0.3, 1.0, 2.5])),
            (far, exchanged) in (prop::sample::select(vec![0.0, 1.0, 3e3]), any::<bool>()),
        ) {
            let scale = 10f32.powi(exponent);
            let ground = PreparedShape::new(&field(seed, scale, shape).into());
            let body = PreparedShape::new(&primitive(kind, sizes, scale));
            let [x, y, z] = [30.0 * place[0] - 3.0, 20.0 * place[1] - 2.0, 8.0 * place[2] - 3.0];
            let at = [x, y, z].map(|length| length * f64::from(scale));
            let turn = UnitQuaternion::from_scaled_axis(Vector3::from(axis) * angle);
            let world = Isometry3::from_parts(
                Translation3::new(far * f64::from(scale), 0.0, -far * f64::from(scale)),
                UnitQuaternion::from_scaled_axis(Vector3::new(far * 1e-3, 0.2 * far * 1e-3, 0.0)),
            );
            let placed = world * Isometry3::from_parts(at.into(), turn);
            let (parts, frame) = match exchanged {
                false => ([&ground.parts()[0], &body.parts()[0]], PairFrame::new(&world, &placed)),
                true => ([&body.parts()[0], &ground.parts()[0]], PairFrame::new(&placed, &world)),
            };
            if let Some(found) = primitive_touches(parts, &frame) {
                prop_assert_eq!(found, due(parts, &frame));
            } else {
                // Sunk wholly, or within a hundred-thousandth of touching: upright boxes on flat ground may be.
                let deep = due(parts, &frame) || z < 0.0;
                prop_assert!(deep || shape < 2, "{z}");
            }
        }
    }

    /// Of bodies that stand about the surface hardly any is left to the trees, however they are turned.
    #[test]
    fn hardly_any_is_left_to_the_trees() {
        let (mut asked, mut left, mut touching) = (0, 0, 0);
        for seed in 0..3000u32 {
            let random = |k: u32| f64::from((seed * 8 + k).wrapping_mul(2_654_435_761) >> 16) / 65536.0;
            let ground = PreparedShape::new(&field(seed, 1.0, 2 + (seed % 2) as u8).into());
            let body = PreparedShape::new(&primitive(0, [1.0, 0.6, 0.4], 1.0));
            let at = [4.0 + 14.0 * random(0), 4.0 + 8.0 * random(1), 3.0 * random(2)];
            let turn = UnitQuaternion::from_euler_angles(6.0 * random(3), 6.0 * random(4), 6.0 * random(5));
            let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::from_parts(at.into(), turn));
            let parts = [&ground.parts()[0], &body.parts()[0]];
            let found = primitive_touches(parts, &frame);
            asked += 1;
            left += u32::from(found.is_none());
            touching += u32::from(found == Some(true));
        }
        assert!(asked == 3000 && left <= 3 && touching > 800 && touching < 2800, "{asked} {left} {touching}");
    }
}
