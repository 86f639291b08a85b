//! Bounds of the first free shift by balls inside both bodies.
//!
//! While a ball inside A and one inside B meet, so do the bodies: the translations at which two balls meet are a ball again,
//! round the way from one centre to the other. A direction is blocked along what the balls of all pairs cover of it from the start
//! on. Nothing is asked of the trees: a direction costs a look at some thousands of balls, eight at a time.

use impinge_geometry::simd::{self, F32Lanes, Kernel, Simd};
use impinge_geometry::volume::round_up;
use impinge_geometry::{Side, SimdLevel};
use nalgebra::Vector3;

use crate::inner_balls::inner_balls;
use crate::intersect::Surfaces;

/// Balls that are tested at a time.
const WIDTH: usize = 8;

/// Lengths are `f32`, in parts of the longest there can be: so much is taken off a radius for what that rounds.
const RADIUS: f64 = 1e-6;

/// More than what `f32` rounds off the square of half of what a ball covers of a line, in parts of the squares it is made of.
const SQUARES: f32 = 4e-6;

/// … and off where that begins and ends.
const ENDS: f32 = 1e-6;

/// Balls that a line meets are looked at together, up to so many.
const TOGETHER: usize = 256;

/// Eight balls.
#[derive(Clone, Copy, Debug)]
struct Group {
    center: [[f32; WIDTH]; 3],
    radius: [f32; WIDTH],
}

/// Eight balls of translations.
#[derive(Clone, Copy, Debug)]
struct Blocked {
    center: [[f32; WIDTH]; 3],
    /// The radius squared less the centre's distance squared.
    power: [f32; WIDTH],
}

/// Translations of B at which it is known to meet A, out to some distance.
#[derive(Clone, Debug, Default)]
pub(super) struct BallBounds {
    /// The balls in A, and those in B.
    balls: [Vec<Group>; 2],
    /// A ball round every group of A, and eight at a time of B.
    around: [Vec<Group>; 2],
    blocked: Vec<Blocked>,
    /// How many balls of translations there are.
    count: usize,
    /// What lengths are measured by (m).
    unit: f64,
    /// How far the balls of translations have been made.
    limit: f32,
    level: Option<SimdLevel>,
}

impl BallBounds {
    /// Begins with two bodies, which count as apart where a shift aside by `nudge` (m) along each axis parts them. The sum of the radii of
    /// their largest balls (m): shorter translations are few; `None` where one of them has no balls.
    pub fn start(&mut self, surfaces: &Surfaces<'_>, nudge: f64) -> Option<f64> {
        self.blocked.clear();
        (self.count, self.limit, self.level) = (0, f32::NEG_INFINITY, Some(surfaces.trees[0].simd()));
        let balls = [0, 1].map(|k| inner_balls(surfaces.meshes[k], surfaces.trees[k]));
        if balls.iter().any(|own| own.is_empty()) {
            return None;
        }
        let reach = surfaces.trees.map(|tree| tree.reach());
        let apart = surfaces.frame.offset[1] - surfaces.frame.offset[0];
        self.unit = apart.norm() + 2.0 * (reach[0] + reach[1]);
        // The diagonal of a nudge is less.
        let margin = [2.0 * nudge + RADIUS * self.unit, 0.0];
        let mut largest = 0.0;
        for side in Side::BOTH {
            let k = side.index();
            let groups = &mut self.balls[k];
            groups.clear();
            for chunk in balls[k].chunks(WIDTH) {
                let mut group = Group::NONE;
                for (lane, ball) in chunk.iter().enumerate() {
                    let center = surfaces.frame.place_f64(side, &ball.center);
                    for (of, x) in group.center.iter_mut().zip(center.iter()) {
                        of[lane] = (x / self.unit) as f32;
                    }
                    group.radius[lane] = ((ball.radius - margin[k]) / self.unit) as f32;
                }
                groups.push(group);
            }
            let around = &mut self.around[k];
            around.clear();
            around.extend(groups.chunks(WIDTH).map(Group::around));
            largest += balls[k].iter().map(|ball| ball.radius).fold(0.0, f64::max);
        }
        Some(largest)
    }

    /// Makes the balls of translations that begin before `limit` (m).
    pub fn extend(&mut self, limit: f64) {
        let Some(level) = self.level else { return };
        let (from, to) = (self.limit, round_up(limit / self.unit));
        if to <= from {
            return;
        }
        // Another ring begins with a group of its own.
        self.count = self.count.next_multiple_of(WIDTH);
        let BallBounds { balls, around, blocked, count, .. } = self;
        simd::run(level, Pick { balls, around, range: [from, to], blocked, count });
        self.limit = to;
    }

    /// How far B must move along a direction (unit) at least (m), where it is known not to be free before `from` (m); what is
    /// `enough` (m) or more may be longer still.
    pub fn bound(&self, direction: &Vector3<f64>, [from, enough]: [f64; 2]) -> f64 {
        let Some(level) = self.level.filter(|_| !self.blocked.is_empty()) else { return from };
        let along = Along {
            groups: &self.blocked,
            direction: [0, 1, 2].map(|k| direction[k] as f32),
            from: -round_up(-from / self.unit),
            enough: round_up(enough / self.unit),
        };
        from.max(f64::from(simd::run(level, along)) * self.unit)
    }
}

impl Group {
    /// What is missing is nowhere.
    const NONE: Group = Group { center: [[0.0; WIDTH]; 3], radius: [f32::MIN; WIDTH] };

    /// Balls round up to eight groups.
    fn around(groups: &[Group]) -> Group {
        let mut found = Group::NONE;
        for (at, group) in groups.iter().enumerate() {
            let lanes = (0..WIDTH).filter(|lane| group.radius[*lane] > 0.0);
            let count = lanes.clone().count().max(1) as f32;
            for k in 0..3 {
                found.center[k][at] = lanes.clone().map(|lane| group.center[k][lane]).sum::<f32>() / count;
            }
            let reach = |lane: usize| {
                let apart = [0, 1, 2].map(|k| group.center[k][lane] - found.center[k][at]);
                apart.iter().map(|x| x * x).sum::<f32>().sqrt() + group.radius[lane]
            };
            found.radius[at] = lanes.clone().map(reach).fold(f32::MIN, f32::max);
        }
        found
    }
}

/// Appends the balls of translations at which a ball inside A meets one inside B, of those that begin in a range.
struct Pick<'b> {
    balls: &'b [Vec<Group>; 2],
    around: &'b [Vec<Group>; 2],
    range: [f32; 2],
    blocked: &'b mut Vec<Blocked>,
    count: &'b mut usize,
}

impl Kernel for Pick<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Pick { balls: [of_a, of_b], around: [about_a, about_b], range, blocked, count } = self;
        for (first, group) in of_a.iter().enumerate() {
            let whole = &about_a[first / WIDTH];
            let lane = first % WIDTH;
            let center = [whole.center[0][lane], whole.center[1][lane], whole.center[2][lane]];
            let reach = S::F32x8::splat(range[1] + whole.radius[lane]);
            for (second, about) in about_b.iter().enumerate() {
                let radius = reach.add(S::F32x8::load(&about.radius));
                let distance2 = distances::<S>(&center, about).3;
                let near = S::F32x8::splat(0.0).less(radius).and(distance2.less(radius.mul(radius)));
                let mut near = near.bits();
                while near != 0 {
                    let other = &of_b[second * WIDTH + near.trailing_zeros() as usize % WIDTH];
                    near &= near - 1;
                    for own in 0..WIDTH {
                        pick::<S>((group, own), other, range, (&mut *blocked, &mut *count));
                    }
                }
            }
        }
    }
}

/// From the centres of a group to a place, and the squares of their lengths.
#[inline(always)]
fn distances<S: Simd>(p: &[f32; 3], group: &Group) -> (S::F32x8, S::F32x8, S::F32x8, S::F32x8) {
    let x = S::F32x8::splat(p[0]).sub(S::F32x8::load(&group.center[0]));
    let y = S::F32x8::splat(p[1]).sub(S::F32x8::load(&group.center[1]));
    let z = S::F32x8::splat(p[2]).sub(S::F32x8::load(&group.center[2]));
    (x, y, z, x.mul(x).add(y.mul(y)).add(z.mul(z)))
}

/// As [`Pick`], of one ball in A and eight in B.
#[inline(always)]
fn pick<S: Simd>(
    (group, own): (&Group, usize),
    other: &Group,
    range: [f32; 2],
    (blocked, count): (&mut Vec<Blocked>, &mut usize),
) {
    let p = [group.center[0][own], group.center[1][own], group.center[2][own]];
    let (x, y, z, distance2) = distances::<S>(&p, other);
    let radius = S::F32x8::splat(group.radius[own]).add(S::F32x8::load(&other.radius));
    let begin = distance2.sqrt().sub(radius);
    let [from, to] = [S::F32x8::splat(range[0]), S::F32x8::splat(range[1])];
    let wanted = from.at_most(begin).and(begin.less(to)).and(S::F32x8::splat(0.0).less(radius));
    let mut rest = wanted.bits();
    if rest == 0 {
        return;
    }
    let radius2 = radius.mul(radius);
    let power = radius2.sub(distance2).sub(S::F32x8::splat(SQUARES).mul(radius2.add(distance2)));
    let mut rows = [[0.0; WIDTH]; 4];
    x.store(&mut rows[0]);
    y.store(&mut rows[1]);
    z.store(&mut rows[2]);
    power.store(&mut rows[3]);
    while rest != 0 {
        let from = rest.trailing_zeros() as usize % WIDTH;
        rest &= rest - 1;
        let (at, lane) = (*count / WIDTH, *count % WIDTH);
        *count += 1;
        if at == blocked.len() {
            blocked.push(Blocked { center: [[0.0; WIDTH]; 3], power: [-1.0; WIDTH] });
        }
        let group = &mut blocked[at];
        for (of, row) in group.center.iter_mut().zip(&rows) {
            of[lane] = row[from];
        }
        group.power[lane] = rows[3][from];
    }
}

/// How far balls cover a direction.
struct Along<'b> {
    groups: &'b [Blocked],
    direction: [f32; 3],
    from: f32,
    enough: f32,
}

impl Kernel for Along<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self) -> f32 {
        let Along { groups, direction, from, enough } = self;
        let direction =
            [S::F32x8::splat(direction[0]), S::F32x8::splat(direction[1]), S::F32x8::splat(direction[2])];
        let (zero, ends) = (S::F32x8::splat(0.0), S::F32x8::splat(ENDS));
        let mut until = from;
        // Those that the line meets beyond that.
        let mut met = [[[0.0; WIDTH]; 2]; TOGETHER / WIDTH];
        let mut count = 0;
        for group in groups {
            let along = S::F32x8::load(&group.center[0])
                .mul(direction[0])
                .add(S::F32x8::load(&group.center[1]).mul(direction[1]))
                .add(S::F32x8::load(&group.center[2]).mul(direction[2]));
            let square = along.mul(along).add(S::F32x8::load(&group.power));
            let half = square.max(zero).sqrt().sub(ends);
            let end = along.add(half);
            // Where nothing of the line is in the ball, half is less than nothing.
            let mut rest = zero.less(half).and(S::F32x8::splat(until).less(end)).bits();
            if rest == 0 {
                continue;
            }
            let mut range = [[0.0; WIDTH]; 2];
            along.sub(half).store(&mut range[0]);
            end.store(&mut range[1]);
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize % WIDTH;
                rest &= rest - 1;
                if range[0][lane] <= until {
                    until = if range[1][lane] > until { range[1][lane] } else { until };
                } else if count < TOGETHER {
                    let [begins, ends] = &mut met[count / WIDTH];
                    (begins[count % WIDTH], ends[count % WIDTH]) = (range[0][lane], range[1][lane]);
                    count += 1;
                }
            }
        }
        // What is not used of the last group is beyond all.
        if count % WIDTH != 0 {
            met[count / WIDTH][0][count % WIDTH..].fill(f32::INFINITY);
        }
        let mut before = f32::NEG_INFINITY;
        while until > before && until < enough {
            before = until;
            let mut lanes = S::F32x8::splat(until);
            for [begins, ends] in &met[..count.div_ceil(WIDTH)] {
                let covers = S::F32x8::load(begins).at_most(lanes);
                lanes = covers.select(lanes.max(S::F32x8::load(ends)), lanes);
            }
            let mut each = [0.0; WIDTH];
            lanes.store(&mut each);
            for one in each {
                until = if one > until { one } else { until };
            }
        }
        until
    }
}
