// The same sheet by this library and by ammo.js: how far each stretches, and what a frame costs. SPDX-License-Identifier: MIT
import { AmmoSheet } from "./ammo_sheet.js";

export const SCENE = { columns: 24, rows: 24, width: 1, length: 1, density: 0.2, gravity: 9.81 };
export const FRAME = Math.fround(1 / 60);
const FRAMES = 60;
const BLOCK = 10;
const WARM_UP = 30;
const SLOWEST = 100; // step of ammo.js [ms] at which the search gives up

// Default settings, without air and damping, which ammo.js has of another kind.
export function makeCloth(library, scene, settings = {}) {
  const cloth = library.make({
    columns: scene.columns,
    rows: scene.rows,
    edge_warp: { x: scene.width, y: 0, z: 0 },
    edge_weft: { x: 0, y: 0, z: scene.length },
    gravity: { x: 0, y: -scene.gravity, z: 0 },
    air: { density: 0 },
    integration: { velocity_damping: 0 },
    grid: { imperfection: 0 },
    max_colliders: 0,
    ...settings,
  });
  cloth.pin(cloth.particleAt(0, 0));
  cloth.pin(cloth.particleAt(scene.columns - 1, 0));
  return cloth;
}

// Largest strain of an edge along a row or a column [1], by the same measure for both.
export function largestStretch(vertices, { columns, rows, width, length }) {
  let largest = 0;
  const strain = (a, b, rest) =>
    Math.hypot(
      vertices[8 * a] - vertices[8 * b],
      vertices[8 * a + 1] - vertices[8 * b + 1],
      vertices[8 * a + 2] - vertices[8 * b + 2],
    ) /
      rest -
    1;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const here = row * columns + column;
      const right = column + 1 < columns ? strain(here, here + 1, width / (columns - 1)) : 0;
      const below = row + 1 < rows ? strain(here, here + columns, length / (rows - 1)) : 0;
      largest = Math.max(largest, right, below);
    }
  }
  return largest;
}

// The median of the means of ten frames each: clocks of browsers count tenths of a millisecond, and other work disturbs.
function typical(times) {
  const means = [];
  for (let i = 0; i + BLOCK <= times.length; i += BLOCK) {
    means.push(times.slice(i, i + BLOCK).reduce((sum, time) => sum + time, 0) / BLOCK);
  }
  return means.sort((a, b) => a - b)[means.length >> 1];
}

// Plays `frames` frames from the start: the largest strain of all of them, and the time of a step and of reading its
// vertices [ms].
export function play(sheet, scene, frames = FRAMES) {
  const steps = [];
  const reads = [];
  let stretch = 0;
  for (let frame = 0; frame < frames; frame++) {
    const begin = performance.now();
    sheet.step(FRAME);
    const middle = performance.now();
    const vertices = sheet.vertices();
    reads.push(performance.now() - middle);
    steps.push(middle - begin);
    stretch = Math.max(stretch, largestStretch(vertices, scene));
  }
  sheet.free();
  return { stretch, step: typical(steps), read: typical(reads) };
}

// The page may draw and answer between trials.
const pause = () => new Promise((resolve) => setTimeout(resolve));

// The fastest settings of ammo.js that stretch no more than `goal`: for each number of substeps the least iterations, to
// a quarter of them. Small substeps suit it best. `trials` keeps what was played.
export async function findEqual(Ammo, scene, goal, trials) {
  const played = async (substeps, iterations) => {
    const key = `${substeps} ${iterations}`;
    if (!trials.has(key)) {
      await pause();
      const sheet = new AmmoSheet(Ammo, scene, { substeps, iterations });
      trials.set(key, { substeps, iterations, ...play(sheet, scene) });
    }
    return trials.get(key);
  };
  let best = null;
  for (const substeps of [64, 32, 16, 8]) {
    let found = await played(substeps, 1);
    while (found.stretch > goal && found.step < (best?.step ?? SLOWEST)) {
      found = await played(substeps, 2 * found.iterations);
    }
    if (found.stretch <= goal && found.iterations >= 4) {
      const fewer = await played(substeps, (found.iterations * 3) / 4);
      found = fewer.stretch <= goal ? fewer : found;
    }
    if (found.stretch <= goal && found.step < (best?.step ?? Infinity)) {
      best = found;
    }
  }
  return best;
}

// Rows of a table: this library, and ammo.js with settings that are usual and with those that stretch as little.
export async function race(library, scalar, Ammo, scene = SCENE) {
  const cloth = (from, settings) => {
    play(makeCloth(from, scene, settings), scene, WARM_UP); // the engine compiles while it runs
    return play(makeCloth(from, scene, settings), scene);
  };
  const ammo = (setting) => play(new AmmoSheet(Ammo, scene, setting), scene);
  ammo({ substeps: 1, iterations: 10 });
  const rows = [
    { name: "cloth, default: 2 substeps", ...cloth(library, {}) },
    { name: "cloth, default, without SIMD", ...cloth(scalar, {}) },
    { name: "cloth, 4 substeps", ...cloth(library, { substeps: 4 }) },
    { name: "ammo.js, 10 iterations", ...ammo({ substeps: 1, iterations: 10 }) },
  ];
  const trials = new Map();
  for (const ours of [rows[0], rows[2]]) {
    const equal = await findEqual(Ammo, scene, ours.stretch, trials);
    if (equal !== null) {
      rows.push({ name: `ammo.js, ${equal.substeps} substeps of ${equal.iterations} iterations`, equals: ours.name, ...equal });
    }
  }
  return rows;
}
