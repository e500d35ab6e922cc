/*
 * Methods of cloth simulation side by side, made from the library's own parts: this file includes cloth.c, and is
 * compiled in its place. See methods.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../../cloth.c"

#include "methods.h"

#include "settle.h"
