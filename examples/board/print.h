/* Lines of text for board_print(), without a C library. SPDX-License-Identifier: MIT */
#ifndef PRINT_H
#define PRINT_H

#include <stdint.h>

/* Add to the line: text, a number with commas, hundredths as "1.25", 64 bits in hexadecimal. */
void print_text(const char *text);
void print_number(uint64_t number);
void print_hundredths(uint32_t number);
void print_hexadecimal(uint64_t number);

/* Adds a label and a number. */
void print_labelled(const char *label, uint64_t number);

/* Sends the line off. */
void print_end(void);

#endif
