// Types of cloth.js. What structs and constants mean, their units, ranges and defaults stand in cloth.h.
// SPDX-License-Identifier: MIT
import type { Address, Functions, Structs } from "./structs.js";
import type {
  cloth_bind_reach,
  cloth_collider,
  cloth_config,
  cloth_cut_line,
  cloth_fabric,
  cloth_measures,
  cloth_memory,
  cloth_pose,
  cloth_ray,
  cloth_self_statistics,
  cloth_settle_report,
  cloth_skin_layout,
  cloth_statistics,
  cloth_surface_point,
  cloth_vector,
} from "./structs.js";

export * from "./structs.js";

/** The fields to change, at any depth. */
export type Some<T> = T extends object ? { [field in keyof T]?: Some<T[field]> } : T;

/** Names of cloth_fabric_kind. */
export type FabricKind =
  | "silk"
  | "cotton"
  | "wool"
  | "denim"
  | "polyester"
  | "satin"
  | "linen"
  | "jersey"
  | "felt"
  | "leather"
  | "canvas"
  | "rubber"
  | "paper";

export type Settings = Some<Omit<cloth_config, "fabric">> & { fabric?: FabricKind | Some<cloth_fabric> };

/** What a call refused. Nothing was changed. */
export declare class ClothError extends Error {
  /** A negative cloth_error, whose name is the message. */
  readonly code: number;
}

/** Three arrays of one number per particle, in the library's own memory. */
export interface Vectors {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
}

/** Loads the library: from beside this file, or from a module, or from its bytes. */
export declare function load(source?: WebAssembly.Module | BufferSource): Promise<Library>;

/** One instance of the module with its memory. */
export declare class Library {
  constructor(module: WebAssembly.Module);

  /** Every function of cloth.h by its own name. Structs by value are passed by address; see structs.d.ts. */
  readonly functions: Functions & { memory: WebAssembly.Memory };
  readonly memory: WebAssembly.Memory;

  /** Takes memory, aligned to CLOTH_ALIGNMENT. The memory may grow: views made before are then empty. */
  allocate(bytes: number): Address;
  /** Gives back what allocate(bytes) returned. */
  free(address: Address, bytes: number): void;
  /** Views of the memory, without a copy. */
  floats(address: Address, count: number): Float32Array;
  bytes(address: Address, count: number): Uint8Array;
  text(address: Address): string;
  /** A struct of cloth.h as an object. */
  read<Name extends keyof Structs>(name: Name, address: Address): Structs[Name];
  /** Writes those fields of a struct that `values` has, and returns the address. */
  write<Name extends keyof Structs>(name: Name, address: Address, values: Some<Structs[Name]>): Address;
  /** Writes a whole struct, each field of it, to a slot that the next call takes again, and returns the address. */
  argument<Name extends keyof Structs>(name: Name, values: Structs[Name]): Address;
  /** What a function returned, unless it is an error, which is thrown. */
  must(code: number): number;

  fabric(kind: FabricKind): cloth_fabric;
  /** What is wrong with settings in words, or "ok". */
  explain(settings: Settings): string;
  /** Throws if this machine does not compute the known bits. */
  selfTest(): number;
  /** Makes a cloth of the default config and what is set otherwise. */
  make(settings?: Settings): Cloth;
  /** Binds a mesh to cloths as they are now, see cloth_bind(): interleaved vertices, by default of 8 floats, position and
      normal first, as vertices() of a cloth writes them. */
  bind(
    cloths: readonly Cloth[],
    mesh: Float32Array,
    reach: cloth_bind_reach,
    layout?: Partial<Omit<cloth_skin_layout, "count">>,
  ): Skin;
}

/** One cloth. Views are of the library's memory: ask for them when they are used.

    There are no methods for groups and seams, geometries, bodies with mass, shared bodies, workers, deadlines and plans,
    gusts and changes of the fabric, set_particle(), targets, confinements, tethers, frames and origins. Their functions
    are in `library.functions` by the names of cloth.h, for `address`. */
export declare class Cloth {
  readonly library: Library;
  readonly address: Address;
  readonly sizes: cloth_memory;
  /** Particles. */
  readonly count: number;
  /** Vertices: particles, on tubes those of the seam twice, and room for the pieces of torn cells. Constant. */
  readonly vertexCount: number;
  /** Indices as the cloth is now: cuts, tears, load() and restore() change it. */
  readonly indexCount: number;

  /** Gives its memory back: no call and no view after that. */
  free(): void;
  /** Returns a sum of cloth_note. */
  step(seconds: number): number;
  /** Brings the cloth to rest by steps of `seconds`. `speed` is 0.01 m/s and `maxSteps` 900 by default. */
  settle(seconds: number, speed?: number, maxSteps?: number): cloth_settle_report;
  /** Cuts along a line in columns and rows. Returns how many threads; needs tearing.max_breaks. */
  cut(line: cloth_cut_line): number;
  wake(): void;
  isAsleep(): boolean;

  /** The library's own arrays: no copy. */
  positions(): Vectors;
  velocities(): Vectors;
  /** Position, normal and texture coordinates, 8 floats a vertex, as they are now: a view of memory, no copy. */
  vertices(): Float32Array;
  /** Keeps the positions of now, before a step, for blendedVertices(). */
  keepPositions(): void;
  /** As vertices(), and in their place, `fraction` (0..1) of the way from the kept positions to those of now. */
  blendedVertices(fraction: number): Float32Array;
  /** Three indices for each triangle, a copy. Of a cloth that may tear ask again after steps with
      statistics().threads_torn, cuts, load() and restore(). */
  indices(): Uint16Array | Uint32Array;
  /** Corners of the box around all particles. */
  bounds(): { low: cloth_vector; high: cloth_vector };

  particleAt(column: number, row: number): number;
  pin(particle: number): void;
  movePin(particle: number, target: cloth_vector): void;
  release(particle: number): void;
  applyImpulse(particle: number, impulse: cloth_vector): void;
  setWind(wind: cloth_vector): void;
  setGravity(gravity: cloth_vector): void;
  /** Returns the index of the collider. */
  addCollider(collider: Some<cloth_collider>): number;
  moveCollider(index: number, pose: cloth_pose): void;
  removeCollider(index: number): void;
  /** Where a ray meets the cloth, or null. */
  castRay(ray: Omit<cloth_ray, "thickness"> & { thickness?: number }): cloth_surface_point | null;
  /** The point of the cloth nearest to `from`, or null. */
  findNearest(from: cloth_vector, maxDistance: number): cloth_surface_point | null;

  statistics(): cloth_statistics;
  /** Of contact with itself; needs self_thickness. */
  selfStatistics(): cloth_self_statistics;
  measure(): cloth_measures;
  /** The same on every machine, as 16 hexadecimal digits. */
  hash(): string;
  /** The state for files and other machines. */
  image(): Uint8Array;
  restore(image: Uint8Array): void;
  /** The state for rollback in this build: faster, without a hash. */
  save(): Uint8Array;
  load(saved: Uint8Array): void;
}

/** A mesh that follows cloths, see cloth_skin(). It does not tear: triangles stretch over a tear. */
export declare class Skin {
  readonly library: Library;
  readonly cloths: readonly Cloth[];
  readonly layout: cloth_skin_layout;
  /** Vertices that are bound. */
  readonly boundCount: number;
  /** Of layout.count cloth_bindings. */
  readonly bindingAddress: Address;

  /** Gives its memory back; the cloths stay. */
  free(): void;
  /** The mesh as its cloths are now: a view of memory. What is not bound, or in part, is that of `animated`. */
  vertices(animated?: Float32Array): Float32Array;
}
