// The module with the library in it, and what lies in its memory. SPDX-License-Identifier: MIT

const VERTEX_FLOATS = 8;
const BODY_FLOATS = 12;

// Browsers without wasm SIMD get the same bits from plain C, slower.
export async function loadModule(isScalar) {
  const names = isScalar ? ["cloth_scalar.wasm"] : ["cloth.wasm", "cloth_scalar.wasm"];
  let trouble;
  for (const name of names) {
    try {
      const answer = await fetch(name);
      return await WebAssembly.compile(await answer.arrayBuffer());
    } catch (error) {
      trouble = error;
    }
  }
  throw trouble;
}

export class Cloth {
  constructor(module) {
    this.call = new WebAssembly.Instance(module, {}).exports;
    this.memory = this.call.memory.buffer;
  }

  text(address) {
    const bytes = new Uint8Array(this.memory, address);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  // All texts that a function of the module gives by number.
  list(textOf) {
    const found = [];
    for (let address; (address = textOf(found.length)) !== 0; ) {
      found.push(this.text(address));
    }
    return found;
  }

  names() {
    return this.list(this.call.scene_name);
  }

  fabrics() {
    return this.list(this.call.fabric_name);
  }

  methods() {
    return this.list(this.call.method_name);
  }

  // Throws what the library calls the error.
  must(result) {
    if (result < 0) {
      throw new Error(this.text(this.call.result_name(result)));
    }
    return result;
  }

  open(kind, columns) {
    this.must(this.call.scene_open(kind, columns));
  }

  step() {
    return this.must(this.call.scene_step());
  }

  count() {
    return this.call.columns() * this.call.rows();
  }

  vertices() {
    return new Float32Array(this.memory, this.call.write_vertices(), VERTEX_FLOATS * this.count());
  }

  position(particle) {
    return this.vertices().slice(VERTEX_FLOATS * particle, VERTEX_FLOATS * particle + 3);
  }

  indices() {
    const cells = (this.call.columns() - 1) * (this.call.rows() - 1);
    return new Uint16Array(this.memory, this.call.write_indices(), 6 * cells);
  }

  bodies() {
    const floats = new Float32Array(this.memory, this.call.write_bodies(), BODY_FLOATS * this.call.body_count());
    const found = [];
    for (let i = 0; i < floats.length; i += BODY_FLOATS) {
      const [shape, x, y, z, qx, qy, qz, qw, low, high, half] = floats.subarray(i, i + BODY_FLOATS);
      found.push({ isPlane: shape === 0, position: [x, y, z], rotation: [qx, qy, qz, qw], low, high, half });
    }
    return found;
  }

  springs(tier) {
    return new Uint16Array(this.memory, this.call.spring_ends(tier), 2 * this.call.spring_count(tier));
  }

  hash() {
    const half = (value) => (value >>> 0).toString(16).padStart(8, "0");
    return half(this.call.hash_high()) + half(this.call.hash_low());
  }
}
