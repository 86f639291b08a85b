//! A lead screw and its nut: a trapezoidal thread whose mesh runs along the helix, so that flanks are flanks
//! to the last triangle.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::Point3;

use super::thread::hexagon;
use super::{Check, GeneratorError};

/// Corners around: a multiple of six, for the hexagon's corners.
const AROUND: u32 = 48;
/// Corners of the section: height over the pitch, and whether at the crest of the screw.
const SECTION: [(f64, bool); 5] = [(0.0, false), (0.1, false), (0.25, true), (0.6, true), (0.75, false)];
/// Where the nut's section begins: in the middle of the screw's crest.
const NUT_FROM: f64 = 0.4;
/// Corners of the nut's section, from there.
const NUT_SECTION: [(f64, bool); 5] = [(0.0, true), (0.2, true), (0.35, false), (0.7, false), (0.85, true)];

/// A threaded rod along z, its foot and its end cut along the thread, or a nut that runs on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeadScrew {
    /// Radius of the crest (m).
    pub outer: f64,
    /// Radius between the crests (m).
    pub inner: f64,
    /// Way per turn (m).
    pub pitch: f64,
    /// Whole turns of the rod.
    pub turns: u32,
    /// Whole turns of the nut.
    pub nut_turns: u32,
    /// By how much the nut's thread is wider (m).
    pub play: f64,
    /// Radius of the nut to its corners (m).
    pub nut: f64,
}

impl Default for LeadScrew {
    fn default() -> LeadScrew {
        LeadScrew { outer: 0.225, inner: 0.175, pitch: 0.1, turns: 7, nut_turns: 3, play: 0.01, nut: 0.38 }
    }
}

impl LeadScrew {
    /// How high above a rod's foot a nut's stands where its thread lies in the rod's, in the first turn (m).
    pub fn nut_place(&self) -> f64 {
        NUT_FROM * self.pitch
    }

    /// Height of the nut (m).
    pub fn nut_height(&self) -> f64 {
        self.pitch * f64::from(self.nut_turns + 1)
    }

    /// The rod, of `480 · turns + 106` triangles.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive or does not fit the others, or no turn.
    pub fn rod(&self) -> Result<TriMesh, GeneratorError> {
        let check = self.check("lead screw", self.turns)?;
        let mut strip = Strip::new(&SECTION, self, self.turns, 0.0);
        let [foot, end] =
            [0.0, self.pitch * f64::from(self.turns + 1)].map(|z| strip.point(Point3::new(0.0, 0.0, z)));
        let rim = strip.foot();
        strip.triangles.extend(rim.windows(2).map(|pair| [foot, pair[1], pair[0]]));
        let rim = strip.end();
        strip.triangles.extend(rim.windows(2).map(|pair| [end, pair[0], pair[1]]));
        strip.mesh(check)
    }

    /// The nut, of `480 · turns + 298` triangles.
    ///
    /// # Errors
    /// As [`LeadScrew::rod`].
    pub fn nut(&self) -> Result<TriMesh, GeneratorError> {
        let check = self.check("lead nut", self.nut_turns)?;
        check.length("play", self.play)?;
        check.below("play", self.play, self.outer - self.inner, "no thread is left")?;
        check.below("outer", 1.2 * (self.outer + self.play), self.nut, "the nut must be wider")?;
        let mut strip = Strip::new(&NUT_SECTION, self, self.nut_turns, self.play);
        strip.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        let ring = |strip: &mut Strip, z: f64| -> Vec<u32> {
            let points: Vec<u32> = (0..AROUND).map(|j| strip.point(hexagon(j, self.nut, z))).collect();
            (0..=AROUND).map(|j| points[(j % AROUND) as usize]).collect()
        };
        let (low, high) = (ring(&mut strip, 0.0), ring(&mut strip, self.nut_height()));
        let (foot, end) = (strip.foot(), strip.end());
        let turn = AROUND as usize;
        for k in 0..turn {
            strip.triangles.extend([
                [foot[k], foot[k + 1], low[k + 1]],
                [foot[k], low[k + 1], low[k]],
                [end[k + 1], end[k], high[k]],
                [end[k + 1], high[k], high[k + 1]],
                [low[k], low[k + 1], high[k + 1]],
                [low[k], high[k + 1], high[k]],
            ]);
        }
        // The faces in which the thread begins and ends.
        strip.triangles.extend(foot[turn..].windows(2).map(|pair| [pair[0], pair[1], low[0]]));
        strip.triangles.extend(end[turn..].windows(2).map(|pair| [pair[1], pair[0], high[0]]));
        strip.mesh(check)
    }

    fn check(&self, kind: &'static str, turns: u32) -> Result<Check, GeneratorError> {
        let check = Check(kind);
        check.length("outer", self.outer)?;
        check.length("inner", self.inner)?;
        check.length("pitch", self.pitch)?;
        check.below("inner", self.inner, self.outer, "it must be less than outer")?;
        // Beyond this the faces in which the thread begins would fold over.
        let steep = (self.outer - self.inner) / 0.15;
        check.below("outer", 0.25 * steep, self.inner, "the thread is too deep")?;
        check.below("outer", 0.35 * steep, self.nut - self.outer - self.play, "the thread is too deep")?;
        check.steps("turns", turns, 1, "from 1 to 65536 turns are possible")?;
        Ok(check)
    }
}

/// A surface wound along a helix: rows are the corners of the section, the row above the last being the
/// first one turn later.
struct Strip {
    vertices: Vec<Point3<f32>>,
    triangles: Vec<[u32; 3]>,
    rows: u32,
    /// Columns between which quads lie.
    columns: u32,
}

impl Strip {
    fn new(section: &[(f64, bool)], screw: &LeadScrew, turns: u32, wider: f64) -> Strip {
        let (rows, columns) = (section.len() as u32, turns * AROUND);
        let mut strip = Strip { vertices: Vec::new(), triangles: Vec::new(), rows, columns };
        for (row, &(height, crest)) in section.iter().enumerate() {
            let radius = wider + if crest { screw.outer } else { screw.inner };
            // The first row goes on for a turn, to be the row above the last one's end.
            let last = if row == 0 { columns + AROUND } else { columns };
            for j in 0..=last {
                let (sin, cos) = libm::sincos(TAU * f64::from(j % AROUND) / f64::from(AROUND));
                let z = screw.pitch * (f64::from(j) / f64::from(AROUND) + height);
                strip.point(Point3::new(radius * cos, radius * sin, z));
            }
        }
        for row in 0..rows {
            for j in 0..columns {
                let [a, b, c, d] =
                    [(row, j), (row, j + 1), (row + 1, j + 1), (row + 1, j)].map(|(row, j)| strip.at(row, j));
                strip.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        strip
    }

    fn at(&self, row: u32, j: u32) -> u32 {
        match row {
            0 => j,
            _ if row == self.rows => j + AROUND,
            _ => self.columns + AROUND + 1 + (row - 1) * (self.columns + 1) + j,
        }
    }

    fn point(&mut self, p: Point3<f64>) -> u32 {
        self.vertices.push(p.cast::<f32>());
        self.vertices.len() as u32 - 1
    }

    /// The border at the foot: once around, then down the section; begins where it ends.
    fn foot(&self) -> Vec<u32> {
        let down = (0..self.rows).rev().map(|row| self.at(row, 0));
        (0..=AROUND).map(|j| self.at(0, j)).chain(down).collect()
    }

    /// The border at the end, likewise.
    fn end(&self) -> Vec<u32> {
        let down = (0..self.rows).rev().map(|row| self.at(row, self.columns));
        (0..=AROUND).map(|j| self.at(0, self.columns + j)).chain(down).collect()
    }

    fn mesh(self, check: Check) -> Result<TriMesh, GeneratorError> {
        TriMesh::new(self.vertices, self.triangles)
            .map_err(|source| GeneratorError::Mesh { mesh: check.0, source })
    }
}
