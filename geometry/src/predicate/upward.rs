//! How a ray upward passes a triangle. Summed up over a closed surface it tells how often that winds round a point.

use nalgebra::Point3;

use super::orient3d;

/// +1 where the ray from `p` along +z leaves through the triangle, −1 where it enters, else 0.
pub(crate) fn crossings_above(p: &Point3<f32>, t: &[Point3<f32>; 3]) -> i32 {
    let flat = |p: &Point3<f32>| robust::Coord { x: f64::from(p.x), y: f64::from(p.y) };
    let mut around = 0;
    for k in 0..3 {
        let (a, b) = (&t[k], &t[(k + 1) % 3]);
        // Half-open in y: the winding of the boundary around p, each edge judged the same from both
        // of its faces.
        if (a.y <= p.y) == (b.y <= p.y) {
            continue;
        }
        let upward = a.y <= p.y;
        let (low, high) = if upward { (a, b) } else { (b, a) };
        if robust::orient2d(flat(low), flat(high), flat(p)) > 0.0 {
            around += if upward { 1 } else { -1 };
        }
    }
    if around == 0 {
        return 0;
    }
    // Seen from above a counter-clockwise triangle winds once; it has p below it where p lies on
    // the side against its normal.
    let corners = t.map(|c| c.cast::<f64>());
    let side = orient3d(&corners[0], &corners[1], &corners[2], &p.cast());
    let below = if around > 0 { side > 0.0 } else { side < 0.0 };
    if below { around } else { 0 }
}
