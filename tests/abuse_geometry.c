/* Adversarial scenes with colliders that have geometry: the lines of tests/abuse.c for hulls, height fields, meshes and
   distance grids, with its arguments. SPDX-License-Identifier: MIT */
#include "abuse.h"
#include "geometries.h"

#define RADIUS 0.25

/* A body with geometry. Balls and box are about the size of those of tests/abuse.c. A field and a sheet are ground of
   4 m whose upper side leads where the body goes. */
enum { HULL, BALL, SIDED_BALL, GRID, FIELD, SHEET, KINDS };
static const char *const kind_names[] = {"hull", "mesh", "one-sided mesh", "distance grid", "height field", "wall"};

static built body_with(int kind, cloth_collider *body) {
  built b = kind == HULL    ? build_box(RADIUS, RADIUS, RADIUS)
            : kind == GRID  ? build_grid_of(ball_distance, 0.7, 29)
            : kind == FIELD ? build_field_of(level, 4.0, 41)
            : kind == SHEET ? build_sheet_of(level, 4.0, 41, 0)
                            : build_ball(RADIUS, 24, kind == SIDED_BALL);
  *body = collider_with(&b);
  return b;
}

/* Depth of a point, in the axes of the body, below its surface; facets of a ball are up to 2 mm inside of it, and
   interpolated distances 0.5 mm. */
static double depth_in(int kind, point p) {
  const double rounding = 1e-5;
  switch (kind) {
  case HULL:
    return RADIUS - rounding - fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
  case GRID:
    return RADIUS - 5e-4 - point_length(p);
  case FIELD:
  case SHEET:
    return -rounding - p.y;
  default:
    return RADIUS * cos(acos(-1.0) / 24.0) - 2e-4 - point_length(p);
  }
}

static void count_inside(const fixture *s, outcome *o, int kind, const cloth_pose *pose) {
  for (int i = 0; i < s->count; i++) {
    if (cloth_get_freedom(s->sheet, i) > 0) {
      const point away = point_difference(position_of(s->sheet, i), point_of(pose->position));
      o->inside += depth_in(kind, turned_back(pose->rotation, away)) > 0.0;
    }
  }
}

/* A closed body goes through a hung sheet, ground sweeps a free one along, with a limit on speed. */
static outcome sweep(int kind, double speed, float max_speed) {
  const int is_ground = kind >= FIELD;
  outcome o = no_outcome;
  cloth_config config = hung_config(32);
  config.integration.max_speed = max_speed;
  config.capacity.geometry = config.capacity.meshes = 1;
  config.gravity.y = is_ground ? 0.0f : config.gravity.y;
  fixture s = is_ground ? fixture_make(&config) : hang(&config);
  cloth_collider body;
  built b = body_with(kind, &body);
  body.pose.position = vector_at(0.5, -0.5, -1.0);
  if (is_ground) {
    body.pose.rotation = rotation_about(x_axis, 0.5 * acos(-1.0));
    body.pose.position = kind == FIELD ? vector_at(-1.5, 1.5, -1.0) : body.pose.position;
  }
  const int index = cloth_add_collider(s.sheet, &body);
  const cloth_surroundings around = around_of(&b);
  const double way = 3.0, step = speed * (double)FRAME;
  for (double z = 0.0; z < way; z += step) {
    body.pose.position.z += (float)step;
    cloth_move_collider(s.sheet, index, NULL, &body.pose);
    note_step(&s, &o, cloth_step_with(s.sheet, FRAME, &around));
    count_inside(&s, &o, kind, &body.pose);
  }
  cloth_remove_collider(s.sheet, index);
  end_abuse(&s, &o);
  config.integration.max_speed = cloth_config_default().integration.max_speed;
  o.rest = is_ground ? 0.0 : rest_of_hung(&config);
  fixture_free(&s);
  free_built(&b);
  return o;
}

static void sweeps(void) {
  const double speeds[] = {2.0, 10.0, 50.0, 100.0, 250.0, 300.0};
  const float limits[] = {10.0f, 300.0f, 1e4f};
  char name[96];
  for (int kind = 0; kind < KINDS; kind++)
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "sweep: %s at %g m/s, limit %g m/s", kind_names[kind], speeds[i],
                 (double)limits[k]);
        if (is_chosen(name)) {
          outcome o = sweep(kind, speeds[i], limits[k]);
          report(name, &o);
        }
      }
}

/* A sheet begins inside of a closed body that has an inside: hung, or level and free. */
static outcome born_inside(int kind, int is_hung, double off) {
  outcome o = no_outcome;
  cloth_config config = hung_config(32);
  config.capacity.geometry = 1;
  if (!is_hung) {
    config.edge_weft = vector_at(0.0, 0.0, 1.0);
    config.origin = vector_at(0.0, -0.5, -0.5);
  }
  o.rest = is_hung ? rest_of_hung(&config) : 0.0;
  fixture s = is_hung ? hang(&config) : fixture_make(&config);
  cloth_collider body;
  built b = body_with(kind, &body);
  body.pose.position = vector_at(0.5, is_hung ? -0.5 : -0.5 + off, is_hung ? off : 0.0);
  cloth_add_collider(s.sheet, &body);
  const cloth_surroundings around = around_of(&b);
  for (int frame = 0; frame < PEACE; frame++)
    note_step(&s, &o, cloth_step_with(s.sheet, FRAME, &around));
  o.later = stretch_of(&s);
  fixture_free(&s);
  free_built(&b);
  return o;
}

static void births(void) {
  const double offs[] = {0.0, 0.05, 0.15};
  char name[96];
  for (int kind = HULL; kind <= GRID; kind += GRID - HULL)
    for (int is_hung = 0; is_hung < 2; is_hung++)
      for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "born: %s in a %s, %g m off", is_hung ? "hung" : "free", kind_names[kind], offs[i]);
        if (is_chosen(name)) {
          outcome o = born_inside(kind, is_hung, offs[i]);
          report(name, &o);
        }
      }
}

int main(int count, char **arguments) {
  choose_lines(count, arguments);
  sweeps();
  births();
  return check_report();
}
