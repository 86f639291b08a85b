//! Triangles to pixels.
//!
//! Corners are snapped to 1/256 of a pixel and coverage is decided in integers with the top-left
//! rule, so that two triangles that share an edge share no pixel and leave none out. (Pineda, "A
//! parallel algorithm for polygon rasterization", 1988.) Depth is interpolated between the corners'
//! own depths, so that it never leaves their range.

/// Sub-pixels per pixel.
const SUB: f64 = 256.0;

/// Calls `pixel(x, y, weights)` for every pixel whose centre the triangle covers; `corners` are in
/// pixels to the right and down. `weights` are the barycentric coordinates there.
pub(super) fn cover(corners: [[f64; 2]; 3], size: [u32; 2], pixel: impl FnMut(u32, u32, [f64; 3])) {
    let snapped = corners.map(|c| c.map(|x| (x * SUB).round() as i64));
    // Differences below 2³⁰ keep products within 62 bits; all else is rare and takes 128.
    let narrow = snapped.iter().flatten().all(|x| x.unsigned_abs() < 1 << 29);
    if narrow { scan::<Narrow>(snapped, size, pixel) } else { scan::<Wide>(snapped, size, pixel) }
}

/// The integers that edge functions are computed in.
trait Integer: Copy {
    fn cross(ux: i64, uy: i64, vx: i64, vy: i64) -> Self;
    fn sign(self) -> i32;
    fn real(self) -> f64;
}

#[derive(Clone, Copy)]
struct Narrow(i64);
#[derive(Clone, Copy)]
struct Wide(i128);

impl Integer for Narrow {
    fn cross(ux: i64, uy: i64, vx: i64, vy: i64) -> Narrow {
        Narrow(ux * vy - uy * vx)
    }
    fn sign(self) -> i32 {
        self.0.signum() as i32
    }
    fn real(self) -> f64 {
        self.0 as f64
    }
}

impl Integer for Wide {
    fn cross(ux: i64, uy: i64, vx: i64, vy: i64) -> Wide {
        Wide(i128::from(ux) * i128::from(vy) - i128::from(uy) * i128::from(vx))
    }
    fn sign(self) -> i32 {
        self.0.signum() as i32
    }
    fn real(self) -> f64 {
        self.0 as f64
    }
}

fn scan<I: Integer>(snapped: [[i64; 2]; 3], size: [u32; 2], mut pixel: impl FnMut(u32, u32, [f64; 3])) {
    // Coordinates beyond 2⁶⁰ sub-pixels are out of any picture's reach and are held there.
    let limit = 1i64 << 60;
    let p = snapped.map(|c| c.map(|x| x.clamp(-limit, limit)));
    let edge = |i: usize, j: usize, at: [i64; 2]| {
        I::cross(p[j][0] - p[i][0], p[j][1] - p[i][1], at[0] - p[i][0], at[1] - p[i][1])
    };
    let area = edge(0, 1, p[2]);
    if area.sign() == 0 {
        return;
    }
    // Walk the corners so that the inside is where edge functions are positive.
    let order = if area.sign() > 0 { [0, 1, 2] } else { [0, 2, 1] };
    let edges = [(order[1], order[2]), (order[2], order[0]), (order[0], order[1])];
    // Of an edge's two sides the same one owns it, whichever way it is walked.
    let owns = edges.map(|(i, j)| {
        let (dx, dy) = (p[j][0] - p[i][0], p[j][1] - p[i][1]);
        dy < 0 || (dy == 0 && dx > 0)
    });
    let sub = SUB as i64;
    let range = |axis: usize| {
        let low = p.iter().map(|c| c[axis]).min().unwrap_or(0);
        let high = p.iter().map(|c| c[axis]).max().unwrap_or(-1);
        let first = (low - sub / 2).div_euclid(sub).clamp(0, i64::from(size[axis]));
        let last = (high - sub / 2).div_euclid(sub).clamp(-1, i64::from(size[axis]) - 1);
        first..=last
    };
    let total = area.real().abs();
    for y in range(1) {
        let mut entered = false;
        for x in range(0) {
            let at = [x * sub + sub / 2, y * sub + sub / 2];
            let values = edges.map(|(i, j)| edge(i, j, at));
            let covered = (0..3).all(|k| values[k].sign() > 0 || (values[k].sign() == 0 && owns[k]));
            if covered {
                entered = true;
                let mut weights = [0.0; 3];
                for k in 0..3 {
                    weights[order[k]] = values[k].real() / total;
                }
                pixel(x as u32, y as u32, weights);
            } else if entered {
                break;
            }
        }
    }
}
