// Programs of the graphics card, and what they are given.

const BODY = {
  vertex: `#version 300 es
    in vec3 at; uniform mat4 camera; uniform mat4 model; out vec3 world;
    void main() { vec4 p = model * vec4(at, 1.0); world = p.xyz; gl_Position = camera * p; }`,
  // Walls are open: of them only those faces are drawn that face both the viewer and the middle of the scene, so that no wall
  // is ever between the viewer and what it holds; of the ground, upper faces too.
  fragment: `#version 300 es
    precision highp float;
    in vec3 world; uniform vec3 eye; uniform vec4 color; uniform vec3 middle;
    uniform bool open; uniform bool ground; uniform bool plain; out vec4 pixel;
    void main() {
      vec3 n = normalize(cross(dFdx(world), dFdy(world)));
      vec3 v = normalize(eye - world);
      if (dot(n, v) < 0.0) n = -n;
      if (open) {
        bool inside = dot(n, middle - world) > 0.0;
        bool upper = ground && n.z > 0.05;
        if (!gl_FrontFacing || !(inside || upper)) discard;
      }
      float light = 0.42 + 0.28 * (0.5 + 0.5 * n.z) + 0.34 * max(0.0, dot(n, normalize(v + vec3(0.4, -0.2, 0.9))));
      pixel = plain ? color : vec4(color.rgb * light, color.a);
    }`,
  uniforms: ["camera", "model", "eye", "color", "open", "ground", "plain", "middle"],
};

// Points are round, as large as the bodies ask for, with a light rim; lines have one colour. Both stand a little nearer to
// the viewer than they are, so that the surfaces they lie on do not hide them.
const MARK = {
  vertex: `#version 300 es
    in vec3 at; uniform mat4 camera; uniform mat4 model; uniform vec3 eye;
    uniform float lift; uniform float size; uniform vec2 sizes;
    void main() {
      vec3 p = (model * vec4(at, 1.0)).xyz;
      gl_Position = camera * vec4(p + lift * normalize(eye - p), 1.0);
      gl_PointSize = clamp(size / gl_Position.w, sizes.x, sizes.y);
    }`,
  fragment: `#version 300 es
    precision highp float;
    uniform vec4 color; uniform bool round; out vec4 pixel;
    void main() {
      float off = round ? length(gl_PointCoord - 0.5) : 0.0;
      if (off > 0.5) discard;
      pixel = off > 0.37 ? vec4(1.0, 1.0, 1.0, color.a) : color;
    }`,
  uniforms: ["camera", "model", "eye", "lift", "size", "sizes", "color", "round"],
};

// Balls of powder: round points, as large as the balls are seen, in the light of bodies.
const BALL = {
  vertex: `#version 300 es
    in vec3 at; uniform mat4 camera; uniform float size;
    void main() { gl_Position = camera * vec4(at, 1.0); gl_PointSize = max(size / gl_Position.w, 1.5); }`,
  fragment: `#version 300 es
    precision highp float;
    uniform vec3 color; out vec4 pixel;
    void main() {
      vec2 off = 2.0 * gl_PointCoord - 1.0;
      float rest = 1.0 - dot(off, off);
      if (rest < 0.0) discard;
      vec3 n = vec3(off.x, -off.y, sqrt(rest));
      pixel = vec4(color * (0.5 + 0.2 * n.y + 0.34 * max(0.0, dot(n, normalize(vec3(0.3, 0.6, 1.0))))), 1.0);
    }`,
  uniforms: ["camera", "size", "color"],
};

function program(gl, source) {
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
  return { made, ...Object.fromEntries(source.uniforms.map((name) => [name, gl.getUniformLocation(made, name)])) };
}

// Vertices on the graphics card; `triangles` where they are not taken one by one.
function buffer(gl, vertices, triangles) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const data = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, data);
  gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  const faces = triangles ? gl.createBuffer() : null;
  if (faces) {
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, faces);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
  }
  return { array, data, faces, count: triangles ? triangles.length : vertices.length / 3 };
}

// Gives back what a buffer holds.
function free(gl, { array, data, faces }) {
  gl.deleteVertexArray(array);
  for (const own of [data, faces]) if (own) gl.deleteBuffer(own);
}
