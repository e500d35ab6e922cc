#pragma once
#include "memory.h"

/// Materials ///

/*
 * The families of elements that the choices of material and bending stand for, with coefficients from fabric and grid.
 * Node 0 is where the edges of a law lead from.
 */

static element_family *add_family(method_work *w, law_kind kind, int32_t nodes, int32_t packed) {
  element_family *f = &w->family[w->family_count++];
  CLOTH_ASSERT(w->family_count <= FAMILY_LIMIT && nodes <= NODE_LIMIT);
  fill_zero(f, sizeof *f);
  f->law.kind = (int32_t)kind;
  f->law.edges = nodes - 1;
  f->law.packed = packed;
  return f;
}

/* Sets the columns and rows of the nodes, two digits each: "10 01" is the antidiagonal of a cell, from the corner one
   column further to the one a row below. Finds how many such elements the grid has. */
static void place_nodes(const method_work *w, element_family *f, const char *nodes) {
  int32_t wide = 0, high = 0;
  for (int32_t n = 0; n <= f->law.edges; n++) {
    f->column[n] = nodes[3 * n] - '0';
    f->row[n] = nodes[3 * n + 1] - '0';
    wide = f->column[n] > wide ? f->column[n] : wide;
    high = f->row[n] > high ? f->row[n] : high;
  }
  f->columns = w->c->grid.columns > wide ? w->c->grid.columns - wide : 0;
  f->rows = w->c->grid.rows > high ? w->c->grid.rows - high : 0;
}

CLOTH_CONSTANT static const char *const spring_nodes[DIRECTIONS] = {"00 10", "00 01", "00 11", "10 01"};
CLOTH_CONSTANT static const char *const long_spring_nodes[DIRECTIONS] = {"00 20", "00 02", "00 22", "20 02"};
CLOTH_CONSTANT static const char *const triangle_nodes[2] = {"00 10 01", "11 01 10"};

static float over_mass(const method_work *w, float coefficient) {
  return flush_small(coefficient / reference_mass(w->c), WORK_QUANTUM);
}

/* Share by which springs are longer than their particles are apart at rest: about the rounding of a length, so that
   rounding alone makes no spring taut, which would join components. */
#define SPRING_SLACK 1.0e-6f

/* Springs of one direction of the library. */
static element_family *add_spring_element(method_work *w, int32_t direction) {
  element_family *f = add_family(w, LAW_SPRING, 2, SPRING_PACKED);
  const cloth_fabric *fabric = &inputs_of(w->c)->fabric;
  place_nodes(w, f, spring_nodes[direction]);
  f->law.stiffness = over_mass(w, direction_stiffness(w->c, direction));
  f->law.damping = over_mass(w, direction_damping(w->c, direction));
  f->law.compression = direction <= WEFT ? fabric->compression : fabric->shear_compression;
  f->law.rest = direction_rest(w->c, direction) * (1.0f + SPRING_SLACK);
  f->law.unprojected = w->method->material == CLOTH_MATERIAL_UNPROJECTED;
  return f;
}

static float viscosity_of(float damping, float stiffness) {
  return stiffness > 0.0f ? flush_small(damping / stiffness, WORK_QUANTUM) : 0.0f;
}

/* The two triangles of each cell, of a law with edges along warp and weft. */
static void add_triangles(method_work *w, law_kind kind, int32_t packed, const method_law *coefficients) {
  for (int32_t n = 0; n < 2; n++) {
    element_family *f = add_family(w, kind, 3, packed);
    place_nodes(w, f, triangle_nodes[n]);
    f->law.stiffness = coefficients->stiffness;
    f->law.second = coefficients->second;
    f->law.damping = coefficients->damping;
    f->law.inverse_u = 1.0f / w->c->grid.spacing_warp;
    f->law.inverse_v = 1.0f / w->c->grid.spacing_weft;
    f->law.area = 0.5f * w->c->grid.spacing_warp * w->c->grid.spacing_weft;
  }
}

static void add_material(method_work *w) {
  const cloth_fabric *fabric = &inputs_of(w->c)->fabric;
  method_law l = {.stiffness = 0.0f};
  switch (w->method->material) {
  case CLOTH_MATERIAL_CONDITIONS:
    add_spring_element(w, WARP)->halved = 1;
    add_spring_element(w, WEFT)->halved = 1;
    l.stiffness = over_mass(w, fabric->shear);
    l.damping = viscosity_of(fabric->shear_damping, fabric->shear);
    add_triangles(w, LAW_SHEAR, SHEAR_PACKED, &l);
    break;
  case CLOTH_MATERIAL_TRISPRINGS:
    l.stiffness = over_mass(w, w->method->lambda);
    l.second = over_mass(w, w->method->mu);
    l.damping = viscosity_of(fabric->stretch_damping, w->method->lambda + 2.0f * w->method->mu);
    add_triangles(w, LAW_TRISPRING, TRISPRING_PACKED, &l);
    break;
  default:
    for (int32_t d = 0; d < DIRECTIONS; d++) {
      add_spring_element(w, d);
    }
  }
}

/* Elements of bending with an energy of `stiffness` / 2 C^2 [N m over the square of the unit of C]. */
static element_family *add_bending_law(method_work *w, law_kind kind, int32_t packed, const char *nodes,
                                       float stiffness) {
  int32_t count = 1;
  for (const char *letter = nodes; *letter; letter++) {
    count += *letter == ' ';
  }
  element_family *f = add_family(w, kind, count, packed);
  place_nodes(w, f, nodes);
  f->is_bending = 1;
  f->law.stiffness = over_mass(w, stiffness);
  f->law.damping = inputs_of(w->c)->fabric.bend_damping;
  return f;
}

static void set_coefficients(element_family *f, float a, float b, float c) {
  f->law.coefficient[0] = a;
  f->law.coefficient[1] = b;
  f->law.coefficient[2] = c;
}

static void add_quadratic_bending(method_work *w, float rigidity) {
  const float u = w->c->grid.spacing_warp, v = w->c->grid.spacing_weft;
  set_coefficients(add_bending_law(w, LAW_LINEAR, LINEAR_PACKED, "10 00 20", rigidity * (v / u) / (u * u)), 1.0f, 1.0f,
                   0.0f);
  set_coefficients(add_bending_law(w, LAW_LINEAR, LINEAR_PACKED, "01 00 02", rigidity * (u / v) / (v * v)), 1.0f, 1.0f,
                   0.0f);
  set_coefficients(add_bending_law(w, LAW_LINEAR, LINEAR_PACKED, "00 10 01 11", 2.0f * rigidity / (u * v)), -1.0f,
                   -1.0f, 1.0f);
}

static void add_hinges(method_work *w, float rigidity) {
  const float u = w->c->grid.spacing_warp, v = w->c->grid.spacing_weft;
  add_bending_law(w, LAW_HINGE, HINGE_PACKED, "01 11 10 02", rigidity * (u / v));
  add_bending_law(w, LAW_HINGE, HINGE_PACKED, "10 11 01 20", rigidity * (v / u));
  add_bending_law(w, LAW_HINGE, HINGE_PACKED, "10 01 00 11", rigidity * (u / v + v / u));
}

/* k s^2 / 2 of a particle is B / 2 (x_uu + x_vv)^2 over its cell. */
static void add_plane_bending(method_work *w, float rigidity) {
  const float u = w->c->grid.spacing_warp, v = w->c->grid.spacing_weft, cell = u * v, squares = u * u + v * v;
  const float shape = squares / (2.0f * cell); /* 1 for square cells */
  set_coefficients(
      add_bending_law(w, LAW_PLANE, PLANE_PACKED, "11 01 21 10 12", 16.0f * rigidity / cell * (shape * shape)),
      2.0f * (v * v) / squares, 2.0f * (u * u) / squares, 0.0f);
}

/* What springs of Choi and Ko resist before they buckle, over the stiffness of the springs of the plane: without a
   limit the law is discontinuous, with a greater share its jump is steeper than a step resolves. */
#define BUCKLING_SHARE 0.25f

/* Springs along each direction stand for strips: as wide as the cells across along warp and weft, and the area of a
   cell over its diagonal along that. Springs are two cells long, so that each strip is there twice. On square cells
   both diagonals add a half of what the springs along warp or weft have in a bend along these, so that each takes 2/3.
 */
#define BUCKLING_STRIP (0.5f * 2.0f / 3.0f)

static void add_buckling_springs(method_work *w, float rigidity) {
  const float cell = w->c->grid.spacing_warp * w->c->grid.spacing_weft;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    element_family *f = add_bending_law(w, LAW_BUCKLING, SPRING_PACKED, long_spring_nodes[d], 0.0f);
    const float width = BUCKLING_STRIP * cell / direction_rest(w->c, d);
    f->law.rest = 2.0f * direction_rest(w->c, d);
    f->law.damping = 0.0f;
    f->law.stiffness = over_mass(w, BUCKLING_SHARE * direction_stiffness(w->c, d));
    f->law.second = over_mass(w, 12.0f * rigidity * width / (f->law.rest * f->law.rest));
  }
}

static void add_bending(method_work *w) {
  float ratio;
  const float rigidity = bend_rigidity(w->c, &ratio);
  if (rigidity <= 0.0f) { return; }
  switch (w->method->bending) {
  case CLOTH_BENDING_NONE:
    break;
  case CLOTH_BENDING_SPRINGS:
    add_buckling_springs(w, rigidity);
    break;
  case CLOTH_BENDING_QUADRATIC:
    add_quadratic_bending(w, rigidity);
    break;
  case CLOTH_BENDING_PLANE:
    add_plane_bending(w, rigidity);
    break;
  default:
    add_hinges(w, rigidity);
  }
}

/* Largest eigenvalue of a family's matrix over four times that of one of its springs: its coefficient in the stability
   number. A line of springs has the eigenvalue 4 k, second differences have 16 k, hinges as much over their height. A
   wave in which each particle moves against its four neighbours strains triangles by 4 / u^2 + 4 / v^2. */
static float stability_factor(const method_work *w, const method_law *l) {
  const float u = w->c->grid.spacing_warp, v = w->c->grid.spacing_weft, least = minimum(u, v);
  const float wave = 1.0f / (u * u) + 1.0f / (v * v);
  switch (l->kind) {
  case LAW_SPRING:
    return l->stiffness;
  case LAW_BUCKLING:
    return l->stiffness;
  case LAW_SHEAR:
    return l->stiffness * l->area * wave;
  case LAW_TRISPRING:
    return (l->stiffness + 2.0f * l->second) * l->area * wave;
  case LAW_HINGE:
    return 8.0f * l->stiffness / (least * least);
  case LAW_PLANE:
    return l->stiffness;
  default:
    return 4.0f * l->stiffness;
  }
}

/* Stability numbers of the families for substeps of k seconds: (k/m) (k ks + 2 kd). */
static void find_stability(method_work *w, float k) {
  const float heaviest = 1.0f / w->c->settings.factors.min_mass_ratio;
  for (int32_t n = 0; n < w->family_count; n++) {
    element_family *f = &w->family[n];
    const float stiffness = k * stability_factor(w, &f->law) * heaviest;
    const float damping = f->law.kind == LAW_SPRING ? f->law.damping * heaviest : f->law.damping * (stiffness / k);
    f->kappa = k * (stiffness + 2.0f * damping);
    f->ratio = stiffness > 0.0f ? damping / stiffness : 0.0f;
  }
}

static void make_families(method_work *w) {
  w->family_count = 0;
  add_material(w);
  add_bending(w);
}
