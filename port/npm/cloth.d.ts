// Types of cloth.js. What structs and constants mean, their units, ranges and defaults stand in cloth.h.
// SPDX-License-Identifier: MIT
import type { Address, Functions, Structs } from "./structs.js";
import type {
  cloth_collider,
  cloth_config,
  cloth_fabric,
  cloth_measures,
  cloth_memory,
  cloth_pose,
  cloth_ray,
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
  /** What a function returned, unless it is an error, which is thrown. */
  must(code: number): number;

  fabric(kind: FabricKind): cloth_fabric;
  /** What is wrong with settings in words, or "ok". */
  explain(settings: Settings): string;
  /** Throws if this machine does not compute the known bits. */
  selfTest(): number;
  /** Makes a cloth of the default config and what is set otherwise. */
  make(settings?: Settings): Cloth;
}

/** One cloth. Views are of the library's memory: ask for them when they are used. */
export declare class Cloth {
  readonly library: Library;
  readonly address: Address;
  readonly sizes: cloth_memory;
  /** Particles; vertices, more on tubes; indices. */
  readonly count: number;
  readonly vertexCount: number;
  readonly indexCount: number;

  /** Gives its memory back: no call and no view after that. */
  free(): void;
  /** Returns a sum of cloth_note. */
  step(seconds: number): number;

  /** The library's own arrays: no copy. */
  positions(): Vectors;
  velocities(): Vectors;
  /** Position, normal and texture coordinates, 8 floats a vertex, as they are now: a view of memory, no copy. */
  vertices(): Float32Array;
  /** Three indices for each triangle. */
  indices(): Uint16Array | Uint32Array;

  particleAt(column: number, row: number): number;
  pin(particle: number): void;
  movePin(particle: number, target: cloth_vector): void;
  release(particle: number): void;
  setWind(wind: cloth_vector): void;
  /** Returns the index of the collider. */
  addCollider(collider: Some<cloth_collider>): number;
  moveCollider(index: number, pose: cloth_pose): void;
  /** Where a ray meets the cloth, or null. */
  castRay(ray: Omit<cloth_ray, "thickness"> & { thickness?: number }): cloth_surface_point | null;

  statistics(): cloth_statistics;
  measure(): cloth_measures;
  /** The same on every machine, as 16 hexadecimal digits. */
  hash(): string;
  /** The state for files and other machines. */
  image(): Uint8Array;
  restore(image: Uint8Array): void;
}
