// Keys, buttons and the pointer.

const tick = (id) => { $(id).checked = !$(id).checked; };

// Keys, how the help calls them, and what they do.
const KEYS = [
  [[" "], "space", "play or pause", (player) => player.toggle()],
  [["ArrowLeft", "ArrowRight"], "← →", "a frame back or on; ten with shift", (player, { key, shiftKey }) =>
    player.go(player.frame + (key === "ArrowLeft" ? -1 : 1) * (shiftKey ? 10 : 1))],
  [["Home", "End"], "home, end", "first or last frame", (player, { key }) => player.go(key === "Home" ? 0 : player.end)],
  [["+", "=", "-"], "+ −", "faster or slower", (player, { key }) => player.speed(key === "-" ? -1 : 1)],
  [["c"], "c", "contact points", () => tick("points")],
  [["n"], "n", "normals", () => tick("normals")],
  [["g"], "g", "contact regions, coloured by depth, where they were recorded", () => tick("regions")],
  [["w"], "w", "walls and other fixed bodies: open, solid, edges, hidden", () => {
    $("fixed").selectedIndex = ($("fixed").selectedIndex + 1) % $("fixed").options.length;
  }],
  [["f"], "f", "follow what moves", () => tick("follow")],
  [["r"], "r", "the first view again", (player) => player.camera.reset()],
  [["?"], "?", "this help", () => ($("help").open ? $("help").close() : $("help").showModal())],
];
const POINTER = [
  ["drag", "turn"], ["shift or right drag", "move"], ["wheel", "closer or farther"], ["point at a body", "what it is"],
];

function listen(player) {
  const { camera } = player;
  rows($("help"), [...KEYS.map(([, name, what]) => [name, what]), ...POINTER]);
  $("help").onclick = () => $("help").close();
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const found = KEYS.find(([keys]) => keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found[3](player, event);
    player.show();
  });
  const once = (id, kind, act) => $(id).addEventListener(kind, (event) => {
    act(event);
    player.show();
    // The keys are the page's again.
    if (kind !== "input") $(id).blur();
  });
  once("play", "click", () => player.toggle());
  once("ask", "click", () => $("help").showModal());
  once("seek", "input", () => player.go(Number($("seek").value)));
  once("chart", "click", (event) => player.go((event.offsetX / $("chart").clientWidth) * (player.end + 1) - 0.5));
  for (const id of ["points", "normals", "regions", "follow", "fixed", "speed"]) once(id, "change", () => {});
  addEventListener("hashchange", () => player.open());
  new ResizeObserver(() => player.show()).observe($("view"));

  const view = $("view");
  let drag = null;
  view.oncontextmenu = () => false;
  view.onpointerdown = (event) => {
    drag = event.shiftKey || event.button === 2 ? "move" : "turn";
    view.setPointerCapture(event.pointerId);
  };
  view.onpointerup = () => { drag = null; };
  view.onpointercancel = view.onpointerup;
  view.onpointerleave = () => {
    player.pointer = null;
    player.show();
  };
  view.onpointermove = (event) => {
    player.pointer = drag ? null : [event.clientX, event.clientY];
    if (drag === "move") {
      const metres = (2 * player.view.distance * Math.tan(FIELD / 2)) / view.clientHeight;
      const [right, up] = player.view.axes;
      camera.pan = camera.pan.map((x, k) => x + metres * (event.movementY * up[k] - event.movementX * right[k]));
    } else if (drag === "turn") {
      camera.yaw -= 0.008 * event.movementX;
      camera.pitch = Math.min(Math.max(camera.pitch + 0.008 * event.movementY, -1.55), 1.55);
    }
    player.show();
  };
  view.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom *= Math.exp(0.001 * event.deltaY);
    player.show();
  }, { passive: false });
}
