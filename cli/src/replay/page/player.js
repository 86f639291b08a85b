// Plays a recording. `#frame=N` in the address opens it at frame N, at rest; without, it plays at once.

// How long a frame has to be shown at rest before the address names it (ms): browsers allow few changes of it a second.
const NOTED = 200;

class Player {
  constructor(recording) {
    this.recording = recording;
    this.extent = measure(recording);
    this.camera = new Camera(recording, this.extent);
    this.picture = new Picture($("view"), recording, this.extent);
    this.panel = new Panel(recording);
    Object.assign(this, { frame: 0, clock: 0, last: null, playing: false, pointer: null });
    $("seek").max = recording.frames.length - 1;
    $("has-regions").hidden = !recording.frames.some(({ samples }) => samples.length > 0);
  }

  get end() { return this.recording.frames.length - 1; }
  get options() {
    const [points, normals, regions] = ["points", "normals", "regions"].map((id) => $(id).checked);
    return { points, normals, regions, fixed: $("fixed").value };
  }

  show() {
    const frame = this.recording.frames[this.frame];
    this.camera.follow = $("follow").checked;
    const view = this.camera.at(this.frame, this.picture.fill());
    const box = $("view").getBoundingClientRect();
    const over = this.pointer && [(this.pointer[0] - box.left) / box.width, (this.pointer[1] - box.top) / box.height];
    this.picture.hovered = over ? this.picture.pick(frame, view, this.options, over) : -1;
    this.picture.draw(frame, view, this.options);
    this.panel.tell(this.frame);
    this.panel.tip(this.frame, this.picture.hovered, this.pointer || [0, 0]);
    $("play").textContent = this.playing ? "Pause" : "Play";
    const { dataset } = document.body;
    const counts = { contacts: frame.contacts.length, samples: frame.samples.length / SAMPLE };
    Object.assign(dataset, { frame: this.frame, ...counts, playing: this.playing });
    this.view = view;
  }

  // Goes to a frame and stays there.
  go(to) {
    const paused = this.playing;
    this.stop();
    this.jump(to);
    if (paused) this.write();
    else this.timer = setTimeout(() => this.write(), NOTED);
  }

  stop() {
    this.playing = false;
    cancelAnimationFrame(this.request);
    clearTimeout(this.timer);
  }

  jump(to) {
    this.frame = Math.min(Math.max(Math.round(to), 0), this.end);
    this.clock = this.frame * this.recording.header.dt;
    this.show();
  }

  play() {
    this.stop();
    this.playing = true;
    this.last = null;
    this.jump(this.frame < this.end ? this.frame : 0);
    this.request = requestAnimationFrame((time) => this.tick(time));
  }

  toggle() {
    if (this.playing) this.go(this.frame);
    else this.play();
  }

  tick(time) {
    const { dt } = this.recording.header;
    if (this.last !== null) this.clock += ((time - this.last) / 1000) * Number($("speed").value);
    this.last = time;
    const to = Math.min(Math.floor(this.clock / dt + 1e-6), this.end);
    this.playing = to < this.end;
    if (to !== this.frame || !this.playing) {
      this.frame = to;
      this.show();
    }
    if (this.playing) this.request = requestAnimationFrame((next) => this.tick(next));
  }

  // The next speed up or down.
  speed(by) {
    const { options, selectedIndex } = $("speed");
    $("speed").selectedIndex = Math.min(Math.max(selectedIndex + by, 0), options.length - 1);
  }

  // Notes the frame in the address, so that it can be passed on.
  write() {
    clearTimeout(this.timer);
    try {
      history.replaceState(null, "", `#frame=${this.frame}`);
    } catch {
      // A page inside another one may not: it plays all the same.
    }
  }

  // Opens at the frame that the address asks for.
  open() {
    const wanted = /frame=(\d+)/.exec(location.hash);
    if (!wanted) return this.play();
    this.go(Number(wanted[1]));
    this.write();
  }
}

try {
  const player = new Player(decode($("recording").textContent));
  listen(player);
  player.open();
  // For whoever opens the page without eyes.
  document.body.dataset.drawn = player.picture.covered().toFixed(4);
} catch (error) {
  $("trouble").textContent = `This recording cannot be shown: ${error.message}`;
}
