#pragma once
#include "contact/search.h"
#include "contact/voxels.h"
#include "laws/laws.h"

/// The memory of a method ///

/*
 * What a method keeps in the caller's memory: a header, vectors and floats per particle, the packed tangents of every
 * family of elements, and lines for the sums of a row. Only the header and the fields of the history outlast a step.
 * Fields have the stride of the cloth's own vectors and the same padding for lanes, so that positions and velocities of
 * the cloth are used where they lie.
 */

/* Vectors per particle. */
enum {
  FIELD_BASE,       /* a [m] */
  FIELD_TARGET,     /* (target - a) / tau: the velocity without implicit forces [m/s] */
  FIELD_RATE,       /* v', the unknown [m/s] */
  FIELD_PLACE,      /* y = a + tau v' [m] */
  FIELD_RESIDUAL,   /* M (target - v') + pulls: what is to be 0 [m/s] */
  FIELD_SOLUTION,   /* change of v' that a linear solve has found [m/s] */
  FIELD_LEFT_OVER,  /* residual of the linear solve [m/s] */
  FIELD_DIRECTION,  /* of conjugate gradients [m/s] */
  FIELD_PRODUCT,    /* matrix times direction; preconditioned residual */
  FIELD_EXPLICIT,   /* velocity changes by explicit forces, times the mass ratio [m/s] */
  FIELD_OLD_PLACE,  /* history: positions a substep ago [m] */
  FIELD_OLD_RATE,   /* history: velocities a substep ago [m/s] */
  FIELD_OLD_FORCE,  /* history: FIELD_EXPLICIT a substep ago */
  FIELD_NOW_RATE,   /* history: velocities now, from which contact may leave those of the state apart [m/s] */
  FIELD_LAST_PLACE, /* positions as the last substep left them, by which a particle moved by others is known [m] */
  FIELD_LAST_RATE,  /* the same of velocities [m/s] */
  FIELD_MOVED,      /* where contact moves the particles to [m] */
  FIELD_NORMAL,     /* normals of contacts in the solver, or 0 */
  FIELD_PRESCRIBED, /* velocity changes that they prescribe [m/s] */
  FIELDS,
  FIELD_SUPPORT = FIELD_OLD_FORCE /* of STATIC, which has no history: normals where colliders support particles, or 0 */
};

#define FAMILY_LIMIT 16 /* most families of elements of a method */
#define NODE_LIMIT 5    /* most particles of an element */

/* A family of elements that are all alike but for their place: node n of the element at a column and row is the
   particle `column[n]` further and `row[n]` below. */
typedef struct element_family {
  method_law law;
  int32_t column[NODE_LIMIT], row[NODE_LIMIT];
  int32_t columns, rows; /* of elements */
  int32_t halved;        /* 1: half the stiffness where the first or last row (of warp edges) or column (of weft
                            edges) of the sheet is: there a spring stands for half a strip */
  int32_t is_implicit;   /* 1: part of the equation that is solved; 0: of its explicit part */
  int32_t is_bending;    /* 1: bending, 0: in the plane */
  float kappa;           /* stability number (thesis eq. 4.8) for substeps of the step's length */
  float ratio;           /* damping over stiffness and substep: kd / (k ks) */
  uint32_t packed;       /* float of the packed tangents where those of the family start */
} element_family;

/* Room for pairs that repel each other, per particle, and words of one. */
#define PAIRS_PER_PARTICLE 8
#define PAIR_WORDS ((int32_t)(sizeof(close_pair) / sizeof(float)))

#define METHOD_MAGIC 0x6d657468u /* marks memory with a history */

typedef struct method_header {
  uint32_t magic;
  uint32_t history;           /* 1: the fields of the history are those of the last substep */
  float substep;              /* its length [s] */
  uint32_t shape[3];          /* columns, rows and hash of the method, for which the memory was laid out */
  uint32_t explicit_families; /* a bit for each family whose forces FIELD_OLD_FORCE has */
} method_header;

/* All that the parts of a method share during a step. On the stack, with pointers into the arena and the memory. */
typedef struct method_work {
  const cloth *c;
  const cloth_method *method;
  cloth_method_report *report;
  method_header *header;
  float *floats;     /* of the memory, after the header */
  uint32_t inverse;  /* float where the preconditioner's blocks start */
  uint32_t rows;     /* float where the lines of a row start, a set for each piece */
  uint32_t terms;    /* float where the terms of a sum start */
  uint32_t masses;   /* float where the mobilities start */
  uint32_t contacts; /* float where the words of contacts in the solver start, which outlast a step */
  uint32_t labels;   /* float where the labels of components start */
  uint32_t voxels;   /* float where the voxels of repulsion start */
  uint32_t pairs;    /* float where its pairs start */
  uint32_t self; /* float where the search of the response to itself starts, then three words a particle for zones */
  int32_t pair_count;
  uint32_t total; /* floats */
  int32_t family_count;
  element_family family[FAMILY_LIMIT];
  vector_array x, v;     /* of the cloth: positions and velocities when the substep starts */
  const float *mobility; /* 1 over the mass ratio; 0 for pinned particles */
  int32_t held;          /* particles that contacts of the solver hold in the substep */
  int32_t supported;     /* particles that colliders support in a step of STATIC */
  float k, tau;          /* length of the substep, and the time of the equation [s] */
} method_work;

static vector_array field(const method_work *w, int32_t number) {
  vector_array a;
  a.x = w->floats + 3 * number * w->c->stride;
  a.y = a.x + w->c->stride;
  a.z = a.y + w->c->stride;
  return a;
}

static vector_array moved_of(const method_work *w) {
  return field(w, FIELD_MOVED);
}

/* Floats of a line in which a row of elements keeps a component of its pulls, and of all lines of a row: three for each
   edge. */
static int32_t line_stride(const method_work *w) {
  return w->c->grid.columns + LANE_PAD;
}

static int32_t line_floats(const method_work *w) {
  return 3 * LAW_EDGES * line_stride(w);
}

/* Elements of a family, and floats of one of its packed values. */
static int32_t packed_stride(const element_family *f) {
  return f->columns * f->rows + LANE_PAD;
}

/* Words of the response of the sheet to itself. */
static int32_t response_words(const cloth *c) {
  return search_words(c->grid.columns, c->grid.rows) + 3 * c->count + 1;
}

/* Decides where everything lies. Components need two words a particle. */
static void lay_out_memory(method_work *w) {
  uint32_t end = (uint32_t)(3 * FIELDS * w->c->stride) + LANE_PAD;
  w->inverse = end;
  end += (uint32_t)(SYMMETRIC_FLOATS * w->c->stride) + LANE_PAD;
  w->rows = end;
  end += (uint32_t)(line_floats(w) * (w->method->pieces > 1 ? w->method->pieces : 1));
  w->terms = end;
  end += (uint32_t)(w->c->count + LANE_PAD);
  w->masses = end;
  end += (uint32_t)(w->c->count + LANE_PAD);
  w->contacts = end;
  end += w->method->contact == CLOTH_CONTACT_SOLVER ? (uint32_t)w->c->count : 0u;
  w->labels = end;
  end += w->method->solver == CLOTH_SOLVER_COMPONENTS ? (uint32_t)(3 * w->c->count) : 0u;
  for (int32_t n = 0; n < w->family_count; n++) {
    w->family[n].packed = end;
    end += (uint32_t)(w->family[n].law.packed * packed_stride(&w->family[n]));
  }
  w->voxels = end;
  end += w->method->repulsion > 0.0f ? (uint32_t)voxel_words(w->c->count) : 0u;
  w->pairs = end;
  end += w->method->repulsion > 0.0f ? (uint32_t)(PAIRS_PER_PARTICLE * w->c->count * PAIR_WORDS) : 0u;
  w->self = end;
  end += w->method->self != CLOTH_SELF_NONE ? (uint32_t)response_words(w->c) : 0u;
  w->total = end;
}

static size_t memory_bytes(const method_work *w) {
  return sizeof(method_header) + (size_t)w->total * sizeof(float);
}
