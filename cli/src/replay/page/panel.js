// Numbers of a frame, the times of all steps, and what a body is.

const $ = (id) => document.getElementById(id);

// A colour for each stage; what is left of a step is grey.
const STAGES = ["#4f81bd", "#59a89c", "#e0a84c", "#b5651d", "#8e6bb0"];
const REST = "#b9c0ca";

const element = (kind, content) => Object.assign(document.createElement(kind), { textContent: content });

function rows(table, lines) {
  table.replaceChildren(...lines.map(([name, value, color]) => {
    const line = document.createElement("tr");
    const cells = [name, value].map((text) => element("td", text));
    if (color) {
      const swatch = document.createElement("i");
      swatch.style.background = color;
      cells[0].prepend(swatch);
    }
    line.append(...cells);
    return line;
  }));
}

// A time (µs) in a unit that suits it.
const duration = (time) =>
  time < 1e4 ? `${time.toFixed(0)} µs` : time < 1e6 ? `${(time / 1e3).toFixed(1)} ms` : `${(time / 1e6).toFixed(1)} s`;

class Panel {
  constructor({ header, meshes, frames, hasBodies }) {
    Object.assign(this, { header, meshes, frames, hasBodies });
    const times = frames.map((frame) => frame.times[0]).sort((a, b) => a - b);
    this.longest = Math.max(1, times[times.length - 1]);
    // A few long steps would make all others flat: their bars are cut.
    const usual = 1.3 * times[Math.floor(0.98 * (times.length - 1))];
    this.top = usual > 0 && usual < 0.7 * this.longest ? usual : this.longest;
  }

  tell(index) {
    const { header } = this;
    const { times, contacts } = this.frames[index];
    const deepest = contacts.reduce((depth, contact) => Math.max(depth, contact.depth), 0);
    rows($("numbers"), [
      ["scene", header.scene], ["bodies", header.bodies.length], ["contacts", contacts.length],
      ["deepest", `${(1000 * deepest).toFixed(2)} mm`],
      ...header.stages.map((name, k) => [name, duration(times[k]), k ? STAGES[(k - 1) % STAGES.length] : REST]),
    ]);
    $("clock").textContent = `${(index * header.dt).toFixed(2)} s · ${index} / ${this.frames.length - 1}`;
    $("seek").value = index;
    const cut = this.top < this.longest ? `, bars are cut at ${duration(this.top)}` : "";
    $("scale").textContent = `Time of each step: longest ${duration(this.longest)}${cut}`;
    this.chart(index);
  }

  // A bar for every step, its stages one on the other.
  chart(index) {
    const canvas = $("chart");
    const context = canvas.getContext("2d");
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * devicePixelRatio)));
    [canvas.width, canvas.height] = [wide, high];
    const step = wide / this.frames.length;
    const bar = Math.max(1, step - 0.5);
    this.frames.forEach(({ times }, k) => {
      const scale = high / this.top;
      // Stages are summed over the workers, and so may take longer than their step: shares of it are drawn.
      const sum = times.subarray(1).reduce((a, b) => a + b, 0);
      const share = sum > times[0] ? times[0] / sum : 1;
      context.fillStyle = REST;
      context.fillRect(k * step, high - scale * times[0], bar, scale * times[0]);
      let base = high;
      for (let stage = 1; stage < times.length; stage++) {
        const height = scale * share * times[stage];
        context.fillStyle = STAGES[(stage - 1) % STAGES.length];
        context.fillRect(k * step, base - height, bar, height);
        base -= height;
      }
    });
    context.fillStyle = "#c0392b";
    context.fillRect((index + 0.5) * step - devicePixelRatio, 0, 2 * devicePixelRatio, high);
  }

  // Tells of a body beside the pointer; of none, nothing.
  tip(index, body, [x, y]) {
    const tip = $("tip");
    tip.hidden = body < 0;
    if (body < 0) return;
    const mesh = this.meshes[this.header.bodies[body].mesh];
    const triangles = `${(mesh.triangles.length / 3).toLocaleString("en")} triangles`;
    const cornered = ["", "mesh", "hull", "box", "composite"].includes(mesh.kind);
    const shape = cornered ? `${mesh.kind && `${mesh.kind}, `}${triangles}` : mesh.kind;
    const { contacts } = this.frames[index];
    const count = contacts.filter((contact) => contact.bodies.includes(body)).length;
    const fixed = this.header.bodies[body].fixed ? ", fixed" : "";
    tip.replaceChildren(element("b", `${mesh.name} (body ${body}${fixed})`), element("div", shape));
    if (this.hasBodies) tip.append(element("div", `${count} contact${count === 1 ? "" : "s"}`));
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 4))}px`;
    tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - box.height - 4))}px`;
  }
}
