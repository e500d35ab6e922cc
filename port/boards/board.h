/* What a program without an operating system needs from the machine it starts on. The start-up file of a machine,
   linked to a program, is all of it: it makes the machine ready, calls board_main() and ends with its result. */
#ifndef BOARD_H
#define BOARD_H

/* Writes text to where the machine shows text. */
void board_print(const char *text);

/* The program, defined by whoever links a board. Its result is the exit status: 0 is success. */
int board_main(void);

#endif
