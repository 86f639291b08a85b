//! The numbers that the contacts stage was tuned with: unit, usual value, and what goes wrong beyond it. None
//! of them is a promise; tests of scenes and of the solver hold them in place.

// Reduction of a patch to at most four points.

/// How much less deep than the deepest a corner may be to stand for it (2 %). Less: of a flat patch, rounding chooses a point
/// beside the corners; greater: a body rests beside where it is deepest.
pub(crate) const WIDEN_DEPTH: f64 = 0.02;
/// How much more area four points must span to be exchanged for (0.1 %). Less: equal corners take turns.
pub(crate) const WIDEN_GAIN: f64 = 1e-3;
/// Exchanges at most (8): twice as many as there are points.
pub(crate) const WIDEN_ROUNDS: usize = 8;
/// Tilts of points' normals that are taken for none (tangent; 10⁻⁶). Less: moments that are rounding turn what rests.
pub(crate) const LEAST_TILT: f64 = 1e-6;
/// Heights of a manifold's points, squared and relative to their distances, below which they are level (10⁻⁵). Less:
/// heights of rounding tell how points tilt; greater: tilts at different heights have moments across the normal.
pub(crate) const LEVEL: f64 = 1e-5;
/// Distances from the middle of a manifold's points, squared and relative to the farthest, near which a point's share of
/// the moment fades (0.02). Less: a point beside the axis tilts by as much as it may; greater: points at different distances
/// tilt for different leads, and a nut jams.
pub(crate) const AXIS: f64 = 0.02;
/// How much less a tilt is changed around the middle than towards it, squared (100). Less: a nut's points have
/// different leads; greater: nothing more.
pub(crate) const LEAD_FIRST: f64 = 100.0;
/// How often tilts that are too steep are evened out (16). Fewer leave moments that flatter tilts would have.
pub(crate) const LEVEL_ROUNDS: usize = 16;
/// How easily the steepest is given a tilt in the end, relative to the flattest (10⁻⁶). Less: rounding takes part.
pub(crate) const LEAST_GIVE: f64 = 1e-6;
/// The steepest tilt of a point's normal (tangent; 0.5). Greater: points of a region deep in a hollow push almost sideways, and
/// against each other, and a heap stays deeper; less: steep threads lose some of their moment.
pub(crate) const MOST_TILT: f64 = 0.5;
/// Corners of the candidates' hull that the second choice tries (count; 12). All triples of them are tried:
/// the cost grows with the cube. Fewer miss the centre of pressure of a thin patch.
pub(crate) const HULL_CORNERS: usize = 12;
/// Distance of the weighted centre from the centre of pressure, relative to the patch's radius, up to which
/// the first choice is taken (0.002; the promise is 0.01). Greater: bodies tip; less: the second choice, which is
/// slower, is made more often.
pub(crate) const CENTER_ERROR: f64 = 2e-3;
/// Points nearer to a line than this, relative to its length, lie on it (0.001). Greater: narrow patches lose
/// their width; less: rounding chooses points beside the line.
pub(crate) const COLLINEAR: f64 = 1e-3;
/// Candidates closer than this, relative to the patch's radius, are one (10⁻⁶). Greater: small features merge.
pub(crate) const COINCIDENT: f64 = 1e-6;
/// Depths closer than this, relative to the greatest, are equal (10⁻⁶). Less: rounding chooses the deepest point
/// of a flat patch, which then changes from step to step.
pub(crate) const EQUAL_DEPTH: f64 = 1e-6;
/// Candidates that overlap by less than this fraction of the deepest are no extremes of the first choice
/// (0.02). Less: a tremor makes them come and go; greater: a tilted body loses its shallow side. (A candidate
/// that was chosen while it was deeper stays until it is gone.)
pub(crate) const SHALLOW: f64 = 0.02;

/// Points overlap by at least this part of the deepest where they can span [`CREST_SPAN`] of what any points do (0.9). Less: they
/// stand on slopes; greater: roughness makes them change.
pub(crate) const CREST_DEPTH: f64 = 0.9;

/// See [`CREST_DEPTH`] (0.5). Less: the points of a ball come close together and let it rock; greater: wide rings stand on their
/// slopes.
pub(crate) const CREST_SPAN: f64 = 0.5;
/// How far a point of a merged patch may move to a deeper candidate, relative to the distance of the chosen
/// points (0.15). Greater: points leave the rim, and the body rocks.
pub(crate) const DEEPEN_REACH: f64 = 0.15;
/// How much deeper that candidate must be, relative to the greatest depth or the range of depths (0.25).
/// Less: a body that stands flat loses its corners.
pub(crate) const DEEPEN_GAIN: f64 = 0.25;
/// Weight of equal shares in the choice of weights, relative to the square of the patch's radius (10⁻⁶). It
/// picks one answer where many put the centre in place, and costs at most ½·√ of it, times the radius, in the
/// centre's position. Less: the system becomes singular for points in a line.
pub(crate) const WEIGHT_REGULARIZATION: f64 = 1e-6;

// Sectors of a region that winds round its normal.

/// What their forces may lack of the patch's (part of it; 10⁻⁹): more, and the patch has another force than it was cut with.
pub(crate) const SECTOR_SUM: f64 = 1e-9;
/// The name of the first sector; the others' follow. Those of views' cells begin with smaller numbers.
pub(crate) const SECTOR_KEY: u64 = 0xfffe << 48;

// Persistence: last step's points, chosen again.

/// Cosine between normals from which on a manifold of the last step may be this one (20°). Greater: rolling
/// bodies lose their points; less: points of another side are taken.
pub(crate) const PERSIST_COSINE: f64 = 0.94;
/// A candidate stands where a point stood within this fraction of the greatest distance of the points (0.12)…
pub(crate) const PERSIST_REACH: f64 = 0.12;
/// … or this many times the side of the square that a candidate stands for (1.5). Greater: points wander.
pub(crate) const PERSIST_CELLS: f64 = 1.5;
/// Last step's points stay while the deepest of them is shallower than the deepest candidate by at most this
/// fraction of the greatest depth, or of the range of depths (0.04)…
pub(crate) const PERSIST_DEPTH: f64 = 0.04;
/// … while the weighted centre is this near to the centre of pressure, relative to the patch's radius (0.008;
/// the promise is 0.01)…
pub(crate) const PERSIST_CENTER_ERROR: f64 = 8e-3;
/// … and while they span at least this fraction of the new choice's length and area (0.7). Less: the support
/// polygon shrinks, and bodies tip; greater: points change every step.
pub(crate) const PERSIST_SPAN: f64 = 0.7;
/// Areas under this fraction of the square of the new choice's length are a line's (0.02).
pub(crate) const PERSIST_COLLINEAR: f64 = 0.02;

// Matching: keys and impulses of the last step.

/// Cosine between normals under which points are never the same (60°). Less: impulses push the wrong way.
pub(crate) const MATCH_COSINE: f64 = 0.5;
/// A point that has moved by less than this, relative to its manifold's size, is the same (0.05).
pub(crate) const MATCH_STILL: f32 = 0.05;
/// How far a point may have moved to be matched by its place, relative to its manifold's size (0.45). Greater:
/// impulses go to neighbours.
pub(crate) const MATCH_REACH: f32 = 0.45;
/// From a key that is taken to the next one to try: odd, and far from those of lattice cells (Knuth's golden
/// ratio, "The Art of Computer Programming", 6.4).
pub(crate) const KEY_STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

// Merging of patches.

/// Cosine between normals from which on two patches are merged (5°). Less: patches of a bowl become one, and
/// their common normal fits neither.
pub(crate) const MERGE_COSINE: f64 = 0.996_194_698_091_745_5;

// Seams between fixed colliders.

/// A floor may be this much higher than the other, relative to the contact's depth (0.05). Greater: kerbs are
/// felt as ramps.
pub(crate) const SEAM_STEP_UP: f64 = 0.05;
/// The highest contact on one floor may be this much below that on the other, relative to the depth (0.35).
pub(crate) const SEAM_STEP_DOWN: f64 = 0.35;
/// Thickness of the floors' surface where the body touches it, relative to the depth (1.2): its points lie on
/// the floor or on the walls in the seam. Greater: a ramp or a wall is welded to the floor.
pub(crate) const SEAM_THICKNESS: f64 = 1.2;
/// Regions farther apart than this, relative to their sizes, do not lie side by side (0.3).
pub(crate) const SEAM_GAP: f64 = 0.3;
/// Normals closer than this (1 − cosine) need no welding (10⁻¹²).
pub(crate) const SEAM_EQUAL_NORMALS: f64 = 1e-12;

// Events.

/// Most events that a bounded channel holds (count; 2²⁰, 64 MiB).
pub(crate) const MAX_WAITING_EVENTS: usize = 1 << 20;
