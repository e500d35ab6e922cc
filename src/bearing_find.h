#pragma once
static cloth_vector bear_pull_of(const cloth *c, const step_plan *plan, int32_t i, int32_t j, int32_t d) {
  vector_array x = predicted_of(c);
  cloth_vector e = vector_subtract(vector_load(x, j), vector_load(x, i));
  float len = vector_length(e), ratio = len / plan->spring[d].rest;
  float t = maximum(ratio - 1.0f, 0.0f) / plan->spring[d].compliance[0];
  return vector_scale(e, t / maximum(ratio, 1e-6f));
}
static void find_bearing(const cloth *c, const step_plan *plan) {
  bear_on = 0;
  if (!PROTO || inputs_of(c)->body_count == 0) return;
  for (int i = 0; i < c->count; i++) { bear_beta[i] = 0; bear_theta[i] = 0; bear_borne[i] = 0; bear_bt[i] = bear_used[i] = 0; bear_j[i] = vector(0,0,0); bear_body[i] = -1; }
  vector_array x = predicted_of(c), x0 = vectors_at(c, c->state.position);
  const float *mob = floats_at(c, c->scratch.mobility);
  const float s = force_share(plan), m0 = reference_mass(c);
  const float slack = maximum(P_SLACK * c->settings.contact.thickness, 2.0f * 9.81f * plan->h * plan->h);
  bear_slack = slack;
  for (int n = 0; n < inputs_of(c)->body_count; n++) {
    rigid_body *b = &bodies_of(c)[n];
    workspace_of(c)->body.index = -1;
    const moving_body *m = body_in_substep(c, plan, b->collider, plan->index);
    const cloth_collider *shape = shape_of(c, m);
    const float im = inverse_mass_of(c, b);
    cloth_vector drift = {0, 0, 0};
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
      if (!(mob[i] > 0.0f) || is_pinned(c, i)) continue;
      cloth_vector n1, nw;
      float gap = distance_of_point(shape, geometry_of(c, shape), to_local(&m->end, vector_load(x, i)), &n1) - m->margin;
      if (gap > slack) continue;
      cloth_vector nn;
      float gap0 = distance_of_point(shape, geometry_of(c, shape), to_local(&m->start, vector_load(x0, i)), &nn) - m->margin;
      nw = rotate(m->end.rotation, n1);
      gap -= vector_dot(drift, nw);
      if (gap > slack) continue;
      cloth_vector arm = vector_subtract(vector_load(x, i), m->pivot);
      cloth_vector mom = vector_cross(arm, nw);
      float a = im + vector_dot(mom, apply_inertia(b, m->end.rotation, mom, 1));
      float ip = mob[i] * s / m0;
      if (P_PRE && gap < 0.0f && gap0 - gap > 0.0f) {
        float delta = minimum(-gap, gap0 - gap);
        float share = ip / (ip + a);
        vector_store(x, i, vector_add_scaled(vector_load(x, i), nw, delta * share));
        float jmp = delta * share / (ip * plan->h);
        cloth_vector imp = vector_scale(nw, -jmp);
        drift = vector_add_scaled(drift, imp, plan->h * im);
        receive_impulse(c, b->collider, imp, vector_cross(arm, imp));
      }
      bear_n[i] = nw;
      bear_body[i] = n;
      bear_theta[i] = gap > 0 ? 1.0f - gap / slack : 1.0f;
      bear_beta[i] = a; bear_arm[i] = arm;
    }

    if (P_CELL && guards_cells(shape)) {
      const int32_t tri = 2 * cells_along_warp(c) * (c->grid.rows - 1);
      for (int32_t q = 0; q < tri; q++) {
        cell_path path; cell_point point;
        if (!follow_triangle(c, m, q, &path)) continue;
        find_nearest(shape, path.to, path.inset, &point);
        if (point.distance > slack || !(vector_dot(point.normal, point.normal) > 0)) continue;
        cloth_vector nw = rotate(m->end.rotation, point.normal);
        for (int k = 0; k < 3; k++) {
          int i = path.particle[k];
          if (!(mob[i] > 0) || is_pinned(c, i)) continue;
          float depth = point.radius - vector_dot(point.normal, vector_subtract(path.to[k], point.core));
          if (depth < -slack) continue;
          if (bear_body[i] != n) bear_n[i] = vector(0,0,0);
          bear_n[i] = vector_add(bear_n[i], nw);
          bear_body[i] = n; bear_theta[i] = 1;
        }
      }
      for (int i = 0; i < c->count; i++) if (bear_body[i] == n) {
        cloth_vector nw = bear_n[i] = vector_scale(bear_n[i], 1 / maximum(vector_length(bear_n[i]), 1e-6f));
        cloth_vector arm = vector_subtract(vector_load(x, i), m->pivot);
        arm = vector_scale(nw, vector_dot(arm, nw));
        bear_arm[i] = arm;
        cloth_vector mom = vector_cross(arm, nw);
        bear_beta[i] = im + vector_dot(mom, apply_inertia(b, m->end.rotation, mom, 1));
      }
    }
    const int32_t cols = c->grid.columns;
    for (int i = 0; i < c->count; i++) {
      if (bear_body[i] != n) continue;
      int r = i / cols, k = i % cols;
      cloth_vector f = {0, 0, 0};
      if (k > 0) f = vector_add(f, bear_pull_of(c, plan, i, i - 1, WARP));
      if (k + 1 < cols) f = vector_add(f, bear_pull_of(c, plan, i, i + 1, WARP));
      if (r > 0) f = vector_add(f, bear_pull_of(c, plan, i, i - cols, WEFT));
      if (r + 1 < c->grid.rows) f = vector_add(f, bear_pull_of(c, plan, i, i + cols, WEFT));
      float pull = -vector_dot(f, bear_n[i]);
      { cloth_vector ft = vector_add_scaled(f, bear_n[i], pull); float ftl = vector_length(ft);
        bear_fr[i] = pull > 0 ? minimum(shape->kinetic_friction * pull / maximum(ftl, 1e-9f), 1.0f) : 0.0f; }
      bear_theta[i] *= P_UNIFORM ? (pull > 0 ? 1.0f : 0.0f) : maximum(pull, 0.0f);
      sum += bear_theta[i];
    }
    for (int i = 0; i < c->count; i++) {
      if (bear_body[i] != n) continue;
      if (!(bear_theta[i] > 0) || !(sum > 0)) { bear_body[i] = -1; bear_beta[i] = 0; continue; }
      float mass = (float)(bear_theta[i] / sum) / bear_beta[i];
      { cloth_vector ar = vector_subtract(vector_load(x, i), m->pivot);
        float most = minimum((float)(bear_theta[i] / sum) / largest_inverse_mass(c, b, ar) * mob[i] * s / m0, P_MAXBETA);
        float fr = bear_fr[i]; bear_bt[i] = P_TAN ? minimum(fr < 0.9999f ? fr / (1 - fr) : most, most) : 0.0f; }
      bear_beta[i] = minimum(mass * mob[i] * s / m0, P_MAXBETA);
      if (bear_bt[i] > bear_beta[i]) bear_bt[i] = bear_beta[i];
      bear_on = 1;
    }
  }
  workspace_of(c)->body.index = -1;
}
int dbg_n; float dbg_pre, dbg_w;
