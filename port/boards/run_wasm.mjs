// Runs a module linked with start_wasm.c: node run_wasm.mjs MODULE
import fs from "node:fs";

const bytes = fs.readFileSync(process.argv[2]);
let memory;

function print(address) {
  const text = new Uint8Array(memory.buffer, address);
  fs.writeSync(1, text.subarray(0, text.indexOf(0)));
}

const { instance } = await WebAssembly.instantiate(bytes, { board: { print } });
memory = instance.exports.memory;
process.exit(instance.exports.run());
