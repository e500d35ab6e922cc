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
  const pages = library.memory.buffer.byteLength;
  library.free(library.allocate(pages), pages);
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
}
expect((await load()).functions.cloth_self_test() >= 0, "the module beside the package");
console.log(`flag, hash ${shown}`);
process.exit(faults === 0 ? 0 : 1);
