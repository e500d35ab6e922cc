/* The port of a traced build of matrix.c: the usual one, and a line for every stage of every substep. */
#ifndef MATRIX_PORT_H
#define MATRIX_PORT_H

#include "../port/cloth_port.h"

void matrix_trace(int stage, int substep, unsigned long long hash);

#define CLOTH_TRACE(sheet, stage, substep, hash) matrix_trace((int)(stage), (int)(substep), (unsigned long long)(hash))

#endif
