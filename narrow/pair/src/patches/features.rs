//! Features of an intersection, and which of them lie together: contour loops, faces that
//! meet in one plane, corners and edges that only touch.

use nalgebra::{Point3, Vector3};

use super::InteriorVertices;
use super::box_clusters::BoxClusters;
use super::feature::{Feature, FeatureKind};
use super::flush::{FlushFaces, OverlapFace};
use super::sets::{root, unite};
use super::stokes::torque_about;
use impinge_exact::contour::{Contours, Loop};
use impinge_exact::intersect::{Intersections, TouchKind};
use impinge_image_space::view::Extent;

/// All features, and their clusters.
#[derive(Debug, Default)]
pub(crate) struct Features {
    pub list: Vec<Feature>,
    /// Indices into `list`, cluster after cluster, each rising.
    pub members: Vec<u32>,
    /// Where each cluster begins in `members`, and one more at the end.
    pub starts: Vec<u32>,
    parent: Vec<u32>,
    order: Vec<u32>,
    flush: FlushFaces,
    extents: Vec<Extent>,
    boxes: BoxClusters,
    /// The first feature of every component.
    first: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Features {
    /// Gathers the features of a pair and clusters those whose boxes touch, or miss each other by no more
    /// than `slack` (m), and contours of one overlap. Loops of virtual faces alone
    /// are left out.
    pub fn gather(
        &mut self,
        intersections: &Intersections,
        contours: &Contours,
        interior: &InteriorVertices,
        slack: f64,
    ) {
        self.list.clear();
        for (index, contour) in contours.loops.iter().enumerate() {
            if !contour.is_virtual() {
                let component = Some(interior.of(index as u32));
                let feature = of_loop(index as u32, contour, contours, intersections);
                self.list.push(Feature { component, ..feature });
            }
        }
        for (index, pair) in intersections.degenerate.iter().enumerate() {
            let index = index as u32;
            let feature = match &pair.kind {
                TouchKind::Coplanar(face) if face.area > 0.0 => {
                    let gradient = pair.correction();
                    let corners =
                        &intersections.polygons[face.polygon.start as usize..face.polygon.end as usize];
                    Feature {
                        kind: FeatureKind::Face(index),
                        component: None,
                        family: 0,
                        gradient,
                        torque: face.center.coords.cross(&gradient),
                        extent: extent_of(corners),
                    }
                }
                _ => Feature {
                    kind: FeatureKind::Touch(index),
                    component: None,
                    family: 0,
                    gradient: Vector3::zeros(),
                    torque: Vector3::zeros(),
                    extent: extent_of(&pair.points),
                },
            };
            self.list.push(feature);
        }
        self.cluster(slack);
        self.set_flush_faces_apart(intersections);
        if self.flush.set_corners_apart(&self.list, &self.members, &self.starts) {
            self.by_family();
        }
    }

    /// Clusters mere boxes.
    pub fn gather_extents(&mut self, extents: impl Iterator<Item = Extent>) {
        self.list.clear();
        let zero = Vector3::zeros();
        self.list.extend(extents.enumerate().map(|(index, extent)| Feature {
            kind: FeatureKind::Touch(index as u32),
            component: None,
            family: 0,
            gradient: zero,
            torque: zero,
            extent,
        }));
        self.cluster(0.0);
    }

    /// The members of a cluster.
    pub fn cluster_members(&self, cluster: usize) -> std::ops::Range<usize> {
        self.starts[cluster] as usize..self.starts[cluster + 1] as usize
    }

    /// What tells the clusters of one family apart: faces that only meet are set apart from the overlap beside them, and
    /// the overlaps with the faces of a corner from one another.
    pub fn cluster_of(&self, feature: u32) -> [u32; 2] {
        [self.list[feature as usize].family, self.flush.group(feature)]
    }

    /// Whether a feature was set apart as a face that only meets another.
    pub fn is_flush(&self, feature: u32) -> bool {
        self.flush.is_flush(feature)
    }

    /// Whether two features are of different overlaps whose faces look at each other, as the faces of a corner do.
    pub fn are_in_corner(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|m| OverlapFace::of(&self.list[m as usize]));
        matches!((one, other), (Some(one), Some(other)) if one.is_in_corner_with(&other))
    }

    /// How many pairs of boxes and of branches of their tree were compared for the clusters.
    #[cfg(test)]
    pub fn comparisons(&self) -> u64 {
        self.boxes.comparisons
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.starts.len() - 1
    }

    fn cluster(&mut self, slack: f64) {
        let Features { list, parent, extents, boxes, first, flush, .. } = self;
        flush.clear();
        let count = list.len() as u32;
        parent.clear();
        parent.extend(0..count);
        extents.clear();
        extents.extend(list.iter().map(|feature| feature.extent));
        boxes.unite(extents, slack, parent);
        // Contours come first, and a component is named by its first contour.
        first.clear();
        for i in 0..count {
            let Some(component) = list[i as usize].component else { break };
            let component = component as usize;
            if first.len() <= component {
                first.resize(component + 1, NONE);
            }
            match first[component] {
                NONE => first[component] = i,
                known => unite(parent, i, known),
            }
        }
        for i in 0..count {
            list[i as usize].family = root(parent, i);
        }
        self.by_family();
    }

    /// Lists the members of the clusters, in the order of each one's first; faces set apart after the others of
    /// their family.
    fn by_family(&mut self) {
        let Features { list, members, starts, order, flush, .. } = self;
        let count = list.len() as u32;
        order.clear();
        order.extend(0..count);
        let key = |i: u32| (list[i as usize].family, flush.group(i));
        order.sort_unstable_by_key(|&i| (key(i), i));
        members.clear();
        starts.clear();
        for (at, &i) in order.iter().enumerate() {
            if at == 0 || key(i) != key(order[at - 1]) {
                starts.push(at as u32);
            }
            members.push(i);
        }
        starts.push(count);
    }

    /// Faces that meet without an overlap say nothing of the normal of an overlap beside them: a box that has sunk
    /// into the floor is pushed up, though it stands flush with a wall. Where a cluster's contours bound more than such
    /// faces, these are clusters of their own, and what a contour counts of them is taken off it.
    fn set_flush_faces_apart(&mut self, intersections: &Intersections) {
        if !self.flush.find(&self.list, &self.members, &self.starts, intersections) {
            return;
        }
        for &(feature, gradient, torque) in &self.flush.changes {
            let feature = &mut self.list[feature as usize];
            feature.gradient += gradient;
            feature.torque += torque;
        }
        self.by_family();
    }
}

fn of_loop(index: u32, contour: &Loop, contours: &Contours, intersections: &Intersections) -> Feature {
    let [low, high] = contour.aabb;
    let extent = Extent { min: low.coords.into(), max: high.coords.into() };
    let center = Point3::from(extent.center());
    let about_center = torque_about(&center, contours.outline(contour, intersections));
    Feature {
        kind: FeatureKind::Loop(index),
        component: None,
        family: 0,
        gradient: contour.gradient,
        torque: about_center + center.coords.cross(&contour.gradient),
        extent,
    }
}

fn extent_of(points: &[Point3<f64>]) -> Extent {
    let mut extent = Extent::EMPTY;
    for p in points {
        extent.add(p.coords.into());
    }
    extent
}
