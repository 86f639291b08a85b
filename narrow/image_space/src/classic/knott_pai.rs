//! D. Knott, D. K. Pai, "CInDeR: Collision and interference detection in real-time using graphics hardware", 2003: edges of
//! all bodies against all solids at once.

use super::body::{ClassicBody, LatticeBody, LatticePoint};
use super::error::ClassicError;
use super::lines::edge_points;
use super::program::{
    BUFFER_NEAR, ClassicRaster, DepthTest, Draw, Figure, Program, RasterCommand, RasterScene, StencilOp,
};
use crate::ldi::Faces;
use crate::view::View;

/// How edges are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CinderSettings {
    /// By how much the faces of solids are moved into them along the view (steps of its depth), beyond what their depth may
    /// change within a pixel. Without it an edge would be found in its own body (usual: 4).
    pub offset: u32,
    /// Where edges lie behind each other, only the first of a pixel is tested in a pass. So many passes are made at most
    /// (the paper: 1).
    pub passes: u32,
}

impl Default for CinderSettings {
    fn default() -> CinderSettings {
        CinderSettings { offset: 4, passes: 1 }
    }
}

/// A place of an edge that is inside of solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeHit {
    /// Pixel, row after row (rows go up).
    pub pixel: u32,
    /// Depth (steps of the view).
    pub depth: u32,
    /// The body that the edge belongs to.
    pub body: u32,
    /// The edge, as [`TriMesh::edges`](impinge_geometry::TriMesh::edges) has them.
    pub edge: u32,
    /// In how many solids it is: front faces before it less back faces before it.
    pub solids: u8,
}

/// What was found of the edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeHits {
    /// All hits, pass by pass, in rising order of their pixels.
    pub hits: Vec<EdgeHit>,
    /// Places of edges that were tested.
    pub tested: usize,
    /// Places that were not, as others lie before them and the passes were used up.
    pub hidden: usize,
}

/// Which edges of n closed bodies are inside any of them, all at once, in `view`.
///
/// Edges are drawn to the depth buffer, a pixel for each line of pixels' centres that they cross. Over that, front faces
/// before an edge count up and back faces before it count down: f − b is the number of solids that it is in. A positive
/// count is a collision. Which body was hit is not known, only which edge. Where an edge is found, its own body is drawn
/// once more alone, and what that counts is taken off: pixels are no finer than the place where an edge of a steep side
/// and the face beside it share one, and no offset makes up for that.
///
/// *May miss:* edges behind others in a pass ([`EdgeHits::hidden`] says how many places), a body wholly inside another is
/// found by its own edges, but two bodies whose faces meet without an edge of either entering a pixel's line are not;
/// overlaps shallower along the view than the offset and the change of depth within a pixel. *False* hits: where an edge's
/// place and the centre of its pixel, half a pixel apart at most, lie on two sides of another body's silhouette.
///
/// # Errors
/// [`ClassicError::NotClosed`], [`ClassicError::View`], and [`ClassicError::Device`] from a device.
pub fn knott_pai(
    bodies: &[ClassicBody<'_>],
    view: &View,
    settings: CinderSettings,
    raster: &mut dyn ClassicRaster,
) -> Result<EdgeHits, ClassicError> {
    let mut scene = RasterScene { view: *view, bodies: Vec::with_capacity(bodies.len() + 1) };
    for (k, body) in bodies.iter().enumerate() {
        body.closed("the test of Knott and Pai", k)?;
        scene.bodies.push(LatticeBody::new(body, view)?);
    }
    let mut places = edge_places(bodies, &scene);
    let mut found = EdgeHits::default();
    scene.bodies.push(LatticeBody::default());
    for _ in 0..settings.passes.max(1) {
        // The first of every pixel.
        let mut last = None;
        let (now, later): (Vec<Place>, Vec<Place>) =
            places.into_iter().partition(|place| last.replace(place.0.pixel) != Some(place.0.pixel));
        if let Some(points) = scene.bodies.last_mut() {
            points.points = now.iter().map(|place| place.0).collect();
        }
        let counts = faces_before_points(&scene, settings.offset, raster)?;
        found.tested += now.len();
        // Counts are modulo 256; a body thinner than its offset counts down only.
        let positive = |solids: &u8| (1..128).contains(solids);
        let hits = now.into_iter().filter(|place| positive(&counts[place.0.pixel as usize]));
        let own = without_own(&mut scene, hits.collect(), settings.offset, raster)?;
        found.hits.extend(own.into_iter().filter_map(|((point, body, edge), own)| {
            let LatticePoint { pixel, depth } = point;
            let solids = counts[pixel as usize].wrapping_sub(own);
            positive(&solids).then_some(EdgeHit { pixel, depth, body, edge, solids })
        }));
        places = later;
        if places.is_empty() {
            break;
        }
    }
    found.hidden = places.len();
    Ok(found)
}

/// A place, its body and its edge.
type Place = (LatticePoint, u32, u32);

/// The places of all edges: by pixel, then by depth.
fn edge_places(bodies: &[ClassicBody<'_>], scene: &RasterScene) -> Vec<Place> {
    let mut places = Vec::new();
    for (k, (body, lattice)) in bodies.iter().zip(&scene.bodies).enumerate() {
        for (e, edge) in body.mesh.edges().iter().enumerate() {
            let ends = edge.vertices.map(|v| lattice.vertices[v as usize]);
            edge_points(&scene.view, ends, |point| places.push((point, k as u32, e as u32)));
        }
    }
    places.sort_unstable_by_key(|(point, body, edge)| (point.pixel, point.depth, *body, *edge));
    places
}

/// For places of edges, how often each is found in its own body, in the order of the pixels.
fn without_own(
    scene: &mut RasterScene,
    mut hits: Vec<Place>,
    offset: u32,
    raster: &mut dyn ClassicRaster,
) -> Result<Vec<(Place, u8)>, ClassicError> {
    hits.sort_by_key(|(_, body, _)| *body);
    let mut counted = Vec::with_capacity(hits.len());
    for of_body in hits.chunk_by(|a, b| a.1 == b.1) {
        let at = of_body[0].1 as usize;
        let points = of_body.iter().map(|place| place.0).collect();
        let points = LatticeBody::of_points(points);
        let alone =
            RasterScene { view: scene.view, bodies: vec![std::mem::take(&mut scene.bodies[at]), points] };
        let counts = faces_before_points(&alone, offset, raster);
        scene.bodies.splice(at..=at, alone.bodies.into_iter().take(1));
        let counts = counts?;
        counted.extend(of_body.iter().map(|place| (*place, counts[place.0.pixel as usize])));
    }
    counted.sort_by_key(|(place, _)| place.0.pixel);
    Ok(counted)
}

/// For every pixel, front faces less back faces (modulo 256) before the point in it, and 0 where there is none; the points
/// are those of the last body of the scene, one in a pixel at most, the solids all others.
pub(super) fn faces_before_points(
    scene: &RasterScene,
    offset: u32,
    raster: &mut dyn ClassicRaster,
) -> Result<Vec<u8>, ClassicError> {
    let solids = scene.bodies.len() - 1;
    let mut program: Program = vec![
        // Nothing lies before this: where no edge is drawn, no face is counted.
        RasterCommand::ClearDepth(BUFFER_NEAR),
        RasterCommand::Draw(Draw::depths(solids, Figure::Points, DepthTest::Greater)),
    ];
    for body in 0..solids {
        for (faces, op) in [(Faces::Front, StencilOp::Increment), (Faces::Back, StencilOp::Decrement)] {
            let figure = Figure::Shrunk(faces, offset);
            program.push(RasterCommand::Draw(Draw::stencil(body, figure, DepthTest::Less, op)));
        }
    }
    Ok(raster.run(scene, &program)?.stencil)
}
