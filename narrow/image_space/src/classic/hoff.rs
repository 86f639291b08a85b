//! K. Hoff, A. Zaferakis, M. Lin, D. Manocha, "Fast and simple 2D geometric proximity queries using graphics hardware",
//! 2001: the overlap of two polygons by the stencil buffer, their distance and depth of penetration by distance fields.

use nalgebra::{Point2, Point3, Vector2, Vector3};

use super::body::LatticeBody;
use super::error::ClassicError;
use super::lines::edge_points;
use super::program::{
    ClassicRaster, DepthTest, Draw, Figure, Program, RasterCommand, RasterScene, StencilOp,
};
use crate::coverage::nearest;
use crate::ldi::Faces;
use crate::view::View;

/// A view of the plane that the polygons lie in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneView {
    view: View,
}

impl PlaneView {
    /// A view of the rectangle from `min` to `max` (m) with `pixels`² pixels.
    ///
    /// # Errors
    /// [`ClassicError::View`] for corners that are not finite, sides without a length, and no or too many pixels.
    pub fn new(min: Point2<f64>, max: Point2<f64>, pixels: u32) -> Result<PlaneView, ClassicError> {
        let (size, center) = (max - min, nalgebra::center(&min, &max));
        // Seen along z, what is right is −y and what is up is x.
        let view = View::new(
            Point3::new(center.x, center.y, 0.0),
            Vector3::z(),
            [size.y, size.x, size.x.max(size.y)],
            [pixels; 2],
        )?;
        Ok(PlaneView { view })
    }

    /// Pixels to the right, and up.
    pub fn pixels(&self) -> [u32; 2] {
        self.view.count
    }

    /// Area of a pixel (m²).
    pub fn pixel_area(&self) -> f64 {
        self.view.pixel_area()
    }

    /// Half the diagonal of a pixel (m).
    pub fn half_diagonal(&self) -> f64 {
        self.view.half_diagonal()
    }

    /// The centre of a pixel (m).
    pub fn place(&self, pixel: u32) -> Point2<f64> {
        let width = self.view.count[0];
        self.view.place(pixel % width, pixel / width, 0.0).xy()
    }

    /// A polygon on the view's lattice, as a fan of triangles around its first vertex.
    fn snapped(&self, index: usize, polygon: &[Point2<f64>]) -> Result<LatticeBody, ClassicError> {
        if polygon.len() < 3 {
            return Err(ClassicError::Polygon { polygon: index, vertices: polygon.len() });
        }
        let sub = self.view.sub_pixels();
        let mut vertices = Vec::with_capacity(polygon.len());
        for p in polygon {
            let c = self.view.locate(&Point3::new(p.x, p.y, 0.0));
            let at = [c[0], c[1]].map(|x| nearest((x - 0.5) * sub));
            for value in at {
                if value.is_nan() || value.abs() > f64::from(1 << 28) {
                    let wanted = "finite, and no farther from the view than 2¹⁴ times its size";
                    return Err(ClassicError::Value {
                        what: "a coordinate of a polygon",
                        value: p.coords.amax(),
                        wanted,
                    });
                }
            }
            vertices.push([at[0] as i32, at[1] as i32, 0]);
        }
        let fan = (1..polygon.len() as u32 - 1).map(|k| [0, k, k + 1]).collect();
        Ok(LatticeBody::of(vertices, fan, &self.view))
    }
}

/// What two polygons have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanarOverlap {
    /// Pixels whose centres are in both, row after row, in rising order.
    pub pixels: Vec<u32>,
    /// Their area (m²).
    pub area: f64,
}

/// How near two polygons are, or how deep one is in the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarProximity {
    /// Distance of the outlines (m); below zero, how deep the first polygon's outline goes into the second: the greatest
    /// distance from a place of it inside the second to the second's outline.
    pub distance: f64,
    /// Where, on the first polygon's outline (m): within half a pixel's diagonal.
    pub place: Point2<f64>,
    /// The nearest place of the second polygon's outline (m).
    pub nearest: Point2<f64>,
    /// The way in which the first polygon leaves the second soonest, or keeps away from it (unit): the gradient of the
    /// second's signed distance field.
    pub direction: Vector2<f64>,
}

/// The overlap of two polygons by the stencil buffer: each is drawn as a fan of triangles that turn a bit over, so that the
/// pixels inside (even–odd) have it set; where both bits are, the polygons overlap. Polygons may be concave and of either
/// orientation.
///
/// *May miss* what no pixel's centre meets. The area is off by what the outlines pass of the pixels: at most the sum of
/// their lengths times half a pixel's diagonal, times two.
///
/// # Errors
/// [`ClassicError::Polygon`] for fewer than three vertices, [`ClassicError::Value`] for a coordinate that is not finite or
/// too far, and [`ClassicError::Device`] from a device.
pub fn hoff_overlap(
    polygons: [&[Point2<f64>]; 2],
    view: &PlaneView,
    raster: &mut dyn ClassicRaster,
) -> Result<PlanarOverlap, ClassicError> {
    let bodies = vec![view.snapped(0, polygons[0])?, view.snapped(1, polygons[1])?];
    let stencil = drawn(&RasterScene { view: view.view, bodies }, raster)?;
    let all = stencil.iter().enumerate().filter(|(_, value)| **value == 3);
    let pixels: Vec<u32> = all.map(|(pixel, _)| pixel as u32).collect();
    let area = pixels.len() as f64 * view.pixel_area();
    Ok(PlanarOverlap { pixels, area })
}

/// Every pixel's polygons: bit 0 for the first, bit 1 for the second.
fn drawn(scene: &RasterScene, raster: &mut dyn ClassicRaster) -> Result<Vec<u8>, ClassicError> {
    let of = |body: usize| {
        let op = StencilOp::Invert(1 << body);
        RasterCommand::Draw(Draw::stencil(body, Figure::Faces(Faces::Both), DepthTest::Always, op))
    };
    let program: Program = (0..scene.bodies.len()).map(of).collect();
    Ok(raster.run(scene, &program)?.stencil)
}

/// The distance of two polygons, or their depth of penetration: the second's distance field is read along the first's
/// outline, pixel by pixel. `None` where no pixel of the view has any of that outline.
///
/// The field is exact at the centres of the pixels, and the outline is not farther from them than half a pixel's
/// diagonal: the distance is off by no more than that and a sub-pixel.
///
/// # Errors
/// As [`hoff_overlap`].
pub fn hoff_proximity(
    polygons: [&[Point2<f64>]; 2],
    view: &PlaneView,
    raster: &mut dyn ClassicRaster,
) -> Result<Option<PlanarProximity>, ClassicError> {
    let first = view.snapped(0, polygons[0])?;
    let second = view.snapped(1, polygons[1])?;
    let mut outline = Vec::new();
    for k in 0..first.vertices.len() {
        let ends = [first.vertices[k], first.vertices[(k + 1) % first.vertices.len()]];
        edge_points(&view.view, ends, |point| outline.push(point.pixel));
    }
    outline.sort_unstable();
    outline.dedup();
    let inside = drawn(&RasterScene { view: view.view, bodies: vec![second] }, raster)?;
    let mut least: Option<PlanarProximity> = None;
    for pixel in outline {
        let place = view.place(pixel);
        let (squared, nearest) = nearest_place(polygons[1], &place);
        let sign = if inside[pixel as usize] == 1 { -1.0 } else { 1.0 };
        let distance = sign * squared.sqrt();
        if least.is_none_or(|found| distance < found.distance) {
            let direction = ((place - nearest) * sign).try_normalize(0.0).unwrap_or_else(Vector2::x);
            least = Some(PlanarProximity { distance, place, nearest, direction });
        }
    }
    Ok(least)
}

/// The signed distance field of a polygon: at every pixel's centre the distance to its outline (m), below zero inside.
///
/// # Errors
/// As [`hoff_overlap`].
pub fn hoff_field(
    polygon: &[Point2<f64>],
    view: &PlaneView,
    raster: &mut dyn ClassicRaster,
) -> Result<Vec<f64>, ClassicError> {
    let bodies = vec![view.snapped(0, polygon)?];
    let inside = drawn(&RasterScene { view: view.view, bodies }, raster)?;
    let at = |(pixel, inside): (u32, &u8)| {
        let distance = nearest_place(polygon, &view.place(pixel)).0.sqrt();
        if *inside == 1 { -distance } else { distance }
    };
    Ok((0..).zip(&inside).map(at).collect())
}

/// The squared distance from a place to a polygon's outline, and its nearest place.
fn nearest_place(polygon: &[Point2<f64>], place: &Point2<f64>) -> (f64, Point2<f64>) {
    let mut least = (f64::INFINITY, *place);
    for (k, a) in polygon.iter().enumerate() {
        let d = polygon[(k + 1) % polygon.len()] - a;
        let long = d.norm_squared();
        let share = if long > 0.0 { ((place - a).dot(&d) / long).clamp(0.0, 1.0) } else { 0.0 };
        let at = a + d * share;
        let squared = (place - at).norm_squared();
        if squared < least.0 {
            least = (squared, at);
        }
    }
    least
}
