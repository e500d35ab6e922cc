/* Scenes of the documents once more in doubles, by other programs than those of examples/methods: where a document's
   figure does not hold, ours is judged by them. */
#ifndef METHOD_DOUBLES_H
#define METHOD_DOUBLES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/// A hanging chain ///

#define CHAIN_LIMIT 96

/* Chord angle [degrees] of an inextensible chain of `segments` segments, together 1 m, clamped level at one end: of
   weight over rigidity `load`, with joints of stiffness rigidity / segment. The particles have the mass of a segment,
   the last one `tip` of it; the joint at the clamp is `clamp` times as stiff. Newton's method on the angles. */
static inline double chain_chord(int segments, double load, double tip, double clamp) {
  const double h = 1.0 / segments, joint = 1.0 / (load * h);
  double angle[CHAIN_LIMIT + 2] = {0.0}, change[CHAIN_LIMIT + 2], diagonal[CHAIN_LIMIT + 2];
  double largest = 1.0, x = 0.0, y = 0.0;
  for (int n = 0; n < 200 && largest > 1e-13; n++) {
    largest = 0.0;
    for (int i = 1; i <= segments; i++) {
      const double before = i == 1 ? clamp * joint : joint, after = i < segments ? joint : 0.0;
      const double bent = angle[i] - angle[i - 1], next = i < segments ? angle[i + 1] - angle[i] : 0.0;
      const double weight = h * h * (segments - i + tip);
      change[i] = weight * cos(angle[i]) + after * sin(next) - before * sin(bent);
      diagonal[i] = before * cos(bent) + after * cos(next) + weight * sin(angle[i]);
    }
    for (int i = 2; i <= segments; i++) {
      const double side = joint * cos(angle[i] - angle[i - 1]) / diagonal[i - 1];
      diagonal[i] -= side * joint * cos(angle[i] - angle[i - 1]);
      change[i] += side * change[i - 1];
    }
    for (int i = segments; i >= 1; i--) {
      change[i] += i < segments ? joint * cos(angle[i + 1] - angle[i]) * change[i + 1] : 0.0;
      change[i] /= diagonal[i];
      largest = fmax(largest, fabs(change[i]));
    }
    for (int i = 1; i <= segments; i++) {
      angle[i] += change[i] * fmin(1.0, 0.2 / fmax(largest, 1e-30));
    }
  }
  for (int i = 1; i <= segments; i++) {
    x += h * cos(angle[i]);
    y += h * sin(angle[i]);
  }
  return atan2(y, x) * 180.0 / 3.14159265358979;
}

/// Fig. 6.5 ///

#define CENTRE_SIDE 21
#define CENTRE_COUNT (CENTRE_SIDE * CENTRE_SIDE)
#define CENTRE_PIN (CENTRE_COUNT / 2)

/* A spring that acts where it is longer than its rest length by `margin` of it. */
typedef struct centre_spring {
  int i, j, is_implicit, is_taut;
  double rest, stiffness, along[3], across; /* across: 1 - rest / length */
} centre_spring;

/* 21 x 21 particles, 0.2 kg, 1 m wide, level, the centre pinned: springs along warp and weft of 1000 N/m in the
   equation of backward Euler, shear explicit. */
typedef struct centre_sheet {
  double x[CENTRE_COUNT][3], v[CENTRE_COUNT][3];
  centre_spring spring[4 * CENTRE_COUNT];
  int springs, parent[CENTRE_COUNT];
  double mass, k, margin;
} centre_sheet;

static inline void add_centre_spring(centre_sheet *s, int i, int j, double rest, double stiffness, int is_implicit) {
  const centre_spring spring = {.i = i, .j = j, .is_implicit = is_implicit, .rest = rest, .stiffness = stiffness};
  s->spring[s->springs++] = spring;
}

static inline void start_centre_sheet(centre_sheet *s, double margin) {
  memset(s, 0, sizeof *s);
  const double h = 1.0 / (CENTRE_SIDE - 1), diagonal = h * sqrt(2.0);
  s->mass = 0.2 / CENTRE_COUNT;
  s->k = 0.01;
  s->margin = margin;
  const double shear = 0.19 * s->mass / (s->k * s->k);
  for (int i = 0; i < CENTRE_COUNT; i++) {
    const int column = i % CENTRE_SIDE, row = i / CENTRE_SIDE, right = column + 1 < CENTRE_SIDE,
              below = row + 1 < CENTRE_SIDE;
    s->x[i][0] = column * h - 0.5;
    s->x[i][2] = row * h - 0.5;
    if (right) { add_centre_spring(s, i, i + 1, h, 1000.0, 1); }
    if (below) { add_centre_spring(s, i, i + CENTRE_SIDE, h, 1000.0, 1); }
    if (right && below) {
      add_centre_spring(s, i, i + CENTRE_SIDE + 1, diagonal, shear, 0);
      add_centre_spring(s, i + 1, i + CENTRE_SIDE, diagonal, shear, 0);
    }
  }
}

static inline int centre_root(const centre_sheet *s, int i) {
  while (s->parent[i] != i) {
    i = s->parent[i];
  }
  return i;
}

/* k^2 times the product of a spring's stiffness matrix with the difference of a vector. */
static inline void centre_spring_product(const centre_sheet *s, const centre_spring *spring, double (*p)[3],
                                         double *out) {
  double e[3], along = 0.0;
  for (int c = 0; c < 3; c++) {
    e[c] = p[spring->j][c] - p[spring->i][c];
    along += e[c] * spring->along[c];
  }
  for (int c = 0; c < 3; c++) {
    const double u = along * spring->along[c];
    out[c] = s->k * s->k * spring->stiffness * (u + spring->across * (e[c] - u));
  }
}

/* The right side of the linear equation; finds which springs are taut, and joins what implicit ones join. */
static inline void centre_forces(centre_sheet *s, double (*f)[3]) {
  for (int i = 0; i < CENTRE_COUNT; i++) {
    f[i][0] = f[i][2] = 0.0;
    f[i][1] = -9.81 * s->mass * s->k;
    s->parent[i] = i;
  }
  for (int n = 0; n < s->springs; n++) {
    centre_spring *t = &s->spring[n];
    double e[3], by[3] = {0.0}, length = 0.0;
    for (int c = 0; c < 3; c++) {
      e[c] = s->x[t->j][c] - s->x[t->i][c];
      length += e[c] * e[c];
    }
    length = sqrt(length);
    t->is_taut = length > t->rest * (1.0 + s->margin);
    if (!t->is_taut) { continue; }
    t->across = 1.0 - t->rest / length;
    for (int c = 0; c < 3; c++) {
      t->along[c] = e[c] / length;
    }
    if (t->is_implicit) { centre_spring_product(s, t, s->v, by); }
    for (int c = 0; c < 3; c++) {
      by[c] += s->k * t->stiffness * (length - t->rest) * t->along[c];
      f[t->i][c] += by[c];
      f[t->j][c] -= by[c];
    }
    if (t->is_implicit && t->i != CENTRE_PIN && t->j != CENTRE_PIN) {
      const int a = centre_root(s, t->i), b = centre_root(s, t->j);
      s->parent[a > b ? a : b] = a > b ? b : a;
    }
  }
  memset(f[CENTRE_PIN], 0, sizeof f[CENTRE_PIN]);
}

static inline double centre_dot(double (*a)[3], double (*b)[3]) {
  double sum = 0.0;
  for (int i = 0; i < CENTRE_COUNT; i++) {
    sum += a[i][0] * b[i][0] + a[i][1] * b[i][1] + a[i][2] * b[i][2];
  }
  return sum;
}

/* to = (M + k^2 K) p */
static inline void centre_product(const centre_sheet *s, double (*p)[3], double (*to)[3]) {
  for (int i = 0; i < CENTRE_COUNT; i++) {
    for (int c = 0; c < 3; c++) {
      to[i][c] = s->mass * p[i][c];
    }
  }
  for (int n = 0; n < s->springs; n++) {
    const centre_spring *t = &s->spring[n];
    double by[3];
    if (!t->is_implicit || !t->is_taut) { continue; }
    centre_spring_product(s, t, p, by);
    for (int c = 0; c < 3; c++) {
      to[t->i][c] -= by[c];
      to[t->j][c] += by[c];
    }
  }
  memset(to[CENTRE_PIN], 0, sizeof to[CENTRE_PIN]);
}

/* A step, solved to rounding. Returns how many components it had. */
static inline int step_centre_sheet(centre_sheet *s) {
  static double r[CENTRE_COUNT][3], p[CENTRE_COUNT][3], q[CENTRE_COUNT][3], change[CENTRE_COUNT][3];
  centre_forces(s, r);
  memset(change, 0, sizeof change);
  memcpy(p, r, sizeof p);
  double square = centre_dot(r, r);
  const double goal = square * 1e-24;
  for (int n = 0; n < 5000 && square > goal; n++) {
    centre_product(s, p, q);
    const double step = square / centre_dot(p, q);
    for (int i = 0; i < 3 * CENTRE_COUNT; i++) {
      change[i / 3][i % 3] += step * p[i / 3][i % 3];
      r[i / 3][i % 3] -= step * q[i / 3][i % 3];
    }
    const double next = centre_dot(r, r);
    for (int i = 0; i < 3 * CENTRE_COUNT; i++) {
      p[i / 3][i % 3] = r[i / 3][i % 3] + next / square * p[i / 3][i % 3];
    }
    square = next;
  }
  int components = 0;
  for (int i = 0; i < CENTRE_COUNT; i++) {
    components += i != CENTRE_PIN && s->parent[i] == i;
    for (int c = 0; c < 3; c++) {
      s->v[i][c] += change[i][c];
      s->x[i][c] += s->k * s->v[i][c];
    }
  }
  return components;
}

#endif
