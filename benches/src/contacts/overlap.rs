//! The overlap of two closed meshes by plain integration: parallel columns over a rectangle, and which
//! of their stretches hang together. Independent of the code under test, in double precision.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use impinge_geometry::TriMesh;

/// Parallel columns: their direction and the rectangle they stand on.
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    /// Rows: two axes of the rectangle and the direction of the columns (orthonormal).
    axes: Matrix3<f64>,
    low: [f64; 2],
    high: [f64; 2],
    side: usize,
}

/// A stretch of a column inside both bodies.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    column: usize,
    from: f64,
    to: f64,
    piece: usize,
}

/// The overlap on a lattice.
#[derive(Clone, Debug)]
pub struct Overlap {
    lattice: Lattice,
    /// By column.
    stretches: Vec<Stretch>,
}

/// The corners of a mesh at its pose.
pub fn placed(mesh: &TriMesh, pose: &Isometry3<f64>) -> Vec<[Point3<f64>; 3]> {
    let vertices: Vec<Point3<f64>> = mesh.vertices().iter().map(|p| pose * p.cast::<f64>()).collect();
    mesh.triangles().iter().map(|t| t.map(|v| vertices[v as usize])).collect()
}

impl Lattice {
    /// A lattice of `side`² columns along `direction` over what both bodies have in common of their
    /// boxes; `None` where that is nothing.
    pub fn new(bodies: [&[[Point3<f64>; 3]]; 2], direction: &Vector3<f64>, side: usize) -> Option<Lattice> {
        // Turned a little away from edges that run along the axes.
        let z = (direction + Vector3::new(1.3e-4, -2.1e-4, 1.7e-4)).normalize();
        let x = z.cross(&Vector3::ith(z.iamin(), 1.0)).normalize();
        let axes = Matrix3::from_rows(&[x.transpose(), z.cross(&x).transpose(), z.transpose()]);
        let (mut low, mut high) = ([f64::MIN; 2], [f64::MAX; 2]);
        for body in bodies {
            for k in 0..2 {
                let at = body.iter().flatten().map(|p| (axes * p.coords)[k]);
                low[k] = low[k].max(at.clone().fold(f64::MAX, f64::min));
                high[k] = high[k].min(at.fold(f64::MIN, f64::max));
            }
        }
        (0..2).all(|k| low[k] < high[k]).then_some(Lattice { axes, low, high, side })
    }

    /// A lattice of `side`² columns over the rectangle of some points (m), grown by half of its width and no farther than
    /// this one's; `None` where there are no points.
    pub fn over(self, points: impl Iterator<Item = Point3<f64>>, side: usize) -> Option<Lattice> {
        let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
        for p in points {
            let at = self.axes * p.coords;
            for k in 0..2 {
                low[k] = low[k].min(at[k]);
                high[k] = high[k].max(at[k]);
            }
        }
        for k in 0..2 {
            let grown = 0.5 * (high[k] - low[k]);
            low[k] = (low[k] - grown).max(self.low[k]);
            high[k] = (high[k] + grown).min(self.high[k]);
        }
        (0..2).all(|k| low[k] < high[k]).then_some(Lattice { low, high, side, ..self })
    }

    fn pixel(&self, k: usize) -> f64 {
        (self.high[k] - self.low[k]) / self.side as f64
    }

    /// The range of columns along one axis whose middles lie between two places.
    fn columns(&self, k: usize, from: f64, to: f64) -> std::ops::Range<usize> {
        let at = |x: f64| ((x - self.low[k]) / self.pixel(k) - 0.5).clamp(-1.0, self.side as f64);
        at(from).ceil().max(0.0) as usize..((at(to).floor() + 1.0).max(0.0) as usize).min(self.side)
    }

    fn middle(&self, k: usize, i: usize) -> f64 {
        self.low[k] + (i as f64 + 0.5) * self.pixel(k)
    }

    /// Where the surface of a body crosses each column, as (depth, enters).
    fn crossings(&self, body: &[[Point3<f64>; 3]]) -> Vec<Vec<(f64, bool)>> {
        let mut columns = vec![Vec::new(); self.side * self.side];
        for triangle in body {
            let [a, b, c] = triangle.map(|p| self.axes * p.coords);
            let area = cross(&a, &b, &c);
            let range = |k: usize| self.columns(k, a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
            let across = range(0);
            for j in range(1) {
                for i in across.clone() {
                    let p = Vector3::new(self.middle(0, i), self.middle(1, j), 0.0);
                    let sides = [on_left(&a, &b, &p), on_left(&b, &c, &p), on_left(&c, &a, &p)];
                    if sides[0] == sides[1] && sides[1] == sides[2] && area != 0.0 {
                        let share = [cross(&b, &c, &p), cross(&c, &a, &p), cross(&a, &b, &p)];
                        let z = (share[0] * a.z + share[1] * b.z + share[2] * c.z) / area;
                        // Counter-clockwise faces look along +z: there the column leaves the body.
                        columns[j * self.side + i].push((z, !sides[0]));
                    }
                }
            }
        }
        columns
    }
}

/// Twice the signed area of three points in the plane of the lattice.
fn cross(a: &Vector3<f64>, b: &Vector3<f64>, p: &Vector3<f64>) -> f64 {
    (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)
}

/// Whether a point lies to the left of an edge. Both faces of an edge compute the same number, so each
/// point belongs to one of them.
fn on_left(a: &Vector3<f64>, b: &Vector3<f64>, p: &Vector3<f64>) -> bool {
    if (a.x, a.y) < (b.x, b.y) { cross(a, b, p) > 0.0 } else { cross(b, a, p) <= 0.0 }
}

impl Overlap {
    /// The overlap of two bodies, in pieces that hang together.
    pub fn new(lattice: Lattice, bodies: [&[[Point3<f64>; 3]]; 2]) -> Overlap {
        let [mut of_a, of_b] = bodies.map(|body| lattice.crossings(body));
        let mut stretches = Vec::new();
        for (column, (a, b)) in of_a.iter_mut().zip(of_b).enumerate() {
            let mut events: Vec<(f64, usize, bool)> = a.drain(..).map(|(z, enters)| (z, 0, enters)).collect();
            events.extend(b.into_iter().map(|(z, enters)| (z, 1, enters)));
            events.sort_by(|x, y| x.0.total_cmp(&y.0));
            let (mut inside, mut from) = ([0i32; 2], None);
            for (z, body, enters) in events {
                inside[body] += if enters { 1 } else { -1 };
                let both = inside[0] > 0 && inside[1] > 0;
                match (both, from) {
                    (true, None) => from = Some(z),
                    (false, Some(start)) => {
                        if z > start {
                            stretches.push(Stretch { column, from: start, to: z, piece: stretches.len() });
                        }
                        from = None;
                    }
                    _ => {}
                }
            }
        }
        let mut overlap = Overlap { lattice, stretches };
        overlap.join();
        overlap
    }

    /// Gives stretches of neighbouring columns that share a depth the same piece.
    fn join(&mut self) {
        let side = self.lattice.side;
        let mut starts = vec![0; side * side + 1];
        for stretch in &self.stretches {
            starts[stretch.column + 1] += 1;
        }
        for k in 0..side * side {
            starts[k + 1] += starts[k];
        }
        let mut parent: Vec<usize> = (0..self.stretches.len()).collect();
        fn root(parent: &mut [usize], mut k: usize) -> usize {
            while parent[k] != k {
                parent[k] = parent[parent[k]];
                k = parent[k];
            }
            k
        }
        for column in 0..side * side {
            let neighbours = [
                (column % side + 1 < side).then_some(column + 1),
                (column + side < side * side).then_some(column + side),
            ];
            for other in neighbours.into_iter().flatten() {
                for i in starts[column]..starts[column + 1] {
                    for j in starts[other]..starts[other + 1] {
                        let (s, t) = (&self.stretches[i], &self.stretches[j]);
                        if s.from < t.to && t.from < s.to {
                            let (x, y) = (root(&mut parent, i), root(&mut parent, j));
                            parent[x.max(y)] = x.min(y);
                        }
                    }
                }
            }
        }
        for k in 0..self.stretches.len() {
            self.stretches[k].piece = root(&mut parent, k);
        }
    }

    /// The largest piece that comes within `reach` (m) of a place, or the nearest where none does; `None`
    /// where there is no overlap.
    pub fn nearest(&self, place: &Point3<f64>, reach: f64) -> Option<usize> {
        let p = self.lattice.axes * place.coords;
        let distance = |s: &Stretch| {
            let dx = self.lattice.middle(0, s.column % self.lattice.side) - p.x;
            let dy = self.lattice.middle(1, s.column / self.lattice.side) - p.y;
            let dz = (s.from - p.z).max(p.z - s.to).max(0.0);
            (dx * dx + dy * dy + dz * dz).sqrt()
        };
        let reach = reach + self.lattice.pixel(0).hypot(self.lattice.pixel(1));
        let mut near: Vec<usize> =
            self.stretches.iter().filter(|s| distance(s) <= reach).map(|s| s.piece).collect();
        near.sort_unstable();
        near.dedup();
        let volume = |piece: usize| self.volume(|k| k == piece);
        let largest = near.into_iter().max_by(|&x, &y| volume(x).total_cmp(&volume(y)));
        let nearest = || self.stretches.iter().min_by(|s, t| distance(s).total_cmp(&distance(t)));
        largest.or_else(|| nearest().map(|s| s.piece))
    }

    /// Volume of some pieces (m³).
    pub fn volume(&self, has: impl Fn(usize) -> bool) -> f64 {
        let area = self.lattice.pixel(0) * self.lattice.pixel(1);
        self.stretches.iter().filter(|s| has(s.piece)).fold(0.0, |sum, s| sum + (s.to - s.from) * area)
    }

    /// The middles of all stretches (m).
    pub fn places(&self) -> impl Iterator<Item = Point3<f64>> {
        let Lattice { side, axes, .. } = self.lattice;
        self.stretches.iter().map(move |s| {
            let [x, y] = [(0, s.column % side), (1, s.column / side)].map(|(k, i)| self.lattice.middle(k, i));
            Point3::from(axes.tr_mul(&Vector3::new(x, y, 0.5 * (s.from + s.to))))
        })
    }

    /// A finer lattice over one piece, grown by `margin` (m).
    pub fn around(&self, piece: usize, margin: f64, side: usize) -> Lattice {
        let mut finer = Lattice { low: [f64::MAX; 2], high: [f64::MIN; 2], side, ..self.lattice };
        for stretch in self.stretches.iter().filter(|s| s.piece == piece) {
            for (k, i) in [stretch.column % self.lattice.side, stretch.column / self.lattice.side]
                .into_iter()
                .enumerate()
            {
                let at = self.lattice.middle(k, i);
                finer.low[k] = finer.low[k].min(at - self.lattice.pixel(k) - margin);
                finer.high[k] = finer.high[k].max(at + self.lattice.pixel(k) + margin);
            }
        }
        finer
    }

    /// The pieces of `self` that share space with one piece of `before`, on the same lattice.
    pub fn pieces_in(&self, before: &Overlap, piece: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut k = 0;
        for old in before.stretches.iter().filter(|s| s.piece == piece) {
            while k < self.stretches.len() && self.stretches[k].column < old.column {
                k += 1;
            }
            for new in self.stretches[k..].iter().take_while(|s| s.column == old.column) {
                if new.from < old.to && old.from < new.to {
                    found.push(new.piece);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
