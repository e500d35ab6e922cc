#pragma once
#include "../base/hash.h"
#include "settings.h"

/// Placement of the grid ///

/* Where the particles of a grid start, and whether they may: a sheet in the plane of origin, edge_warp and edge_weft, a
   tube as rows of regular polygons, but for a random displacement along the normal. Out: start positions [m], or the
   fault of a config. */

/* Distance between neighbours along an edge [m], beyond which squared lengths leave the range in which floats resolve
   strain. The minimum is a rounding below the 1e-4 m of cloth.h. */
#define MIN_SPACING 0.99999e-4f
#define MAX_SPACING 100.0f

static int is_edge(cloth_vector edge, int32_t cells) {
  return vector_in_range(edge, CLOTH_POSITION_LIMIT) &&
         in_range(vector_length(edge) / (float)cells, MIN_SPACING, MAX_SPACING);
}

/* Area spanned by two edges [m^2]; the first is scaled to unit length, so that nothing overflows. */
static float parallelogram_area(cloth_vector a, cloth_vector b) {
  float length = vector_length(a);
  cloth_vector unit = vector_scale_work(a, 1.0f / length);
  return length * vector_length(vector_cross(unit, b));
}

typedef struct angle_parts {
  float cosine, sine;
} angle_parts;

/* Cosine and sine of an angle [rad] of at most pi / 4 by their Taylor series, to two units in the last place. */
static angle_parts small_angle(float angle) {
  float square = angle * angle;
  float cosine = 1.0f / 24.0f - square * (1.0f / 720.0f - square * (1.0f / 40320.0f));
  float sine = 1.0f / 120.0f - square * (1.0f / 5040.0f - square * (1.0f / 362880.0f));
  return (angle_parts){1.0f - square * (0.5f - square * cosine),
                       angle * (1.0f - square * (1.0f / 6.0f - square * sine))};
}

/* Cosine and sine of 2 pi step / steps: quarter turns, which are exact, and a rest of at most pi / 4. */
static angle_parts polygon_angle(int32_t step, int32_t steps) {
  int32_t quarters = (4 * step + steps / 2) / steps;
  angle_parts t = small_angle(1.5707964f * ((float)(4 * step - quarters * steps) / (float)steps));
  for (; quarters > 0; quarters--) {
    t = (angle_parts){negate(t.sine), t.cosine};
  }
  return t;
}

/* Point of a column and a row in the plane of origin and edges [m]. */
static cloth_vector grid_point(const cloth_config *config, int32_t column, int32_t row) {
  float along_warp = (float)column / (float)(config->columns - 1);
  float along_weft = (float)row / (float)(config->rows - 1);
  cloth_vector p = vector_flush_work(config->origin);
  p = vector_add_scaled(p, vector_flush_work(config->edge_warp), along_warp);
  return vector_add_scaled(p, vector_flush_work(config->edge_weft), along_weft);
}

CLOTH_ONCE cloth_vector unit_edge(cloth_vector edge) {
  return vector_scale_work(vector_flush_work(edge), 1.0f / vector_length(edge));
}

/* Start position of a particle without grid.positions [m]. Rows of a tube are regular polygons with sides of the rest
   length of the columns. Particle (0, 0) is at the origin; the axis lies behind it, against its normal. */
static cloth_vector start_point(const cloth_config *config, int32_t column, int32_t row) {
  cloth_vector p = grid_point(config, is_tube(config) ? 0 : column, row);
  if (is_tube(config)) {
    cloth_vector along = vector_flush_work(config->edge_warp);
    cloth_vector axis = unit_edge(config->edge_weft);
    cloth_vector outward = vector_flush_work(vector_cross(along, axis));
    angle_parts t = polygon_angle(column, config->columns);
    float radius = 0.5f / ((float)config->columns *
                           small_angle(3.1415927f / (float)config->columns).sine); /* over the girth, |edge_warp| */
    p = vector_add_scaled(p, along, radius * t.sine);
    p = vector_add_scaled(p, outward, radius * (t.cosine - 1.0f));
  }
  return p;
}

/* Unit normal of the plane or tube where the particles of a column start. */
static cloth_vector start_normal(const cloth_config *config, int32_t column) {
  cloth_vector along = unit_edge(config->edge_warp);
  cloth_vector normal = unit_edge(vector_cross(along, vector_flush_work(config->edge_weft)));
  if (is_tube(config)) {
    angle_parts t = polygon_angle(column, config->columns);
    normal = vector_flush_work(vector_add_scaled(vector_scale(normal, t.cosine), along, t.sine));
  }
  return normal;
}

/* Spacing of floats over their magnitude, or a little more: smaller displacements of a position may round away. */
#define POSITION_RESOLUTION 1.1920929e-7f /* 2^-23 */

/* A start position displaced along the normal by a random share of `reach` [m], or of what floats resolve there if that
   is more, unless it would leave the range of positions. 0: exact. */
static cloth_vector imperfect_start(const cloth_config *config, cloth_vector normal, float reach, int32_t column,
                                    int32_t row) {
  cloth_vector p = start_point(config, column, row);
  const uint32_t words[] = {config->grid.seed, (uint32_t)row, (uint32_t)column, 0};
  uint64_t mixed = HASH_FACTOR;
  for (int n = 0; n < 4; n++) {
    mixed = hash_mix(mixed, words[n]);
  }
  float noise = hash_to_noise(mixed);
  float resolved = maximum(reach, POSITION_RESOLUTION * vector_length(p));
  cloth_vector displaced = vector_add_scaled(p, normal, resolved * noise);
  return reach > 0.0f && vector_in_range(displaced, CLOTH_POSITION_LIMIT) ? displaced : p;
}

/* Smallest area of a cell over that of a rectangle with its edges: flatter cells collapse under shear. */
#define MIN_CELL_AREA 0.1f
/* Largest cosine of the angle between the edges of a tube. Rows of a tube that leans more do not close. */
#define MAX_TUBE_LEAN 1.0e-3f

static int edges_lean(const cloth_config *config) {
  float rectangle = vector_length(config->edge_warp) * vector_length(config->edge_weft);
  if (is_tube(config)) {
    float lean = vector_dot(vector_flush_work(config->edge_warp), vector_flush_work(config->edge_weft));
    return !in_range(lean, -MAX_TUBE_LEAN * rectangle, MAX_TUBE_LEAN * rectangle);
  }
  return parallelogram_area(config->edge_warp, config->edge_weft) < MIN_CELL_AREA * rectangle;
}

/* Are the positions of all particles in range, if they are given? */
static int are_placed(const cloth_config *config, const cloth_vector *positions) {
  return !positions || are_in_range(positions, config->columns * config->rows, CLOTH_POSITION_LIMIT);
}

/* Positions at which the cloth starts; NULL: the plane or tube of origin and edges. */
static const cloth_vector *start_positions(const cloth_config *config) {
  return config->grid.positions ? config->grid.positions : config->grid.rest_positions;
}

/* The first fault of a config's edges and positions, 0 for none; without positions those at the ends count. */
static int find_placement_fault(const cloth_config *config) {
  if (!is_edge(config->edge_warp, config->columns - !is_tube(config))) { return CONFIG_FAULT(EDGE_WARP); }
  if (!is_edge(config->edge_weft, config->rows - 1)) { return CONFIG_FAULT(EDGE_WEFT); }
  if (edges_lean(config)) { return is_tube(config) ? CONFIG_FAULT(TUBE_EDGES) : CONFIG_FAULT(EDGES); }
  if (!are_placed(config, config->grid.positions)) { return CONFIG_FAULT(POSITIONS); }
  for (int32_t end = 0; !start_positions(config) && end < 2 * config->columns; end++) { /* of each column both */
    cloth_vector p = start_point(config, end >> 1, (end & 1) * (config->rows - 1));
    if (!vector_in_range(p, CLOTH_POSITION_LIMIT)) { return CONFIG_FAULT(START); }
  }
  return 0;
}
