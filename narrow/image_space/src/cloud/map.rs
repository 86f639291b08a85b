//! The map that a cloud's points share.

use impinge_midphase::Solid;

use super::view::{CloudError, CloudView};
use crate::coverage::eight::Spot;
use crate::height_map::Obstacle;
use crate::passes;

/// Stands for "nothing seen".
pub(super) const NOTHING: u32 = u32::MAX;

/// What a map and its points cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CloudCounts {
    /// Triangles drawn.
    pub triangles: u64,
    /// Points that are not finite: they hit nothing.
    pub unusable: u64,
}

/// The nearest surfaces of an environment, as the points of a cloud see them.
#[derive(Clone, Debug)]
pub struct CloudMap {
    pub(super) view: CloudView,
    pub(super) width: usize,
    /// Of all pictures, row by row; infinite where nothing was seen.
    pub(super) depth: Vec<f32>,
    /// What was seen, by its place in `starts`.
    pub(super) seen: Vec<u32>,
    /// The first number of each part of each obstacle: obstacle, part, number.
    pub(super) starts: Vec<(u32, u32, u32)>,
    pub(super) spots: Vec<Spot>,
    pub(super) listed: Vec<u32>,
    pub(super) stack: Vec<u32>,
    /// Of every point of the last question its pixel, if it hit something.
    pub(super) found: Vec<u32>,
    pub(super) counts: CloudCounts,
}

impl CloudMap {
    /// An empty map.
    ///
    /// # Errors
    /// [`CloudError::View`].
    pub fn new(view: CloudView) -> Result<CloudMap, CloudError> {
        view.check()?;
        let ([width, height], pictures) = view.pictures();
        let count = width as usize * height as usize * pictures;
        Ok(CloudMap {
            view,
            width: width as usize,
            depth: vec![f32::INFINITY; count],
            seen: vec![NOTHING; count],
            starts: Vec::new(),
            spots: Vec::new(),
            listed: Vec::new(),
            stack: Vec::new(),
            found: Vec::new(),
            counts: CloudCounts::default(),
        })
    }

    /// Looks another way; draw again after this. Nothing is allocated where the pictures do not grow.
    ///
    /// # Errors
    /// [`CloudError::View`]; the view then stays.
    pub fn look(&mut self, view: CloudView) -> Result<(), CloudError> {
        view.check()?;
        let ([width, height], pictures) = view.pictures();
        let count = width as usize * height as usize * pictures;
        (self.view, self.width) = (view, width as usize);
        self.depth.resize(count, f32::INFINITY);
        self.seen.resize(count, NOTHING);
        Ok(())
    }

    /// Draws the environment as it stands now; what was drawn before is forgotten.
    pub fn draw(&mut self, obstacles: &[Obstacle]) {
        let _span = tracing::debug_span!(passes::CLOUD, obstacles = obstacles.len()).entered();
        self.depth.fill(f32::INFINITY);
        self.seen.fill(NOTHING);
        self.starts.clear();
        self.counts = CloudCounts::default();
        let mut next = 0u32;
        for (index, obstacle) in obstacles.iter().enumerate() {
            for (part, own) in obstacle.shape.parts().iter().enumerate() {
                self.starts.push((index as u32, part as u32, next));
                let pose = obstacle.pose * own.pose;
                let triangles = match (&own.solid, &own.surface) {
                    (Solid::Primitive(_), _) | (_, None) => 1,
                    (_, Some(surface)) => surface.faces().triangle_bound(),
                };
                let (_, pictures) = self.view.pictures();
                for picture in 0..pictures {
                    match (&own.solid, &own.surface) {
                        (Solid::Primitive(primitive), _) => {
                            self.draw_primitive(picture, primitive, &pose, next);
                        }
                        (_, Some(surface)) => self.draw_surface(picture, surface, &pose, next),
                        (_, None) => {}
                    }
                }
                next = next.saturating_add(triangles);
            }
        }
    }

    /// The view.
    pub fn view(&self) -> &CloudView {
        &self.view
    }

    /// What drawing and the last question cost.
    pub fn counts(&self) -> CloudCounts {
        self.counts
    }

    /// Depth of the nearest surface in every pixel (m), picture after picture, row by row from the top;
    /// infinite where nothing was seen. In a cube's pictures it is the distance along the face's axis.
    pub fn depths(&self) -> &[f32] {
        &self.depth
    }
}
