// How large things are: of meshes, of bodies, of all that moves.

// Meshes of a scene of few bodies are bounded by some of their own vertices, else by a sphere.
const FEW = 40;

// So many times larger than the bodies that move, a fixed one is the ground.
const LARGE = 3;

// The sphere around the middle of a mesh's box.
function sphere(mesh) {
  const least = [Infinity, Infinity, Infinity];
  const greatest = [-Infinity, -Infinity, -Infinity];
  const v = mesh.vertices;
  for (let k = 0; k < v.length; k++) {
    least[k % 3] = Math.min(least[k % 3], v[k]);
    greatest[k % 3] = Math.max(greatest[k % 3], v[k]);
  }
  if (!v.length) return { at: [0, 0, 0], radius: 0 };
  const at = least.map((x, k) => (x + greatest[k]) / 2);
  let radius = 0;
  for (let k = 0; k < v.length; k += 3) radius = Math.max(radius, Math.hypot(v[k] - at[0], v[k + 1] - at[1], v[k + 2] - at[2]));
  return { at, radius };
}

// The vertices of a mesh that lie farthest along directions spread over the sphere.
function farthest(mesh) {
  const found = new Set();
  const count = 60;
  const v = mesh.vertices;
  for (let k = 0; k < count; k++) {
    const z = 1 - (2 * k + 1) / count;
    const around = 2.399963 * k;
    const [x, y] = [Math.sqrt(1 - z * z) * Math.cos(around), Math.sqrt(1 - z * z) * Math.sin(around)];
    let best = 0;
    let most = -Infinity;
    for (let i = 0; i < v.length; i += 3) {
      const far = x * v[i] + y * v[i + 1] + z * v[i + 2];
      if (far > most) {
        best = i;
        most = far;
      }
    }
    found.add(best);
  }
  return [...found].map((i) => ({ at: v.subarray(i, i + 3), radius: 0 }));
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

// Of a recording: what bounds each body in a frame, which bodies the camera shows (`shown` move, `stands` are fixed), which are
// walls, the usual radius of a body that moves, and the middle of where they move.
function measure({ header, meshes, frames }) {
  const spheres = meshes.map(sphere);
  const ofBody = (frame, k) => {
    const { at, radius } = frame.places.has(k) ? sphere({ vertices: frame.places.get(k) }) : spheres[header.bodies[k].mesh];
    return { at: move(model(poseOf(frame, k)), at), radius };
  };
  const indices = header.bodies.map((_, k) => k);
  const moving = indices.filter((k) => !header.bodies[k].fixed);
  const shown = moving.length ? moving : indices;
  const radii = shown.map((k) => spheres[header.bodies[k].mesh].radius);
  const largest = radii.reduce((a, b) => Math.max(a, b), 0);
  const some = frames.filter((_, k) => k % 30 === 0);
  const places = some.flatMap((frame) => shown.map((k) => ofBody(frame, k).at));
  const middle = [0, 1, 2].map((i) => median(places.map((at) => at[i])));
  // A fixed body that is not much larger, as a bolt, belongs to the picture; others are walls and ground.
  const fixed = indices.filter((k) => moving.length && header.bodies[k].fixed);
  const small = (mesh) => meshes[mesh].kind !== "half-space" && spheres[mesh].radius < LARGE * largest;
  const stands = fixed.filter((k) => !header.container && small(header.bodies[k].mesh));
  const walls = new Set(fixed.filter((k) => !stands.includes(k)));
  const bounds = meshes.map((mesh, k) => (header.bodies.length > FEW ? [spheres[k]] : farthest(mesh)));
  const boundsOf = (frame, k) =>
    frame.places.has(k) ? farthest({ vertices: frame.places.get(k) }) : bounds[header.bodies[k].mesh];
  return { boundsOf, shown, stands, walls, usual: median(radii), middle, ofBody };
}
