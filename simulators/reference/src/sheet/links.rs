//! What holds the vertices of a sheet together: edges, and the ends of two triangles at an edge.

use impinge::TriMesh;
use nalgebra::Point3;

/// Two vertices that want to be as far from each other as they were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    ends: [u32; 2],
    /// Their distance at rest (m).
    length: f64,
    /// How far it gives (m/N).
    compliance: f64,
    /// What it has pulled with in this step (N·s²).
    pulled: f64,
}

/// All links of a surface whose vertices rest at `rest` (m).
pub(super) fn links(surface: &TriMesh, rest: &[Point3<f64>], compliance: [f64; 2]) -> Vec<Link> {
    let link = |ends: [u32; 2], compliance: f64| {
        let [a, b] = ends.map(|v| rest[v as usize]);
        Link { ends, length: (b - a).norm(), compliance, pulled: 0.0 }
    };
    let mut all = Vec::new();
    let mut bends = Vec::new();
    for (index, edge) in (0..).zip(surface.edges()) {
        all.push(link(edge.vertices, compliance[0]));
        if let [s, t] = surface.edge_faces(index) {
            let other = |face: &u32| {
                let corners = surface.triangles()[*face as usize];
                corners.into_iter().find(|corner| !edge.vertices.contains(corner))
            };
            if let (Some(a), Some(b)) = (other(s), other(t)) {
                bends.push(link([a, b], compliance[1]));
            }
        }
    }
    all.extend(bends);
    all
}

/// Links between pairs of vertices that no edge joins.
pub(super) fn struts<'s>(
    ends: &'s [[u32; 2]],
    rest: &'s [Point3<f64>],
    compliance: f64,
) -> impl Iterator<Item = Link> + 's {
    ends.iter().map(move |&ends| {
        let [a, b] = ends.map(|v| rest[v as usize]);
        Link { ends, length: (b - a).norm(), compliance, pulled: 0.0 }
    })
}

impl Link {
    /// Begins a step.
    pub fn begin(&mut self) {
        self.pulled = 0.0;
    }

    /// Moves both ends towards their distance at rest.
    pub fn relax(&mut self, places: &mut [Point3<f64>], masses: &[f64], dt: f64) {
        let [a, b] = self.ends.map(|v| v as usize);
        let [of_a, of_b] = [a, b].map(|v| 1.0 / masses[v]);
        let apart = places[b] - places[a];
        let distance = apart.norm();
        let soft = self.compliance / (dt * dt);
        let under = of_a + of_b + soft;
        if distance <= 0.0 || of_a + of_b <= 0.0 {
            return;
        }
        let pull = -(distance - self.length + soft * self.pulled) / under;
        self.pulled += pull;
        let shift = apart * (pull / distance);
        places[a] -= shift * of_a;
        places[b] += shift * of_b;
    }
}
