//! N. Govindaraju, S. Redon, M. Lin, D. Manocha, "CULLIDE: interactive collision detection between complex models in large
//! environments using graphics hardware", 2003: potentially colliding sets by visibility. With the dilation of
//! N. Govindaraju, M. Lin, D. Manocha, "Fast and reliable collision culling using graphics hardware", 2004, none is lost.

use nalgebra::{Point3, Vector3};

use super::body::{ClassicBody, LatticeBody};
use super::error::ClassicError;
use super::program::{
    BUFFER_FAR, ClassicRaster, DepthTest, Draw, Figure, Program, RasterCommand, RasterScene,
};
use crate::ldi::{Faces, LdiError, world_box};
use crate::view::View;

/// How sets are culled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CullideSettings {
    /// Pixels along each side of the views (1 to 1024).
    pub pixels: u32,
    /// Whether every pixel that a body may meet is drawn, with bounds on its depth: then the set always holds every pair that
    /// touches. Without it (the paper of 2003) what is thinner than a pixel may be lost.
    pub dilated: bool,
    /// How often the three axes of the world are gone through at most; it ends sooner where nothing more is culled.
    pub rounds: u32,
}

impl Default for CullideSettings {
    fn default() -> CullideSettings {
        CullideSettings { pixels: 256, dilated: true, rounds: 2 }
    }
}

/// A potentially colliding set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PotentialSet {
    /// The bodies in it, in rising order.
    pub bodies: Vec<u32>,
    /// The parts in it, by body and by part: [`cullide_parts`] fills it.
    pub parts: Vec<[u32; 2]>,
    /// Rendering passes: two for each view.
    pub passes: u32,
    /// Occlusion queries.
    pub queries: u64,
}

impl PotentialSet {
    /// Those of some pairs of bodies that are both in the set: no others can touch.
    pub fn filter(&self, pairs: &[[u32; 2]]) -> Vec<[u32; 2]> {
        let has = |body: &u32| self.bodies.binary_search(body).is_ok();
        pairs.iter().filter(|pair| pair.iter().all(has)).copied().collect()
    }
}

/// The bodies that may touch another one.
///
/// A body that is nowhere behind or at what was drawn before it touches none of that. In each view all bodies are drawn one
/// after the other, and then in the opposite order; those that are fully visible both times touch no other and leave the
/// set. The views are along the three axes of the world, around the bodies that are left at first. Bodies may be open, and
/// are taken as they stand now: nothing is kept from call to call.
///
/// With [`CullideSettings::dilated`] *none is missed:* two bodies that share a point are both drawn in its pixel, at depths
/// that bound it, and one of which another is inside hides it. Without, what no pixel's centre meets may be missed. *False*
/// members: bodies that are hidden along all three axes. Each view takes off what nothing is before, so a crowd is culled
/// from outside, a layer in each view, and the inside of a dense one is left when the rounds are used up.
///
/// # Errors
/// [`ClassicError::View`], and [`ClassicError::Device`] from a device.
pub fn cullide(
    bodies: &[ClassicBody<'_>],
    settings: CullideSettings,
    raster: &mut dyn ClassicRaster,
) -> Result<PotentialSet, ClassicError> {
    let mut set = PotentialSet { bodies: (0..bodies.len() as u32).collect(), ..PotentialSet::default() };
    let groups: Vec<[u32; 2]> = set.bodies.iter().map(|&k| [k, k]).collect();
    let left = cull(bodies, &settings, &groups, |scene, _| Ok(scene), &mut set, raster)?;
    set.bodies = left.into_iter().map(|[k, _]| k).collect();
    Ok(set)
}

/// As [`cullide`], and then the same with the parts of the bodies that are left: parts of one body do not hide each other.
/// `parts[k]` gives a part for each triangle of body `k`, counted from 0.
///
/// # Errors
/// As [`cullide`], and [`ClassicError::Count`] where the lists have other lengths.
pub fn cullide_parts(
    bodies: &[ClassicBody<'_>],
    parts: &[Vec<u32>],
    settings: CullideSettings,
    raster: &mut dyn ClassicRaster,
) -> Result<PotentialSet, ClassicError> {
    check_count("lists of parts", parts.len(), bodies.len())?;
    for (list, body) in parts.iter().zip(bodies) {
        check_count("parts of triangles", list.len(), body.mesh.triangles().len())?;
    }
    let mut set = cullide(bodies, settings, raster)?;
    let counts: Vec<u32> = parts.iter().map(|list| list.iter().max().map_or(0, |&last| last + 1)).collect();
    // The parts of all bodies, one after the other: the body of each, and its place among them.
    let groups: Vec<[u32; 2]> = (0..bodies.len() as u32)
        .flat_map(|k| (0..counts[k as usize]).map(move |_| k))
        .zip(0..)
        .map(<[u32; 2]>::from)
        .collect();
    let kept: Vec<[u32; 2]> =
        groups.iter().filter(|[body, _]| set.bodies.binary_search(body).is_ok()).copied().collect();
    let divide = |scene: RasterScene, _: &View| {
        let of = |k: usize| {
            let mut triangles = vec![Vec::new(); counts[k] as usize];
            for (&part, triangle) in parts[k].iter().zip(&scene.bodies[k].triangles) {
                triangles[part as usize].push(*triangle);
            }
            triangles.iter().map(|own| scene.bodies[k].part(own)).collect::<Vec<_>>()
        };
        let bodies = (0..bodies.len()).flat_map(of).collect();
        Ok(RasterScene { view: scene.view, bodies })
    };
    let left = cull(bodies, &settings, &kept, divide, &mut set, raster)?;
    let first = |body: u32| counts[..body as usize].iter().sum::<u32>();
    set.parts = left.iter().map(|&[body, part]| [body, part - first(body)]).collect();
    set.bodies.retain(|body| left.iter().any(|[of, _]| of == body));
    Ok(set)
}

pub(super) fn check_count(what: &'static str, given: usize, wanted: usize) -> Result<(), ClassicError> {
    if given == wanted { Ok(()) } else { Err(ClassicError::Count { what, given, wanted }) }
}

/// A view along each axis of the world around some bodies; none where there are no bodies.
pub(super) fn views_around(bodies: &[ClassicBody<'_>], pixels: u32) -> Result<Vec<View>, LdiError> {
    let boxes = bodies.iter().map(|body| world_box(body.mesh, body.pose));
    let all = boxes.reduce(|all, own| {
        let ([low, high], [min, max]): ([Point3<f64>; 2], [Point3<f64>; 2]) = (all?, own?);
        Ok([low.inf(&min), high.sup(&max)])
    });
    let Some(all) = all else { return Ok(Vec::new()) };
    let [min, max] = all?;
    (0..3).map(|k| View::around(min, max, Vector3::ith(k, 1.0), [pixels; 2])).collect()
}

/// Culls items (group, place in the scene's bodies): those of one group do not hide each other. Gives those that are left.
fn cull(
    bodies: &[ClassicBody<'_>],
    settings: &CullideSettings,
    items: &[[u32; 2]],
    divide: impl Fn(RasterScene, &View) -> Result<RasterScene, ClassicError>,
    set: &mut PotentialSet,
    raster: &mut dyn ClassicRaster,
) -> Result<Vec<[u32; 2]>, ClassicError> {
    let mut left = items.to_vec();
    let mut scenes = Vec::new();
    for view in views_around(bodies, settings.pixels)? {
        let lattices: Result<Vec<_>, _> = bodies.iter().map(|body| LatticeBody::new(body, &view)).collect();
        scenes.push(divide(RasterScene { view, bodies: lattices? }, &view)?);
    }
    for _ in 0..settings.rounds.max(1) {
        let before = left.len();
        for scene in &scenes {
            if left.len() < 2 {
                return Ok(Vec::new());
            }
            let readout = raster.run(scene, &two_passes(&left, settings.dilated))?;
            set.passes += 2;
            set.queries += readout.passed.len() as u64;
            let (up, down) = readout.passed.split_at(left.len());
            // The second pass goes the other way round.
            let hidden = up.iter().zip(down.iter().rev()).map(|(a, b)| *a || *b);
            left = left.iter().zip(hidden).filter(|(_, hidden)| *hidden).map(|(item, _)| *item).collect();
        }
        if left.len() == before {
            break;
        }
    }
    Ok(left)
}

/// Every item asked whether it is behind what was drawn before it, in order and the other way round.
fn two_passes(items: &[[u32; 2]], dilated: bool) -> Program {
    let (asked, drawn) = match dilated {
        true => (Figure::DilatedFar, Figure::DilatedNear),
        false => (Figure::Faces(Faces::Both), Figure::Faces(Faces::Both)),
    };
    let mut program = Program::new();
    let backwards: Vec<[u32; 2]> = items.iter().rev().copied().collect();
    for order in [items, &backwards] {
        program.push(RasterCommand::ClearDepth(BUFFER_FAR));
        for group in order.chunk_by(|a, b| a[0] == b[0]) {
            let draw = |draw: Draw| RasterCommand::Draw(draw);
            let query = |item: &[u32; 2]| Draw::query(item[1] as usize, asked, DepthTest::GreaterEqual);
            let depths = |item: &[u32; 2]| Draw::depths(item[1] as usize, drawn, DepthTest::Less);
            program.extend(group.iter().map(query).map(draw));
            program.extend(group.iter().map(depths).map(draw));
        }
    }
    program
}
