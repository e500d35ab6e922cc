// The package for npm in Node: hashes with and without SIMD, views, errors, memory. Prints what flag.c prints.
// node npm.mjs FOLDER: of the page of examples/three, which has the package beside its scene.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const folder = pathToFileURL(path.resolve(process.argv[2]) + path.sep);
const { ClothError, constants, load, structs } = await import(new URL("cloth/cloth.js", folder));
const { makeFlag, playFlag } = await import(new URL("flag.js", folder));
let faults = 0;

function expect(condition, what) {
  if (!condition) {
    console.log(`failed: ${what}`);
    faults++;
  }
}

function errorOf(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  return null;
}

function checkViews(library, flag) {
  const { x } = flag.positions();
  const vertices = flag.vertices();
  expect(x.buffer === library.memory.buffer && vertices.buffer === library.memory.buffer, "views are of the memory");
  expect(x.length === flag.count && vertices.length === 8 * flag.vertexCount, "views are whole");
  expect(x.every((value, i) => value === vertices[8 * i]), "positions are those of vertices");
  expect(flag.positions() === flag.positions() && flag.vertices() === vertices, "the same view while memory stays");
  const before = x[20];
  flag.step(1 / 60);
  expect(flag.positions().x === x && x[20] !== before, "a view shows the next step");
  growMemory(library);
  expect(x.length === 0 && flag.positions().x.length === flag.count, "a new view after memory has grown");
  const indices = flag.indices();
  expect(indices instanceof Uint16Array && Math.max(...indices) === flag.count - 1, "indices");
}

function checkErrors(library, flag) {
  const error = errorOf(() => flag.pin(flag.count));
  expect(error instanceof ClothError && error.code === constants.CLOTH_ERROR_INDEX && error.message === "INDEX", "errors");
  expect(errorOf(() => library.make({ columns: 1 }))?.code === constants.CLOTH_ERROR_RANGE, "a wrong config");
  expect(library.explain({ columns: 1 }).startsWith("columns: "), library.explain({ columns: 1 }));
  expect(errorOf(() => library.make({ colums: 8 })) instanceof TypeError, "a field that is not there");
  for (const substeps of ["4", 2.5, null, 2 ** 40]) {
    expect(errorOf(() => library.make({ substeps })) instanceof Error, `${substeps} substeps`);
  }
  expect(errorOf(() => library.make({ gravity: { y: "down" } })) instanceof TypeError, "a float that is a text");
  expect(errorOf(() => library.make({ fabric: "tin" }))?.code === constants.CLOTH_ERROR_RANGE, "an unknown fabric");
}

// Structs go in and come out whole, whatever their fields.
function checkStructs(library) {
  for (const [name, { size, fields }] of Object.entries(structs)) {
    const address = library.allocate(size);
    const bytes = library.bytes(address, size);
    bytes.forEach((_, i) => (bytes[i] = 7 * i + 1));
    const object = library.read(name, address);
    expect(Object.keys(object).length === Object.keys(fields).length, `fields of ${name}`);
    bytes.fill(0);
    library.write(name, address, object);
    expect(isDeepStrictEqual(library.read(name, address), object), `${name} there and back`);
    library.free(address, size);
  }
}

function checkState(library, flag) {
  const image = flag.image();
  playFlag(flag, 120, 125);
  const later = flag.hash();
  flag.restore(image);
  expect(flag.hash() !== later, "an image brings the state back");
  playFlag(flag, 120, 125);
  expect(flag.hash() === later, "and it goes on the same");
  expect(flag.statistics().substeps === 8 && flag.measure().max_stretch > 0, "statistics");
  const ray = { origin: { x: 0.1, y: -0.3, z: 5 }, direction: { x: 0, y: 0, z: -1 }, max_distance: 10 };
  expect(flag.castRay(ray)?.side === 1 || flag.castRay(ray)?.side === -1, "a ray");
  expect(flag.castRay({ ...ray, direction: { x: 0, y: 0, z: 1 } }) === null, "a ray that meets nothing");
  const { end } = library;
  flag.free();
  flag.free(); // once is enough
  expect(errorOf(() => flag.step(1 / 60))?.code === constants.CLOTH_ERROR_NULL, "a call after free");
  makeFlag(library).free();
  expect(library.end === end, "memory is used again");
}

// What a renderer takes: whole, finite, with indices of vertices that are there.
function checkDrawn(cloth, frame) {
  const vertices = cloth.vertices();
  expect(vertices.length === 8 * cloth.vertexCount && vertices.every(Number.isFinite), `vertices of frame ${frame}`);
  const indices = cloth.indices(); // the memory may grow for them: the view before is empty then
  expect(indices.length === cloth.indexCount && indices.length > 0, `indices of frame ${frame}`);
  expect(indices.every((index) => index < cloth.vertexCount), `indices of frame ${frame} are of vertices`);
}

// Takes the memory to its end, so that it grows: views that were made before are empty, not those of something else.
function growMemory(library) {
  const bytes = library.memory.buffer.byteLength;
  library.free(library.allocate(bytes), bytes);
}

// A sheet that is cut, tears where it is pulled, and is drawn in every frame while the memory grows under it.
function checkTearing(library) {
  const sheet = library.make({ columns: 12, rows: 12, tearing: { max_breaks: 20, strain: 0.1 } });
  expect(sheet.vertexCount === library.functions.cloth_get_vertex_count(sheet.address), "as many as the library says");
  expect(sheet.vertexCount > sheet.count, "room for the pieces of torn cells");
  const corners = [sheet.particleAt(0, 0), sheet.particleAt(11, 0), sheet.particleAt(0, 11), sheet.particleAt(11, 11)];
  corners.forEach((corner) => sheet.pin(corner));
  const whole = sheet.indexCount;
  const { y, z } = sheet.positions();
  const [low, outward] = [y[corners[2]], z[corners[2]]];
  let torn = 0;
  for (let frame = 0; frame < 60; frame++) {
    checkDrawn(sheet, frame);
    if (frame === 10) {
      expect(sheet.cut({ column: -1, row: 5.5, end_column: 4.5, end_row: 5.5 }) === 5, "a cut through 5 threads");
      expect(sheet.indexCount !== whole, "a cut changes the number of indices");
      checkDrawn(sheet, "the cut");
    }
    sheet.movePin(corners[2], { x: sheet.positions().x[corners[2]], y: low - 0.02 * frame, z: outward });
    sheet.step(1 / 60);
    torn += sheet.statistics().threads_torn;
    if (frame % 20 === 0) {
      const before = sheet.vertices();
      const copy = before.slice();
      growMemory(library);
      expect(before.length === 0, "a view is empty after the memory has grown");
      expect(isDeepStrictEqual(sheet.vertices(), copy), "and a new one has what it had");
    }
  }
  expect(torn > 0, `${torn} threads torn`);
  const saved = sheet.save();
  const cut = sheet.cut({ column: -1, row: 2.5, end_column: 12, end_row: 2.5 });
  const { indexCount } = sheet;
  sheet.load(saved);
  expect(cut > 0 && sheet.indexCount !== indexCount, "a load brings the threads back");
  checkDrawn(sheet, "the load");
  const plain = library.make({ columns: 12, rows: 12 });
  const refused = errorOf(() => plain.cut({ column: 0, row: 0.5, end_column: 11, end_row: 0.5 }));
  expect(refused?.code === constants.CLOTH_ERROR_STATE, "a cloth without tearing is not cut");
  const tube = library.make({ columns: 12, rows: 4, grid: { wrap: 1 }, edge_weft: { z: 0, y: -1 } });
  expect(tube.vertexCount === 13 * 4, "vertices of a tube");
  checkDrawn(tube, "a tube");
  [sheet, plain, tube].forEach((cloth) => cloth.free());
  expect(errorOf(() => sheet.indexCount)?.code === constants.CLOTH_ERROR_NULL, "no indices after free");
  expect(errorOf(() => sheet.positions())?.code === constants.CLOTH_ERROR_NULL, "no views after free");
}

// Frames between two steps, and a mesh that follows: what a fixed rate of steps and a character need.
function checkBlendAndSkin(library) {
  const cape = library.make({ columns: 8, rows: 8 });
  const { end } = library;
  cape.pin(0);
  expect(errorOf(() => cape.blendedVertices(0.5))?.code === constants.CLOTH_ERROR_NULL, "nothing kept, nothing blended");
  const mesh = cape.vertices().slice();
  mesh.set([100, 100, 100], 0); // out of reach
  const skin = library.bind([cape], mesh, { full: 0.1, none: 0.2 });
  expect(skin.boundCount === cape.count - 1, `${skin.boundCount} vertices bound`);
  const before = cape.vertices().slice();
  cape.keepPositions();
  cape.step(1 / 60);
  const after = cape.vertices().slice();
  expect(isDeepStrictEqual(cape.blendedVertices(0).slice(), before), "0: the kept positions");
  expect(isDeepStrictEqual(cape.blendedVertices(1).slice(), after), "1: those of now");
  expect(errorOf(() => cape.blendedVertices(2))?.code === constants.CLOTH_ERROR_RANGE, "beyond");
  growMemory(library);
  const skinned = skin.vertices();
  let farthest = 0;
  for (let i = 8; i < mesh.length; i++) {
    farthest = Math.max(farthest, i % 8 < 3 ? Math.abs(skinned[i] - after[i]) : 0);
  }
  expect(farthest < 1e-3, `a mesh of the cloth's own vertices is ${farthest} m from them`);
  expect(skinned[0] === 100 && skinned[14] === mesh[14], "what is not bound, and other floats, stay");
  const animated = mesh.map((value) => value + 1);
  expect(skin.vertices(animated)[0] === 101 && Math.abs(skinned[8] - after[8]) < 1e-3, "an animated mesh");
  expect(errorOf(() => skin.vertices(new Float32Array(8))) instanceof RangeError, "another mesh");
  expect(errorOf(() => library.bind([cape], mesh, { full: 1 })) instanceof TypeError, "half a reach");
  expect(errorOf(() => library.bind([cape], mesh, { full: 1, none: 2 }, { stride: 0 })) instanceof RangeError, "a stride");
  cape.free();
  expect(errorOf(() => skin.vertices())?.code === constants.CLOTH_ERROR_NULL, "a mesh of a cloth that is free");
  skin.free();
  skin.free();
  expect(errorOf(() => skin.vertices()) instanceof ClothError, "a mesh that is free");
  const again = library.make({ columns: 8, rows: 8 });
  again.keepPositions();
  library.bind([again], mesh, { full: 0.1, none: 0.2 }).free();
  again.free();
  growMemory(library);
  const grown = library.end;
  library.make({ columns: 8, rows: 8 }).free();
  expect(library.end === grown && end > 0, "memory is used again");
}

function checkCalls(library) {
  const sheet = library.make({ columns: 10, rows: 10, self_thickness: 0.01, sleep: { speed: 0.05, time: 0.1 } });
  for (let column = 0; column < 10; column++) {
    sheet.pin(sheet.particleAt(column, 0));
  }
  expect(sheet.settle(1 / 60).settled === 1, "the sheet settles");
  for (let frame = 0; frame < 30; frame++) {
    sheet.step(1 / 60);
  }
  expect(sheet.isAsleep(), "the sheet sleeps");
  sheet.wake();
  expect(!sheet.isAsleep() && sheet.selfStatistics().intersections === 0, "the sheet is awake, and whole");
  const { x, y, z } = sheet.positions();
  const { low, high } = sheet.bounds();
  expect(low.y === Math.min(...y) && high.x === Math.max(...x) && high.z === Math.max(...z), "bounds");
  const found = sheet.findNearest({ x: x[55], y: y[55], z: z[55] }, 1);
  expect(found?.particle.includes(55) && found.distance < 1e-6, "the nearest point");
  expect(sheet.findNearest({ x: 100, y: 0, z: 0 }, 1) === null, "nothing near");
  const ball = sheet.addCollider({ shape: constants.CLOTH_SHAPE_SPHERE, radius: 0.1, pose: { position: { x: 9 } } });
  sheet.removeCollider(ball);
  expect(errorOf(() => sheet.removeCollider(ball))?.code === constants.CLOTH_ERROR_INDEX, "a collider that is gone");
  sheet.setGravity({ x: 0, y: 0, z: 0 });
  sheet.applyImpulse(55, { x: 0, y: 0, z: 0.01 });
  expect(sheet.velocities().z[55] > 0, `an impulse gives ${sheet.velocities().z[55]} m/s`);
  for (const wrong of [{ x: 0, y: 1 }, {}, { x: 0, y: undefined, z: 0 }]) {
    expect(errorOf(() => sheet.setWind(wrong)) instanceof TypeError, "a vector that is not whole");
  }
  expect(errorOf(() => sheet.moveCollider(0, { position: { x: 0, y: 0, z: 0 } })) instanceof TypeError, "half a pose");
  for (const bytes of [NaN, -32, 0.5]) {
    expect(errorOf(() => library.allocate(bytes)) instanceof RangeError, `${bytes} bytes`);
  }
  sheet.free();
}

// A config that only cloth_init() refuses, by what its map holds, costs no memory.
function checkRefusedMap(library) {
  const map = library.allocate(4 * 64);
  library.floats(map, 64).fill(-1);
  const make = () => library.make({ columns: 8, rows: 8, grid: { mass_map: map } });
  expect(errorOf(make)?.code === constants.CLOTH_ERROR_RANGE, "a wrong map");
  const { end } = library;
  expect(errorOf(make)?.code === constants.CLOTH_ERROR_RANGE && library.end === end, "a refused cloth takes no memory");
  library.free(map, 4 * 64);
}

let shown = "";
for (const name of ["cloth.wasm", "cloth_scalar.wasm"]) {
  const library = await load(fs.readFileSync(new URL(`cloth/${name}`, folder)));
  expect(library.selfTest() >= 0, "the self-test");
  const flag = makeFlag(library);
  playFlag(flag, 0, 120);
  const hash = flag.hash();
  expect(shown === "" || shown === hash, "the same with and without SIMD");
  shown = hash;
  checkViews(library, flag);
  checkErrors(library, flag);
  checkStructs(library);
  checkState(library, flag);
  checkTearing(library);
  checkBlendAndSkin(library);
  checkCalls(library);
  checkRefusedMap(library);
}
expect((await load()).functions.cloth_self_test() >= 0, "the module beside the package");
console.log(`flag, hash ${shown}`);
process.exit(faults === 0 ? 0 : 1);
