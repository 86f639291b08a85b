"use strict";
// Reads a recording: recording.rs tells its layout.

// Numbers of a contact, by the version in the first line.
const CONTACT = { "impinge recording 1": 7, "impinge recording 2": 9, "impinge recording 3": 9, "impinge recording 4": 9, "impinge recording 5": 9 };
// Numbers of a segment of an outline and of a sample, which versions from 3 on have.
const [SEGMENT, SAMPLE] = [6, 4];

function decode(base64) {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  const first = bytes.indexOf(10);
  const second = bytes.indexOf(10, first + 1);
  const line = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  const version = line(0, first);
  const row = CONTACT[version];
  const header = JSON.parse(line(first + 1, second));
  const floats = new Float32Array(bytes.buffer, 0, bytes.length >> 2);
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2);
  let at = (second + 1) >> 2;
  const meshes = header.meshes.map((mesh) => {
    const vertices = floats.subarray(at, (at += 3 * mesh.vertices));
    const triangles = words.subarray(at, (at += 3 * mesh.triangles));
    // Version 1 tells no kinds; a half-space alone is drawn as two triangles.
    const kind = mesh.kind ?? (mesh.triangles === 2 ? "half-space" : "");
    return { name: mesh.name, kind, vertices, triangles };
  });
  // Bodies whose vertices every frame has, from version 4 on.
  const soft = header.bodies.flatMap(({ mesh, deforms }, body) => (deforms ? [{ body, count: 3 * header.meshes[mesh].vertices }] : []));
  const frames = [];
  let latest = {};
  // Meshes that have become others, in version 5; frames without such share a map.
  let others = new Map();
  while (at < words.length) {
    const count = words[at++];
    const times = floats.subarray(at, (at += header.stages.length));
    const poses = floats.subarray(at, (at += 7 * header.bodies.length));
    const first = at;
    at += row * count;
    const regions = /[345]$/.test(version) ? [words[at++], words[at++]] : [0, 0];
    const outlines = floats.subarray(at, (at += SEGMENT * regions[0]));
    const samples = floats.subarray(at, (at += SAMPLE * regions[1]));
    const places = new Map(soft.map(({ body, count }) => [body, floats.subarray(at, (at += count))]));
    const changes = /5$/.test(version) ? words[at++] : 0;
    if (changes) others = new Map(others);
    for (let k = 0; k < changes; k++) {
      const [mesh, corners, faces] = [words[at++], words[at++], words[at++]];
      const vertices = floats.subarray(at, (at += 3 * corners));
      others.set(mesh, { ...meshes[mesh], vertices, triangles: words.subarray(at, (at += 3 * faces)) });
    }
    const contactAt = (from) => ({
      at: floats.subarray(from, from + 3),
      normal: floats.subarray(from + 3, from + 6),
      depth: floats[from + 6],
      bodies: row > 7 ? words.subarray(from + 7, from + 9) : [],
    });
    frames.push({
      times,
      poses,
      outlines,
      samples,
      places,
      others,
      // Those of one frame at a time: a long recording has millions.
      get contacts() {
        const all = () => Array.from({ length: count }, (_, k) => contactAt(first + k * row));
        if (latest.of !== this) latest = { of: this, contacts: all() };
        return latest.contacts;
      },
    });
  }
  return { header, meshes, frames, hasBodies: row > 7 };
}
