// The library as a module of WebAssembly: cloths, structs as objects, views of its memory. SPDX-License-Identifier: MIT
import { constants, structs } from "./structs.js";

export { constants, structs };

const VERTEX_BYTES = 32;
const VERTEX_LAYOUT = { stride: VERTEX_BYTES, position_offset: 0, normal_offset: 12, texcoord_offset: 24 };
const PAGE_BYTES = 65536;
const READERS = {
  float: "getFloat32",
  int32_t: "getInt32",
  int: "getInt32",
  uint32_t: "getUint32",
  size_t: "getUint32",
  uint16_t: "getUint16",
  int16_t: "getInt16",
  uint8_t: "getUint8",
  uint64_t: "getBigUint64",
};

/* What a call refused. `code` is a negative cloth_error, `message` its name. */
export class ClothError extends Error {
  constructor(code, name) {
    super(name);
    this.name = "ClothError";
    this.code = code;
  }
}

async function bytesAt(url) {
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const answer = await fetch(url);
  if (!answer.ok) {
    throw new Error(`${url}: ${answer.status}`);
  }
  return answer.arrayBuffer();
}

/* The module with the best lanes that this machine has: the results are the same. */
async function compileBest() {
  try {
    return await WebAssembly.compile(await bytesAt(new URL("./cloth.wasm", import.meta.url)));
  } catch (trouble) {
    if (!(trouble instanceof WebAssembly.CompileError)) {
      throw trouble;
    }
    return WebAssembly.compile(await bytesAt(new URL("./cloth_scalar.wasm", import.meta.url)));
  }
}

/* Loads the library: from beside this file, or from a WebAssembly.Module, or from its bytes. */
export async function load(source) {
  const module =
    source === undefined
      ? await compileBest()
      : source instanceof WebAssembly.Module
        ? source
        : await WebAssembly.compile(source);
  return new Library(module);
}

/* One instance of the module with its memory. */
export class Library {
  constructor(module) {
    this.functions = new WebAssembly.Instance(module, {}).exports;
    this.memory = this.functions.memory;
    this.end = this.functions.__heap_base.value;
    this.freed = new Map(); // addresses by size
    this.slots = [this.allocate(1024), this.allocate(1024)]; // for arguments and results
  }

  /* Takes `bytes` bytes of the memory, aligned to CLOTH_ALIGNMENT. The memory may grow: views made before are then
     empty, and are to be asked for again. */
  allocate(bytes) {
    const size = Math.ceil(bytes / constants.CLOTH_ALIGNMENT) * constants.CLOTH_ALIGNMENT;
    const again = this.freed.get(size);
    if (again?.length > 0) {
      return again.pop();
    }
    const start = Math.ceil(this.end / constants.CLOTH_ALIGNMENT) * constants.CLOTH_ALIGNMENT;
    const missing = start + size - this.memory.buffer.byteLength;
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / PAGE_BYTES));
    }
    this.end = start + size;
    return start;
  }

  /* Gives back what allocate(bytes) returned. */
  free(address, bytes) {
    const size = Math.ceil(bytes / constants.CLOTH_ALIGNMENT) * constants.CLOTH_ALIGNMENT;
    this.freed.set(size, [...(this.freed.get(size) ?? []), address]);
  }

  /* Views of the memory, without a copy. */
  floats(address, count) {
    return new Float32Array(this.memory.buffer, address, count);
  }

  bytes(address, count) {
    return new Uint8Array(this.memory.buffer, address, count);
  }

  text(address) {
    const bytes = new Uint8Array(this.memory.buffer, address);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  /* A struct of cloth.h as an object. */
  read(name, address) {
    const view = new DataView(this.memory.buffer);
    const found = {};
    for (const [field, [type, offset, count]] of Object.entries(structs[name].fields)) {
      const size = sizeOf(type);
      const one = (i) => this.#readOne(view, type, address + offset + i * size);
      found[field] = count === 0 ? one(0) : Array.from({ length: count }, (_, i) => one(i));
    }
    return found;
  }

  /* Writes those fields of a struct that `values` has; a field that the struct does not have is an error. */
  write(name, address, values) {
    const view = new DataView(this.memory.buffer);
    for (const [field, value] of Object.entries(values)) {
      if (!(field in structs[name].fields)) {
        throw new TypeError(`${name} has no ${field}`);
      }
      const [type, offset, count] = structs[name].fields[field];
      for (let i = 0; i < Math.max(count, 1); i++) {
        this.#writeOne(view, type, address + offset + i * sizeOf(type), count === 0 ? value : value[i]);
      }
    }
    return address;
  }

  /* What a function returned, unless it is an error. */
  must(code) {
    if (code < 0) {
      throw new ClothError(code, this.text(this.functions.cloth_result_name(code)));
    }
    return code;
  }

  /* Calls a function that writes a struct to its last parameter. */
  ask(name, call) {
    const address = this.slots[1];
    this.must(call(address));
    return this.read(name, address);
  }

  /* What is wrong with settings in words, or "ok". */
  explain(settings) {
    const config = this.#config(settings);
    this.functions.cloth_config_explain(config, this.slots[1], 256);
    return this.text(this.slots[1]);
  }

  fabric(kind) {
    const number = constants[`CLOTH_FABRIC_${kind.toUpperCase()}`];
    return this.ask("cloth_fabric", (fabric) => this.functions.cloth_fabric_preset(number ?? -1, fabric));
  }

  selfTest() {
    return this.must(this.functions.cloth_self_test());
  }

  /* Makes a cloth of cloth_config_default() and what `settings` sets otherwise. */
  make(settings = {}) {
    return new Cloth(this, this.#config(settings));
  }

  #config(settings) {
    const { fabric, ...others } = settings;
    this.functions.cloth_config_default(this.slots[0]);
    this.write("cloth_config", this.slots[0], others);
    if (fabric !== undefined) {
      this.write("cloth_config", this.slots[0], { fabric: typeof fabric === "string" ? this.fabric(fabric) : fabric });
    }
    return this.slots[0];
  }

  #readOne(view, type, address) {
    return type in READERS ? view[READERS[type]](address, true) : this.read(type, address);
  }

  /* A number that is not one, or an integer that does not fit, is an error, not 0 or another integer. */
  #writeOne(view, type, address, value) {
    if (!(type in READERS)) {
      this.write(type, address, value);
      return;
    }
    const reader = READERS[type];
    const number = typeof value === "boolean" ? Number(value) : value;
    const isFloat = reader === "getFloat32";
    if (isFloat ? typeof number !== "number" : !Number.isInteger(number) && typeof number !== "bigint") {
      throw new TypeError(`${value} is no ${type}`);
    }
    view[reader.replace("get", "set")](address, number, true);
    if (!isFloat && view[reader](address, true) !== number) {
      throw new RangeError(`${value} is no ${type}`);
    }
  }
}

function sizeOf(type) {
  return type in structs ? structs[type].size : { uint16_t: 2, int16_t: 2, uint8_t: 1, uint64_t: 8 }[type] ?? 4;
}

/* One cloth in the memory of a library. Its views are of that memory, valid until the memory grows: ask for them when
   they are used, which costs nothing while it does not. */
export class Cloth {
  #views = new Map();

  constructor(library, config) {
    const { functions, slots } = library;
    this.library = library;
    this.sizes = library.ask("cloth_memory", (memory) => functions.cloth_memory_needed(config, memory));
    this.address = library.allocate(this.sizes.total_bytes);
    library.must(functions.cloth_init(config, this.address, this.sizes.total_bytes, slots[1]));
    const { columns, rows, grid } = library.read("cloth_config", config);
    this.count = columns * rows;
    this.indexCount = functions.cloth_get_index_count(this.address);
    this.vertexCount = (columns + grid.wrap) * rows;
    this.vertexAddress = library.allocate(VERTEX_BYTES * this.vertexCount);
    // The arrays of positions and velocities stay where they are for the life of the cloth.
    this.arrays = {};
    for (const name of ["positions", "velocities"]) {
      this.arrays[name] = library.ask("cloth_vector_view", (view) => functions[`cloth_get_${name}`](this.address, view));
    }
  }

  /* Gives its memory back: no call and no view after that. */
  free() {
    if (this.address === 0) {
      return;
    }
    this.library.free(this.address, this.sizes.total_bytes);
    this.library.free(this.vertexAddress, VERTEX_BYTES * this.vertexCount);
    this.address = 0;
  }

  /* Returns a sum of cloth_note. */
  step(seconds) {
    return this.library.must(this.library.functions.cloth_step(this.address, seconds));
  }

  /* The library's own arrays as three Float32Arrays x, y and z: no copy. */
  positions() {
    return this.#vectors("positions");
  }

  velocities() {
    return this.#vectors("velocities");
  }

  /* Position, normal and texture coordinates of all vertices as they are now, 8 floats each: a view of the memory that
     the library writes them to. */
  vertices() {
    const { functions, slots, memory } = this.library;
    const layout = this.library.write("cloth_vertex_layout", slots[0], VERTEX_LAYOUT);
    const bytes = VERTEX_BYTES * this.vertexCount;
    this.library.must(functions.cloth_write_vertices(this.address, layout, this.vertexAddress, bytes));
    return this.#view("vertices", () => new Float32Array(memory.buffer, this.vertexAddress, bytes / 4));
  }

  /* Three indices for each triangle, a copy. */
  indices() {
    const { functions, memory } = this.library;
    const isShort = this.vertexCount <= 65536;
    const bytes = this.indexCount * (isShort ? 2 : 4);
    const address = this.library.allocate(bytes);
    const write = isShort ? functions.cloth_write_indices16 : functions.cloth_write_indices32;
    this.library.must(write(this.address, 0, address, this.indexCount));
    const copy = new (isShort ? Uint16Array : Uint32Array)(memory.buffer, address, this.indexCount).slice();
    this.library.free(address, bytes);
    return copy;
  }

  particleAt(column, row) {
    return this.library.must(this.library.functions.cloth_particle_at(this.address, column, row));
  }

  pin(particle) {
    this.library.must(this.library.functions.cloth_pin(this.address, particle));
  }

  movePin(particle, target) {
    this.#withVector(target, (v) => this.library.functions.cloth_move_pin(this.address, particle, v));
  }

  release(particle) {
    this.library.must(this.library.functions.cloth_release(this.address, particle));
  }

  setWind(wind) {
    this.#withVector(wind, (v) => this.library.functions.cloth_set_wind(this.address, v));
  }

  /* Returns the index of a collider of cloth_collider_default() and what `collider` sets otherwise. */
  addCollider(collider) {
    const { functions, slots } = this.library;
    functions.cloth_collider_default(slots[0]);
    this.library.write("cloth_collider", slots[0], collider);
    return this.library.must(functions.cloth_add_collider(this.address, slots[0]));
  }

  moveCollider(index, pose) {
    const { functions, slots } = this.library;
    const address = this.library.write("cloth_pose", slots[0], pose);
    this.library.must(functions.cloth_move_collider(this.address, index, 0, address));
  }

  /* Where a ray meets the cloth as a cloth_surface_point, or null. */
  castRay(ray) {
    const { functions, slots } = this.library;
    const address = this.library.write("cloth_ray", slots[0], { thickness: 0, ...ray });
    const found = this.library.must(functions.cloth_cast_ray(this.address, address, slots[1]));
    return found ? this.library.read("cloth_surface_point", slots[1]) : null;
  }

  statistics() {
    return this.#ask("cloth_statistics", "cloth_get_statistics");
  }

  measure() {
    return this.#ask("cloth_measures", "cloth_measure");
  }

  /* The same on every machine, as 16 hexadecimal digits. */
  hash() {
    const { functions, slots, memory } = this.library;
    this.library.must(functions.cloth_hash(this.address, slots[1]));
    return new DataView(memory.buffer).getBigUint64(slots[1], true).toString(16).padStart(16, "0");
  }

  /* The state, a copy; the same in every build of this version. */
  image() {
    return this.#written(this.sizes.image_bytes, this.library.functions.cloth_write_image);
  }

  restore(image) {
    const address = this.library.allocate(image.length);
    this.library.bytes(address, image.length).set(image);
    const code = this.library.functions.cloth_read_image(this.address, address, image.length);
    this.library.free(address, image.length);
    this.library.must(code);
  }

  #ask(name, function_name) {
    return this.library.ask(name, (address) => this.library.functions[function_name](this.address, address));
  }

  #withVector(vector, call) {
    this.library.must(call(this.library.write("cloth_vector", this.library.slots[0], vector)));
  }

  #written(bytes, write) {
    const address = this.library.allocate(bytes);
    const code = write(this.address, address, bytes);
    const copy = this.library.bytes(address, bytes).slice();
    this.library.free(address, bytes);
    this.library.must(code);
    return copy;
  }

  #vectors(name) {
    const { x, y, z, count } = this.arrays[name];
    return this.#view(name, () => ({
      x: this.library.floats(x, count),
      y: this.library.floats(y, count),
      z: this.library.floats(z, count),
    }));
  }

  // The same view as long as the memory has not grown.
  #view(name, make) {
    const { buffer } = this.library.memory;
    const kept = this.#views.get(name);
    if (kept?.buffer === buffer) {
      return kept.view;
    }
    const view = make();
    this.#views.set(name, { buffer, view });
    return view;
  }
}
