//! A sheet of triangles that deforms: a cloth, the surface of a tissue or of a rope, kept apart from itself and from bodies by its
//! thickness, or out of what it meets by the classic image-space tests.
//!
//! Position-based dynamics in small steps: vertices go where their velocities take them, edges bring them back to their
//! lengths, what stands in their way pushes them out, and where they have come to gives their velocities. A step is
//! [`Sheet::step_apart`]; or [`Sheet::begin`], then one of [`Sheet::clear_of_tool`] and [`Sheet::clear_of_avatar`], then [`Sheet::end`],
//! where the sheet does not collide with itself. Everything is done in one order, so the same calls give the same bits.
//!
//! Sources: Müller, Heidelberger, Hennix, Ratcliff, "Position Based Dynamics", 2007; Macklin, Müller, Chentanez, "XPBD",
//! 2016; Macklin et al., "Small Steps in Physics Simulation", 2019.

mod apart;
mod avatar;
mod links;
mod tool;

use impinge::TriMesh;
use impinge::geometry::MeshError;
use nalgebra::{Point3, Vector3};

use apart::Apart;
use links::Link;

pub use apart::SheetBody;

/// What a sheet is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetSettings {
    /// Vertices that stay where they are.
    pub held: Vec<u32>,
    /// Mass of a square metre (kg/m²).
    pub density: f64,
    /// How far edges give (m/N), and how far the ends of two triangles at an edge do.
    pub compliance: [f64; 2],
    /// Stiffness with which what is under the sheet brings a square metre back to its place (N/m³); 0 for none.
    pub bed: f64,
    /// Rate at which velocity is lost (1/s).
    pub damping: f64,
    /// Coefficient of friction against bodies, and of the sheet against itself.
    pub friction: f64,
    /// How thick it is (m): how far apart it is kept from itself, and twice how far from bodies ([`Sheet::step_apart`]); 0 where it is not kept
    /// apart.
    pub thickness: f64,
    /// Pairs of vertices that want to be as far apart as they rest, beside the edges: struts inside a rope.
    pub struts: Vec<[u32; 2]>,
    /// How much of a wind's pressure the sheet takes: the density of air times a coefficient of drag (kg/m³).
    pub drag: f64,
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// How often all edges are gone through in a step.
    pub iterations: u32,
}

impl Default for SheetSettings {
    fn default() -> SheetSettings {
        SheetSettings {
            held: Vec::new(),
            density: 0.3,
            compliance: [1e-5, 1e-2],
            bed: 0.0,
            damping: 1.0,
            friction: 0.5,
            thickness: 0.0,
            struts: Vec::new(),
            drag: 0.0,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            iterations: 4,
        }
    }
}

/// Why there is no such sheet.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SheetError {
    /// A setting that is not finite, or out of its range.
    #[error("setting `{setting}` is {value}: it must be {wanted}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// The value given.
        value: f64,
        /// What would be right.
        wanted: &'static str,
    },
    /// A vertex that is to be held and is not there.
    #[error("vertex {vertex} is to be held, and there are {count}")]
    Held {
        /// The vertex.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A strut between vertices that are not there.
    #[error("a strut joins vertices {ends:?}, and there are {count}")]
    Strut {
        /// The vertices.
        ends: [u32; 2],
        /// How many there are.
        count: usize,
    },
    /// A body that stands nowhere.
    #[error(
        "a body's pose is not finite or too far away: poses must be finite and at most 1e30 m from the origin"
    )]
    Body,
    /// The vertices have left the range of a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Where a sheet was pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetContact {
    /// The place, now out of the body (m).
    pub position: Point3<f64>,
    /// The direction in which it was pushed (unit).
    pub normal: Vector3<f64>,
    /// By how much (m).
    pub depth: f64,
}

/// A sheet of triangles that deforms.
#[derive(Clone, Debug)]
pub struct Sheet {
    surface: TriMesh,
    settings: SheetSettings,
    rest: Vec<Point3<f64>>,
    places: Vec<Point3<f64>>,
    last: Vec<Point3<f64>>,
    velocities: Vec<Vector3<f64>>,
    /// Kilograms; infinite for what is held.
    masses: Vec<f64>,
    links: Vec<Link>,
    /// What each vertex met in this step: the normal of an avatar, and its velocity there (m/s).
    met: Vec<Option<(Vector3<f64>, Vector3<f64>)>>,
    /// Where it has a thickness.
    apart: Option<Box<Apart>>,
}

impl Sheet {
    /// A sheet that rests as `surface` (m, world).
    ///
    /// # Errors
    /// [`SheetError::Setting`] and [`SheetError::Held`].
    pub fn new(surface: &TriMesh, settings: SheetSettings) -> Result<Sheet, SheetError> {
        settings.check(surface.vertices().len())?;
        let rest: Vec<Point3<f64>> = surface.vertices().iter().map(|v| v.cast()).collect();
        let mut masses = vec![0.0; rest.len()];
        for triangle in surface.triangles() {
            let [a, b, c] = triangle.map(|v| rest[v as usize]);
            let third = settings.density * (b - a).cross(&(c - a)).norm() / 6.0;
            triangle.iter().for_each(|&v| masses[v as usize] += third);
        }
        // What no triangle uses stays where it is, too.
        masses.iter_mut().filter(|mass| **mass == 0.0).for_each(|mass| *mass = f64::INFINITY);
        settings.held.iter().for_each(|&v| masses[v as usize] = f64::INFINITY);
        let apart = match settings.thickness > 0.0 {
            true => Some(Box::new(Apart::new(surface, settings.thickness)?)),
            false => None,
        };
        let mut links = links::links(surface, &rest, settings.compliance);
        links.extend(links::struts(&settings.struts, &rest, settings.compliance[0]));
        Ok(Sheet {
            apart,
            links,
            places: rest.clone(),
            last: rest.clone(),
            velocities: vec![Vector3::zeros(); rest.len()],
            met: vec![None; rest.len()],
            surface: surface.clone(),
            settings,
            rest,
            masses,
        })
    }

    /// Where its vertices are (m).
    pub fn places(&self) -> &[Point3<f64>] {
        &self.places
    }

    /// Where they rested (m).
    pub fn rest(&self) -> &[Point3<f64>] {
        &self.rest
    }

    /// The surface as it is.
    ///
    /// # Errors
    /// [`SheetError::Mesh`] where a vertex is not finite.
    pub fn surface(&mut self) -> Result<&TriMesh, SheetError> {
        let vertices = self.places.iter().map(|p| p.cast::<f32>()).collect();
        self.surface = self.surface.with_vertices(vertices)?;
        Ok(&self.surface)
    }

    /// Kinetic energy (J).
    pub fn kinetic_energy(&self) -> f64 {
        let free = self.velocities.iter().zip(&self.masses).filter(|(_, mass)| mass.is_finite());
        free.map(|(v, mass)| 0.5 * mass * v.norm_squared()).sum()
    }

    /// Begins a step of `dt` seconds: vertices go where their velocities take them, and edges and the bed bring them back.
    pub fn begin(&mut self, dt: f64) {
        self.last.clone_from(&self.places);
        self.met.fill(None);
        self.predict(dt);
        self.links.iter_mut().for_each(Link::begin);
        for _ in 0..self.settings.iterations {
            for link in &mut self.links {
                link.relax(&mut self.places, &self.masses, dt);
            }
        }
        if self.settings.bed > 0.0 {
            let pull = self.settings.bed / self.settings.density * dt * dt;
            for ((place, rest), mass) in self.places.iter_mut().zip(&self.rest).zip(&self.masses) {
                if mass.is_finite() {
                    *place += (rest - *place) * (pull / (1.0 + pull));
                }
            }
        }
    }

    /// Vertices go where their velocities take them.
    fn predict(&mut self, dt: f64) {
        for ((place, velocity), mass) in self.places.iter_mut().zip(&self.velocities).zip(&self.masses) {
            if mass.is_finite() {
                *place += (velocity + self.settings.gravity * dt) * dt;
            }
        }
    }

    /// A wind (m/s) blows for `dt` seconds: each face takes what of it goes through its plane, by [`SheetSettings::drag`].
    pub fn blow(&mut self, wind: &Vector3<f64>, dt: f64) {
        for triangle in self.surface.triangles() {
            let corners = triangle.map(|v| v as usize);
            let [a, b, c] = corners.map(|v| self.places[v]);
            let area = (b - a).cross(&(c - a)) * 0.5;
            let Some(normal) = area.try_normalize(0.0) else { continue };
            let mean = corners.iter().map(|&v| self.velocities[v]).sum::<Vector3<f64>>() / 3.0;
            let through = normal.dot(&(wind - mean));
            // Half of the air's density times the square of the speed, on the area, shared by three corners.
            let push = normal * (self.settings.drag * 0.5 * through * through.abs() * area.norm() * dt / 3.0);
            for v in corners {
                // No more than what takes a corner along.
                let change = push / self.masses[v];
                let most = through.abs();
                let length = change.norm();
                self.velocities[v] += if length > most { change * (most / length) } else { change };
            }
        }
    }

    /// Has a vertex that is held stand elsewhere (m) from the next step on; of others, and of those that are not there, nothing changes.
    pub fn carry(&mut self, vertex: u32, to: &Point3<f64>) {
        if self.settings.held.contains(&vertex) {
            self.places[vertex as usize] = *to;
        }
    }

    /// Ends the step: velocities are those with which the vertices came to where they are; what has met an avatar does not
    /// rebound from it.
    pub fn end(&mut self, dt: f64) {
        let kept = 1.0 / (1.0 + self.settings.damping * dt);
        for (vertex, velocity) in self.velocities.iter_mut().enumerate() {
            *velocity = (self.places[vertex] - self.last[vertex]) / dt * kept;
            if let Some((normal, along)) = self.met[vertex] {
                *velocity -= normal * (*velocity - along).dot(&normal);
            }
        }
    }
}

impl SheetSettings {
    fn check(&self, count: usize) -> Result<(), SheetError> {
        let [edges, bends] = self.compliance;
        let gravity = self.gravity.amax();
        for (setting, value, least) in [
            ("density", self.density, f64::MIN_POSITIVE),
            ("compliance of edges", edges, 0.0),
            ("compliance of bends", bends, 0.0),
            ("bed", self.bed, 0.0),
            ("damping", self.damping, 0.0),
            ("friction", self.friction, 0.0),
            ("thickness", self.thickness, 0.0),
            ("drag", self.drag, 0.0),
            ("gravity", gravity, 0.0),
        ] {
            if !(value.is_finite() && value >= least) {
                let wanted = if least > 0.0 { "finite and above 0" } else { "finite and not below 0" };
                return Err(SheetError::Setting { setting, value, wanted });
            }
        }
        if let Some(&ends) = self.struts.iter().find(|ends| ends.iter().any(|&v| v as usize >= count)) {
            return Err(SheetError::Strut { ends, count });
        }
        match self.held.iter().find(|&&vertex| vertex as usize >= count) {
            Some(&vertex) => Err(SheetError::Held { vertex, count }),
            None => Ok(()),
        }
    }
}
