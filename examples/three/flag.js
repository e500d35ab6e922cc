// A flag in a wind that changes, touched by a ball that passes. tests/engines/flag.c is the same in C and has the same
// hash. SPDX-License-Identifier: MIT
import { constants } from "./cloth/cloth.js";

const ROWS = 16;

export function makeFlag(library) {
  const flag = library.make({
    columns: 24,
    rows: ROWS,
    edge_warp: { x: 1.25, y: 0, z: 0 },
    edge_weft: { x: 0, y: -0.75, z: 0 },
    substeps: 8,
    fabric: "polyester",
  });
  for (let row = 0; row < ROWS; row++) {
    flag.pin(flag.particleAt(0, row));
  }
  flag.addCollider({
    shape: constants.CLOTH_SHAPE_SPHERE,
    radius: 0.125,
    pose: { position: { x: 0.75, y: -0.5, z: -1 } },
  });
  return flag;
}

export function playFlag(flag, from, to) {
  for (let frame = from; frame < to; frame++) {
    flag.setWind({ x: 6 + 0.25 * (frame % 16), y: 0, z: 0.5 });
    flag.moveCollider(0, { position: { x: 0.75, y: -0.5, z: -1 + frame / 64 }, rotation: { x: 0, y: 0, z: 0, w: 1 } });
    flag.step(1 / 60);
  }
}
