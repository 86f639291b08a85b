//! Eight triangles made ready: boxes, edge functions and planes side by side.

use impinge_geometry::simd::F32x8 as Wide;

use super::batch::{Batch, EIGHT};
use crate::coverage::rows::SUB;

/// 1.5 · 2²³: added to a number below 2²², and taken off again, it leaves the nearest whole number.
const NEAREST: f32 = 12_582_912.0;

type Lanes = [[f32; EIGHT]; 3];

/// What eight triangles need to be drawn.
#[derive(Default)]
pub(super) struct Made {
    /// First and last column and row.
    pub columns: [[f32; EIGHT]; 2],
    pub rows: [[f32; EIGHT]; 2],
    /// Edge functions at the first pixel, positive inside, and from pixel to pixel; each lies opposite
    /// the corner of its place.
    pub at: Lanes,
    pub right: Lanes,
    pub down: Lanes,
    /// What an edge function must at least be.
    pub least: Lanes,
    /// The first corner's value, and what the others' edge functions are worth.
    pub value: Lanes,
    /// Least and greatest value.
    pub range: [[f32; EIGHT]; 2],
}

/// One bit for each of eight triangles.
pub(super) struct Drawable {
    pub small: u32,
    pub large: u32,
    pub held: u32,
}

/// EightCorners of eight triangles: corner, coordinate, lane.
pub(super) type EightCorners = [[[f32; EIGHT]; 3]; 3];

/// Makes eight triangles ready; says which of them may cover a pixel, and how they are drawn.
#[inline(always)]
pub(super) fn prepare<W: Wide>(corners: &EightCorners, batch: &Batch<'_>, made: &mut Made) -> Drawable {
    let (zero, one, sub) = (W::splat(0.0), W::splat(1.0), W::splat(SUB as f32));
    let x = [W::load(&corners[0][0]), W::load(&corners[1][0]), W::load(&corners[2][0])];
    let y = [W::load(&corners[0][1]), W::load(&corners[1][1]), W::load(&corners[2][1])];
    let z = [W::load(&corners[0][2]), W::load(&corners[1][2]), W::load(&corners[2][2])];
    let held = x[0].at_most(x[0]).and(x[1].at_most(x[1])).and(x[2].at_most(x[2]));
    let low = [x[0].min(x[1]).min(x[2]), y[0].min(y[1]).min(y[2])];
    let high = [x[0].max(x[1]).max(x[2]), y[0].max(y[1]).max(y[2])];
    // Pixels whose centres are not before the least and not behind the greatest.
    let (nearest, hair) = (W::splat(NEAREST), W::splat(0.5 / SUB as f32));
    let part = W::splat(1.0 / SUB as f32);
    let bounds = [
        [batch.columns.start as f32, batch.columns.end as f32 - 1.0],
        [batch.rows.start as f32, batch.rows.end as f32 - 1.0],
    ];
    let mut first = [zero; 2];
    let mut last = [zero; 2];
    for k in 0..2 {
        let begins = low[k].mul(part).sub(hair).add(nearest).sub(nearest);
        let ends = high[k].mul(part).sub(one).add(hair).add(nearest).sub(nearest);
        first[k] = begins.max(W::splat(bounds[k][0]));
        last[k] = ends.min(W::splat(bounds[k][1]));
    }
    let covers = held.and(first[0].at_most(last[0])).and(first[1].at_most(last[1]));
    let fits = high[0].sub(low[0]).add(W::splat(EIGHT as f32 * SUB as f32)).mul(high[1].sub(low[1]));
    let small = fits.at_most(W::splat((1 << 23) as f32));
    // Twice the area; exact where it is small.
    let (u, v) = ([x[1].sub(x[0]), y[1].sub(y[0])], [x[2].sub(x[0]), y[2].sub(y[0])]);
    let area = u[0].mul(v[1]).sub(u[1].mul(v[0]));
    let turned = area.less(zero);
    let shown = if batch.outside_only { turned } else { turned.or(zero.less(area)) };
    // Walk the corners so that the inside is where edge functions are positive.
    let x = [x[0], turned.select(x[2], x[1]), turned.select(x[1], x[2])];
    let y = [y[0], turned.select(y[2], y[1]), turned.select(y[1], y[2])];
    let inner = [z[0], turned.select(z[2], z[1]), turned.select(z[1], z[2])];
    let half = W::splat(0.5 * SUB as f32);
    let origin = [first[0].mul(sub).add(half), first[1].mul(sub).add(half)];
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (dx, dy) = (x[j].sub(x[i]), y[j].sub(y[i]));
        // As `owns` has it, with rows that go down: left and top edges.
        let level = dy.at_most(zero).and(zero.at_most(dy));
        let owns = dy.less(zero).or(level.and(zero.less(dx)));
        let at = dx.mul(origin[1].sub(y[i])).sub(dy.mul(origin[0].sub(x[i])));
        at.store(&mut made.at[k]);
        zero.sub(dy.mul(sub)).store(&mut made.right[k]);
        dx.mul(sub).store(&mut made.down[k]);
        owns.select(zero, one).store(&mut made.least[k]);
    }
    let total = one.div(area.abs());
    inner[0].store(&mut made.value[0]);
    inner[1].sub(inner[0]).mul(total).store(&mut made.value[1]);
    inner[2].sub(inner[0]).mul(total).store(&mut made.value[2]);
    z[0].min(z[1]).min(z[2]).store(&mut made.range[0]);
    z[0].max(z[1]).max(z[2]).store(&mut made.range[1]);
    for k in 0..2 {
        let to = [&mut made.columns, &mut made.rows];
        let [columns, rows] = to;
        [first[0], last[0]][k].store(&mut columns[k]);
        [first[1], last[1]][k].store(&mut rows[k]);
    }
    let of_small = covers.and(small).and(shown).bits();
    let large = covers.bits() & !small.bits();
    Drawable { small: of_small, large, held: held.bits() }
}
