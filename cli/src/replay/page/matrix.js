// Vectors, and matrices of four by four, column by column.

const sub = (a, b) => a.map((x, k) => x - b[k]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));

function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++)
      for (let k = 0; k < 4; k++) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

// The matrix of a pose: place and quaternion (i, j, k, w).
function model(pose) {
  const [x, y, z, i, j, k, w] = pose;
  return [
    1 - 2 * (j * j + k * k), 2 * (i * j + k * w), 2 * (i * k - j * w), 0,
    2 * (i * j - k * w), 1 - 2 * (i * i + k * k), 2 * (j * k + i * w), 0,
    2 * (i * k + j * w), 2 * (j * k - i * w), 1 - 2 * (i * i + j * j), 0,
    x, y, z, 1,
  ];
}

const move = (m, p) => [0, 1, 2].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);

// The pose of a body in a frame.
const poseOf = (frame, body) => frame.poses.subarray(7 * body, 7 * body + 7);
