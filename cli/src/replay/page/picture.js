// Draws a frame, and finds the body under a point of the picture.

const PAPER = [236, 238, 241];
// Radius of a contact point and length of a normal, as shares of a usual body's radius; least and greatest diameter in pixels.
const POINT = 0.055;
const NORMAL = 0.5;
const PIXELS = [4, 14];
// Colours of samples of contact regions, from shallow to the deepest of the frame, and their diameters in pixels.
const DEPTHS = [[0.99, 0.91, 0.6], [0.99, 0.76, 0.36], [0.97, 0.55, 0.24], [0.88, 0.32, 0.2], [0.68, 0.12, 0.17], [0.42, 0.02, 0.15]];
const SAMPLES = [2, 6];
// Edges at which a surface turns by more than this are drawn as lines.
const SHARP = Math.cos((30 * Math.PI) / 180);

// The sharp edges of a mesh and its borders, as pairs of points.
function sharpEdges({ vertices, triangles }) {
  const corner = (k) => vertices.subarray(3 * k, 3 * k + 3);
  const same = new Map();
  const name = (k) => {
    const text = corner(k).join();
    if (!same.has(text)) same.set(text, k);
    return same.get(text);
  };
  const edges = new Map();
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => name(triangles[t + k]));
    const normal = unit(cross(sub([...corner(b)], corner(a)), sub([...corner(c)], corner(a))));
    for (const [p, q] of [[a, b], [b, c], [c, a]]) {
      const key = p < q ? `${p} ${q}` : `${q} ${p}`;
      if (!edges.has(key)) edges.set(key, { ends: [p, q], normals: [] });
      edges.get(key).normals.push(normal);
    }
  }
  const drawn = [...edges.values()].filter(({ normals }) => normals.length !== 2 || dot(normals[0], normals[1]) < SHARP);
  return new Float32Array(drawn.flatMap(({ ends }) => ends.flatMap((k) => [...corner(k)])));
}

class Picture {
  constructor(canvas, recording, extent) {
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL 2");
    Object.assign(this, { canvas, gl, recording, extent, hovered: -1 });
    this.body = program(gl, BODY);
    this.mark = program(gl, MARK);
    this.ball = program(gl, BALL);
    this.meshes = recording.meshes.map((mesh) => buffer(gl, mesh.vertices, mesh.triangles));
    this.edges = new Map();
    this.marks = buffer(gl, new Float32Array(0));
    this.target = this.single();
  }

  // A picture of one pixel, for the body under the pointer.
  single() {
    const { gl } = this;
    const target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    for (const [format, point] of [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]]) {
      const plane = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, plane);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, 1, 1);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, point, gl.RENDERBUFFER, plane);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return target;
  }

  // Makes the picture as large as its place in the page; its aspect.
  fill() {
    const box = this.canvas.getBoundingClientRect();
    const [wide, high] = [box.width, box.height].map((x) => Math.max(1, Math.round(x * devicePixelRatio)));
    if (this.canvas.width !== wide) this.canvas.width = wide;
    if (this.canvas.height !== high) this.canvas.height = high;
    return wide / high;
  }

  draw(frame, view, options) {
    const { gl, canvas } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...PAPER.map((x) => x / 255), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    const paint = (color, k) => {
      const shade = color.map((x) => x / 255);
      return k === this.hovered ? shade.map((x) => 0.6 * x + 0.4) : shade;
    };
    this.bodies(frame, view, view.matrix, options, paint);
    this.powder(frame, view, paint);
    this.outlines(frame, view, options);
    if (options.regions) this.regions(frame, view);
    this.contacts(frame, view, options);
  }

  // Outlines of contact regions, and their samples in colours of depth; a body does not hide them.
  regions({ outlines, samples }, view) {
    const { gl, mark } = this;
    this.marking(view, 0);
    gl.disable(gl.DEPTH_TEST);
    gl.uniformMatrix4fv(mark.model, false, model([0, 0, 0, 0, 0, 0, 1]));
    gl.uniform2f(mark.sizes, ...SAMPLES.map((x) => x * devicePixelRatio));
    const deepest = samples.reduce((most, x, k) => (k % 4 === 3 ? Math.max(most, x) : most), 0);
    const shades = DEPTHS.map(() => []);
    for (let k = 0; k < samples.length; k += 4) {
      const shade = deepest > 0 ? Math.floor((DEPTHS.length * samples[k + 3]) / deepest) : 0;
      shades[Math.min(Math.max(shade, 0), DEPTHS.length - 1)].push(...samples.subarray(k, k + 3));
    }
    shades.forEach((places, k) => {
      this.place(places);
      this.stroke(this.marks, gl.POINTS, [...DEPTHS[k], 1]);
    });
    this.place(outlines);
    this.stroke(this.marks, gl.LINES, [0.05, 0.35, 0.15, 1]);
    gl.enable(gl.DEPTH_TEST);
  }

  // Has marks at these places drawn next.
  place(numbers) {
    const { gl, marks } = this;
    gl.bindVertexArray(marks.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, marks.data);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
    marks.count = numbers.length / 3;
  }

  // Draws all surfaces in colours that `paint` gives.
  bodies(frame, view, matrix, options, paint, plain = false) {
    const { gl, body, recording, extent } = this;
    gl.useProgram(body.made);
    gl.uniformMatrix4fv(body.camera, false, matrix);
    gl.uniform3f(body.eye, ...view.from);
    gl.uniform3f(body.middle, ...extent.middle);
    gl.uniform1i(body.plain, plain);
    gl.uniform1i(body.ground, !recording.header.container);
    recording.header.bodies.forEach(({ mesh, color, fixed, balls }, k) => {
      if (balls) return;
      if (fixed && (options.fixed === "edges" || options.fixed === "hidden")) return;
      gl.uniform1i(body.open, options.fixed === "open" && extent.walls.has(k));
      gl.uniformMatrix4fv(body.model, false, model(poseOf(frame, k)));
      gl.uniform4f(body.color, ...paint(color, k), 1);
      this.reshape(frame, mesh);
      gl.bindVertexArray(this.meshes[mesh].array);
      this.deform(frame, mesh, k);
      gl.drawElements(gl.TRIANGLES, this.meshes[mesh].count, gl.UNSIGNED_INT, 0);
    });
  }

  // Takes the mesh that a frame has, where meshes become others.
  reshape({ others }, mesh) {
    const now = others.get(mesh) ?? this.recording.meshes[mesh];
    const { shown = this.recording.meshes[mesh] } = this.meshes[mesh];
    if (shown === now) return;
    free(this.gl, this.meshes[mesh]);
    this.meshes[mesh] = { ...buffer(this.gl, now.vertices, now.triangles), shown: now };
  }

  // Draws bodies that are powder: balls about the vertices.
  powder(frame, view, paint) {
    const { gl, ball, canvas, recording } = this;
    gl.useProgram(ball.made);
    gl.uniformMatrix4fv(ball.camera, false, view.matrix);
    recording.header.bodies.forEach(({ mesh, color, balls }, k) => {
      if (!balls) return;
      gl.uniform1f(ball.size, (balls * canvas.height) / Math.tan(FIELD / 2));
      gl.uniform3f(ball.color, ...paint(color, k));
      gl.bindVertexArray(this.meshes[mesh].array);
      this.deform(frame, mesh, k);
      gl.drawArrays(gl.POINTS, 0, recording.meshes[mesh].vertices.length / 3);
    });
  }

  // Puts the vertices of a body that deforms where a frame has them.
  deform({ places }, mesh, k) {
    const now = places.get(k);
    const { data } = this.meshes[mesh];
    if (!now || data.shown === now) return;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, data);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, now, this.gl.DYNAMIC_DRAW);
    data.shown = now;
  }

  // The edges of a container that is open, or of all that is fixed.
  outlines(frame, view, options) {
    const open = options.fixed === "open" && this.recording.header.container;
    if (!open && options.fixed !== "edges") return;
    this.marking(view, 0);
    this.recording.header.bodies.forEach(({ mesh, fixed, deforms }, k) => {
      const { kind } = this.recording.meshes[mesh];
      if (!fixed || deforms || kind === "half-space") return;
      this.gl.uniformMatrix4fv(this.mark.model, false, model(poseOf(frame, k)));
      const now = frame.others.get(mesh) ?? this.recording.meshes[mesh];
      if (this.edges.get(mesh)?.of !== now) this.edges.set(mesh, { ...buffer(this.gl, sharpEdges(now)), of: now });
      this.stroke(this.edges.get(mesh), this.gl.LINES, [0.3, 0.32, 0.36, 0.5]);
    });
  }

  // Contact points and normals: clearly where they are seen, faintly where a body hides them, the more of them the more so.
  contacts(frame, view, { points, normals }) {
    const { gl, mark, extent } = this;
    const length = NORMAL * extent.usual;
    this.marking(view, 2 * POINT * extent.usual);
    gl.uniformMatrix4fv(mark.model, false, model([0, 0, 0, 0, 0, 0, 1]));
    const hidden = Math.min(0.5, Math.max(0.12, 15 / frame.contacts.length));
    for (const [seen, alpha] of [[false, hidden], [true, 1]]) {
      if (seen) gl.enable(gl.DEPTH_TEST);
      else gl.disable(gl.DEPTH_TEST);
      if (normals) {
        this.place(frame.contacts.flatMap(({ at, normal }) => [...at, ...at.map((x, i) => x + length * normal[i])]));
        this.stroke(this.marks, gl.LINES, [0.1, 0.2, 0.7, alpha]);
      }
      if (points) {
        this.place(frame.contacts.flatMap(({ at }) => [...at]));
        gl.uniform1i(mark.round, 1);
        this.stroke(this.marks, gl.POINTS, [0.85, 0.04, 0.1, alpha]);
        gl.uniform1i(mark.round, 0);
      }
    }
  }

  marking(view, lift) {
    const { gl, mark, canvas, extent } = this;
    gl.useProgram(mark.made);
    gl.uniformMatrix4fv(mark.camera, false, view.matrix);
    gl.uniform3f(mark.eye, ...view.from);
    gl.uniform1f(mark.lift, lift);
    gl.uniform1f(mark.size, (POINT * extent.usual * canvas.height) / Math.tan(FIELD / 2));
    gl.uniform2f(mark.sizes, ...PIXELS.map((x) => x * devicePixelRatio));
    gl.uniform1i(mark.round, 0);
  }

  stroke(what, how, color) {
    this.gl.uniform4f(this.mark.color, ...color);
    this.gl.bindVertexArray(what.array);
    this.gl.drawArrays(how, 0, what.count);
  }

  // The body at a place of the picture, as shares of its width and height; −1 where there is none.
  pick(frame, view, options, [x, y]) {
    const { gl, canvas } = this;
    const [wide, high] = [canvas.width, canvas.height];
    const closer = [wide, 0, 0, 0, 0, high, 0, 0, 0, 0, 1, 0, wide * (1 - 2 * x), high * (2 * y - 1), 0, 1];
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, 1, 1);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const number = (_, k) => [(k + 1) & 255, ((k + 1) >> 8) & 255, ((k + 1) >> 16) & 255].map((part) => part / 255);
    this.bodies(frame, view, multiply(closer, view.matrix), options, number, true);
    const pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1;
  }

  // The share of the picture that is not background.
  covered() {
    const { gl, canvas } = this;
    const [wide, high] = [canvas.width, canvas.height];
    const pixels = new Uint8Array(4 * wide * high);
    gl.readPixels(0, 0, wide, high, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let count = 0;
    for (let k = 0; k < wide * high; k++) if (PAPER.some((x, i) => pixels[4 * k + i] !== x)) count++;
    return count / (wide * high);
  }
}
