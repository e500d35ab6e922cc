// Three sheets that swing by two corners: this library, ammo.js with the settings of three.js's examples, and ammo.js
// with settings that stretch as little. SPDX-License-Identifier: MIT
import * as THREE from "three";
import { AmmoSheet } from "./ammo_sheet.js";
import { load } from "./cloth/cloth.js";
import { makeFlag, playFlag } from "./flag.js";
import { FRAME, largestStretch, makeCloth, race, SCENE } from "./race.js";

const FLOATS = 8; // of a vertex
const GAP = 1.35; // between the left edges of sheets [m]

const bytesOf = async (name) => (await fetch(name)).arrayBuffer();
const library = await load();
const scalar = await load(await bytesOf("./cloth/cloth_scalar.wasm"));
const Ammo = await window.Ammo({ wasmBinary: await bytesOf("./lib/ammo.wasm.wasm") });

const KINDS = [
  { name: "cloth", detail: "default settings", color: 0x4f8fd6, make: () => makeCloth(library, SCENE) },
  {
    name: "ammo.js",
    detail: "10 iterations",
    color: 0xd6804f,
    make: () => new AmmoSheet(Ammo, SCENE, { substeps: 1, iterations: 10 }),
  },
  {
    name: "ammo.js",
    detail: "64 substeps of 2 iterations",
    color: 0x5fae6b,
    make: () => new AmmoSheet(Ammo, SCENE, { substeps: 64, iterations: 2 }),
  },
];

const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
const camera = new THREE.PerspectiveCamera(35, 1, 0.1, 50);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0x1d2430);
scene.add(new THREE.HemisphereLight(0xffffff, 0x8890a0, 2.2));
const sun = new THREE.DirectionalLight(0xffffff, 2.2);
sun.position.set(1, 1, 4);
scene.add(sun);
document.body.prepend(renderer.domElement);

// A mesh over vertices where they lie: for this library that is the memory of WebAssembly, from which WebGL takes them.
function makeMesh(sheet, indices, color, place) {
  const buffer = new THREE.InterleavedBuffer(sheet.vertices(), FLOATS).setUsage(THREE.DynamicDrawUsage);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.InterleavedBufferAttribute(buffer, 3, 0));
  geometry.setAttribute("normal", new THREE.InterleavedBufferAttribute(buffer, 3, 3));
  geometry.setAttribute("uv", new THREE.InterleavedBufferAttribute(buffer, 2, 6));
  geometry.setIndex(new THREE.BufferAttribute(indices, 1));
  const material = new THREE.MeshStandardMaterial({ color, side: THREE.DoubleSide, roughness: 0.8 });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.frustumCulled = false;
  mesh.position.x = place * GAP;
  scene.add(mesh);
  return { mesh, buffer };
}

// The view is another one after the memory has grown.
function refresh({ sheet, buffer }) {
  buffer.array = sheet.vertices();
  buffer.needsUpdate = true;
}

const indices = (() => {
  const cloth = makeCloth(library, SCENE);
  const found = cloth.indices();
  cloth.free();
  return found;
})();

const state = { frame: 0, drawn: 0, isPaused: false, rows: null };
let players = [];

function start() {
  players.forEach(({ sheet, mesh }) => {
    sheet.free();
    scene.remove(mesh);
    mesh.geometry.dispose();
  });
  players = KINDS.map(({ make, color }, place) => {
    const sheet = make();
    return { sheet, stretch: 0, step: 0, ...makeMesh(sheet, indices, color, place) };
  });
  state.frame = 0;
}

function advance(frames = 1) {
  for (let i = 0; i < frames; i++) {
    for (const player of players) {
      const begin = performance.now();
      player.sheet.step(FRAME);
      player.step += (performance.now() - begin - player.step) / 20; // a running mean
      player.stretch = largestStretch(player.sheet.vertices(), SCENE);
    }
    state.frame++;
  }
}

function showLabels() {
  document.getElementById("labels").innerHTML = players
    .map(({ stretch, step }, i) => {
      const { name, detail } = KINDS[i];
      const measured = `stretch ${(100 * stretch).toFixed(1)} %, step ${step.toFixed(2)} ms`;
      return `<div><b>${name}</b>${detail}<br>${measured}</div>`;
    })
    .join("");
}

function showRace() {
  const cells = (row) =>
    [row.name, (100 * row.stretch).toFixed(2), row.step.toFixed(2), row.read.toFixed(3), row.equals ?? ""]
      .map((text) => `<td>${text}</td>`)
      .join("");
  document.querySelector("table").innerHTML =
    "<tr><th></th><th>largest stretch [%]</th><th>step [ms]</th><th>vertices [ms]</th><th>stretches no more than</th></tr>" +
    state.rows.map((row) => `<tr>${cells(row)}</tr>`).join("");
}

async function runRace() {
  state.rows = await race(library, scalar, Ammo);
  showRace();
}

function fit() {
  renderer.setPixelRatio(window.devicePixelRatio);
  renderer.setSize(window.innerWidth, window.innerHeight);
  camera.aspect = window.innerWidth / window.innerHeight;
  camera.position.set(GAP + 0.5, 0.5, 4.5);
  camera.lookAt(GAP + 0.5, -0.55, 0);
  camera.updateProjectionMatrix();
}

function draw() {
  if (!state.isPaused) {
    advance();
  }
  players.forEach(refresh);
  showLabels();
  renderer.render(scene, camera);
  state.drawn++;
  window.requestAnimationFrame(draw);
}

document.querySelector("button").addEventListener("click", runRace);
window.addEventListener("resize", fit);
fit();
start();
draw();

// For the test of this page.
window.page = {
  state,
  start,
  advance,
  race: runRace,
  stretches: () => players.map(({ stretch }) => stretch),
  // Whether WebGL takes the vertices from the library's memory.
  isZeroCopy: () => players[0].buffer.array.buffer === library.memory.buffer,
  growMemory: () => library.free(library.allocate(1 << 24), 1 << 24),
  flagHash: (from) => {
    const flag = makeFlag(from === "scalar" ? scalar : library);
    playFlag(flag, 0, 120);
    const hash = flag.hash();
    flag.free();
    return hash;
  },
};
