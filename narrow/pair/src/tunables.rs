//! Tunables of this crate: unit, usual value (the value itself), and what goes wrong with another.
//!
//! A cosine is of the angle between two unit vectors; a part is of the length that the text names. None depends on
//! the bodies' size.

// Views of contours.

/// A patch whose normal is farther than 20° (cosine) from its view is sampled again. Nearer to 90°, slanted views stay
/// and depths are coarse; nearer to 0°, most patches are sampled twice.
pub(crate) const OBLIQUE_VIEW: f64 = 0.939_692_620_785_908_4;

/// Contours of a pair that height maps are tried of, at most. More are grouped in time that grows with their square.
pub(crate) const MOST_HEIGHT_MAP_CONTOURS: usize = 64;

/// Contours of a contact whose area vectors leave less than this part of their sizes are not for a height map. Larger, a contour within
/// another is asked exactly; smaller, rings get normals of what is left.
pub(crate) const LEAST_HEIGHT_MAP_AREA: f64 = 0.5;

/// How much longer all intervals of a height map may be than the overlap, hollows left out. Larger, depths are those of what only
/// seems to overlap.
pub(crate) const MOST_HOLLOW: f64 = 1.1;

/// How often a patch that takes in contours of other clusters is sampled, at most. Fewer leave long chains of contours
/// in parts; more cost a view each.
pub(crate) const MOST_VIEWS_OF_PATCH: u32 = 3;

/// Contours whose area vectors leave less than this part of the largest have no normal of their own. Larger, thin rings
/// lose theirs, which is exact; smaller, rounding makes normals.
pub(crate) const OPPOSED_CONTOURS: f64 = 1e-6;

/// Of three views, a net area shorter than this part of the area seen gives no normal. Smaller, pixels' rounding turns
/// into directions.
pub(crate) const LEAST_NET_AREA: f64 = 0.05;

/// The views that a device has sampled of a primitive look along a contact's normal to this cosine (10°). Less, and the contact's
/// lines lean; more, and pairs are viewed again.
pub(crate) const GIVEN_VIEW_ANGLE: f64 = 0.985;
/// An overlap fills this part of them at least. Less, and its pixels are coarse.
pub(crate) const GIVEN_VIEW_FILL: f64 = 0.5;
/// The least volume that one of them sees is this part of the greatest. Less, and an overlap may go on beside what they show.
pub(crate) const GIVEN_VOLUMES: f64 = 0.9;

/// An overlap that fills less than this part of its views is sampled again, more tightly. Larger costs views; smaller
/// leaves coarse pixels.
pub(crate) const LEAST_VIEW_FILL: f64 = 0.8;

/// Overlaps of neighbouring columns may miss each other by this many depth steps and still be one. Fewer tear slopes
/// apart; more join layers.
pub(crate) const JOIN_SLACK: i64 = 2;

/// A patch whose normal is within 0.01° (cosine) of its overlap's has kept it.
pub(crate) const KEPT_NORMAL: f64 = 1.0 - 1.5e-8;

/// A column may be longer than its overlap's surfaces reach by this many depth steps, which is rounding.
pub(crate) const BOUND_STEPS: f64 = 8.0;

// Views kept from step to step.

/// A view is kept while the normal stays within 3° (cosine) of it. Wider, keys live longer and depths are coarser.
pub(crate) const KEPT_VIEW_ANGLE: f64 = 0.998_629_534_754_573_9;

/// What is no longer than this part of the smaller body's radius is seen through fewer lines. Larger begins searches for deep pairs at worse places.
pub(crate) const SMALL_VIEW: f64 = 0.5;

/// A view that was laid elsewhere, along contours in single precision, is taken up to 10° (cosine) from the normal. Wider, its lines are more slanted; narrower, more views are taken again.
pub(crate) const LAID_VIEW_ANGLE: f64 = 0.984_807_753_012_208;

/// A kept view is given up where less than this part of its pixels' side would be used. Smaller keeps views that are
/// too coarse.
pub(crate) const KEPT_VIEW_FILL: f64 = 0.4;

/// Pixels by which a new view is wider than what it shows. None at all, and a resting body that trembles changes keys.
pub(crate) const VIEW_ROOM: u32 = 2;

/// Depths are kept while this part of a new view's margin is left on both sides. Larger renews them more often.
pub(crate) const KEPT_DEPTH_MARGIN: f64 = 0.5;

/// Depths are kept while they are no longer than this many times a new view's. Larger keeps coarse steps.
pub(crate) const KEPT_DEPTH_GROWTH: f64 = 1.5;

/// Contours longer than wide by this factor (second moments) are viewed along their length. Nearer to 1, axes flip.
pub(crate) const LONG_CONTOUR: f64 = 3.0;

/// … and through fewer across than along, where it is this part as wide as long, or less. Larger sees its width through pixels wider than long.
pub(crate) const LONG_VIEW: f64 = 0.5;

/// Separating normals that are remembered, at most. Each costs an exact test in the next step.
pub(crate) const KEPT_NORMALS: usize = 4;

// Contours without columns, and interior vertices.

/// Points of a patch made of contours alone, at most. More are work for the reduction only.
pub(crate) const CONTOUR_PATCH_POINTS: usize = 16;

/// Places on the contours that interior vertices are compared with, at most. Fewer make heights rougher.
pub(crate) const CONTOUR_PATCH_RIM: usize = 64;

/// Triangle pairs whose features are tried for a normal, at most; the cost grows with the square.
pub(crate) const CONTOUR_PATCH_PAIRS: usize = 48;

/// Interior vertices after which their search is given up: what is so large, views show. More cost time.
pub(crate) const INTERIOR_VERTICES: usize = 1024;

/// Triangles round one vertex after which its fan is given up.
pub(crate) const VERTEX_FAN: usize = 4096;

/// Triangles of one surface inside the other body after which a step gives up summing an overlap's volume, which columns
/// then measure. More take longer, about 0.1 µs each; fewer make volumes of deep overlaps estimates.
pub(crate) const INTERIOR_TRIANGLES: usize = 1 << 14;

// Contours round two contacts at once.

/// Facets that turn by more than 30° (cosine) along a contour are two faces, not one that bends. Nearer to 90°, a shallow
/// corner is one contact with a leaning normal; nearer to 0°, coarse bowls fall into their facets.
pub(crate) const CREASE: f64 = 0.866_025_403_784_438_6;

/// Runs of one contour, at most: with more of them it goes over a rough surface, not into a corner.
pub(crate) const MOST_RUNS: usize = 16;

/// Overlaps of one cluster that are asked whether they lie in a corner, at most: with more of them the surfaces are rough.
pub(crate) const MOST_CORNER_OVERLAPS: usize = 8;

/// A run with less than this part of the largest run's area is the end of a wall, not a contact.
pub(crate) const FAINT_RUN: f64 = 1e-3;

/// Two runs face each other where the middle of each is in front of the other by this part of its own reach along the
/// other's normal; in one plane they are where neither is by this part of their distance. Smaller takes rounding for a
/// crease.
pub(crate) const LEAST_CONCAVITY: f64 = 0.05;

/// What contours bound beside faces that meet in one plane is an overlap where it is more than this part of the areas.
/// Smaller is rounding.
pub(crate) const FLUSH_AREA: f64 = 1e-9;

/// The line round a piece closes to this part of its length. Larger takes pieces whose creases are not all known.
pub(crate) const OPEN_PIECE: f64 = 1e-9;

/// A piece is deeper by less than this part of what it is long: thicker ones are not two contacts but one.
pub(crate) const PIECE_THINNESS: f64 = 0.1;

/// A corner's contacts are right where this many times what they ask for parts the bodies. Nearer to 1, the lattice's error
/// blocks; larger reaches past slivers.
pub(crate) const PIECE_LEEWAY: f64 = 1.1;

/// A piece may be deeper than its view says by this part of the contour's length: several steps of the lattice. Smaller
/// takes contacts thinner than a step for none.
pub(crate) const PIECE_SLACK: f64 = 2e-6;

/// Vertices that are tried for the depth of a piece, the farthest first.
pub(crate) const PIECE_TIPS: usize = 4;

// Surfaces without an inside.

/// A box round the contact of an open surface is wider than its contours and interior vertices by this part of its
/// longest side: the view's pixels are. Larger lets in what belongs to other places; smaller drops pixels of the rim.
pub(crate) const OPEN_SLACK: f64 = 0.1;

/// A surface whose area vectors add up to this part of its area is a sheet; less, and it goes round a body. Half a ball
/// is at a half.
pub(crate) const SHEET_AREA: f64 = 0.5;

/// Triangles that are asked whether a surface is a sheet, at most. Fewer make it a guess; more cost time in every step.
pub(crate) const OPEN_SAMPLES: usize = 2048;

/// What a view that was sampled elsewhere shows of an overlap's area, against what the contours say of it. Wider takes
/// views that miss a part of the overlap.
pub(crate) const SAMPLED_AREA: std::ops::RangeInclusive<f64> = 0.75..=1.5;

/// Normals with this cosine or a greater one (0.9°) are those of one face, where a device's views are judged. Greater leaves
/// pairs to the CPU that a device answers to a degree; smaller lets normals lean over edges.
pub(crate) const SAME_FACE: f64 = 0.999_876_633;

/// So many answers in a row that a few intervals of each view were enough for let the others stay on the device. Fewer, and
/// what needs them all now and then is sampled here.
pub(crate) const SAMPLED_ANSWERS: u32 = 8;

/// The exact depth of a patch is taken where the bodies part last no farther from its deepest sample than this many times the
/// distance of its points. Larger takes depths of other places for its own.
pub(crate) const SHARPENED_REACH: f64 = 1.0;

// Depth of a patch.

/// Neighbours of the longest column that come within this part of its length are a plateau, which no zoom deepens.
/// Smaller misses extremes.
pub(crate) const PLATEAU_LENGTH: f64 = 0.995;

/// Less than this part gained by a zoom: there is no vertex near. Smaller costs a view for nothing.
pub(crate) const LEAST_DEPTH_GAIN: f64 = 0.003;

/// How often lines go on to the triangles at the ends of the deepest one, where no zoom is taken, at most. Fewer stop on the
/// way to the deepest place.
pub(crate) const CLIMBED_TRIANGLES: usize = 4;

/// Crossings of edges that a line is laid through where no zoom is taken, at most. Fewer miss the deepest.
pub(crate) const CLOSE_CROSSINGS: usize = 3;

/// An extreme vertex takes the place of a column no farther than this (pixels). Larger moves points of other places.
pub(crate) const VERTEX_REACH: f64 = 1.5;

// When an overlap's own normal does not do.

/// Where the length along the normal exceeds the longest overlap by this factor, the bodies wrap around each other.
/// Nearer to 1, slopes are searched for nothing.
pub(crate) const WRAPPED_LENGTH: f64 = 1.25;

/// An overlap deeper than this (pixels) may be freed by a shorter translation than along its normal. Fewer search what
/// a view cannot tell apart.
pub(crate) const THICK_PIXELS: f64 = 3.0;

/// What the constraints ask for together is tried where it is shorter than this part of the length along the normal.
pub(crate) const CONSTRAINT_GAIN: f64 = 0.95;

/// Constraints without a common solution split an overlap that is thinner than this part of its size. Larger splits
/// what one patch should part.
pub(crate) const SPLIT_THINNESS: f64 = 0.1;

/// … and whose MTV is longer than this many times the greatest constraint.
pub(crate) const SPLIT_LENGTH: f64 = 4.0;

/// Faces whose normals differ by no more than this (rad) are one flat face: more than what rounding the corners to
/// `f32` tilts them.
pub(crate) const PARALLEL_FACES: f64 = 1e-5;

// Separation constraints.

/// OverlapIntervals of one view that give constraints, at most. More cost time in the solver.
pub(crate) const CONSTRAINTS_PER_VIEW: usize = 48;

/// Faces lie flat on each other where their normals are within 2.6° (cosine) of the patch's. Less: points of curved bodies
/// move to where their faces' planes lead, and back; greater: a body tips over its edge too early as soon as it leans.
pub(crate) const FLAT_FACES: f64 = 0.999;

/// A point of a patch moves to a corner of its region within so many pixels of it (3). Less: sharp corners stay without a point;
/// greater: points come from places that are not beside them.
pub(crate) const CORNER_REACH: f64 = 3.0;

/// Facets face each other where one's normal is within 45° (cosine) of the other's opposite, and a normal belongs to a
/// cluster within as much of its middle.
pub(crate) const FACING_FACETS: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A column that crosses flatter facets (cosine) gives no constraint: their distance would be rounding.
pub(crate) const GRAZED_FACET: f64 = 0.1;

/// Rounds of the quadratic programme. Fewer call solvable constraints infeasible.
pub(crate) const SOLVER_SWEEPS: usize = 128;

/// How much of a constraint may stay unsatisfied (part of the greatest). Smaller takes more rounds.
pub(crate) const SOLVER_RESIDUAL: f64 = 0.04;

/// By how much the square of the solution's length may exceed the dual's (part). Smaller takes more rounds.
pub(crate) const SOLVER_DUALITY_GAP: f64 = 0.05;

/// Unit normals whose mean is at least as long are the same.
pub(crate) const ALIGNED_NORMALS: f64 = 0.999;

/// A solution longer than this many times the greatest constraint says that the normals oppose each other.
pub(crate) const INFEASIBLE_LENGTH: f64 = 4.0;

/// Clusters of normals that an overlap is split into, at most.
pub(crate) const NORMAL_CLUSTERS: usize = 4;

// The least translation.

/// Last step's normal is kept while its length is no longer than this many times the least. Larger lags behind.
pub(crate) const STEADY_LENGTH: f64 = 1.045;

/// Places inside both bodies whose lines bound a translation from below, at most. Each costs two rays a direction.
pub(crate) const COMMON_PLACES: usize = 4;

/// So many directions to search are worth what balls inside both bodies cost.
pub(crate) const SEEDS_FOR_BALLS: usize = 32;

/// Where nothing is shorter than the balls have been looked at, they are looked at so many times as far.
pub(crate) const BALLS_FARTHER: f64 = 1.5;

/// Directions within 37° (cosine) of one that was blocked are mostly blocked by the same.
pub(crate) const BESIDE_OBSTACLE: f64 = 0.8;

/// Part of a shift that lines have found from which the search goes on to see what ends it.
pub(crate) const BEFORE_END: f64 = 0.98;

/// Obstacles beside a direction that are tried before it is followed, at most.
pub(crate) const OBSTACLES_TRIED: usize = 1;

/// Directions all round that are tried of deep bodies, and where no contact says how they part. Fewer miss the way between
/// teeth; more cost time. Even: each with its opposite.
pub(crate) const DIRECTIONS_ALL_ROUND: u32 = 96;

/// Directions within 0.8° (cosine) of each other are one.
pub(crate) const SAME_SEED: f64 = 0.9999;

/// Axes of two bodies within 30° (cosine) of each other are close: between them lies where a peg comes out of its hole.
pub(crate) const CLOSE_AXES: f64 = 0.866;

/// A seed's shift is followed as long as it is no longer than this many times the best: what is a little longer may be better
/// at the end.
pub(crate) const SEED_LEEWAY: f64 = 1.04;

/// A seed is followed this many times as far as the next one is known to be blocked before that one's turn comes. Smaller
/// begins searches over; larger follows long ones in vain.
pub(crate) const SEED_STEP: f64 = 1.5;

/// Seeds from which the search goes down, at most. Fewer stop at longer translations.
pub(crate) const REFINED_SEEDS: usize = 3;

/// Cones about the best direction on which another is looked for, as half of their opening (rad): 18, 9 and 4.5°. Other least translations
/// that are shorter are mostly within 20° of the one that a search goes down to.
pub(crate) const BESIDE_BEST: [f64; 3] = [0.314, 0.157, 0.079];

/// Directions on each of them. More find a little more and cost time.
pub(crate) const BESIDE_COUNT: u32 = 6;

/// How often a cone is looked at again about what was found on it, with the first time.
pub(crate) const BESIDE_ROUNDS: u32 = 3;

/// What lies beside the best is gone down from if it is shorter than this part of it.
pub(crate) const BESIDE_GAIN: f64 = 0.975;

/// Guesses from one seed, at most.
pub(crate) const TRANSLATION_ROUNDS: usize = 8;

/// Planes kept for a guess, at most. More cost time with their cube.
pub(crate) const TRANSLATION_PLANES: usize = 8;

/// A guess longer than this part of the best ends the search.
pub(crate) const LEAST_TRANSLATION_GAIN: f64 = 0.998;

// The pair as a whole.

/// The deepest point of a shallow patch is moved no farther than this many times the distance of its points. Larger moves points of other places.
pub(crate) const RAISED_REACH: f64 = 2.0;

/// … or this many times the depth: tips lean. Smaller leaves leaning tips as shallow as their columns.
pub(crate) const BESIDE_POINTS: f64 = 2.0;

/// Contacts in a corner stay as they are while each is no deeper than this part of the smaller body's radius. Larger
/// leaves teeth that have gone far into each other with a part of the translation on each flank.
pub(crate) const CORNER_DEPTH: f64 = 0.03;

/// A first free shift along a patch's normal that is longer than its depth by this factor leads into other overlaps, or out of a deeper one than a view has seen.
pub(crate) const OWN_LENGTH: f64 = 1.25;

/// … and of shallow ones the same: the columns of a leaning tip are a fifth of how deep it is. Larger leads to other bumps of
/// a rough ground.
pub(crate) const SHALLOW_LENGTH: f64 = 8.0;

/// A shallow patch that proves deeper by this factor, away from its deepest point, has a tip that leans. Smaller adds points
/// that come and go.
pub(crate) const LEANING_TIP: f64 = 1.05;

/// Patches whose centroids are nearer than this part of the smaller one's radius are of one place,
pub(crate) const SAME_PLACE: f64 = 0.1;

/// … and say the same where their normals are within 18° (cosine) of each other.
pub(crate) const SAME_NORMAL: f64 = 0.95;

/// A translation that ends on a plane within 6° (cosine) of square to it is the least of its place.
pub(crate) const SQUARE_END: f64 = 0.995;

/// A translation takes the place of what a patch says where it is shorter than this part of it. Nearer to 1, normals
/// flicker.
pub(crate) const TRANSLATION_GAIN: f64 = 0.975;

/// Patches deeper than this part of the smaller body's radius are replaced by the pair's MTV. Smaller replaces shallow
/// contacts, which a solver adds up better.
pub(crate) const PAIR_DEPTH: f64 = 0.1;

/// … as are those deeper than this part of the side of a square of their area,
pub(crate) const PAIR_THICKNESS: f64 = 0.5;

/// … unless they are shallower than this part of the smaller body's radius.
pub(crate) const PAIR_LEAST_DEPTH: f64 = 0.02;

/// Several patches are checked where the deepest is deeper than this part of the smaller body's radius. Smaller checks what holds a body from several sides.
pub(crate) const PAIR_PATCHES_DEPTH: f64 = 0.0125;

/// An overlap that fills this part of its box is compact: its depth is about its volume by its area. Less, and what goes
/// round a peg, or lies along a seam, counts as one.
pub(crate) const COMPACT_OVERLAP: f64 = 0.15;

/// Part of the way to an overlap's middle that a vertex is moved for that. Larger leaves bent overlaps.
pub(crate) const VERTEX_TO_MIDDLE: f64 = 0.1;

/// Where the pair's MTV is longer than its deepest patch by this factor, shallow bodies are wedged, and the patches
/// stay.
pub(crate) const WEDGED_LENGTH: f64 = 2.0;

/// … and by this factor where they do not oppose each other, or are deeper than what holds: a plate has been pierced. Larger
/// throws out what is linked, and tight pegs; smaller leaves bars in plates.
pub(crate) const PIERCED_LENGTH: f64 = 15.0;

/// Patches that hold are no deeper than this part of the smaller body's radius. Larger leaves bars in plates; smaller pushes
/// apart what presses from several sides.
pub(crate) const PIERCED_DEPTH: f64 = 0.02;

/// Patches that oppose each other clamp a pair where the deepest is deeper than this part of the smaller body's radius. Smaller
/// pushes on nuts and pegs that sit tightly.
pub(crate) const CLAMPED_DEPTH: f64 = 0.001;

/// … by points that are deeper than this part of their patch's depth.
pub(crate) const CLAMPED_POINTS: f64 = 0.5;

/// … and have done so for so many steps; what turns or passes by is pinched for a moment only. More lets clamped bodies
/// fall asleep.
pub(crate) const CLAMPED_STEPS: u32 = 20;

/// Then a translation up to about this part of the radius parts them. Larger unlinks rings; smaller leaves limbs in each other's
/// forks.
pub(crate) const CLAMPED_LENGTH: f64 = 0.1;

/// Patches whose normals and regions are tried for the pair, at most.
pub(crate) const PAIR_PATCHES: usize = 4;

// Speculative contacts.

/// Gaps within this part of the least are as small.
pub(crate) const EQUAL_GAPS: f64 = 1e-6;

/// Faces count where they look along the normal by at least this (cosine): over steeper ones a gap says little.
pub(crate) const GAP_FACING: f64 = 0.2;

/// Features are apart in another direction where it is farther than 45° (cosine) from every normal there is.
pub(crate) const OTHER_DIRECTION: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Patches of gaps for one pair, at most.
pub(crate) const GAP_PATCHES: usize = 4;

/// A direction within 14° (cosine) of the normals of two faces that look at each other is theirs.
pub(crate) const GAP_FACE_ANGLE: f64 = 0.97;

/// Along a face's normal the gap may be longer than the distance by this factor.
pub(crate) const GAP_FACE_LENGTH: f64 = 1.2;

/// A face's normal serves in place of the nearest points' line up to 60° (cosine) from it.
pub(crate) const GAP_FACE_REACH: f64 = 0.5;

// Sectors of regions that wind round their normal.

/// A region winds round its normal where its moment about it is at least this part of its area times its radius. Larger
/// leaves fine threads whole; smaller cuts what rounding winds.
pub(crate) const SECTOR_LEAD: f64 = 0.005;

/// Its depth is at most this part of its radius: normals of faces say little of what is deeper.
pub(crate) const SECTOR_DEPTH: f64 = 0.05;

/// G is at most this part of the area of its faces (a lean of 10°). Larger cuts flat regions, which need no other normals.
pub(crate) const SECTOR_LEAN: f64 = 0.985;

/// Its polygons hinder its screw motion by at most this part of the lead (root mean square). Larger cuts bowls that hold a ball;
/// smaller leaves threads of few corners whole.
pub(crate) const SECTOR_SLIDE: f64 = 0.5;

/// Its polygons lack at most this part of G.
pub(crate) const SECTOR_MISSING: f64 = 1e-6;

/// A sector counts from this part of the region's area on.
pub(crate) const SECTOR_SHARE: f64 = 1e-3;

/// The faces of a sector that counts have an area vector as long as this part of their area: smaller, they have no normal in
/// common.
pub(crate) const SECTOR_CLEAR: f64 = 0.9;

/// And it looks along the region's normal by at least this (cosine; 66°).
pub(crate) const SECTOR_FACING: f64 = 0.4;

/// Sixths of the turn that it reaches through, at least.
pub(crate) const SECTOR_PARTS: usize = 5;
