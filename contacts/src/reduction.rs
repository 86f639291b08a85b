//! From many candidates to at most four points.
//!
//! The wrench of a manifold asks three things of its points' weights: that
//! they add up to |G| and that their weighted centre is the centre of pressure. That can be had
//! exactly when the centre lies inside the points. What parallel forces cannot give is the moment about the
//! normal; on a thread it is what turns the nut. The points' normals tilt for it ([`crate::tilt`]). The deepest, the one farthest from it and the
//! extremes on either side of their line nearly always hold it; where they do not, the deepest and
//! the best others among at most twelve corners of the candidates' hull do, whenever the centre lies
//! inside that hull at all.
//!
//! Extremes stand on the rim of the patch, where it is shallow. Where patches were merged (the lobes of
//! a knot on a floor), only the deepest would be held and the others would sink by turns; so each point
//! then moves to the deepest candidate near it, if the weights can still be had.
//!
//! Where a patch is flat, which candidates are best hangs on rounding. The candidates at the places of last
//! step's points ([`crate::persistence`]) are taken instead while they are nearly as good: nearly as deep, spread
//! nearly as far, with weights that can be had; if need be with the deepest in place of the nearest of them.

use impinge_pair::Patch;
use nalgebra::{Vector2, Vector3};

use crate::hull::{Hull, thin, turn};
use crate::indices::Indices;
use crate::tangents::tangents;
use crate::tilt::{Tilts, tilts};
use crate::tunables::{
    CENTER_ERROR, COINCIDENT, COLLINEAR, CREST_DEPTH, CREST_SPAN, DEEPEN_GAIN, DEEPEN_REACH, EQUAL_DEPTH,
    HULL_CORNERS, PERSIST_CENTER_ERROR, PERSIST_COLLINEAR, PERSIST_DEPTH, PERSIST_SPAN, SHALLOW, WIDEN_DEPTH,
    WIDEN_GAIN, WIDEN_ROUNDS,
};
use crate::weights::{Weights, share};

/// A candidate that was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReducedPoint {
    /// Its index among [`Patch::points`].
    pub index: u32,
    /// The share of |G| that it stands for (m²), in the direction of the normal with its tilt; not negative.
    pub weight: f64,
    /// What its normal has beside the patch's, across it: `normal + tilt` has its direction.
    pub tilt: Vector3<f64>,
}

/// A choice of candidates with their weights.
#[derive(Clone, Copy)]
struct Choice {
    indices: Indices,
    weights: Weights,
}

/// Buffers of the reduction.
#[derive(Debug, Default)]
pub(crate) struct ReductionScratch {
    points: Vec<Vector2<f64>>,
    depths: Vec<f64>,
    hull: Hull,
}

impl Choice {
    /// Its candidates, and the area that each of them bears (m²).
    fn loaded(&self, patch: &Patch) -> [(u32, f64); 4] {
        // A face that holds a body over an edge pushes along its own normal.
        let area = patch.gradient.dot(&patch.normal).max(0.0);
        let mut loaded = [(0, 0.0); 4];
        for (loaded, (&index, share)) in loaded.iter_mut().zip(self.indices.iter().zip(self.weights.share)) {
            *loaded = (index, share * area);
        }
        loaded
    }
}

/// The patch seen along its normal.
struct Plan<'s> {
    points: &'s [Vector2<f64>],
    depths: &'s [f64],
    center: Vector2<f64>,
    radius: f64,
    deepest: u32,
}

/// Chooses at most `max_points` (clamped to 1 … 4) of the patch's candidates and writes them to `out`
/// (emptied first), deepest first, ties by index. Weights add up to |G|, and their weighted centre is
/// the centre of pressure wherever that lies inside the candidates' hull (and `max_points` is 4), else
/// the nearest that the points allow. `out` is empty only if the patch has no candidates.
pub fn reduce(patch: &Patch, max_points: usize, out: &mut Vec<ReducedPoint>) {
    reduce_after(patch, max_points, false, &[], &mut ReductionScratch::default(), out);
}

/// As [`reduce`]; of a patch with several `bumps` the points stand on these, not at their borders. `held`:
/// the candidates at last step's places, which are chosen again while they are nearly as good.
pub(crate) fn reduce_after(
    patch: &Patch,
    max_points: usize,
    bumps: bool,
    held: &[u32],
    scratch: &mut ReductionScratch,
    out: &mut Vec<ReducedPoint>,
) {
    out.clear();
    if patch.points.is_empty() {
        return;
    }
    let ReductionScratch { points, depths, hull } = scratch;
    let plan = Plan::new(patch, points, depths);
    let most = max_points.clamp(1, 4);
    let mut choice = plan.weigh(plan.spread(most, SHALLOW));
    if choice.weights.residual > CENTER_ERROR * plan.radius {
        let other = plan.weigh(plan.corners(most, hull));
        if other.weights.residual < choice.weights.residual {
            choice = other;
        }
    }
    if bumps {
        choice = plan.deepened(choice);
    } else if choice.indices.len() == 4 {
        choice = plan.widened(choice, &patch.corners);
        choice = plan.on_crest(choice);
    }
    if !held.is_empty() && held.len() <= most {
        let held = Indices::of(held);
        let kept = [plan.weigh(held), plan.weigh(plan.with_deepest(held))];
        if let Some(kept) = kept.into_iter().find(|kept| plan.nearly_as_good(kept, &choice, hull)) {
            choice = kept;
        }
    }
    let mut tilts = plan.tilts(patch, &choice);
    if tilts.are_cut {
        // Points farther apart have the same moment with flatter tilts.
        let wider = plan.weigh(plan.corners(most, hull));
        let flatter = plan.tilts(patch, &wider);
        if !flatter.are_cut
            && wider.weights.residual <= choice.weights.residual.max(CENTER_ERROR * plan.radius)
        {
            (choice, tilts) = (wider, flatter);
        }
    }
    let chosen = choice.loaded(patch);
    let chosen = &chosen[..choice.indices.len()];
    let tilts = tilts.of_points;
    out.extend(chosen.iter().zip(tilts).map(|(&(index, weight), tilt)| {
        // Normals are unit vectors: weights grow with their tilt.
        let along = if tilt == Vector3::zeros() { 1.0 } else { (patch.normal + tilt).norm() };
        ReducedPoint { index, weight: weight * along, tilt }
    }));
    let depth = |p: &ReducedPoint| patch.points[p.index as usize].depth;
    out.sort_by(|p, q| depth(q).total_cmp(&depth(p)).then(p.index.cmp(&q.index)));
}

impl<'s> Plan<'s> {
    fn new(patch: &Patch, points: &'s mut Vec<Vector2<f64>>, depths: &'s mut Vec<f64>) -> Plan<'s> {
        let [t, u] = tangents(&patch.normal);
        let middle = patch.points[0].on_a.coords;
        let flat = |x: Vector3<f64>| Vector2::new((x - middle).dot(&t), (x - middle).dot(&u));
        points.clear();
        points.extend(patch.points.iter().map(|p| flat(0.5 * (p.on_a.coords + p.on_b.coords))));
        let center = flat(patch.pressure_center.coords);
        let reach = points.iter().fold(0.0f64, |r, p| r.max((p - points[0]).norm()));
        // A length to measure by: any will do where there is no patch to speak of.
        let lengths = [patch.radius, reach, center.norm()];
        let radius = lengths.into_iter().find(|r| *r > 0.0 && r.is_finite()).unwrap_or(1.0);
        depths.clear();
        depths.extend(patch.points.iter().map(|p| p.depth));
        Plan { deepest: deepest(patch), points, depths, center, radius }
    }

    fn at(&self, i: u32) -> &Vector2<f64> {
        &self.points[i as usize]
    }

    fn weigh(&self, indices: Indices) -> Choice {
        let mut at = [Vector2::zeros(); 4];
        for (p, &i) in at.iter_mut().zip(&*indices) {
            *p = *self.at(i);
        }
        Choice { weights: share(&at[..indices.len()], &self.center, self.radius), indices }
    }

    fn tilts(&self, patch: &Patch, choice: &Choice) -> Tilts {
        tilts(patch, &choice.loaded(patch)[..choice.indices.len()]).unwrap_or_default()
    }

    /// The candidate with the greatest `key`, the first of them, of those that overlap by at least a part of the deepest.
    fn extreme(&self, least: f64, key: impl Fn(&Vector2<f64>) -> f64) -> (u32, f64) {
        // Candidates with a gap (speculative contacts) are never shallow.
        let faint = 0.0..least * self.depths[self.deepest as usize];
        let mut best = (self.deepest, f64::NEG_INFINITY);
        for (i, p) in self.points.iter().enumerate() {
            let value = key(p);
            if value > best.1 && !faint.contains(&self.depths[i]) {
                best = (i as u32, value);
            }
        }
        best
    }

    /// The first choice: deepest, farthest, side extremes; where all lie in a line its other end. None of them overlaps by less
    /// than a part of the deepest.
    fn spread(&self, most: usize, least: f64) -> Indices {
        let start = *self.at(self.deepest);
        let mut chosen = Indices::of(&[self.deepest]);
        let (far, length) = self.extreme(least, |p| (p - start).norm());
        if most == 1 || length <= COINCIDENT * self.radius {
            return chosen;
        }
        chosen.push(far);
        let along = (self.at(far) - start) / length;
        let side = Vector2::new(-along.y, along.x);
        let ends = [
            self.extreme(least, |p| (p - start).dot(&side)),
            self.extreme(least, |p| -(p - start).dot(&side)),
            self.extreme(least, |p| -(p - start).dot(&along)),
        ];
        for (k, (i, distance)) in ends.into_iter().enumerate() {
            let in_line = k < 2 || chosen.len() == 2;
            if in_line && distance > COLLINEAR * length && chosen.len() < most && !chosen.contains(&i) {
                chosen.push(i);
            }
        }
        chosen
    }

    /// The choice with its points moved to much deeper candidates near them, one after the other, as
    /// far as the weighted centre stays in place.
    fn deepened(&self, mut choice: Choice) -> Choice {
        let start = *self.at(choice.indices[0]);
        let length = choice.indices.iter().fold(0.0f64, |l, &i| l.max((self.at(i) - start).norm()));
        let least = self.depths.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.depths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let gain = DEEPEN_GAIN * greatest.abs().max(greatest - least);
        let limit = choice.weights.residual.max(CENTER_ERROR * self.radius);
        for k in 1..choice.indices.len() {
            let from = choice.indices[k];
            let mut to = from;
            for (i, p) in self.points.iter().enumerate() {
                let deeper = self.depths[i] > self.depths[to as usize];
                if deeper && (p - self.at(from)).norm() <= DEEPEN_REACH * length {
                    to = i as u32;
                }
            }
            let worth = self.depths[to as usize] - self.depths[from as usize] > gain;
            if worth && !choice.indices.contains(&to) {
                let mut indices = choice.indices;
                indices[k] = to;
                let moved = self.weigh(indices);
                if moved.weights.residual <= limit {
                    choice = moved;
                }
            }
        }
        choice
    }

    /// The choice with its points exchanged for corners of the region as long as these span more, the weighted centre stays in
    /// place, and one of them is about as deep as the deepest.
    fn widened(&self, mut choice: Choice, corners: &[u32]) -> Choice {
        let greatest = self.depths[self.deepest as usize];
        let deep = |i: &u32| self.depths[*i as usize] >= (1.0 - WIDEN_DEPTH) * greatest;
        let usable = |i: &u32| self.depths.get(*i as usize).is_some_and(|depth| *depth >= SHALLOW * greatest);
        let limit = choice.weights.residual.max(CENTER_ERROR * self.radius);
        let mut span = self.quadrilateral(&choice.indices);
        for _ in 0..WIDEN_ROUNDS {
            let mut best: Option<(f64, usize, u32)> = None;
            for &corner in corners.iter().filter(|i| usable(i) && !choice.indices.contains(i)) {
                for k in 0..choice.indices.len() {
                    let mut indices = [0; 4];
                    indices.copy_from_slice(&choice.indices);
                    indices[k] = corner;
                    let wider = self.quadrilateral(&indices);
                    let least = best.map_or((1.0 + WIDEN_GAIN) * span, |best| best.0);
                    if wider > least && indices.iter().any(deep) {
                        best = Some((wider, k, corner));
                    }
                }
            }
            let Some((wider, k, corner)) = best else { break };
            let mut indices = choice.indices;
            indices[k] = corner;
            let exchanged = self.weigh(indices);
            if exchanged.weights.residual > limit {
                break;
            }
            (choice, span) = (exchanged, wider);
        }
        choice
    }

    /// The choice, or one of points that are all nearly as deep as the deepest if it spans about as much: what lies on a ring is held
    /// by its crest and not by its slopes. On a single bump such points lie close together.
    fn on_crest(&self, choice: Choice) -> Choice {
        let least = CREST_DEPTH * self.depths[self.deepest as usize];
        let are_deep = |choice: &Choice| choice.indices.iter().all(|&i| self.depths[i as usize] >= least);
        if least <= 0.0 || are_deep(&choice) {
            return choice;
        }
        let crest = self.weigh(self.spread(4, CREST_DEPTH));
        let limit = choice.weights.residual.max(CENTER_ERROR * self.radius);
        let is_wide = crest.indices.len() == 4
            && self.quadrilateral(&crest.indices) >= CREST_SPAN * self.quadrilateral(&choice.indices);
        if is_wide && are_deep(&crest) && crest.weights.residual <= limit { crest } else { choice }
    }

    /// Twice the area of the hull of four candidates (m²): that of a triangle of them, or of their quadrilateral by its
    /// diagonals.
    fn quadrilateral(&self, indices: &[u32]) -> f64 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| self.at(indices[k]));
        let triangles = [(a, b, c), (a, b, d), (a, c, d), (b, c, d)].map(|(p, q, r)| turn(p, q, r).abs());
        let diagonals =
            [(a, b, c, d), (a, c, b, d), (a, d, b, c)].map(|(p, q, r, s)| (q - p).perp(&(s - r)).abs());
        triangles.into_iter().chain(diagonals).fold(0.0, f64::max)
    }

    /// Last step's points with the deepest candidate in place of the one nearest to it.
    fn with_deepest(&self, held: Indices) -> Indices {
        let mut indices = held;
        let aside = |i: &u32| (self.at(*i) - self.at(self.deepest)).norm();
        if let Some(nearest) = indices.iter_mut().min_by(|i, j| aside(i).total_cmp(&aside(j))) {
            *nearest = self.deepest;
        }
        indices
    }

    /// Whether last step's points can stay where a new choice would be `fresh`.
    fn nearly_as_good(&self, held: &Choice, fresh: &Choice, hull: &mut Hull) -> bool {
        let least = self.depths.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.depths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let deepest = held.indices.iter().map(|&i| self.depths[i as usize]).fold(f64::NEG_INFINITY, f64::max);
        let slack = PERSIST_DEPTH * greatest.abs().max(greatest - least);
        let miss = fresh.weights.residual.max(PERSIST_CENTER_ERROR * self.radius);
        if deepest < greatest - slack || held.weights.residual > miss {
            return false;
        }
        let ([length, area], [new_length, new_area]) = (self.span(held, hull), self.span(fresh, hull));
        length >= PERSIST_SPAN * new_length
            && (area >= PERSIST_SPAN * new_area || new_area < PERSIST_COLLINEAR * new_length * new_length)
    }

    /// The greatest distance of a choice's points (m), and twice the area of their hull (m²).
    fn span(&self, choice: &Choice, hull: &mut Hull) -> [f64; 2] {
        let mut at = [Vector2::zeros(); 4];
        at.iter_mut().zip(&*choice.indices).for_each(|(at, &i)| *at = *self.at(i));
        let at = &at[..choice.indices.len()];
        let length = at.iter().fold(0.0f64, |l, p| at.iter().fold(l, |l, q| l.max((p - q).norm())));
        hull.find(at);
        let corner = |k: usize| &at[hull.corners[k] as usize];
        let area = (2..hull.corners.len()).map(|k| turn(corner(0), corner(k - 1), corner(k))).sum();
        [length, area]
    }

    /// The second choice: the deepest and those corners of the hull that bring the weighted centre
    /// nearest to the centre of pressure; of equals those that span the largest area.
    fn corners(&self, most: usize, hull: &mut Hull) -> Indices {
        hull.find(self.points);
        thin(&mut hull.corners, self.points, HULL_CORNERS, &self.center);
        let others = (most - 1).min(hull.corners.len());
        let mut best: (Indices, f64, f64) = (Indices::of(&[self.deepest]), f64::INFINITY, 0.0);
        let mut picked = [0usize; 3];
        self.pick(&hull.corners, others, 0, 0, &mut picked, &mut best);
        best.0
    }

    /// Tries every choice of `others` corners from `from` on, in lexicographic order.
    fn pick(
        &self,
        hull: &[u32],
        others: usize,
        from: usize,
        depth: usize,
        picked: &mut [usize; 3],
        best: &mut (Indices, f64, f64),
    ) {
        if depth < others {
            for k in from..hull.len() {
                picked[depth] = k;
                self.pick(hull, others, k + 1, depth + 1, picked, best);
            }
            return;
        }
        let mut corners = [0u32; 3];
        for (corner, &k) in corners.iter_mut().zip(&picked[..depth]) {
            *corner = hull[k];
        }
        let corners = &corners[..depth];
        let (miss, area) = self.judge(corners);
        if miss < best.1 || (miss == best.1 && area > best.2) {
            let mut chosen = Indices::of(&[self.deepest]);
            corners.iter().filter(|&&i| i != self.deepest).for_each(|&i| chosen.push(i));
            *best = (chosen, miss, area);
        }
    }

    /// How far the centre of pressure is from the corners' and the deepest point's hull (m), and the
    /// area that the corners span (twice, m²).
    fn judge(&self, corners: &[u32]) -> (f64, f64) {
        match *corners {
            [a, b, c] => {
                let (a, b, c) = (self.at(a), self.at(b), self.at(c));
                let area = turn(a, b, c);
                let inside = [(a, b), (b, c), (c, a)].iter().all(|(p, q)| turn(p, q, &self.center) >= 0.0);
                if inside && area > 0.0 { (0.0, area) } else { (self.miss(corners), area) }
            }
            [a, b] => (self.miss(corners), turn(self.at(self.deepest), self.at(a), self.at(b)).abs()),
            _ => (self.miss(corners), 0.0),
        }
    }

    fn miss(&self, corners: &[u32]) -> f64 {
        let mut indices = Indices::of(&[self.deepest]);
        corners.iter().for_each(|&i| indices.push(i));
        self.weigh(indices).weights.residual
    }
}

/// The deepest candidate; of those that are equal but for rounding, the first.
fn deepest(patch: &Patch) -> u32 {
    let greatest = patch.points.iter().fold(f64::NEG_INFINITY, |d, p| d.max(p.depth));
    let enough = greatest - EQUAL_DEPTH * greatest.abs();
    patch.points.iter().position(|p| p.depth >= enough).unwrap_or(0) as u32
}
