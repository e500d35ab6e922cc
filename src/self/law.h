#pragma once
#include "../compiler.h"
#include "../contact/element.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/members.h"
#include "../types.h"
#include "pairs.h"
#include "tree.h"

/// The laws of pairs ///

#if WITH_SELF

/*
 * How pairs press, by contact/element.h. A particle is shared by m = max(1, sum of |w_j| of its near pairs); what
 * pressed the particles of the first feature last bounds the friction of pairs that have not pressed before. Everything
 * is in units of the first member of the solve: a particle of another one takes its part over the weight of that.
 *
 * In: elements, residual, spring sums, diagonal, product (what pressed last), solution (how many pairs a particle has).
 * Out: the laws of the elements. Scratch: none.
 */

/* The stiffness of an element: the mean of those of its cloths that move. */
static float pair_stiffness(const pair_ends *x) {
  const self_body *a = x->body[0], *b = x->body[1];
  const float first = a->terms ? a->stiffness : b->stiffness;
  return 0.5f * (first + (b->terms ? b->stiffness : first));
}

/* Takes an element of which `last`, scaled, pressed before. */
static void take_element(const self_group *g, pair_element *e, cloth_vector last, law_block *to) {
  const int32_t lane = to->count++;
  pair_ends x;
  find_ends(g, e, &x);
  to->law[lane] = &e->press.law;
  for (int32_t n = 0; n < 4; n++) {
    const self_body *b = body_of_end(&x, n);
    const int32_t i = x.place[n];
    if (x.moving >> n & 1u) {
      const element_end end = {&b->arrays, b->terms, i, x.weight[n], maximum(b->arrays.solution[i], 1.0f), b->weight};
      take_end(&to->end[n], lane, &end, n < x.first);
    } else {
      take_held_end(&to->end[n], lane);
    }
  }
  to->gap[lane] = e->gap;
  to->reach[lane] = to->thickness[lane] = x.law->thickness;
  to->friction[lane] = x.law->friction;
  to->stiffness[lane] = pair_stiffness(&x);
  put_vector(to->normal, lane, e->normal);
  put_vector(to->offset, lane, e->offset);
  put_vector(to->last, lane, last);
}

/* The laws of all elements of a group; `scale`: that of forces in the first member of the solve. */
CLOTH_SEPARATE void find_pair_laws(const self_group *g, float scale) {
  pair_element *e = g->elements;
  law_block b;
  open_laws(&b);
  for (int32_t n = 0; n < g->found->elements; n++) {
    take_element(g, &e[n], vector_flush_work(vector_scale(e[n].press.last, scale)), &b);
    if (b.count == CLOTH_LANES || n + 1 == g->found->elements) { find_laws(&b); }
  }
  for (int32_t n = 0; n < g->found->elements; n++) {
    e[n].block_across = e[n].press.law.across;
  }
}

#endif
