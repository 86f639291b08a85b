//! Which depths overlap an object in its profile, and which boxes may.

use impinge_midphase::obb_tree::Covered;

use super::Profile;

/// What of an environment counts, along the direction of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bounds {
    /// From the plane through the object's nearest point on: what lies between that plane and the
    /// object counts as well, unless it is hidden from there (Fabrizio's height maps).
    Box,
    /// Everything before the object's farthest surface, however far before: a terrain, and all else
    /// that is solid all the way down.
    Terrain,
    /// What lies between the object's nearest and its farthest surface, pixel by pixel.
    #[default]
    TwoSided,
}

/// A profile and what of the environment counts.
pub(super) struct Gate<'p> {
    pub profile: &'p Profile,
    pub bounds: Bounds,
    /// Pixels to the right and down.
    pub size: [usize; 2],
}

impl Gate<'_> {
    /// Whether something that covers this much may overlap the object.
    #[inline(always)]
    pub fn opens(&self, covered: &Covered) -> bool {
        let pixels = |k: usize| {
            let [low, high] = covered[k];
            let last = self.size[k] as i64 - 1;
            // Corners move by up to 1/512 of a pixel when they are snapped.
            let first = (low - 0.51).ceil() as i64;
            let end = (high - 0.49).floor() as i64;
            // What is no number is everywhere.
            let apart = low <= high && (first > last || end < 0 || first > end);
            (!apart).then(|| [first.clamp(0, last) as usize, end.clamp(0, last) as usize])
        };
        let (Some(x), Some(y)) = (pixels(0), pixels(1)) else { return false };
        if x[0] > x[1] || y[0] > y[1] {
            return true;
        }
        let Profile { near, far, pyramid, .. } = self.profile;
        let [least, most] = pyramid.over(near, far, x, y);
        let [front, back] = covered[2];
        let before = match self.bounds {
            Bounds::Box => back < 0.0,
            Bounds::Terrain => false,
            Bounds::TwoSided => back < least,
        };
        !(front > most || before)
    }

    /// Whether a depth overlaps the object in a pixel.
    #[inline(always)]
    pub fn holds(&self, k: usize, depth: f32) -> bool {
        let after = match self.bounds {
            Bounds::Box => depth >= 0.0,
            Bounds::Terrain => true,
            Bounds::TwoSided => depth > self.profile.near[k],
        };
        depth < self.profile.far[k] && after
    }

    /// Where a solid begins to count that fills all between the bounds in a pixel, from before them to
    /// behind the object: its own surface lies nowhere between.
    #[inline(always)]
    pub fn filled(&self, k: usize, [enter, exit]: [f64; 2]) -> Option<f32> {
        let Profile { near, far, .. } = self.profile;
        let least = match self.bounds {
            Bounds::Box => 0.0,
            // However far before; what has no beginning begins with the object's box.
            Bounds::Terrain if enter.is_finite() => return None,
            Bounds::Terrain => 0.0,
            Bounds::TwoSided => near[k],
        };
        let through = enter <= f64::from(least) && exit >= f64::from(far[k]);
        (through && least < far[k]).then_some(least)
    }
}

/// Least and greatest coordinates of a triangle, rounded outward.
#[inline(always)]
pub(super) fn covered_by(c: &[[f64; 3]; 3]) -> Covered {
    [0, 1, 2].map(|k| {
        let low = c[0][k].min(c[1][k]).min(c[2][k]) as f32;
        let high = c[0][k].max(c[1][k]).max(c[2][k]) as f32;
        [low.next_down(), high.next_up()]
    })
}
