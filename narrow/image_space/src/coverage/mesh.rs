//! Triangles of a mesh, placed on the lattice four at a time.

use impinge_geometry::simd::{self, Kernel, Simd};
use impinge_geometry::{FacesRef, SimdLevel};

use super::four::{FourCorners, LANES, four};
use super::{Grid, Sink};

/// A map from the frame of a mesh to a lattice.
pub(crate) trait Place {
    /// The nearest places of the lattice to the vertices of four triangles.
    fn four(&self, vertices: &FourCorners) -> FourCorners;
}

/// Gives `sink` the crossings of some triangles of a mesh.
pub(crate) fn cover_mesh<P: Place, S: Sink>(
    level: SimdLevel,
    grid: &Grid,
    place: &P,
    mesh: FacesRef<'_>,
    triangles: &[u32],
    sink: &mut S,
) {
    simd::run(level, Scan { grid, place, mesh, triangles, sink });
}

/// Gives `sink` the crossings of triangles whose vertices are on the lattice already.
pub(crate) fn cover_snapped<S: Sink>(
    level: SimdLevel,
    grid: &Grid,
    vertices: &[[i32; 3]],
    triangles: &[[u32; 3]],
    sink: &mut S,
) {
    simd::run(level, ScanSnapped { grid, vertices, triangles, sink });
}

/// Triangles that are looked through at once for those that lines may meet.
const CHUNK: usize = 256;

struct ScanSnapped<'a, S> {
    grid: &'a Grid,
    vertices: &'a [[i32; 3]],
    triangles: &'a [[u32; 3]],
    sink: &'a mut S,
}

impl<S: Sink> Kernel for ScanSnapped<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let ScanSnapped { grid, vertices, triangles, sink } = self;
        let mut kept = [0u32; CHUNK];
        for (chunk, own) in triangles.chunks(CHUNK).enumerate() {
            // Without branches: most triangles of a fine mesh lie between the lines, and which is beyond guessing.
            let mut count = 0;
            for (k, triangle) in own.iter().enumerate() {
                let c = [0, 1, 2].map(|i| vertices[triangle[i] as usize]);
                let ([i, i_last], [j, j_last]) = (candidates(grid, &c, 0), candidates(grid, &c, 1));
                kept[count] = (chunk * CHUNK + k) as u32;
                count += usize::from((i <= i_last) & (j <= j_last));
            }
            for numbers in kept[..count].chunks(LANES) {
                let mut corners = [[[0.0; LANES]; 3]; 3];
                for lane in 0..LANES {
                    let triangle = triangles[numbers[lane.min(numbers.len() - 1)] as usize];
                    for i in 0..3 {
                        let v = &vertices[triangle[i] as usize];
                        for k in 0..3 {
                            corners[i][k][lane] = f64::from(v[k]);
                        }
                    }
                }
                four(grid, &corners, numbers, sink);
            }
        }
    }
}

/// As [`Grid::candidates`], in 32 bits.
#[inline(always)]
fn candidates(grid: &Grid, c: &[[i32; 3]; 3], axis: usize) -> [i32; 2] {
    let (low, high) =
        (c[0][axis].min(c[1][axis]).min(c[2][axis]), c[0][axis].max(c[1][axis]).max(c[2][axis]));
    let up = (1i32 << grid.sub_bits) - 1;
    [((low + up) >> grid.sub_bits).max(0), (high >> grid.sub_bits).min(grid.pixels[axis] as i32 - 1)]
}

struct Scan<'a, P, S> {
    grid: &'a Grid,
    place: &'a P,
    mesh: FacesRef<'a>,
    triangles: &'a [u32],
    sink: &'a mut S,
}

impl<P: Place, S: Sink> Kernel for Scan<'_, P, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Scan { grid, place, mesh, triangles, sink } = self;
        for own in triangles.chunks(LANES) {
            let mut from = [[[0.0; LANES]; 3]; 3];
            for lane in 0..LANES {
                // Those that are missing are like the last.
                let corners = mesh.corners(own[lane.min(own.len() - 1)]);
                for i in 0..3 {
                    let v = &corners[i];
                    from[i][0][lane] = f64::from(v.x);
                    from[i][1][lane] = f64::from(v.y);
                    from[i][2][lane] = f64::from(v.z);
                }
            }
            four(grid, &place.four(&from), own, sink);
        }
    }
}
