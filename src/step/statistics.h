#pragma once
#include "../contact/contact_record.h"
#include "../terms/stiffness.h"

/// Statistics ///

/* What a step reports about itself, in the cloth's own scratch until the next step. */

/* Clears the report of the last step, and sets what the plan of this step decides. */
CLOTH_SEPARATE void reset_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  fill_zero(at(c, c->own.iterations), (size_t)plan->substeps * sizeof(uint16_t));
  fill_zero(reactions_of(c), (size_t)report_count(c) * sizeof(float));
  if (c->own.attached) {
    fill_zero(at(c, c->own.attached), (size_t)c->settings.capacity.max_attachments * sizeof(cloth_vector));
  }
  clear_contact_record(c);
  s->substeps = plan->substeps;
  CLOTH_CONSTANT static const int8_t family_direction[3] = {WARP, WEFT, DIAGONAL};
  const substep_terms *t = &plan->terms;
  for (int32_t f = CLOTH_FAMILY_STRETCH_WARP; f <= CLOTH_FAMILY_SHEAR; f++) {
    const spring_terms *spring = &t->spring[family_direction[f]];
    s->kappa[f] = (spring->stiffness + 2.0f * spring->damping) * max_kappa_factor(c);
    s->mode[f] = !(s->kappa[f] > 0.0f) ? CLOTH_MODE_OFF : spring->implicit ? CLOTH_MODE_IMPLICIT : CLOTH_MODE_EXPLICIT;
  }
  s->kappa[CLOTH_FAMILY_BEND] = maximum(t->hinge[WARP], t->hinge[WEFT]) * max_kappa_factor(c);
  s->mode[CLOTH_FAMILY_BEND] = !t->bends           ? CLOTH_MODE_OFF
                               : t->plate_implicit ? CLOTH_MODE_IMPLICIT
                                                   : CLOTH_MODE_EXPLICIT;
  s->bend_ratio = t->bend_ratio;
}

int cloth_get_statistics(const cloth *c, cloth_statistics *statistics) {
  RETURN_IF_ERROR(check_call(c, statistics));
  *statistics = *statistics_of(c);
  return CLOTH_OK;
}

int cloth_get_substep_iterations(const cloth *c, int32_t substep) {
  RETURN_IF_ERROR(check_cloth(c));
  if (substep < 0 || substep >= statistics_of(c)->substeps) { return CLOTH_ERROR_INDEX; }
  return ((const uint16_t *)at(c, c->own.iterations))[substep];
}
