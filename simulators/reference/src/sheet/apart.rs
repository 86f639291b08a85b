//! A sheet kept apart from itself and from bodies, by the points of [`SheetQuery`].
//!
//! Before a step, the sheet is where nothing crosses it. All pairs of features that could come too near are asked for there, with a margin
//! of twice what anything may move, and nothing moves farther. Each pair then has to keep its distance along the line between its
//! points as they were, so that it stays on its side (a plane in place of the distance, as Müller et al. 2007 do); what would
//! all but cross that plane at the end goes part of its way.

use impinge::PreparedShape;
use impinge::query::{SheetPoint, SheetQuery, SheetScratch};
use nalgebra::{Isometry3, Point3, Vector3};

use super::{Sheet, SheetContact, SheetError};

/// How often all contacts are gone through after the links.
const SWEEPS: u32 = 3;
/// The part of its distance, or of what it should keep, that a pair has to have left at the end.
const LEFT: f64 = 0.2;
/// How often what would cross goes half of its way.
const HALVINGS: u32 = 12;
/// A vertex moves no farther in a step than this much of the thickness, beside what bodies move.
const FARTHEST: f64 = 1.5;

/// A body that a sheet is kept out of.
#[derive(Clone, Copy, Debug)]
pub struct SheetBody<'b> {
    /// Its shape.
    pub shape: &'b PreparedShape,
    /// Where it stands before the step and after it (m, world).
    pub poses: [Isometry3<f64>; 2],
}

/// What keeps a sheet apart.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    query: SheetQuery,
    scratch: SheetScratch,
    found: Vec<SheetPoint>,
    pairs: Vec<ApartPair>,
    places: Vec<Point3<f32>>,
}

/// Two places that are to be kept apart.
#[derive(Clone, Copy, Debug)]
struct ApartPair {
    /// Vertices of the sheet and what they weigh: of the first place above 0, of the second below.
    corners: [(u32, f64); 6],
    /// From the first place to the second (unit).
    normal: Vector3<f64>,
    /// Where a place of a body goes (m), before and after the step; of the sheet alone nothing.
    body: Option<[Point3<f64>; 2]>,
    /// How far they were apart, and should be (m).
    distance: f64,
    keep: f64,
    /// By how much they were pushed (m).
    pushed: f64,
}

impl ApartPair {
    /// Of a point before the step; of a body that moves as these poses say.
    fn new(sheet: &[[u32; 3]], point: &SheetPoint, body: Option<&[Isometry3<f64>; 2]>) -> ApartPair {
        let mut corners = [(0, 0.0); 6];
        for side in 0..2 {
            let Some(triangle) = point.triangles[side].filter(|_| side == 0 || body.is_none()) else {
                continue;
            };
            let sense = [1.0, -1.0][side];
            for k in 0..3 {
                let weight = sense * point.weights[side][k];
                corners[3 * side + k] = (sheet[triangle as usize][k], weight);
            }
        }
        let (normal, body) = match body {
            Some([from, to]) => {
                let at = from.inverse_transform_point(&point.points[1]);
                let turned = to.rotation * (from.rotation.inverse() * point.normal);
                (turned, Some([point.points[1], to * at]))
            }
            None => (point.normal, None),
        };
        let SheetPoint { distance, keep, .. } = *point;
        ApartPair { corners, normal, body, distance, keep, pushed: 0.0 }
    }

    /// From the first place to the second (m): where vertices are at `places`, and the body at the end of the step or its
    /// beginning.
    fn between(&self, places: &[Point3<f64>], end: usize) -> Vector3<f64> {
        let sheet: Vector3<f64> = self.corners.iter().map(|&(v, w)| places[v as usize].coords * w).sum();
        self.body.map_or(Vector3::zeros(), |body| body[end].coords) - sheet
    }

    /// How far they are apart along the line (m).
    fn apart(&self, places: &[Point3<f64>]) -> f64 {
        self.normal.dot(&self.between(places, 1))
    }

    /// Moves the sheet's vertices so that the places go by `way` (m) away from each other, as far as they can.
    fn push(&self, places: &mut [Point3<f64>], masses: &[f64], way: &Vector3<f64>) -> bool {
        let free = |&(v, w): &(u32, f64)| w * w / masses[v as usize];
        let under: f64 = self.corners.iter().map(free).sum();
        if under <= 0.0 {
            return false;
        }
        for &(v, w) in &self.corners {
            places[v as usize] -= way * (w / masses[v as usize] / under);
        }
        true
    }

    /// Keeps them apart.
    fn relax(&mut self, places: &mut [Point3<f64>], masses: &[f64]) {
        let missing = self.keep - self.apart(places);
        if missing > 0.0 && self.push(places, masses, &(self.normal * missing)) {
            self.pushed += missing;
        }
    }

    /// Friction: of what the places have slid past each other, as much is taken back as they were pushed times the coefficient.
    fn rub(&self, places: &mut [Point3<f64>], last: &[Point3<f64>], masses: &[f64], friction: f64) {
        if self.pushed <= 0.0 || friction <= 0.0 {
            return;
        }
        let moved = self.between(places, 1) - self.between(last, 0);
        let slid = moved - self.normal * moved.dot(&self.normal);
        let length = slid.norm();
        if length > 0.0 {
            self.push(places, masses, &(-slid * (friction * self.pushed / length).min(1.0)));
        }
    }

    /// Whether they have come so near that they may cross.
    fn all_but_crosses(&self, places: &[Point3<f64>]) -> bool {
        self.apart(places) < LEFT * self.distance.min(self.keep)
    }
}

impl Apart {
    pub fn new(surface: &impinge::TriMesh, thickness: f64) -> Result<Apart, SheetError> {
        let refused =
            |_| SheetError::Setting { setting: "thickness", value: thickness, wanted: "finite and above 0" };
        Ok(Apart {
            query: SheetQuery::new(surface.clone(), thickness).map_err(refused)?,
            scratch: SheetScratch::default(),
            found: Vec::new(),
            pairs: Vec::new(),
            places: Vec::new(),
        })
    }

    /// Finds all pairs that may come too near where nothing of the sheet moves farther than `reach` (m).
    fn find(
        &mut self,
        places: &[Point3<f64>],
        bodies: &[SheetBody<'_>],
        reach: f64,
    ) -> Result<(), SheetError> {
        let Apart { query, scratch, found, pairs, places: rounded } = self;
        rounded.clear();
        rounded.extend(places.iter().map(|p| p.cast::<f32>()));
        query.set_vertices(rounded)?;
        let refused = |_| SheetError::Body;
        query.set_margin(2.0 * reach).map_err(refused)?;
        query.self_contacts(scratch, found);
        let triangles = query.mesh().triangles();
        pairs.clear();
        pairs.extend(found.iter().map(|point| ApartPair::new(triangles, point, None)));
        let here = Isometry3::identity();
        for body in bodies {
            query.contacts(&here, body.shape, &body.poses[0], scratch, found).map_err(refused)?;
            let triangles = query.mesh().triangles();
            pairs.extend(found.iter().map(|point| ApartPair::new(triangles, point, Some(&body.poses))));
        }
        Ok(())
    }
}

impl Sheet {
    /// Takes a step of `dt` seconds in which the sheet is kept apart from itself and from bodies, by its
    /// [thickness](super::SheetSettings::thickness); gives where it was pushed. Bodies go their ways whatever they meet. The sheet has to begin where nothing
    /// crosses it: then nothing comes to, unless a body presses it where it cannot give way.
    ///
    /// # Errors
    /// [`SheetError::Setting`] without a thickness, [`SheetError::Body`] for a pose that is none, and [`SheetError::Mesh`] where a vertex is
    /// not finite. The sheet has not moved then.
    pub fn step_apart(&mut self, dt: f64, bodies: &[SheetBody<'_>]) -> Result<Vec<SheetContact>, SheetError> {
        let Some(mut apart) = self.apart.take() else {
            let wanted = "set before a sheet is kept apart";
            return Err(SheetError::Setting { setting: "thickness", value: 0.0, wanted });
        };
        let contacts = self.step_with(dt, bodies, &mut apart);
        self.apart = Some(apart);
        contacts
    }

    fn step_with(
        &mut self,
        dt: f64,
        bodies: &[SheetBody<'_>],
        apart: &mut Apart,
    ) -> Result<Vec<SheetContact>, SheetError> {
        let carried = bodies.iter().map(farthest_way).fold(0.0, f64::max);
        let fastest = self.velocities.iter().map(Vector3::norm).fold(0.0, f64::max);
        let reach = (1.5 * (fastest + self.settings.gravity.norm() * dt) * dt)
            .clamp(0.25 * self.settings.thickness, FARTHEST * self.settings.thickness)
            + carried;
        apart.find(&self.places, bodies, reach)?;
        let pairs = &mut apart.pairs;
        self.last.clone_from(&self.places);
        self.met.fill(None);
        self.predict(dt);
        self.hold_within(reach);
        self.links.iter_mut().for_each(super::Link::begin);
        for _ in 0..self.settings.iterations {
            for link in &mut self.links {
                link.relax(&mut self.places, &self.masses, dt);
            }
            pairs.iter_mut().for_each(|pair| pair.relax(&mut self.places, &self.masses));
        }
        for _ in 0..SWEEPS {
            pairs.iter_mut().for_each(|pair| pair.relax(&mut self.places, &self.masses));
        }
        let friction = self.settings.friction;
        for pair in pairs.iter() {
            pair.rub(&mut self.places, &self.last, &self.masses, friction);
        }
        pairs.iter_mut().for_each(|pair| pair.relax(&mut self.places, &self.masses));
        self.hold_within(reach);
        self.hold_back(pairs);
        self.end(dt);
        let pushed = pairs.iter().filter(|pair| pair.pushed > 0.0);
        Ok(pushed.map(|pair| self.contact(pair)).collect())
    }

    /// No vertex goes farther than `reach` (m) in a step.
    fn hold_within(&mut self, reach: f64) {
        for (place, last) in self.places.iter_mut().zip(&self.last) {
            let way = *place - last;
            if way.norm_squared() > reach * reach {
                *place = last + way * (reach / way.norm());
            }
        }
    }

    /// What would all but cross goes half of its way, and half again.
    fn hold_back(&mut self, pairs: &[ApartPair]) {
        for _ in 0..HALVINGS {
            let mut any = false;
            for pair in pairs.iter().filter(|pair| pair.distance > 0.0) {
                if !pair.all_but_crosses(&self.places) {
                    continue;
                }
                any = true;
                for &(v, weight) in &pair.corners {
                    let (place, last) = (&mut self.places[v as usize], &self.last[v as usize]);
                    // What a body carries along goes with it.
                    let along = pair.body.map_or(Vector3::zeros(), |[from, to]| to - from);
                    if weight != 0.0 && self.masses[v as usize].is_finite() {
                        *place += ((last + along) - *place) * 0.5;
                    }
                }
            }
            if !any {
                break;
            }
        }
    }

    fn contact(&self, pair: &ApartPair) -> SheetContact {
        let first = pair.corners.iter().filter(|corner| corner.1 > 0.0);
        let at: Vector3<f64> = first.map(|&(v, w)| self.places[v as usize].coords * w).sum();
        SheetContact { position: at.into(), normal: -pair.normal, depth: pair.pushed }
    }
}

/// No point of a body moves farther in a step (m).
fn farthest_way(body: &SheetBody<'_>) -> f64 {
    let [from, to] = &body.poses;
    let aabb = body.shape.shape().aabb();
    let corner = |k: usize| {
        let pick = |axis: usize| f64::from(if k >> axis & 1 == 0 { aabb.min[axis] } else { aabb.max[axis] });
        Point3::new(pick(0), pick(1), pick(2))
    };
    // The way of a point is an affine function of its place: it is longest at a corner.
    let ways = (0..8).map(|k| (to * corner(k) - from * corner(k)).norm());
    let farthest = ways.fold(0.0, f64::max);
    // What has no end does not turn.
    if farthest.is_finite() { farthest } else { (to.translation.vector - from.translation.vector).norm() }
}
