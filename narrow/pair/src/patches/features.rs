//! Features of an intersection, and which of them lie together: contour loops, faces that
//! meet in one plane, corners and edges that only touch.

use nalgebra::{Point3, Vector3};

use super::InteriorVertices;
use impinge_exact::contour::{Contours, Loop};
use impinge_exact::intersect::{Intersections, TouchKind};
use impinge_image_space::view::Extent;

/// A feature of the intersection of two surfaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feature {
    pub kind: FeatureKind,
    /// Contours of one overlap share this, see [`InteriorVertices`]; others have none.
    pub component: Option<u32>,
    /// Its share of G (m²) and of the torque part (m³, about the pair frame's origin).
    pub gradient: Vector3<f64>,
    pub torque: Vector3<f64>,
    /// Its box (m, pair frame).
    pub extent: Extent,
}

/// Where a feature comes from: an index into the loops, or into the degenerate pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeatureKind {
    /// A contour.
    Loop(u32),
    /// Two faces that overlap in one plane.
    Face(u32),
    /// Corners and edges that touch.
    Touch(u32),
}

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
}

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
                        gradient,
                        torque: face.center.coords.cross(&gradient),
                        extent: extent_of(corners),
                    }
                }
                _ => Feature {
                    kind: FeatureKind::Touch(index),
                    component: None,
                    gradient: Vector3::zeros(),
                    torque: Vector3::zeros(),
                    extent: extent_of(&pair.points),
                },
            };
            self.list.push(feature);
        }
        self.cluster(slack);
    }

    /// Clusters mere boxes.
    pub fn gather_extents(&mut self, extents: impl Iterator<Item = Extent>) {
        self.list.clear();
        let zero = Vector3::zeros();
        self.list.extend(extents.enumerate().map(|(index, extent)| Feature {
            kind: FeatureKind::Touch(index as u32),
            component: None,
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

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.starts.len() - 1
    }

    fn cluster(&mut self, slack: f64) {
        let Features { list, members, starts, parent, order } = self;
        let count = list.len() as u32;
        parent.clear();
        parent.extend(0..count);
        order.clear();
        order.extend(0..count);
        let low = |i: u32| list[i as usize].extent.min[0];
        order.sort_unstable_by(|&i, &j| low(i).total_cmp(&low(j)).then(i.cmp(&j)));
        for (at, &i) in order.iter().enumerate() {
            let own = &list[i as usize].extent.grown(slack);
            for &j in &order[at + 1..] {
                if low(j) > own.max[0] {
                    break;
                }
                if own.overlaps(&list[j as usize].extent) {
                    let (p, q) = (root(parent, i), root(parent, j));
                    parent[p.max(q) as usize] = p.min(q);
                }
            }
        }
        for i in 0..count {
            // The first contour of a component has its number, and comes before the others.
            let Some(component) = list[i as usize].component else { continue };
            let first = list[..i as usize].iter().position(|p| p.component == Some(component));
            if let Some(first) = first {
                let (p, q) = (root(parent, i), root(parent, first as u32));
                parent[p.max(q) as usize] = p.min(q);
            }
        }
        // In the order of each cluster's first member.
        order.clear();
        order.extend(0..count);
        for i in 0..count {
            root(parent, i);
        }
        order.sort_unstable_by_key(|&i| (parent[i as usize], i));
        members.clear();
        starts.clear();
        for (at, &i) in order.iter().enumerate() {
            if at == 0 || parent[i as usize] != parent[order[at - 1] as usize] {
                starts.push(at as u32);
            }
            members.push(i);
        }
        starts.push(count);
    }
}

/// The lowest member of a set; afterwards `v` points straight at it.
fn root(parent: &mut [u32], v: u32) -> u32 {
    let mut top = v;
    while parent[top as usize] != top {
        top = parent[top as usize];
    }
    let mut at = v;
    while parent[at as usize] != top {
        let next = parent[at as usize];
        parent[at as usize] = top;
        at = next;
    }
    top
}

fn of_loop(index: u32, contour: &Loop, contours: &Contours, intersections: &Intersections) -> Feature {
    let [low, high] = contour.aabb;
    let extent = Extent { min: low.coords.into(), max: high.coords.into() };
    let center = Point3::from(extent.center());
    // ∫ x × dA = −½ ∮ |x|² dx by Stokes, taken about the loop's middle for the sake of digits.
    let mut about_center = Vector3::zeros();
    for [p, q] in contours.outline(contour, intersections) {
        let (p, q) = (p - center, q - center);
        let along = q - p;
        let mean = p.norm_squared() + p.dot(&along) + along.norm_squared() / 3.0;
        about_center -= along * (0.5 * mean);
    }
    Feature {
        kind: FeatureKind::Loop(index),
        component: None,
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
