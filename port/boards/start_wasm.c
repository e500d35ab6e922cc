/* The board of a WebAssembly module: text goes to a function that whoever loads the module brings. See run_wasm.mjs. */
#include "board.h"

__attribute__((import_module("board"), import_name("print"))) void print_imported(const char *text);
__attribute__((export_name("run"))) int run(void);

void board_print(const char *text) {
  print_imported(text);
}

int run(void) {
  return board_main();
}
