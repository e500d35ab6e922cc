// The page: scenes, sliders, plots, pointers and the frame loop. SPDX-License-Identifier: MIT
import { Cloth, loadModule } from "./cloth.js";
import { Plot } from "./plot.js";
import { Camera, TIER_COLOURS, View } from "./view.js";

const FRAME = 1000 / 60;
const GRIDS = [16, 24, 32, 40, 48, 56, 64];
const TIER_NAMES = ["explicit", "implicit", "inactive"];

const red = [0.52, 0.05, 0.045], blue = [0.045, 0.16, 0.36], cream = [0.78, 0.71, 0.56], green = [0.05, 0.24, 0.17];
const white = [0.86, 0.86, 0.85];
const plain = { checks: [0, 0], border: 0, sheen: 0.2, toLight: [0.45, 1, 0.55] };

// How the scenes look, in the module's order. A sheet that hangs shows its back to +z.
const LOOKS = [
  { ...plain, front: blue, back: red, checks: [0, 5], focus: [0.7, 1.1, 0], toLight: [0.3, 0.8, 0.7],
    camera: { target: [0.66, 1.12, 0], yaw: 0.35, pitch: 0.1, distance: 3.3 } },
  { ...plain, front: blue, back: red, checks: [13, 13], focus: [0, 0.5, 0],
    camera: { target: [0, 0.42, 0], yaw: 0.6, pitch: 0.36, distance: 2.7 } },
  { ...plain, front: cream, back: green, checks: [0, 0], focus: [0, 0.9, 0],
    camera: { target: [0, 0.95, 0], yaw: 0.55, pitch: 0.15, distance: 3.4 } },
  { ...plain, front: cream, back: red, border: 0.02, focus: [0, 0.8, 0], toLight: [-0.75, 1, 0.5],
    camera: { target: [-0.1, 0.85, 0], yaw: -0.95, pitch: 0.14, distance: 3.4 } },
  { ...plain, front: white, back: white, sheen: 0.1, focus: [0, 0.8, 0], toLight: [0.25, 0.8, 1],
    camera: { target: [0, 0.92, 0.05], yaw: 0.35, pitch: 0.12, distance: 2.6 } },
  { ...plain, front: cream, back: blue, checks: [0, 4], focus: [0, 0.2, 0],
    camera: { target: [0, 0.22, 0], yaw: 0.5, pitch: 0.3, distance: 2.0 } },
];

const exponent = (value) => {
  const [digits, power] = value.toExponential(1).split("e");
  const raised = [...String(Number(power))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
  return `${digits} · 10${raised.join("")}`;
};

// In the module's order. A logarithmic slider holds the logarithm.
const SETTINGS = [
  { title: "Fabric", choices: () => cloth.fabrics() },
  { title: "Stretch", log: true, low: 1, high: 6, step: 0.02, show: (v) => `${Number(v.toPrecision(3))} N/m` },
  { title: "Bend", log: true, low: -7, high: -2, step: 0.05, show: (v) => `${exponent(v)} N m` },
  { title: "Substeps", low: 1, high: 48, step: 1, show: String },
  { title: "Iterations", low: 0, high: 64, step: 1, show: (v) => (v === 0 ? "automatic" : String(v)) },
  { title: "Explicit up to", low: 0, high: 1.3, step: 0.01, show: (v) => v.toFixed(2) },
  { title: "Wind", low: 0, high: 15, step: 0.1, show: (v) => `${v.toFixed(1)} m/s` },
  { title: "Method", choices: () => cloth.methods() },
];

const element = (id) => document.getElementById(id);

const state = {
  kind: 0,
  columns: 0,
  isPaused: false,
  hasSprings: false,
  isStale: true, // what is on the screen is not what there is
  scroll: 0, // of the floor [m]
  owed: 0, // time that has passed and was not simulated [ms]
  last: 0, // when the last frame was [ms]
  drawn: 0,
};
let module, cloth, view, camera, plots, names;

function report(error) {
  element("trouble").hidden = !error;
  element("trouble").textContent = error ? `Cloth: ${error.message}` : "";
}

/// Sliders ///

function makeSetting(setting, which) {
  const box = document.createElement("label");
  box.className = "setting";
  box.innerHTML = `<span></span><output></output>${setting.choices ? "<select></select>" : '<input type="range">'}`;
  [setting.title_, setting.output, setting.input] = box.children;
  setting.title_.textContent = setting.title;
  if (setting.choices) {
    setting.input.append(...setting.choices().map((name, i) => new Option(name, i)));
  } else {
    Object.assign(setting.input, { min: setting.low, max: setting.high, step: setting.step });
  }
  setting.input.addEventListener("input", () => change(which));
  element("controls").append(box);
}

function sliderValue({ input, log }) {
  const value = Number(input.value);
  return log ? 10 ** value : value;
}

function change(which) {
  report(null);
  try {
    cloth.must(cloth.call.change_setting(which, sliderValue(SETTINGS[which])));
  } catch (error) {
    report(error);
  }
  cloth.call.let_go();
  pointers.clear();
  showSettings();
}

function showSettings() {
  SETTINGS.forEach((setting, which) => {
    const value = cloth.call.setting(which);
    setting.input.value = setting.log ? Math.log10(value) : value;
    setting.output.textContent = setting.show ? setting.show(value) : "";
  });
}

/// Scenes ///

function select(kind, columns = 0) {
  report(null);
  cloth.open(kind, columns);
  const isOther = !camera || kind !== state.kind;
  Object.assign(state, { kind, columns, isStale: true, scroll: 0, owed: 0 });
  if (isOther) {
    camera = new Camera(LOOKS[kind].camera);
    state.hasSprings = names[kind] === "decomposition";
    element("springs").checked = state.hasSprings;
    element("verdict").className = "";
    element("verdict").textContent = "Runs this scene from its start and compares with a native build.";
  }
  pointers.clear();
  view.setUp(cloth, LOOKS[kind]);
  view.update(cloth);
  plots.forEach((plot) => plot.clear());
  [...element("scenes").children].forEach((button, i) => button.setAttribute("aria-pressed", i === kind));
  element("columns").value = cloth.call.columns();
  showSettings();
  cloth.call.sort_springs();
  showLegend();
}

function makeScenes() {
  names.forEach((name, kind) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => {
      location.hash = name;
    });
    element("scenes").append(button);
  });
  window.addEventListener("hashchange", openNamed);
}

function openNamed() {
  const kind = Math.max(0, names.indexOf(location.hash.slice(1)));
  select(kind);
  element("scenes").children[kind].scrollIntoView({ block: "nearest", inline: "nearest" });
}

/// Legend of the springs ///

function makeLegend() {
  TIER_NAMES.forEach((name, tier) => {
    const row = document.createElement("li");
    row.innerHTML = `<i style="background: ${TIER_COLOURS[tier] ?? "none"}"></i><span>${name}</span><output></output>`;
    element("legend").append(row);
  });
}

function showLegend() {
  element("legend").hidden = !state.hasSprings;
  [...element("legend").children].forEach((row, tier) => {
    row.lastChild.textContent = cloth.call.spring_count(tier);
  });
}

/// Frames ///

function stepOnce() {
  state.isStale = true;
  const before = performance.now();
  cloth.step();
  const spent = performance.now() - before;
  state.scroll += cloth.call.floor_speed() / 60;
  const values = [cloth.call.iterations(), 100 * cloth.call.largest_stretch(), spent];
  plots.forEach((plot, i) => plot.add(values[i]));
}

// As many steps as time has passed, but no more than two: a slow machine shows a slow world.
function stepDue(time) {
  state.owed = Math.min(state.owed + time - state.last, 2.5 * FRAME);
  state.last = time;
  if (state.isPaused) {
    state.owed = 0;
  }
  for (; state.owed > 0.8 * FRAME; state.owed -= FRAME) {
    stepOnce();
  }
}

function frame(time) {
  try {
    stepDue(time);
  } catch (error) {
    report(error);
    setPaused(true);
  }
  if (state.isStale) {
    state.isStale = false;
    draw();
  }
  requestAnimationFrame(frame);
}

function draw() {
  view.update(cloth);
  if (state.hasSprings) {
    cloth.call.sort_springs();
  }
  view.draw(cloth, camera, state.scroll, state.hasSprings);
  if (state.drawn++ % 4 === 0) {
    plots.forEach((plot) => plot.draw());
    element("hash").textContent = cloth.hash();
    showLegend();
  }
}

/// Pointers ///

// Those that are down: one that began on the cloth pulls, others turn the camera, two of them zoom.
const pointers = new Map();
const FINGER = 26; // how far beside the cloth it still takes hold [CSS pixels]

function toPicture(event) {
  const box = view.canvas.getBoundingClientRect();
  return [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
}

function isPulling() {
  return [...pointers.values()].some((pointer) => pointer.grabbed >= 0);
}

function takeHold(event) {
  const reach = (2 * FINGER * camera.slopes()[1]) / view.canvas.clientHeight;
  return cloth.call.grab(...camera.eye(), ...camera.ray(...toPicture(event)), reach);
}

function pointerDown(event) {
  const grabbed = pointers.size === 0 ? takeHold(event) : -1;
  const pointer = { x: event.clientX, y: event.clientY, grabbed };
  if (grabbed >= 0) {
    pointer.point = [...cloth.position(grabbed)];
    // What was taken hold of lies beside the finger, and stays so.
    const touched = camera.onPlane(camera.ray(...toPicture(event)), pointer.point);
    pointer.aside = pointer.point.map((value, i) => value - touched[i]);
  }
  pointers.set(event.pointerId, pointer);
  view.canvas.setPointerCapture(event.pointerId);
  view.canvas.classList.toggle("pulling", isPulling());
  element("hint").hidden = true;
}

function pull(pointer, event) {
  const hand = camera.onPlane(camera.ray(...toPicture(event)), pointer.point);
  cloth.call.pull(...hand.map((value, i) => value + pointer.aside[i]));
}

function spread() {
  const [a, b] = [...pointers.values()];
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function pointerMove(event) {
  const pointer = pointers.get(event.pointerId);
  if (!pointer) {
    return;
  }
  const before = pointers.size === 2 ? spread() : 0;
  const across = event.clientX - pointer.x, down = event.clientY - pointer.y;
  state.isStale = true;
  pointer.x = event.clientX;
  pointer.y = event.clientY;
  if (pointer.grabbed >= 0) {
    pull(pointer, event);
  } else if (pointers.size === 2 && !isPulling()) {
    camera.zoom(before / Math.max(1, spread()));
  } else {
    camera.orbit(-0.008 * across, 0.008 * down);
  }
}

function pointerUp(event) {
  const pointer = pointers.get(event.pointerId);
  if (pointer?.grabbed >= 0) {
    cloth.call.let_go();
  }
  pointers.delete(event.pointerId);
  view.canvas.classList.toggle("pulling", isPulling());
}

function listenToPointers() {
  const { canvas } = view;
  canvas.addEventListener("pointerdown", pointerDown);
  canvas.addEventListener("pointermove", pointerMove);
  canvas.addEventListener("pointerup", pointerUp);
  canvas.addEventListener("pointercancel", pointerUp);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(0.0012 * event.deltaY));
    state.isStale = true;
  }, { passive: false });
}

/// Check and measurement, each in a module of its own: the scene on screen goes on undisturbed ///

async function runFrames(kind, columns, frames) {
  const other = new Cloth(module);
  other.open(kind, columns);
  let spent = 0;
  for (let i = 0; i < frames; i++) {
    const before = performance.now();
    other.step();
    spent += performance.now() - before;
    if (i % 30 === 29) {
      await new Promise((resume) => setTimeout(resume, 0));
    }
  }
  return { hash: other.hash(), milliseconds: spent / frames };
}

async function check(kind) {
  const { frames, hashes } = await (await fetch("hashes.json")).json();
  const expected = hashes[names[kind]];
  const { hash, milliseconds } = await runFrames(kind, 0, frames);
  return { isEqual: hash === expected, hash, expected, frames, milliseconds };
}

// The flag of examples/board, here.
function boardHash(frames) {
  const other = new Cloth(module);
  other.must(other.call.run_board_flag(frames));
  return other.hash();
}

function showVerdict({ isEqual, hash, expected, frames }) {
  element("verdict").className = isEqual ? "equal" : "differs";
  element("verdict").textContent = isEqual
    ? `Equal: ${hash} after ${frames} frames, here and native.`
    : `Differs: ${hash} here, ${expected} native, after ${frames} frames.`;
}

async function showCheck() {
  const { kind } = state;
  element("check").disabled = true;
  try {
    const result = await check(kind);
    if (kind === state.kind) { // no other scene was chosen meanwhile
      showVerdict(result);
    }
  } catch (error) {
    report(error);
  }
  element("check").disabled = false;
}

/// Start ///

function setPaused(isPaused) {
  state.isPaused = isPaused;
  element("pause").textContent = isPaused ? "Go on" : "Pause";
}

function listenToButtons() {
  element("columns").append(...GRIDS.map((columns) => new Option(columns)));
  element("columns").addEventListener("change", (event) => select(state.kind, Number(event.target.value)));
  element("pause").addEventListener("click", () => setPaused(!state.isPaused));
  element("restart").addEventListener("click", () => select(state.kind, state.columns));
  element("check").addEventListener("click", showCheck);
  element("springs").addEventListener("change", (event) => {
    state.hasSprings = event.target.checked;
    state.isStale = true;
    showLegend();
  });
}

async function start() {
  module = await loadModule(new URLSearchParams(location.search).has("scalar"));
  cloth = new Cloth(module);
  cloth.must(cloth.call.self_test());
  names = cloth.names();
  view = new View(element("view"));
  plots = [
    new Plot(element("plots"), "Iterations", "#111111", String),
    new Plot(element("plots"), "Largest stretch", "#b3261e", (v) => `${v.toFixed(1)} %`),
    new Plot(element("plots"), "Time of a step", "#235a8c", (v) => `${v.toFixed(1)} ms`),
  ];
  SETTINGS.forEach(makeSetting);
  makeScenes();
  makeLegend();
  listenToButtons();
  listenToPointers();
  new ResizeObserver(() => (state.isStale = true)).observe(view.canvas);
  openNamed();
  requestAnimationFrame(frame);
}

// For the tests, and for curious people with a console.
window.page = {
  state,
  names: () => names,
  hash: () => cloth.hash(),
  stretch: () => cloth.call.largest_stretch(),
  crossings: () => cloth.call.crossings(),
  position: (particle) => [...cloth.position(particle)],
  select,
  setPaused,
  advance(frames) {
    for (let i = 0; i < frames; i++) {
      stepOnce();
    }
  },
  set(which, value) {
    cloth.must(cloth.call.change_setting(which, value));
    showSettings();
  },
  check,
  boardHash,
  measure: runFrames,
  // The share of the picture's pixels that the cloth or its springs are on: those that differ without.
  coverage() {
    const pixels = (drawer) => {
      drawer.draw(cloth, camera, state.scroll, state.hasSprings);
      return view.pixels();
    };
    const withCloth = pixels(view);
    const without = pixels(
      Object.assign(Object.create(view), {
        drawMesh: (mesh) => mesh === view.sheet || view.drawMesh(mesh),
        drawSprings() {},
        drawShadows() {}, // the cloth's stays
      }),
    );
    state.isStale = true;
    return withCloth.filter((pixel, i) => pixel !== without[i]).length / withCloth.length;
  },
  // A particle's place on the screen [CSS pixels].
  onScreen(particle) {
    const [x, y] = camera.toPicture(cloth.position(particle));
    const box = view.canvas.getBoundingClientRect();
    return [box.left + (0.5 + 0.5 * x) * box.width, box.top + (0.5 - 0.5 * y) * box.height].map(Math.round);
  },
};

start().catch(report);
