/* The board of any machine with an operating system and a C library. */
#include "board.h"

#include <stdio.h>

void board_print(const char *text) {
  fputs(text, stdout);
}

int main(void) {
  return board_main();
}
