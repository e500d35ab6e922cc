#pragma once
#include <stdio.h>
#include <stdlib.h>
#define PMAX 20000
static float bear_beta[PMAX], bear_theta[PMAX];
static cloth_vector bear_n[PMAX], bear_j[PMAX], bear_arm[PMAX];
static int bear_body[PMAX];
static float bear_borne[PMAX], bear_bt[PMAX], bear_fr[PMAX], bear_used[PMAX]; int P_TAN = 1; static float bear_slack; int P_FRIC = 1;
static int bear_on;
int PROTO = 1, P_NOLINES = 0, P_SHEAR = 1;
float P_SLACK = 0.02f, P_MAXBETA = 1e4f;
int P_CELL = 1, P_PRE = 1, P_UNIFORM = 0;

static void find_bearing(const cloth *c, const step_plan *plan);
static int line_bears(const stretch_lines *l) {
  if (!bear_on) return 0;
  if (l->b.slant && !P_SHEAR) return 0;
  for (int e = 0; e < l->b.length; e++) if (bear_body[l->b.slant ? line_place_of(&l->b, l->b.slant, e).at : l->b.first + e * l->b.along] >= 0) return 1;
  return 0;
}
typedef double M3[3][3];
static void inv3(M3 a, M3 r) {
  double det = a[0][0]*(a[1][1]*a[2][2]-a[1][2]*a[2][1]) - a[0][1]*(a[1][0]*a[2][2]-a[1][2]*a[2][0]) + a[0][2]*(a[1][0]*a[2][1]-a[1][1]*a[2][0]);
  r[0][0]=(a[1][1]*a[2][2]-a[1][2]*a[2][1])/det; r[0][1]=(a[0][2]*a[2][1]-a[0][1]*a[2][2])/det; r[0][2]=(a[0][1]*a[1][2]-a[0][2]*a[1][1])/det;
  r[1][0]=(a[1][2]*a[2][0]-a[1][0]*a[2][2])/det; r[1][1]=(a[0][0]*a[2][2]-a[0][2]*a[2][0])/det; r[1][2]=(a[0][2]*a[1][0]-a[0][0]*a[1][2])/det;
  r[2][0]=(a[1][0]*a[2][1]-a[1][1]*a[2][0])/det; r[2][1]=(a[0][1]*a[2][0]-a[0][0]*a[2][1])/det; r[2][2]=(a[0][0]*a[1][1]-a[0][1]*a[1][0])/det;
}
static cloth_vector mul3(M3 a, cloth_vector v) {
  return vector((float)(a[0][0]*v.x+a[0][1]*v.y+a[0][2]*v.z),(float)(a[1][0]*v.x+a[1][1]*v.y+a[1][2]*v.z),(float)(a[2][0]*v.x+a[2][1]*v.y+a[2][2]*v.z));
}
static void solve_bearing(const stretch_lines *l, const step_plan *plan) {
  const cloth *c = l->c;
  const int N = l->b.length;
  static float inv[2048], side[2048], coup[2048], ten[2048];
  static cloth_vector own[2048], x[2048];
  static M3 dinv[2048];
  static double pb[2048];
  const float scale = l->inverse_squared_rest;
  static int at_[2048], id_[2048], go_[2048];
  for (int e = 0; e < N; e++) { line_place pl = line_place_of(&l->b, l->b.slant, e); at_[e] = pl.at; id_[e] = l->b.slant ? pl.at : l->b.first + e * l->b.along; go_[e] = line_goes_on(&l->b, l->b.slant, pl) != 0; }
  for (int e = 0; e < N; e++) x[e] = vector_load(l->b.x, at_[e]);
#define ID(e) id_[e]
#define W(e) (l->b.mobility[at_[e]])
  cloth_vector dprev = {0,0,0};
  float inverse = 0, sd = 0;
  for (int e = 0; e + 1 < N; e++) {
    cloth_vector d = vector_subtract(x[e+1], x[e]);
    float q = maximum(vector_dot(d, d), l->least_square) * scale, ratio = square_root(q);
    float comp = ratio < 1.0f ? l->compliance_below : l->compliance_above;
    float target = ratio;
    if (l->damping_share > 0) {
      cloth_vector o = vector_subtract(vector_load(l->old, at_[e+1]), vector_load(l->old, at_[e]));
      float r0 = square_root(maximum(vector_dot(o,o), l->least_square) * scale);
      target = ratio * (1.0f + (r0 - 1.0f) * l->damping_share);
    }
    int a = ID(e), b = ID(e+1);
    float ta = bear_body[a] >= 0 ? bear_bt[a] : 0, tb = bear_body[b] >= 0 ? bear_bt[b] : 0;
    float ba = bear_body[a] >= 0 ? 1.0f - (1.0f + ta) / (1.0f + bear_beta[a]) : 0, bb = bear_body[b] >= 0 ? 1.0f - (1.0f + tb) / (1.0f + bear_beta[b]) : 0;
    const float Wa = W(e) / (1.0f + ta), Wb = W(e+1) / (1.0f + tb);
    float na = vector_dot(bear_n[a], d), nb = vector_dot(bear_n[b], d), np = vector_dot(bear_n[a], dprev);
    float wa = Wa * (vector_dot(d,d) - ba * na * na), wb = Wb * (vector_dot(d,d) - bb * nb * nb);
    float diag = q * comp + (wa + wb) * scale;
    coup[e] = Wa * (vector_dot(d, dprev) - ba * na * np) * scale;
    float f = coup[e] * inverse;
    float pivot = maximum(diag - f * coup[e], q * MIN_TENSION_PIVOT * 0.1f);
    inverse = go_[e] && comp < MAX_COMPLIANCE && W(e) + W(e+1) > 0 ? 1.0f / pivot : 0.0f;
    sd = q - target + f * sd;
    inv[e] = inverse; side[e] = sd; dprev = d;
  }
  float t = 0, cp = 0;
  cloth_vector pull = {0,0,0};
  double p = 0;
  for (int e = N - 1; e >= 0; e--) {
    cloth_vector pull0 = {0,0,0};
    double p0 = 0;
    if (e > 0) {
      t = (side[e-1] + cp * t) * inv[e-1];
      t = maximum(minimum(t, MAX_TENSION), -MAX_TENSION);
      ten[e-1] = t; cp = coup[e-1]; store_tension(l, e-1, t);
      pull0 = vector_scale(vector_subtract(x[e], x[e-1]), t);
      p0 = t > 0 ? t : 0;
    }
    int i = ID(e);
    if (W(e) > 0) {
      M3 m;
      double bt = bear_body[i] >= 0 ? bear_bt[i] : 0, be = bear_body[i] >= 0 ? bear_beta[i] - bt : 0, w = W(e);
      double nv[3] = {bear_n[i].x, bear_n[i].y, bear_n[i].z};
      for (int r = 0; r < 3; r++) for (int k = 0; k < 3; k++) {
        m[r][k] = ((r == k) * (1.0 + bt) + be * nv[r] * nv[k]) / w + (r == k ? p + p0 : 0);
        if (e + 1 < N && W(e+1) > 0) m[r][k] -= p * p * dinv[e+1][r][k];
      }
      inv3(m, dinv[e]);
      cloth_vector F = vector_subtract(pull, pull0);
      if (e + 1 < N) F = vector_add_scaled(F, own[e+1], (float)p);
      own[e] = mul3(dinv[e], F);
    } else { for (int r = 0; r < 3; r++) for (int k = 0; k < 3; k++) dinv[e][r][k] = 0; own[e] = vector(0,0,0); }
    pb[e] = p0; pull = pull0; p = p0;
  }
  cloth_vector moved = {0,0,0};
  const float mom = reference_mass(c) / (plan->h * force_share(plan));
  for (int e = 0; e < N; e++) {
    cloth_vector lead = mul3(dinv[e], moved);
    moved = vector_add_scaled(own[e], lead, (float)pb[e]);
    vector_store(l->b.x, at_[e], vector_add(x[e], moved));
    int i = ID(e);
    if (bear_body[i] >= 0) {
      bear_borne[i] += P_FRIC * -bear_beta[i] * vector_dot(moved, bear_n[i]);
      float j = mom * bear_beta[i] / W(e) * vector_dot(moved, bear_n[i]);
      bear_j[i] = vector_add_scaled(bear_j[i], bear_n[i], j);
      { cloth_vector mt = vector_add_scaled(moved, bear_n[i], -vector_dot(moved, bear_n[i]));
        bear_j[i] = vector_add_scaled(bear_j[i], mt, mom * bear_bt[i] / W(e)); bear_used[i] += bear_bt[i] * vector_length(mt); }
    }
  }
}
static void deliver_bearing(const cloth *c) {
  extern int dbg_n; extern float dbg_w; dbg_n = 0;
  if (!bear_on) return;
  for (int i = 0; i < c->count; i++) dbg_n += bear_body[i] >= 0;
  for (int n = 0; n < inputs_of(c)->body_count; n++) {
    rigid_body *b = &bodies_of(c)[n];
    cloth_vector J = {0,0,0}, T = {0,0,0};
    for (int i = 0; i < c->count; i++) if (bear_body[i] == n) {
      J = vector_add(J, bear_j[i]);
      T = vector_add(T, vector_cross(bear_arm[i], bear_j[i]));
    }
    dbg_w += J.y;
    { double net = 0, pos = 0; for (int i = 0; i < c->count; i++) if (bear_body[i] == n) { double q = bear_borne[i] * mass_ratio_at(c, i); net += q; pos += q > 0 ? q : 0; }
      float f = pos > 0 && net > 0 ? (float)(net / pos) : 0.0f; if (P_FRIC > 1) for (int i = 0; i < c->count; i++) if (bear_body[i] == n) bear_borne[i] *= f;
      if (getenv("ND")) printf("net/pos %.3f\n", (double)f); }
    receive_impulse(c, b->collider, J, T);
  }
  workspace_of(c)->body.index = -1;
}
