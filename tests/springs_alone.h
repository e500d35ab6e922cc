/* The parts of cloth.c that tests of springs, solver and lines from inside do not reach, left out: include before
   cloth.c. That takes a third of the time to compile, and what is printed is the same.
   SPDX-License-Identifier: MIT */
#ifndef SPRINGS_ALONE_H
#define SPRINGS_ALONE_H

#define CLOTH_NO_BLEND
#define CLOTH_NO_BODIES
#define CLOTH_NO_COLLIDERS
#define CLOTH_NO_GROUPS
#define CLOTH_NO_IMAGE
#define CLOTH_NO_MOVE_FRAME
#define CLOTH_NO_ORIGIN
#define CLOTH_NO_QUERIES
#define CLOTH_NO_REST_SHAPE
#define CLOTH_NO_SEAMS
#define CLOTH_NO_SELF
#define CLOTH_NO_SETTLE
#define CLOTH_NO_SKIN
#define CLOTH_NO_SLEEP
#define CLOTH_NO_TARGETS
#define CLOTH_NO_TEARING
#define CLOTH_NO_VERTICES
#define CLOTH_NO_WORKERS
#define CLOTH_NO_MASK

#endif /* SPRINGS_ALONE_H */
