//! A contour round two contacts at once, cut where it runs over a concave crease.
//!
//! A box that is pressed into the corner of floor and wall has one contour, which runs over both: its area vector
//! leans, though each face is a contact of its own. Along the contour the facets of one side are followed; where
//! they turn by more than an edge does, a run begins. Runs whose facets look at each other are contacts of their
//! own; what lies round a convex edge belongs together, as the faces at a box's corner do.
//!
//! Which runs are contacts is judged with each run closed by its chord; what the chords leave of the contour's area
//! vector (the corner of three walls, the middle of a floor that only its ends show) is divided along the runs' own
//! normals. The pieces themselves are closed by what lies between them: the creases, as far as they are inside the
//! other body. They add up to the contour.

use nalgebra::{Matrix3, Point3, Vector3};

use super::InteriorVertices;
use super::stokes::{area_about, torque_about};
use crate::tunables;
use impinge_exact::contour::{Contours, Loop};
use impinge_exact::intersect::{Intersections, Segment, Surfaces};
use impinge_geometry::Side;

/// A part of a contour with a normal of its own.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Its share of G (m²) and of the torque part (m³, about the pair frame's origin).
    pub gradient: Vector3<f64>,
    pub torque: Vector3<f64>,
    /// Outward, of the facets that it follows.
    normal: Vector3<f64>,
    /// The closed lines round it.
    lines: Vec<[Point3<f64>; 2]>,
    /// The triangles of the side whose facets it follows, rising.
    pub triangles: Vec<u32>,
    /// A place of it (m, pair frame).
    pub middle: Point3<f64>,
}

/// The pieces of a contour.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    /// The side with the concave crease.
    pub side: Side,
    pub list: Vec<Piece>,
}

/// A part of a contour over facets that do not turn by more than an edge does.
struct Run {
    /// Outward, of the side's facets, by length.
    normal: Vector3<f64>,
    middle: Point3<f64>,
    /// Closed by its chord (m²).
    gradient: Vector3<f64>,
    /// Its segments, and their triangles.
    lines: Vec<[Point3<f64>; 2]>,
    triangles: Vec<u32>,
    /// The group that it belongs to.
    group: usize,
}

/// A contour, and what it lies on.
#[derive(Clone, Copy)]
pub(crate) struct ContourOf<'a> {
    pub input: &'a Surfaces<'a>,
    pub intersections: &'a Intersections,
    pub contours: &'a Contours,
    pub interior: &'a InteriorVertices,
    /// Which of the contours.
    pub index: u32,
}

/// The pieces of a closed contour, two or more; `None` where it is one contact.
pub(crate) fn pieces(of: &ContourOf<'_>) -> Option<Pieces> {
    let contour = &of.contours.loops[of.index as usize];
    if !contour.closed {
        return None;
    }
    Side::BOTH.into_iter().find_map(|side| {
        let mut list = grouped(side, runs(of, contour, side)?)?;
        close(of, side, &mut list)?;
        Some(Pieces { side, list })
    })
}

/// The runs of a contour over the facets of one side.
fn runs(of: &ContourOf<'_>, contour: &Loop, side: Side) -> Option<Vec<Run>> {
    let (contours, intersections) = (of.contours, of.intersections);
    let facets: Vec<(u32, Vector3<f64>)> = {
        let mut last = None;
        let facet = |segment: &Segment| {
            let triangle = segment.triangles[side.index()];
            let facet = match last {
                Some((known, normal)) if known == triangle => (triangle, normal),
                _ => (triangle, facet_normal(of.input, side, triangle)),
            };
            last = Some(facet);
            facet
        };
        contours.segments(contour, intersections).map(facet).collect()
    };
    let count = facets.len();
    let turns = |k: usize| facets[(k + count - 1) % count].1.dot(&facets[k].1) < tunables::CREASE;
    let breaks: Vec<usize> = (0..count).filter(|&k| turns(k)).take(tunables::MOST_RUNS + 1).collect();
    if breaks.len() < 2 || breaks.len() > tunables::MOST_RUNS {
        return None;
    }
    let ends: Vec<[Point3<f64>; 2]> =
        contours.segments(contour, intersections).map(|segment| segment.points).collect();
    let mut runs: Vec<Run> = Vec::with_capacity(breaks.len());
    for (b, &from) in breaks.iter().enumerate() {
        let to = breaks[(b + 1) % breaks.len()];
        let length = if to > from { to - from } else { to + count - from };
        runs.push(run((0..length).map(|k| (from + k) % count), &facets, &ends, b));
    }
    let left = contour.gradient - runs.iter().map(|run| run.gradient).sum::<Vector3<f64>>();
    share(&mut runs, left);
    Some(runs)
}

/// A run over some segments, closed by its chord.
fn run(
    segments: impl Iterator<Item = usize> + Clone,
    facets: &[(u32, Vector3<f64>)],
    ends: &[[Point3<f64>; 2]],
    group: usize,
) -> Run {
    let (mut normal, mut moment, mut length) = (Vector3::zeros(), Vector3::zeros(), 0.0);
    let mut triangles = Vec::new();
    for k in segments.clone() {
        let [p, q] = ends[k];
        let long = (q - p).norm();
        normal += facets[k].1 * long;
        moment += nalgebra::center(&p, &q).coords * long;
        length += long;
        triangles.push(facets[k].0);
    }
    triangles.sort_unstable();
    triangles.dedup();
    let first = segments.clone().next().map_or(0, |k| k);
    let last = segments.clone().last().unwrap_or(first);
    let middle = if length > 0.0 { Point3::from(moment / length) } else { ends[first][0] };
    let chord = [ends[last][1], ends[first][0]];
    let lines: Vec<_> = segments.map(|k| ends[k]).collect();
    Run {
        normal: normal.try_normalize(0.0).unwrap_or(facets[first].1),
        middle,
        gradient: area_about(&middle, lines.iter().copied().chain([chord])),
        lines,
        triangles,
        group,
    }
}

/// Divides what the chords left of a contour's area vector among its runs, along their normals: the least shares
/// that add up to it.
fn share(runs: &mut [Run], left: Vector3<f64>) {
    // N Nᵀ y = D; the shares are Nᵀ y. What keeps the matrix regular is far less than the normals differ by.
    let mut gram = Matrix3::from_diagonal_element(1e-9);
    for run in runs.iter() {
        gram += run.normal * run.normal.transpose();
    }
    let solved = gram.try_inverse().map_or(Vector3::zeros(), |inverse| inverse * left);
    runs.iter_mut().for_each(|run| run.gradient += run.normal * run.normal.dot(&solved));
}

/// Closes the pieces by the creases between them, and integrates over what they bound; `None` where that does not
/// close.
fn close(of: &ContourOf<'_>, side: Side, list: &mut [Piece]) -> Option<()> {
    let mesh = of.input.meshes[side.index()];
    let place = |v: u32| of.input.frame.place(side, &mesh.vertex(v));
    // Contours run round A's part of the overlap's surface as its triangles do, and round B's against them.
    let with = side == Side::A;
    let mut whole = true;
    let component = of.interior.of(of.index);
    of.interior.inside_edges(mesh, side, component, |edge, [from, to]| {
        let faces = mesh.edge_faces(edge);
        let &[first, second] = &*faces else {
            whole = false;
            return;
        };
        let [i, j] = [first, second].map(|face| piece_of(of.input, side, face, list));
        if i == j {
            return;
        }
        // Between two walls of a round hole the surface bends, and there is no crease: it is one contact.
        let [n, m] = [first, second].map(|face| facet_normal(of.input, side, face));
        whole &= n.dot(&m) < tunables::CREASE;
        let [p, q] = mesh.edge(edge).vertices.map(place);
        let at = |t: f64| if t == 1.0 { q } else { p + (q - p) * t };
        let line = [at(from), at(to)];
        let [low, high] = mesh.edge(edge).vertices;
        for (face, piece) in [(first, i), (second, j)] {
            let corners = mesh.vertices_of(face);
            let forward = (0..3).any(|k| corners[k] == low && corners[(k + 1) % 3] == high);
            list[piece].lines.push(if forward == with { line } else { [line[1], line[0]] });
        }
    });
    for piece in list.iter_mut() {
        let (mut drift, mut length) = (Vector3::zeros(), 0.0);
        for [p, q] in &piece.lines {
            drift += q - p;
            length += (q - p).norm();
        }
        whole &= drift.norm() <= tunables::OPEN_PIECE * length;
        let lines = || piece.lines.iter().copied();
        piece.gradient = area_about(&piece.middle, lines());
        piece.torque = torque_about(&piece.middle, lines()) + piece.middle.coords.cross(&piece.gradient);
    }
    whole.then_some(())
}

/// The piece that a triangle belongs to: the one whose contour crosses it, or whose facets it is most like.
fn piece_of(input: &Surfaces<'_>, side: Side, triangle: u32, list: &[Piece]) -> usize {
    if let Some(own) = list.iter().position(|piece| piece.triangles.binary_search(&triangle).is_ok()) {
        return own;
    }
    let normal = facet_normal(input, side, triangle);
    let like = |piece: &Piece| piece.normal.dot(&normal);
    (1..list.len()).fold(0, |best, k| if like(&list[k]) > like(&list[best]) { k } else { best })
}

impl Run {
    /// Whether it lies in front of another's facets.
    fn is_before(&self, other: &Run) -> bool {
        let height = (self.middle - other.middle).dot(&other.normal);
        let along = self.lines.iter().flatten().map(|p| p.coords.dot(&other.normal));
        let [low, high] =
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)]);
        height > tunables::LEAST_CONCAVITY * (high - low).max(0.0)
    }
}

/// Runs that are one contact, joined; `None` where all are.
fn grouped(side: Side, mut runs: Vec<Run>) -> Option<Vec<Piece>> {
    let largest = runs.iter().map(|run| run.gradient.norm()).fold(0.0, f64::max);
    let outward = if side == Side::A { 1.0 } else { -1.0 };
    // A contact has an area along its facets' normal; the end of a wall has hardly any.
    let own = |run: &Run| outward * run.gradient.dot(&run.normal);
    let is_contact =
        |run: &Run| own(run) > tunables::FAINT_RUN * largest && own(run) > 0.5 * run.gradient.norm();
    let seeds: Vec<usize> = (0..runs.len())
        .filter(|&i| is_contact(&runs[i]))
        .filter(|&i| runs.iter().any(|other| is_contact(other) && face_each_other(&runs[i], other)))
        .collect();
    if seeds.len() < 2 {
        return None;
    }
    let count = runs.len();
    let mut group: Vec<Option<usize>> = vec![None; count];
    for (nth, &i) in seeds.iter().enumerate() {
        // Parts of one flat face belong together, wherever the contour leaves it meanwhile.
        let same = seeds[..nth].iter().find(|&&j| coplanar(&runs[i], &runs[j]));
        group[i] = Some(same.map_or(i, |&j| group[j].unwrap_or(j)));
    }
    // The rest goes with what it lies beside, from both sides by turns.
    while group.iter().any(Option::is_none) {
        let known = group.clone();
        for i in (0..count).filter(|&i| known[i].is_none()) {
            let beside = [(i + count - 1) % count, (i + 1) % count];
            let size = |g: usize| runs[g].gradient.norm();
            let nearest = beside.iter().filter_map(|&k| known[k]);
            group[i] = nearest.reduce(|p, q| if size(q) > size(p) { q } else { p });
        }
    }
    runs.iter_mut().zip(&group).for_each(|(run, g)| run.group = g.unwrap_or(run.group));
    let mut names: Vec<usize> = runs.iter().map(|run| run.group).collect();
    names.sort_unstable();
    names.dedup();
    let several = (2..=tunables::NORMAL_CLUSTERS).contains(&names.len());
    several.then(|| names.iter().map(|&name| piece(&runs, name)).collect())
}

fn piece(runs: &[Run], name: usize) -> Piece {
    let mut piece = Piece {
        gradient: Vector3::zeros(),
        torque: Vector3::zeros(),
        normal: runs[name].normal,
        lines: Vec::new(),
        triangles: Vec::new(),
        middle: runs[name].middle,
    };
    for run in runs.iter().filter(|run| run.group == name) {
        piece.lines.extend_from_slice(&run.lines);
        piece.triangles.extend_from_slice(&run.triangles);
    }
    piece.triangles.sort_unstable();
    piece.triangles.dedup();
    piece
}

fn face_each_other(a: &Run, b: &Run) -> bool {
    a.normal.dot(&b.normal) < tunables::CREASE && a.is_before(b) && b.is_before(a)
}

fn coplanar(a: &Run, b: &Run) -> bool {
    let between = b.middle - a.middle;
    let most = tunables::LEAST_CONCAVITY * between.norm();
    a.normal.dot(&b.normal) > tunables::CREASE
        && between.dot(&a.normal).abs() <= most
        && between.dot(&b.normal).abs() <= most
}

fn facet_normal(input: &Surfaces<'_>, side: Side, triangle: u32) -> Vector3<f64> {
    let [a, b, c] = input.meshes[side.index()].corners(triangle).map(|p| input.frame.place(side, &p));
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector3::zeros)
}
