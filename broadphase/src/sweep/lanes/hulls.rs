//! From proxies to hulls, a register of proxies at a time.

use impinge_geometry::simd::{F32Lanes, F32x4, Kernel, Simd, U32Lanes};

use super::{Block, LANES, LaneBits, ROUND_UP, Span, States};
use crate::registry::proxy::Proxy;

/// Sets the hulls of eight proxies in the column `cell`, and their states where they are asked for.
pub(super) struct ComputeHulls<'a> {
    pub proxies: &'a [&'a Proxy; LANES],
    pub epoch: u32,
    pub cell: [u16; 2],
    pub block: &'a mut Block,
    pub states: Option<&'a mut States>,
}

impl Kernel for ComputeHulls<'_> {
    type Output = LaneBits;

    #[inline(always)]
    fn run<S: Simd>(self) -> LaneBits {
        let ComputeHulls { proxies, epoch, cell, block, mut states } = self;
        let (mut new, mut old) = ([&[0.0; 8]; LANES], [&[0.0; 8]; LANES]);
        for lane in 0..LANES {
            [new[lane], old[lane]] = proxies[lane].words();
        }
        let mut bits = LaneBits::default();
        let mut at = 0;
        while at < LANES {
            let of = [&new[at..at + S::F32::LANES], &old[at..at + S::F32::LANES]];
            let own = hulls::<S::F32>(of, at, epoch, cell, block, &mut states);
            bits.moved |= own.moved << at;
            bits.odd |= own.odd << at;
            bits.leaving |= own.leaving << at;
            at += S::F32::LANES;
        }
        bits.span = span::<S::F32x4>(block);
        bits
    }
}

/// The hulls of the proxies from lane `at` on.
#[inline(always)]
fn hulls<V: F32Lanes>(
    [new, old]: [&[&[f32; 8]]; 2],
    at: usize,
    epoch: u32,
    cell: [u16; 2],
    block: &mut Block,
    states: &mut Option<&mut States>,
) -> LaneBits {
    // Words of the first half: min, max, cells; of the second: min, max, stamp, slot.
    let (new, mut old) = (V::transpose(new), V::transpose(old));
    let stamps = old[6].to_bits().shift_right::<1>();
    let moved = V::from_bits(stamps.equal(V::Bits::splat(epoch)));
    for i in 0..6 {
        old[i] = moved.select(old[i], new[i]);
    }
    let missing = old[0].is_nan();
    let mut shell = missing.and(V::splat(f32::INFINITY));
    let mut overlap = V::from_bits(V::Bits::splat(u32::MAX));
    for k in 0..3 {
        overlap = overlap.and(old[k].at_most(new[k + 3])).and(new[k].at_most(old[k + 3]));
        // Where a bound is missing, the second operand is the answer.
        let min = old[k].min(new[k]);
        let max = old[k + 3].max(new[k + 3]);
        min.store(&mut block.min[k][at..]);
        max.store(&mut block.max[k][at..]);
        shell = new[k].max(old[k]).sub(min).max(shell);
        shell = max.sub(new[k + 3].min(old[k + 3])).max(shell);
    }
    if let Some(states) = states {
        for k in 0..3 {
            new[k].store(&mut states.new.min[k][at..]);
            new[k + 3].store(&mut states.new.max[k][at..]);
            old[k].store(&mut states.old.min[k][at..]);
            old[k + 3].store(&mut states.old.max[k][at..]);
        }
    }
    shell.mul(V::splat(ROUND_UP)).store(&mut block.shell[at..]);
    // A cell of 16-bit numbers is in a range if neither lo - cell nor cell - hi is above zero.
    let cell = V::Bits::splat(u32::from(cell[0]) | u32::from(cell[1]) << 16);
    let below = new[6].to_bits().halves_saturating_sub(cell);
    let above = cell.halves_saturating_sub(new[7].to_bits());
    let inside = V::from_bits(below.or(above).equal(V::Bits::splat(0)));
    let moved = moved.bits();
    LaneBits {
        span: Span::default(),
        moved,
        odd: moved & !overlap.or(missing).bits(),
        leaving: !inside.bits() & V::ALL,
    }
}

/// The bounds along the sweep axis; where one is missing, the second operand is the answer.
#[inline(always)]
fn span<V: F32x4>(block: &Block) -> Span {
    let (infinity, nothing) = (V::splat(f32::INFINITY), V::splat(f32::NEG_INFINITY));
    let [min, max] = [&block.min[0], &block.max[0]];
    let start = V::load(min).min(infinity).min(V::load(&min[LANES / 2..]).min(infinity));
    let tips = [V::load(max).max(nothing), V::load(&max[LANES / 2..]).max(nothing)];
    Span { start: start.least(), tips: [tips[0].greatest(), tips[1].greatest()] }
}
