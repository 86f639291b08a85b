"use strict";
// Replays a recording: see recording.rs for its layout. Drag to orbit, shift-drag or right-drag to move, wheel to
// zoom, space to play, arrow keys to step. `#frame=N` opens at frame N.

const $ = (id) => document.getElementById(id);

function decode() {
  const text = atob($("recording").textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  const first = bytes.indexOf(10);
  const second = bytes.indexOf(10, first + 1);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(first + 1, second)));
  const floats = new Float32Array(bytes.buffer, 0, bytes.length >> 2);
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2);
  let at = (second + 1) >> 2;
  const meshes = header.meshes.map((mesh) => {
    const vertices = floats.subarray(at, (at += 3 * mesh.vertices));
    const triangles = words.subarray(at, (at += 3 * mesh.triangles));
    return { vertices, triangles };
  });
  const frames = [];
  while (at < words.length) {
    const count = words[at++];
    const times = floats.subarray(at, (at += header.stages.length));
    const poses = floats.subarray(at, (at += 7 * header.bodies.length));
    const contacts = floats.subarray(at, (at += 7 * count));
    frames.push({ times, poses, contacts });
  }
  return { header, meshes, frames };
}

const BODY = {
  vertex: `#version 300 es
    in vec3 at; uniform mat4 camera; uniform mat4 model; out vec3 world;
    void main() { vec4 p = model * vec4(at, 1.0); world = p.xyz; gl_Position = camera * p; }`,
  fragment: `#version 300 es
    precision highp float;
    in vec3 world; uniform vec3 eye; uniform vec4 color; out vec4 pixel;
    void main() {
      vec3 n = normalize(cross(dFdx(world), dFdy(world)));
      vec3 v = normalize(eye - world);
      if (dot(n, v) < 0.0) n = -n;
      float light = 0.42 + 0.28 * (0.5 + 0.5 * n.z) + 0.34 * max(0.0, dot(n, normalize(v + vec3(0.4, -0.2, 0.9))));
      pixel = vec4(color.rgb * light, color.a);
    }`,
};
const MARK = {
  vertex: `#version 300 es
    in vec3 at; uniform mat4 camera; uniform float size;
    void main() { gl_Position = camera * vec4(at, 1.0); gl_Position.z -= 0.0005 * gl_Position.w; gl_PointSize = size; }`,
  fragment: `#version 300 es
    precision highp float;
    uniform vec4 color; uniform bool round; out vec4 pixel;
    void main() { if (round && length(gl_PointCoord - 0.5) > 0.5) discard; pixel = color; }`,
};

function program(gl, source, uniforms) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, source.vertex], [gl.FRAGMENT_SHADER, source.fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.bindAttribLocation(made, 0, "at");
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  return { made, ...Object.fromEntries(uniforms.map((name) => [name, gl.getUniformLocation(made, name)])) };
}

// Vectors and column-major matrices.
const sub = (a, b) => a.map((x, k) => x - b[k]);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));

function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++)
      for (let k = 0; k < 4; k++) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

function model(pose, out) {
  const [x, y, z, i, j, k, w] = pose;
  out.set([
    1 - 2 * (j * j + k * k), 2 * (i * j + k * w), 2 * (i * k - j * w), 0,
    2 * (i * j - k * w), 1 - 2 * (i * i + k * k), 2 * (j * k + i * w), 0,
    2 * (i * k + j * w), 2 * (j * k - i * w), 1 - 2 * (i * i + j * j), 0,
    x, y, z, 1,
  ]);
  return out;
}

function main() {
  const { header, meshes, frames } = decode();
  const canvas = $("view");
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) throw new Error("this browser has no WebGL 2");
  const body = program(gl, BODY, ["camera", "model", "eye", "color"]);
  const mark = program(gl, MARK, ["camera", "size", "color", "round"]);
  const buffers = meshes.map((mesh) => {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, mesh.vertices, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles, gl.STATIC_DRAW);
    return { array, count: mesh.triangles.length };
  });
  const marks = gl.createVertexArray();
  const marksBuffer = gl.createBuffer();
  gl.bindVertexArray(marks);
  gl.bindBuffer(gl.ARRAY_BUFFER, marksBuffer);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);

  const d = header.direction;
  const eye = { target: [...header.target], yaw: Math.atan2(-d[1], -d[0]), pitch: Math.asin(-d[2]) };
  const fov = (35 * Math.PI) / 180;
  eye.distance = (1.15 * header.half_height) / Math.tan(fov / 2);
  const scale = new Float32Array(16);
  let frame = 0;
  let playing = false;
  let clock = 0;
  let last = null;
  $("fixed").value = header.container ? "glass" : "solid";
  $("seek").max = frames.length - 1;

  function look() {
    const back = [
      Math.cos(eye.pitch) * Math.cos(eye.yaw), Math.cos(eye.pitch) * Math.sin(eye.yaw), Math.sin(eye.pitch),
    ];
    const from = eye.target.map((x, k) => x + eye.distance * back[k]);
    const right = unit(cross([0, 0, 1], back));
    const up = cross(back, right);
    const view = [
      right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -dot(right, from), -dot(up, from), -dot(back, from), 1,
    ];
    const f = 1 / Math.tan(fov / 2);
    const [near, far] = [0.02 * eye.distance, 50 * eye.distance];
    const lens = [
      (f * canvas.height) / canvas.width, 0, 0, 0, 0, f, 0, 0,
      0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0,
    ];
    return { from, right, up, camera: multiply(lens, view) };
  }

  function drawBodies(poses, fixed, alpha) {
    header.bodies.forEach((which, k) => {
      if (which.fixed !== fixed) return;
      gl.uniformMatrix4fv(body.model, false, model(poses.subarray(7 * k, 7 * k + 7), scale));
      const dim = alpha < 1 ? 0.45 : 1;
      gl.uniform4f(body.color, ...which.color.map((x) => (dim * x) / 255), alpha);
      gl.bindVertexArray(buffers[which.mesh].array);
      gl.drawElements(gl.TRIANGLES, buffers[which.mesh].count, gl.UNSIGNED_INT, 0);
    });
  }

  function drawMarks(contacts, camera) {
    const points = [];
    const lines = [];
    const length = 0.05 * eye.distance * Math.tan(fov / 2);
    for (let k = 0; k < contacts.length; k += 7) {
      const p = contacts.subarray(k, k + 3);
      points.push(...p);
      lines.push(...p, ...p.map((x, i) => x + length * contacts[k + 3 + i]));
    }
    gl.useProgram(mark.made);
    gl.uniformMatrix4fv(mark.camera, false, camera);
    gl.bindVertexArray(marks);
    gl.bindBuffer(gl.ARRAY_BUFFER, marksBuffer);
    gl.disable(gl.DEPTH_TEST);
    if ($("normals").checked) {
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(lines), gl.DYNAMIC_DRAW);
      gl.uniform4f(mark.color, 0.1, 0.25, 0.75, 1);
      gl.uniform1i(mark.round, 0);
      gl.drawArrays(gl.LINES, 0, lines.length / 3);
    }
    if ($("points").checked) {
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.DYNAMIC_DRAW);
      gl.uniform4f(mark.color, 0.8, 0.05, 0.1, 1);
      gl.uniform1i(mark.round, 1);
      gl.uniform1f(mark.size, 5 * devicePixelRatio);
      gl.drawArrays(gl.POINTS, 0, points.length / 3);
    }
    gl.enable(gl.DEPTH_TEST);
  }

  function draw() {
    const box = canvas.getBoundingClientRect();
    canvas.width = Math.max(1, Math.round(box.width * devicePixelRatio));
    canvas.height = Math.max(1, Math.round(box.height * devicePixelRatio));
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(236 / 255, 238 / 255, 241 / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    const now = frames[frame];
    const { from, camera } = look();
    gl.useProgram(body.made);
    gl.uniformMatrix4fv(body.camera, false, camera);
    gl.uniform3f(body.eye, ...from);
    const fixed = $("fixed").value;
    if (fixed === "solid") drawBodies(now.poses, true, 1);
    drawBodies(now.poses, false, 1);
    if (fixed === "glass") {
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.depthMask(false);
      drawBodies(now.poses, true, 0.16);
      gl.depthMask(true);
      gl.disable(gl.BLEND);
    }
    drawMarks(now.contacts, camera);
  }

  const greatest = Math.max(1, ...frames.map((f) => f.times[0]));
  function chart() {
    const canvas = $("chart");
    const context = canvas.getContext("2d");
    canvas.width = canvas.clientWidth * devicePixelRatio;
    canvas.height = canvas.clientHeight * devicePixelRatio;
    const [wide, high] = [canvas.width, canvas.height];
    const x = (k) => ((k + 0.5) / frames.length) * wide;
    context.fillStyle = "#5b7fb5";
    frames.forEach((f, k) => {
      const height = (f.times[0] / greatest) * (high - 2);
      context.fillRect(x(k - 0.5), high - height, Math.max(1, wide / frames.length - 0.5), height);
    });
    context.fillStyle = "#c0392b";
    context.fillRect(x(frame) - 1, 0, 2, high);
    context.fillStyle = "#555b66";
    context.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    context.fillText(`longest step ${(greatest / 1000).toFixed(2)} ms`, 4, 12 * devicePixelRatio);
  }

  function tell() {
    const now = frames[frame];
    const contacts = now.contacts.length / 7;
    let deepest = 0;
    for (let k = 6; k < now.contacts.length; k += 7) deepest = Math.max(deepest, now.contacts[k]);
    const rows = [
      ["scene", header.scene], ["bodies", header.bodies.length], ["contact points", contacts],
      ["deepest", `${(1000 * deepest).toFixed(2)} mm`],
      ...header.stages.map((name, k) => [name, `${now.times[k].toFixed(0)} µs`]),
    ];
    $("numbers").replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      line.append(...row.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
      return line;
    }));
    $("clock").textContent = `${(frame * header.dt).toFixed(2)} s · ${frame} / ${frames.length - 1}`;
    $("seek").value = frame;
    $("play").textContent = playing ? "Pause" : "Play";
    document.body.dataset.frame = frame;
    document.body.dataset.contacts = contacts;
  }

  // The share of the picture that is not background, for whoever opens the page without eyes.
  function drawn() {
    const pixels = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let count = 0;
    for (let k = 0; k < pixels.length; k += 4)
      if (pixels[k] !== 236 || pixels[k + 1] !== 238 || pixels[k + 2] !== 241) count++;
    document.body.dataset.drawn = (count / (pixels.length / 4)).toFixed(4);
  }

  function show() { draw(); tell(); chart(); }
  function go(to) {
    frame = Math.min(Math.max(Math.round(to), 0), frames.length - 1);
    clock = frame * header.dt;
    show();
  }
  function tick(time) {
    if (!playing) return;
    if (last !== null) clock += ((time - last) / 1000) * Number($("speed").value);
    last = time;
    const to = Math.floor(clock / header.dt + 1e-6);
    if (to >= frames.length - 1) playing = false;
    if (to !== frame) { frame = Math.min(to, frames.length - 1); show(); }
    if (playing) requestAnimationFrame(tick); else tell();
  }
  function toggle() {
    playing = !playing;
    if (playing && frame >= frames.length - 1) go(0);
    clock = frame * header.dt;
    last = null;
    tell();
    if (playing) requestAnimationFrame(tick);
  }

  $("play").onclick = toggle;
  $("seek").oninput = (event) => go(Number(event.target.value));
  for (const id of ["points", "normals", "fixed"]) $(id).onchange = show;
  $("chart").onclick = (event) => go((event.offsetX / $("chart").clientWidth) * frames.length - 0.5);
  addEventListener("keydown", (event) => {
    if (event.key === " ") { event.preventDefault(); toggle(); }
    if (event.key === "ArrowRight") go(frame + 1);
    if (event.key === "ArrowLeft") go(frame - 1);
  });
  addEventListener("resize", show);
  canvas.oncontextmenu = (event) => event.preventDefault();
  canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = (event) => {
    if (!event.buttons) return;
    if (event.shiftKey || event.buttons === 2) {
      const { right, up } = look();
      const metres = (2 * eye.distance * Math.tan(fov / 2)) / canvas.clientHeight;
      eye.target = eye.target.map((x, k) => x + metres * (event.movementY * up[k] - event.movementX * right[k]));
    } else {
      eye.yaw -= 0.008 * event.movementX;
      eye.pitch = Math.min(Math.max(eye.pitch + 0.008 * event.movementY, -1.55), 1.55);
    }
    show();
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    eye.distance *= Math.exp(0.001 * event.deltaY);
    show();
  }, { passive: false });

  const wanted = /frame=(\d+)/.exec(location.hash);
  go(wanted ? Number(wanted[1]) : 0);
  drawn();
}

try {
  main();
} catch (error) {
  $("trouble").textContent = `This recording cannot be shown: ${error.message}`;
}
