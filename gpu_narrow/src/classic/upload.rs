//! The bodies of a scene as words.

use impinge_image_space::classic::{Draw, Figure, LatticeBody, Program, RasterCommand, RasterScene};

use super::layout::FigureParams;
use super::refusal::ClassicRefusal;

/// Corners nearer than this (sub-pixels) leave areas below 2⁵², for which the shader has room.
const NEAR: i32 = 1 << 24;
/// The same in depth (steps).
const DEEP: i32 = 1 << 28;

/// All bodies in one buffer.
#[derive(Debug, Default)]
pub(super) struct SceneWords {
    pub words: Vec<u32>,
    /// Where each body's words are, without what is drawn of it.
    pub bodies: Vec<FigureParams>,
}

impl SceneWords {
    /// Slopes are sent for bodies of which a figure is drawn that needs them.
    pub fn new(scene: &RasterScene, program: &Program) -> Result<SceneWords, ClassicRefusal> {
        let mut needs = vec![false; scene.bodies.len()];
        for command in program {
            if let RasterCommand::Draw(Draw { body, figure, .. }) = command {
                needs[*body] |= !matches!(figure, Figure::Faces(_) | Figure::Points);
            }
        }
        let [wide, high] = scene.view.pixels();
        let mut all = SceneWords::default();
        for (body, lattice) in scene.bodies.iter().enumerate() {
            if let Some(triangle) = too_large(lattice) {
                return Err(ClassicRefusal::Range { body, triangle });
            }
            let mut params =
                FigureParams { wide, high, sub_bits: scene.view.sub_bits(), ..Default::default() };
            let words = &mut all.words;
            params.vertices = words.len() as u32;
            words.extend(lattice.vertices.iter().flatten().map(|&x| x as u32));
            params.corners = words.len() as u32;
            words.extend(lattice.triangles.iter().flatten());
            params.slopes = words.len() as u32;
            if needs[body] {
                words.extend(lattice.slope_words().flatten().map(|x| x as u32));
            }
            params.points = words.len() as u32;
            words.extend(lattice.points.iter().flat_map(|point| [point.pixel, point.depth]));
            all.bodies.push(params);
        }
        // A binding holds something.
        all.words.push(0);
        Ok(all)
    }
}

/// Triangles or points of a figure.
pub(super) fn slots(body: &LatticeBody, figure: Figure) -> u32 {
    let count = if figure == Figure::Points { body.points.len() } else { body.triangles.len() };
    count as u32
}

/// The first triangle whose products would not fit.
fn too_large(body: &LatticeBody) -> Option<usize> {
    let fits = |v: &[i32; 3]| {
        let within = |x: i32, most: i32| (-most..most).contains(&x);
        within(v[0], NEAR) && within(v[1], NEAR) && within(v[2], DEEP)
    };
    if body.vertices.iter().all(fits) {
        return None;
    }
    body.triangles.iter().position(|t| !t.iter().all(|&v| fits(&body.vertices[v as usize])))
}
