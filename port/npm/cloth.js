// The library as a module of WebAssembly: cloths, structs as objects, views of its memory. SPDX-License-Identifier: MIT
import { constants, structs } from "./structs.js";

export { constants, structs };

const VERTEX_BYTES = 32;
const VERTEX_LAYOUT = { stride: VERTEX_BYTES, position_offset: 0, normal_offset: 12, texcoord_offset: 24 };
const SKIN_LAYOUT = { stride: VERTEX_BYTES, position_offset: 0, normal_offset: 12, tangent_offset: -1 };
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
    if (!Number.isInteger(bytes) || bytes < 0) {
      throw new RangeError(`${bytes} bytes`);
    }
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

  /* A struct as an argument, in a slot that the next call takes again: a field that is missing is an error. */
  argument(name, values) {
    checkWhole(name, values);
    return this.write(name, this.slots[0], values);
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

  /* Binds a mesh to cloths as they are now: `mesh` is a Float32Array of interleaved vertices, as `layout` says, by
     default position, normal and two floats more. `reach` is a cloth_bind_reach. */
  bind(cloths, mesh, reach, layout = {}) {
    return new Skin(this, cloths, mesh, reach, layout);
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

function checkWhole(name, values) {
  for (const [field, [type]] of Object.entries(structs[name].fields)) {
    if (values[field] === undefined) {
      throw new TypeError(`${name} without ${field}`);
    }
    if (type in structs) {
      checkWhole(type, values[field]);
    }
  }
}

function sizeOf(type) {
  return type in structs ? structs[type].size : { uint16_t: 2, int16_t: 2, uint8_t: 1, uint64_t: 8 }[type] ?? 4;
}

/* What makes a view for as long as the memory has not grown, and then another one. */
class View {
  constructor(memory, make) {
    this.memory = memory;
    this.make = make;
    this.buffer = null; // of the memory, when the view was made
  }

  get() {
    if (this.buffer !== this.memory.buffer) {
      this.view = this.make();
      this.buffer = this.memory.buffer;
    }
    return this.view;
  }
}

/* One cloth in the memory of a library. Its views are of that memory, valid until the memory grows: ask for them when
   they are used, which costs nothing while it does not. */
export class Cloth {
  #views = {};

  constructor(library, config) {
    const { functions, slots } = library;
    this.library = library;
    this.sizes = library.ask("cloth_memory", (memory) => functions.cloth_memory_needed(config, memory));
    this.address = library.allocate(this.sizes.total_bytes);
    const code = functions.cloth_init(config, this.address, this.sizes.total_bytes, slots[1]);
    if (code < 0) {
      library.free(this.address, this.sizes.total_bytes);
    }
    library.must(code);
    const { columns, rows } = library.read("cloth_config", config);
    this.count = columns * rows;
    this.vertexCount = library.must(functions.cloth_get_vertex_count(this.address));
    this.vertexAddress = library.allocate(VERTEX_BYTES * this.vertexCount);
    this.keptAddress = 0; // of a cloth_blend and its positions, once they are asked for
    const floats = VERTEX_BYTES * this.vertexCount / 4;
    this.#views.vertices = new View(library.memory, () => library.floats(this.vertexAddress, floats));
    // The arrays of positions and velocities stay where they are for the life of the cloth.
    for (const name of ["positions", "velocities"]) {
      const at = library.ask("cloth_vector_view", (view) => functions[`cloth_get_${name}`](this.address, view));
      this.#views[name] = new View(library.memory, () => ({
        x: library.floats(at.x, at.count),
        y: library.floats(at.y, at.count),
        z: library.floats(at.z, at.count),
      }));
    }
  }

  /* Indices that indices() returns now: cuts and tears change it. */
  get indexCount() {
    return this.library.must(this.library.functions.cloth_get_index_count(this.address));
  }

  /* Gives its memory back: no call and no view after that. */
  free() {
    if (this.address === 0) {
      return;
    }
    this.library.free(this.address, this.sizes.total_bytes);
    this.library.free(this.vertexAddress, VERTEX_BYTES * this.vertexCount);
    if (this.keptAddress !== 0) {
      this.library.free(this.keptAddress, this.#keptBytes());
    }
    this.address = 0;
  }

  /* Returns a sum of cloth_note. */
  step(seconds) {
    return this.library.must(this.library.functions.cloth_step(this.address, seconds));
  }

  /* Brings the cloth to rest by steps of `seconds` and returns a cloth_settle_report. */
  settle(seconds, speed = 0.01, maxSteps = 900) {
    const { functions } = this.library;
    return this.library.ask("cloth_settle_report", (report) =>
      functions.cloth_settle(this.address, seconds, speed, maxSteps, report),
    );
  }

  /* The library's own arrays as three Float32Arrays x, y and z: no copy. */
  positions() {
    return this.#view("positions");
  }

  velocities() {
    return this.#view("velocities");
  }

  /* Position, normal and texture coordinates of all vertices as they are now, 8 floats each: a view of the memory that
     the library writes them to. */
  vertices() {
    const { functions } = this.library;
    return this.#drawn((...to) => functions.cloth_write_vertices(this.address, ...to));
  }

  /* Keeps the positions of now, for blendedVertices(): before each step. */
  keepPositions() {
    const { functions } = this.library;
    if (this.keptAddress === 0) {
      const kept = this.library.allocate(this.#keptBytes());
      this.library.write("cloth_blend", kept, { positions: kept + structs.cloth_blend.size, count: this.count });
      this.keptAddress = kept;
    }
    this.library.must(functions.cloth_keep_positions(this.address, this.keptAddress));
  }

  /* As vertices(), `fraction` of the way from the positions that were kept to those of now. */
  blendedVertices(fraction) {
    const { functions } = this.library;
    if (this.keptAddress !== 0) {
      this.library.write("cloth_blend", this.keptAddress, { fraction });
    }
    return this.#drawn((...to) => functions.cloth_write_blended_vertices(this.address, this.keptAddress, ...to));
  }

  /* Three indices for each triangle, a copy. Those of a cloth that may tear change with each tear and cut. */
  indices() {
    const { functions } = this.library;
    const count = this.indexCount;
    const isShort = this.vertexCount <= 65536;
    const write = isShort ? functions.cloth_write_indices16 : functions.cloth_write_indices32;
    const copy = this.#written(count * (isShort ? 2 : 4), (address, to) => write(address, 0, to, count));
    return new (isShort ? Uint16Array : Uint32Array)(copy.buffer);
  }

  /* The box around all particles: its corners `low` and `high`. */
  bounds() {
    const { functions, slots } = this.library;
    const [low, high] = [slots[0], slots[1]];
    this.library.must(functions.cloth_get_bounds(this.address, low, high));
    return { low: this.library.read("cloth_vector", low), high: this.library.read("cloth_vector", high) };
  }

  /* Cuts along a cloth_cut_line, needs tearing.max_breaks, and returns the number of threads. */
  cut(line) {
    const { functions } = this.library;
    return this.library.must(functions.cloth_cut(this.address, this.library.argument("cloth_cut_line", line)));
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

  applyImpulse(particle, impulse) {
    this.#withVector(impulse, (v) => this.library.functions.cloth_apply_impulse(this.address, particle, v));
  }

  setWind(wind) {
    this.#withVector(wind, (v) => this.library.functions.cloth_set_wind(this.address, v));
  }

  setGravity(gravity) {
    this.#withVector(gravity, (v) => this.library.functions.cloth_set_gravity(this.address, v));
  }

  /* Returns the index of a collider of cloth_collider_default() and what `collider` sets otherwise. */
  addCollider(collider) {
    const { functions, slots } = this.library;
    functions.cloth_collider_default(slots[0]);
    this.library.write("cloth_collider", slots[0], collider);
    return this.library.must(functions.cloth_add_collider(this.address, slots[0]));
  }

  moveCollider(index, pose) {
    const { functions } = this.library;
    const address = this.library.argument("cloth_pose", pose);
    this.library.must(functions.cloth_move_collider(this.address, index, 0, address));
  }

  removeCollider(index) {
    this.library.must(this.library.functions.cloth_remove_collider(this.address, index));
  }

  wake() {
    this.library.must(this.library.functions.cloth_wake(this.address));
  }

  isAsleep() {
    return this.library.must(this.library.functions.cloth_is_asleep(this.address)) === 1;
  }

  /* Where a ray meets the cloth as a cloth_surface_point, or null. */
  castRay(ray) {
    const { functions, slots } = this.library;
    const address = this.library.argument("cloth_ray", { thickness: 0, ...ray });
    return this.#found(functions.cloth_cast_ray(this.address, address, slots[1]));
  }

  /* The point of the cloth nearest to `from` as a cloth_surface_point, or null if none is within `maxDistance`. */
  findNearest(from, maxDistance) {
    const { functions, slots } = this.library;
    const address = this.library.argument("cloth_vector", from);
    return this.#found(functions.cloth_find_nearest(this.address, address, maxDistance, slots[1]));
  }

  statistics() {
    return this.#ask("cloth_statistics", "cloth_get_statistics");
  }

  /* Of contact of the cloth with itself, which needs self_thickness. */
  selfStatistics() {
    return this.#ask("cloth_self_statistics", "cloth_get_self_statistics");
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
    this.#given(image, this.library.functions.cloth_read_image);
  }

  /* The state for rollback in this build, a copy: faster than an image, and without its hash. */
  save() {
    return this.#written(this.sizes.saved_bytes, this.library.functions.cloth_save);
  }

  load(saved) {
    this.#given(saved, this.library.functions.cloth_load);
  }

  #ask(name, function_name) {
    return this.library.ask(name, (address) => this.library.functions[function_name](this.address, address));
  }

  #withVector(vector, call) {
    this.library.must(call(this.library.argument("cloth_vector", vector)));
  }

  #written(bytes, write) {
    const address = this.library.allocate(bytes);
    const code = write(this.address, address, bytes);
    const copy = this.library.bytes(address, bytes).slice();
    this.library.free(address, bytes);
    this.library.must(code);
    return copy;
  }

  #given(bytes, read) {
    const { length } = bytes;
    const address = this.library.allocate(length);
    this.library.bytes(address, length).set(bytes);
    const code = read(this.address, address, length);
    this.library.free(address, length);
    this.library.must(code);
  }

  // What a query found, in the slot of results.
  #found(code) {
    return this.library.must(code) ? this.library.read("cloth_surface_point", this.library.slots[1]) : null;
  }

  #drawn(write) {
    const layout = this.library.argument("cloth_vertex_layout", VERTEX_LAYOUT);
    this.library.must(write(layout, this.vertexAddress, VERTEX_BYTES * this.vertexCount));
    return this.#view("vertices");
  }

  #keptBytes() {
    return structs.cloth_blend.size + structs.cloth_vector.size * this.count;
  }

  // After free() the memory is another's.
  #view(name) {
    this.library.must(this.address === 0 ? constants.CLOTH_ERROR_NULL : constants.CLOTH_OK);
    return this.#views[name].get();
  }
}

/* A mesh that follows cloths: its vertices and bindings in the memory of a library. */
export class Skin {
  #vertices;

  constructor(library, cloths, mesh, reach, layout) {
    const { functions, slots } = library;
    const { stride } = { ...SKIN_LAYOUT, ...layout };
    const count = Math.floor(mesh.byteLength / stride);
    Object.assign(this, { library, cloths: [...cloths], layout: { ...SKIN_LAYOUT, ...layout, count } });
    // Addresses of the cloths, bindings, vertices.
    this.bytes = 4 * cloths.length + structs.cloth_binding.size * count + mesh.byteLength;
    const copy = mesh.slice(); // before the memory grows, which would empty a view of it
    this.address = library.allocate(this.bytes);
    this.bindingAddress = this.address + 4 * cloths.length;
    this.vertexAddress = this.bindingAddress + structs.cloth_binding.size * count;
    this.#vertices = new View(library.memory, () => library.floats(this.vertexAddress, copy.length));
    try {
      this.#vertices.get().set(copy);
      checkWhole("cloth_bind_reach", reach);
      library.write("cloth_bind_reach", slots[1], reach);
      this.boundCount = this.#call((...of) =>
        functions.cloth_bind(...of, this.vertexAddress, slots[1], this.bindingAddress),
      );
    } catch (trouble) {
      this.free();
      throw trouble;
    }
  }

  /* Gives its memory back: no call and no view after that. The cloths stay. */
  free() {
    if (this.address !== 0) {
      this.library.free(this.address, this.bytes);
      this.address = 0;
    }
  }

  /* The mesh as its cloths are now: a view of memory, no copy. Vertices that are not bound, and the shares of others,
     are those of `animated`, the same mesh without cloth; without it bound vertices follow their cloth wholly. */
  vertices(animated) {
    const { functions } = this.library;
    this.library.must(this.address === 0 ? constants.CLOTH_ERROR_NULL : constants.CLOTH_OK);
    if (animated !== undefined) {
      if (animated.length !== this.#vertices.get().length) {
        throw new RangeError(`${animated.length} floats of ${this.#vertices.get().length}`);
      }
      this.#vertices.get().set(animated);
    }
    const from = animated === undefined ? 0 : this.vertexAddress;
    this.#call((cloths, count, layout) =>
      functions.cloth_skin(cloths, count, this.bindingAddress, layout, from, this.vertexAddress),
    );
    return this.#vertices.get();
  }

  // A cloth that is free has no address, which is refused.
  #call(call) {
    const { library, cloths } = this;
    new Uint32Array(library.memory.buffer, this.address, cloths.length).set(cloths.map((cloth) => cloth.address));
    const layout = library.argument("cloth_skin_layout", this.layout);
    return library.must(call(this.address, cloths.length, layout));
  }
}
