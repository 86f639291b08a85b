// The camera follows what moves, so that it fills the picture, and is turned around it.

const FIELD = (35 * Math.PI) / 180;
// Frames from one place of the camera to the next; between them it glides.
const STRIDE = 10;
// Room at each border, as a share of the picture.
const BORDER = 0.04;
// A body that is so many times farther away than most is not followed.
const STRAY = 3;
// Of so many places of the camera what bounds the bodies is kept.
const KEPT = 16;

class Camera {
  constructor(recording, extent) {
    this.recording = recording;
    this.extent = extent;
    this.follow = true;
    this.strides = new Map();
    this.reset();
  }

  // As the scene has it.
  reset() {
    const d = this.recording.header.direction;
    Object.assign(this, { yaw: Math.atan2(-d[1], -d[0]), pitch: Math.asin(-d[2]), zoom: 1, pan: [0, 0, 0] });
    this.held = null;
    this.known = null;
  }

  // The picture's axes: right, up, and back towards the viewer.
  axes() {
    const [sin, cos] = [Math.sin(this.pitch), Math.cos(this.pitch)];
    const back = [cos * Math.cos(this.yaw), cos * Math.sin(this.yaw), sin];
    const right = unit(cross([0, 0, 1], back));
    return [right, cross(back, right), back];
  }

  // What is seen at a frame: its matrix, where the eye is and how far off, and the picture's axes.
  at(frame, aspect) {
    const axes = this.axes();
    const fit = this.fit(frame, axes, aspect);
    const distance = fit.distance * this.zoom;
    const target = fit.target.map((x, k) => x + this.pan[k]);
    const from = target.map((x, k) => x + distance * axes[2][k]);
    const [r, u, b] = axes;
    const view = [
      r[0], u[0], b[0], 0, r[1], u[1], b[1], 0, r[2], u[2], b[2], 0, -dot(r, from), -dot(u, from), -dot(b, from), 1,
    ];
    const f = 1 / Math.tan(FIELD / 2);
    const [near, far] = [0.02 * distance, 50 * distance];
    const [scale, shift] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
    const lens = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, scale, -1, 0, 0, shift, 0];
    return { matrix: multiply(lens, view), from, distance, axes };
  }

  fit(frame, axes, aspect) {
    const orientation = [this.yaw, this.pitch, aspect].join();
    if (this.known?.orientation !== orientation) this.known = { orientation, borders: new Map() };
    if (!this.follow) frame = this.held ??= frame;
    else this.held = null;
    const slopes = [aspect, 1].map((side) => Math.atan(Math.tan(FIELD / 2) * side * (1 - 2 * BORDER)));
    const borders = this.glide(frame, axes, slopes);
    return placed(borders, axes, slopes);
  }

  // The borders at a frame, between those of the strides before and after it, each widened to the mean over its neighbours.
  glide(frame, axes, slopes) {
    const last = Math.ceil((this.recording.frames.length - 1) / STRIDE);
    const of = (key) => this.borders(Math.min(Math.max(key, 0), last), axes, slopes);
    const smooth = (key) => {
      const near = [-2, -1, 0, 1, 2].map((off) => of(key + off));
      const mean = (side) => [1, 2, 3, 2, 1].reduce((sum, weight, k) => sum + (weight * near[k][side]) / 9, 0);
      return near[2].map((own, side) => Math.max(own, mean(side)));
    };
    const key = Math.floor(frame / STRIDE);
    const share = frame / STRIDE - key;
    const [before, after] = [smooth(key), smooth(key + 1)];
    return before.map((x, side) => (1 - share) * x + share * after[side]);
  }

  // How far what is shown reaches beyond four planes through the origin (right, left, up, down of the picture), and its depth.
  borders(key, axes, slopes) {
    const known = this.known.borders;
    if (known.has(key)) return known.get(key);
    const { balls, middle } = this.stride(key);
    const normals = slopes.flatMap((slope, k) => [1, -1].map((side) =>
      axes[k].map((x, i) => side * Math.cos(slope) * x + Math.sin(slope) * axes[2][i])));
    const found = [-Infinity, -Infinity, -Infinity, -Infinity];
    normals.forEach(([x, y, z], side) => {
      for (let k = 0; k < balls.length; k += 4) {
        found[side] = Math.max(found[side], x * balls[k] + y * balls[k + 1] + z * balls[k + 2] + balls[k + 3]);
      }
    });
    known.set(key, [...found, dot(axes[2], middle)]);
    return known.get(key);
  }

  // What is the same however the camera is turned: balls (x, y, z, radius) that bound what is shown, and the bodies' middle.
  stride(key) {
    const { recording, extent, strides } = this;
    if (strides.has(key)) return strides.get(key);
    const frame = recording.frames[Math.min(key * STRIDE, recording.frames.length - 1)];
    const { bodies, middle } = gathered(frame, extent);
    const balls = [];
    for (const body of [...bodies, ...extent.stands]) {
      const matrix = model(poseOf(frame, body));
      for (const { at, radius } of extent.boundsOf(frame, body)) balls.push(...move(matrix, at), radius);
    }
    if (strides.size >= KEPT) strides.delete(strides.keys().next().value);
    strides.set(key, { balls: Float64Array.from(balls), middle });
    return strides.get(key);
  }
}

// The bodies that move, without those that have strayed, and the middle of all that move.
function gathered(frame, extent) {
  const balls = extent.shown.map((k) => extent.ofBody(frame, k));
  const middle = [0, 1, 2].map((i) => median(balls.map((ball) => ball.at[i])));
  const away = balls.map((ball) => Math.hypot(...sub(ball.at, middle)) + ball.radius);
  const most = [...away].sort((a, b) => a - b)[Math.floor(0.8 * (away.length - 1))];
  return { bodies: extent.shown.filter((_, k) => away[k] <= STRAY * most), middle };
}

// Where the eye has to be so that all lies within the borders, as a target and the distance from it.
function placed([right, left, up, down, depth], axes, [wide, high]) {
  const x = (right - left) / (2 * Math.cos(wide));
  const y = (up - down) / (2 * Math.cos(high));
  const z = Math.max((right + left) / (2 * Math.sin(wide)), (up + down) / (2 * Math.sin(high)));
  const distance = Math.max(z - depth, 1e-6);
  const target = [0, 1, 2].map((i) => x * axes[0][i] + y * axes[1][i] + (z - distance) * axes[2][i]);
  return { target, distance };
}
