//! What a line has inside two bodies, and how far that keeps one of them from being free.

use impinge_geometry::{FacesRef, Side};
use impinge_midphase::obb_tree::RayScratch;
use nalgebra::{Point3, Vector3};

use super::ray::crossings;
use crate::intersect::Surfaces;

/// What rounding may make of a line's lengths (part of them).
pub(super) const ROUNDING: f64 = 1e-9;

/// All of a line.
const EVERYWHERE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
/// A field that is so many times as large as the other body is looked through only near it.
const WIDE: f64 = 4.0;
/// How far beyond the other body (part of its reach), and how many times as far where that was not enough.
const FIRST_LOOK: f64 = 2.0;
const FARTHER: f64 = 8.0;

/// What is so many times as long as a shift upward is longer than the shortest there is.
const SHORTER: f64 = 1.25;

/// How far one body must go at most, straight up or down in the frame of the field on `wide`, until it is over all of the terrain (m).
fn upward(surfaces: &Surfaces<'_>, wide: Side) -> f64 {
    let (own, other) = (wide.index(), wide.other().index());
    let frame = surfaces.frame;
    let up = frame.rotation[own].column(2).into_owned();
    let height = up.dot(&(frame.offset[other] - frame.offset[own]));
    let highest = f64::from(surfaces.meshes[own].aabb().max[2]);
    let lowest = height - surfaces.trees[other].reach();
    (highest - lowest).max(0.0)
}

/// A line through two bodies.
struct Line<'l> {
    surfaces: &'l Surfaces<'l>,
    /// A point of it (m, pair frame), and its direction (unit).
    p: &'l Point3<f64>,
    direction: &'l Vector3<f64>,
}

/// What of a line is inside the bodies, each as it stands (m along the line).
#[derive(Debug, Default)]
pub(super) struct SolidIntervals {
    crossings: Vec<(f64, i32)>,
    of: [Vec<[f64; 2]>; 2],
}

impl SolidIntervals {
    /// Finds what the line through `p` (m, pair frame) along `direction` (unit) has inside each body, and gives what `ask` says of it: how far B has to
    /// go (m). `None` where that is not known, as the line passes too close to an edge.
    ///
    /// What counts as solid begins and ends a little inside the surfaces: rounding cannot make it longer than it is. Of a field that is much larger
    /// than the other body no more is looked at than B can come to on its way, as far as `ask` says, and not much more than it takes to lift one body
    /// over all of the terrain: what is longer is never the least.
    pub fn ask(
        &mut self,
        surfaces: &Surfaces<'_>,
        (p, direction): (&Point3<f64>, &Vector3<f64>),
        search: &mut RayScratch,
        ask: impl Fn(&SolidIntervals) -> f64,
    ) -> Option<f64> {
        let line = Line { surfaces, p, direction };
        let reach = surfaces.trees.map(|tree| tree.reach());
        let wide = Side::BOTH.into_iter().find(|side| {
            let (own, other) = (side.index(), side.other().index());
            matches!(surfaces.meshes[own], FacesRef::Field(_)) && reach[own] > WIDE * reach[other]
        });
        let Some(wide) = wide else {
            for side in Side::BOTH {
                self.find(&line, side, EVERYWHERE, search)?;
            }
            return Some(ask(self));
        };
        let other = wide.other();
        self.find(&line, other, EVERYWHERE, search)?;
        let of_other = &self.of[other.index()];
        let (Some(&[first, _]), Some(&[_, last])) = (of_other.first(), of_other.last()) else {
            self.of[wide.index()].clear();
            return Some(ask(self));
        };
        let enough = SHORTER * upward(surfaces, wide);
        let mut look = FIRST_LOOK * reach[other.index()];
        // The line has nothing of the field farther away.
        let all = 4.0 * reach[wide.index()] + p.coords.norm() + first.abs().max(last.abs());
        loop {
            let whole = look >= all;
            let range = if whole { EVERYWHERE } else { [first - look, last + look] };
            self.find(&line, wide, range, search)?;
            let found = ask(self);
            // Any shift that depends on where the range ends is as long as the look.
            if whole || found < look || look >= enough {
                return Some(found);
            }
            look = (FARTHER * look).min(enough.max(look));
        }
    }

    /// Finds what a range of the line has inside the body on `side`.
    fn find(&mut self, line: &Line<'_>, side: Side, range: [f64; 2], search: &mut RayScratch) -> Option<()> {
        let Line { surfaces, p, direction } = *line;
        let size: f64 = surfaces.trees.iter().map(|tree| tree.reach()).sum();
        let skin = ROUNDING * (size + p.coords.norm());
        let k = side.index();
        let body = (surfaces.meshes[k], surfaces.trees[k]);
        self.crossings.clear();
        crossings(body, surfaces.frame, side, (p, direction, range), search, &mut self.crossings)?;
        self.crossings.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        self.of[k].clear();
        let (mut winding, mut begin) = (0, 0.0);
        if range != EVERYWHERE {
            let inside = match (self.crossings.first(), surfaces.meshes[k]) {
                (Some(&(_, turn)), _) => turn < 0,
                (None, FacesRef::Field(field)) => {
                    field.holds(&surfaces.frame.to_local(side, &(p + direction * range[0])))
                }
                (None, _) => return None,
            };
            (winding, begin) = (i32::from(inside), range[0] - skin);
        }
        for &(at, turn) in &self.crossings {
            let before = winding;
            winding += turn;
            if before <= 0 && winding > 0 {
                begin = at;
            } else if before > 0 && winding <= 0 && at - begin > 2.0 * skin {
                self.of[k].push([begin + skin, at - skin]);
            }
        }
        match (winding, range == EVERYWHERE) {
            (0, _) => Some(()),
            (1, false) => {
                self.of[k].push([begin + skin, range[1]]);
                Some(())
            }
            _ => None,
        }
    }

    /// How far B, moved along the line by `shift` (m), must go on at least: while an interval of B overlaps one of A's, until
    /// it has left it.
    pub fn pass(&self, shift: f64) -> f64 {
        let mut until = shift;
        loop {
            let before = until;
            for b in &self.of[1] {
                // A's intervals rise: one leads to the next.
                for a in &self.of[0] {
                    if a[0] < b[1] + until && b[0] + until < a[1] {
                        until = until.max(a[1] - b[0]);
                    }
                }
            }
            if until <= before {
                return until;
            }
        }
    }

    /// How far B must go against the line's direction (m).
    pub fn pass_back(&self) -> f64 {
        let mut until = 0.0f64;
        loop {
            let before = until;
            for b in &self.of[1] {
                for a in &self.of[0] {
                    if a[0] < b[1] - until && b[0] - until < a[1] {
                        until = until.max(b[1] - a[0]);
                    }
                }
            }
            if until <= before {
                return until;
            }
        }
    }
}
