//! B. Heidelberger, M. Teschner, M. Gross, 2003 and 2004: unordered layers of two bodies seen along opposite directions, in a
//! volume that is enlarged until every line enters before it leaves, along the axis with the fewest layers.

use nalgebra::Vector3;

use super::body::ClassicBody;
use super::error::ClassicError;
use super::pair::overlap_box;
use crate::crossing::Crossing;
use crate::ldi::{LayeredDepthImage, LdiError, world_box};
use crate::view::{DEPTH_STEPS, View};

/// Two bodies' layers in one volume of interest.
#[derive(Clone, Debug, PartialEq)]
pub struct OppositeLayers {
    /// The axis of the world looked along: 0 x, 1 y, 2 z.
    pub axis: usize,
    /// Whether the first body is looked at against the axis, and the second along it.
    pub against: bool,
    /// By how much the volume was enlarged along the axis (m), so that its side towards each viewer is outside the body
    /// that is viewed from there.
    pub enlarged: f64,
    /// The most layers of each body along a line of the volume: its depth complexity.
    pub layers: [usize; 2],
    /// The images: the first body's along the direction, the second's along the opposite one.
    pub images: [LayeredDepthImage; 2],
}

/// The layers of two closed bodies in the overlap of their boxes, `pixels`² lines: along each axis of the world, both ways, the
/// first body is seen from one side and the second from the opposite one. The volume's side towards the viewer has to be
/// outside the body, so that every line enters before it leaves; where it is not, the volume is enlarged to the body's
/// box. Of the six choices the one is taken that has the fewest layers of both bodies, as each layer of an unordered
/// capture is a rendering pass, then the smaller enlargement. `None` where the boxes are apart.
///
/// *Limits:* depth complexity is counted along the lines alone; layers behind the volume are left out.
///
/// # Errors
/// [`ClassicError::NotClosed`] and [`ClassicError::View`].
pub fn opposite_layers(
    bodies: &[ClassicBody<'_>; 2],
    pixels: u32,
) -> Result<Option<OppositeLayers>, ClassicError> {
    for (k, body) in bodies.iter().enumerate() {
        body.closed("a choice of directions", k)?;
    }
    if overlap_box(bodies)?.is_none() {
        return Ok(None);
    }
    let mut best: Option<OppositeLayers> = None;
    for (axis, against) in (0..3).flat_map(|axis| [(axis, false), (axis, true)]) {
        let Some(layers) = layers_along(bodies, axis, against, pixels)? else { return Ok(None) };
        let cost = |of: &OppositeLayers| of.layers[0] + of.layers[1];
        let better = best.as_ref().is_none_or(|found| {
            let (new, old) = (cost(&layers), cost(found));
            new < old || (new == old && layers.enlarged < found.enlarged)
        });
        if better {
            best = Some(layers);
        }
    }
    Ok(best)
}

/// The layers along an axis of the world, by the first body along it or against it; see [`opposite_layers`].
///
/// # Errors
/// As [`opposite_layers`], and [`ClassicError::Value`] for an axis that is not 0, 1 or 2.
pub fn layers_along(
    bodies: &[ClassicBody<'_>; 2],
    axis: usize,
    against: bool,
    pixels: u32,
) -> Result<Option<OppositeLayers>, ClassicError> {
    if axis > 2 {
        let value = axis as f64;
        return Err(ClassicError::Value { what: "the number of an axis", value, wanted: "0, 1 or 2" });
    }
    let Some([mut min, mut max]) = overlap_box(bodies)? else { return Ok(None) };
    let before = max[axis] - min[axis];
    // The body that is looked at along the axis is entered at the volume's least side, the other at its greatest.
    let along = usize::from(against);
    let reach = |k: usize| world_box(bodies[k].mesh, bodies[k].pose);
    let ([low, _], [_, high]) = (reach(along)?, reach(1 - along)?);
    min[axis] = min[axis].min(low[axis]);
    max[axis] = max[axis].max(high[axis]);
    let enlarged = max[axis] - min[axis] - before;
    let forward = Vector3::ith(axis, 1.0);
    let image = |k: usize| {
        let direction = if k == along { forward } else { -forward };
        let view = View::around(min, max, direction, [pixels; 2])?;
        LayeredDepthImage::capture(bodies[k].mesh, bodies[k].pose, view)
    };
    let images = [image(0)?, image(1)?];
    let layers = images.each_ref().map(|image| {
        let [width, height] = image.view().pixels();
        let lines = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        lines.map(|(x, y)| seen(image.line(x, y)).len()).max().unwrap_or(0)
    });
    Ok(Some(OppositeLayers { axis, against, enlarged, layers, images }))
}

/// The crossings of a line that lie in the volume.
fn seen(line: &[Crossing]) -> &[Crossing] {
    let behind = line.iter().position(|c| c.depth() >= crate::crossing::LAST_DEPTH as i32);
    &line[..behind.unwrap_or(line.len())]
}

impl OppositeLayers {
    /// Whether every line that meets a body enters it before it leaves it: what the directions were chosen for. Faces at one
    /// depth, as at the outline, count together.
    pub fn enters_first(&self) -> bool {
        self.images.iter().all(|image| {
            let [width, height] = image.view().pixels();
            let mut lines = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            lines.all(|(x, y)| {
                let line = seen(image.line(x, y));
                let first = line.iter().take_while(|c| c.depth() == line[0].depth());
                first.map(|c| c.turn()).sum::<i32>() >= 0 && line.first().is_none_or(|c| c.depth() > 0)
            })
        })
    }

    /// The volume in which the bodies overlap (m³): along each line, what the first image's intervals have in common with
    /// the second's, which run the other way.
    ///
    /// # Errors
    /// [`LdiError::ViewsDiffer`] where the images' sizes differ.
    pub fn intersection_volume(&self) -> Result<f64, LdiError> {
        let [a, b] = &self.images;
        let ([width, height], view) = (a.view().pixels(), a.view());
        if b.view().pixels() != [width, height] {
            return Err(LdiError::ViewsDiffer);
        }
        let mut steps = 0.0;
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            // The opposite view has its rows the same way up and its pixels from right to left.
            let (first, second) = (a.line(x, y), b.line(width - 1 - x, y));
            if first.is_empty() || second.is_empty() {
                continue;
            }
            let inside = |line: &[Crossing], turned: bool| {
                let mut ends: Vec<(f64, i32)> = line
                    .iter()
                    .map(|c| {
                        let depth = f64::from(c.depth());
                        if turned { (DEPTH_STEPS - depth, -c.turn()) } else { (depth, c.turn()) }
                    })
                    .collect();
                ends.sort_by(|p, q| p.0.total_cmp(&q.0));
                ends
            };
            steps += overlap(&inside(first, false), &inside(second, true));
        }
        Ok(steps * view.step() * view.pixel_area())
    }
}

/// The length in which both counters are positive.
fn overlap(a: &[(f64, i32)], b: &[(f64, i32)]) -> f64 {
    let (mut i, mut j, mut inside, mut last, mut sum) = (0, 0, [0, 0], 0.0, 0.0);
    while i < a.len() || j < b.len() {
        let at = |list: &[(f64, i32)], k: usize| list.get(k).map_or(f64::INFINITY, |end| end.0);
        let depth = at(a, i).min(at(b, j));
        if inside[0] > 0 && inside[1] > 0 {
            sum += depth - last;
        }
        last = depth;
        if at(a, i) <= depth {
            inside[0] += a[i].1;
            i += 1;
        } else {
            inside[1] += b[j].1;
            j += 1;
        }
    }
    sum
}
