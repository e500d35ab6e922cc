/* SPDX-License-Identifier: MIT */
#include "print.h"

#include "port/boards/board.h"

static char line[128];
static int length;

static void put(char letter) {
  if (length < (int)sizeof line - 2) line[length++] = letter;
}

void print_text(const char *text) {
  while (*text != '\0')
    put(*text++);
}

void print_number(uint64_t number) {
  char digits[28];
  int first = (int)sizeof digits, count = 0;
  do {
    if (count > 0 && count % 3 == 0) digits[--first] = ',';
    digits[--first] = (char)('0' + (int)(number % 10u));
    number /= 10u;
    count++;
  } while (number != 0);
  while (first < (int)sizeof digits)
    put(digits[first++]);
}

void print_hundredths(uint32_t number) {
  print_number(number / 100u);
  put('.');
  put((char)('0' + (int)(number / 10u % 10u)));
  put((char)('0' + (int)(number % 10u)));
}

void print_hexadecimal(uint64_t number) {
  for (int shift = 60; shift >= 0; shift -= 4)
    put("0123456789abcdef"[(number >> shift) & 15u]);
}

void print_labelled(const char *label, uint64_t number) {
  print_text(label);
  print_number(number);
}

void print_end(void) {
  line[length] = '\n';
  line[length + 1] = '\0';
  board_print(line);
  length = 0;
}
