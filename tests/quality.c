/* How good the standard scenes look with the library's default settings: stretch, area, roughness, liveliness, rest.
   The measures are taken frame by frame from the positions alone, so that any solver can be measured in the same way.
 */
#include "scenes.h"
#include "support.h"

#define LARGEST_SIDE 64
#define LARGEST_COUNT (LARGEST_SIDE * LARGEST_SIDE)
#define SHEET_MASS 0.2
#define GRAVITY 9.81

/// Baseline ///

/*
 * A textbook XPBD solver ("small steps", graph-coloured, eight constraints at a time) on the same scenes, built with
 * g++ -O3 -march=x86-64-v3, at the first of its substep counts 1, 2, 4, 6, 8, 10, 12, 14, 18, 20, 24, 28, 34, 40, 44,
 * 48, 56, 64, 80 whose 99th percentile of edge stretch is at or below 1 %, or, where none is, at its best.
 */
typedef struct baseline {
  scene_kind kind;
  int n, substeps;
  double stretch_p99, roughness, kinetic_mean, acceleration;
} baseline;

static const baseline baselines[] = {
    {SCENE_HANG, 16, 14, 0.00938, 0.00458, 345.96, 11.537}, {SCENE_HANG, 32, 28, 0.00898, 0.00434, 352.89, 10.704},
    {SCENE_HANG, 64, 56, 0.00924, 0.00443, 352.19, 11.690}, {SCENE_REST, 16, 12, 0.00826, 0.00107, 32.15, 0.010},
    {SCENE_REST, 32, 24, 0.00889, 0.00084, 32.46, 0.012},   {SCENE_REST, 64, 44, 0.00925, 0.00082, 32.64, 0.018},
    {SCENE_DRAPE, 16, 24, 0.00991, 0.00497, 27.76, 3.742},  {SCENE_DRAPE, 32, 80, 0.01004, 0.00587, 26.42, 2.273},
    {SCENE_DRAPE, 64, 80, 0.01316, 0.00639, 36.30, 1.476},
};

#define BASELINE_COUNT (sizeof baselines / sizeof baselines[0])

/// Recording ///

/* The last three frames of a scene and what is known of it beforehand. */
typedef struct recording {
  int n, count, frames, frame;
  double spacing, particle_mass, frame_time;
  const unsigned char *pinned;
  int has_sphere;
  point sphere;
  point *now, *before, *earlier;
} recording;

/* The figures of a run. "Late" is the last second, "last" the last half second. */
typedef struct figures {
  double max_stretch;          /* late: largest strain of any edge not between two pins */
  double stretch_mean;         /* late: mean strain, compression counting as 0 */
  double stretch_p99;          /* late: 99th percentile of strain */
  double stretch_p01;          /* late: 1st percentile: compression */
  double stretch_largest_ever; /* whole run */
  double lowest;               /* late: mean height of the lowest particle [m] */
  double area;                 /* late: smallest area, 1 is that at rest */
  double roughness;            /* late: rms of the checkerboard mode of the positions over the spacing */
  double kinetic_mean;         /* whole run [mJ] */
  double kinetic_last;         /* last: mean [mJ] */
  double acceleration;         /* last: rms over particles and frames [m/s^2] */
  double energy_start, energy_end, energy_most; /* kinetic and potential [mJ], the most after frame 30 */
  double distance, distance_late;               /* least from the sphere's centre [m] */
  int broken;
} figures;

static void recording_shift(recording *r) {
  point *oldest = r->earlier;
  r->earlier = r->before;
  r->before = r->now;
  r->now = oldest;
}

static int is_late(const recording *r) {
  return r->frame >= r->frames - 60;
}

static int is_last(const recording *r) {
  return r->frame >= r->frames - 30;
}

/// Strain ///

typedef struct strains {
  float values[2 * LARGEST_COUNT]; /* single precision, as the sums of any solver's own figures would be */
  int count;
  double largest, positive_sum;
} strains;

static void add_strain(strains *s, const recording *r, int a, int b) {
  double strain = point_distance(r->now[a], r->now[b]) / r->spacing - 1.0;
  s->values[s->count++] = (float)strain;
  if (r->pinned[a] && r->pinned[b]) return;
  if (!(strain <= s->largest)) s->largest = strain;
  s->positive_sum += strain > 0.0 ? strain : 0.0;
}

static void collect_strains(const recording *r, strains *s) {
  s->count = 0;
  s->largest = -1.0;
  s->positive_sum = 0.0;
  for (int i = 0; i < r->count; i++) {
    if (i % r->n + 1 < r->n) add_strain(s, r, i, i + 1);
    if (i + r->n < r->count) add_strain(s, r, i, i + r->n);
  }
}

static int compare_floats(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static double percentile(const strains *s, double share) {
  return (double)s->values[(int)(share * (s->count - 1))];
}

static void measure_strains(const recording *r, figures *f) {
  static strains s;
  collect_strains(r, &s);
  f->stretch_largest_ever = fmax(f->stretch_largest_ever, s.largest);
  f->broken = f->broken || !(s.largest < 1e6);
  if (!is_late(r)) return;
  qsort(s.values, (size_t)s.count, sizeof s.values[0], compare_floats);
  f->max_stretch = fmax(f->max_stretch, s.largest);
  f->stretch_mean += s.positive_sum / s.count / 60.0;
  f->stretch_p99 += percentile(&s, 0.99) / 60.0;
  f->stretch_p01 += percentile(&s, 0.01) / 60.0;
}

/// Shape ///

static double triangle_area(point a, point b, point c) {
  return 0.5 * point_length(point_cross(point_difference(b, a), point_difference(c, a)));
}

static double area_ratio(const recording *r) {
  double area = 0.0;
  for (int i = 0; i + r->n < r->count; i++) {
    if (i % r->n + 1 == r->n) continue;
    const point *p = &r->now[i];
    area += triangle_area(p[0], p[1], p[r->n + 1]) + triangle_area(p[0], p[r->n + 1], p[r->n]);
  }
  double side = (r->n - 1) * r->spacing;
  return area / (side * side);
}

/* The checkerboard mode around one particle: what alternates from cell to cell in both directions. */
static point sawtooth(const recording *r, int i) {
  const point *p = &r->now[i];
  int n = r->n;
  point sides = point_sum(point_sum(p[1], p[-1]), point_sum(p[n], p[-n]));
  point corners = point_sum(point_sum(p[n + 1], p[n - 1]), point_sum(p[-n + 1], p[-n - 1]));
  point sum = point_sum(point_sum(point_scaled(p[0], 4.0), point_scaled(sides, -2.0)), corners);
  return point_scaled(sum, 1.0 / 16.0);
}

static double roughness(const recording *r) {
  double sum = 0.0;
  for (int row = 1; row + 1 < r->n; row++) {
    for (int column = 1; column + 1 < r->n; column++) {
      point mode = sawtooth(r, row * r->n + column);
      sum += point_dot(mode, mode);
    }
  }
  return sqrt(sum) / (r->n - 2) / r->spacing;
}

static double lowest_height(const recording *r) {
  double lowest = HUGE_VAL;
  for (int i = 0; i < r->count; i++)
    lowest = fmin(lowest, r->now[i].y);
  return lowest;
}

static void measure_shape(const recording *r, figures *f) {
  if (!is_late(r)) return;
  f->lowest += lowest_height(r) / 60.0;
  f->area = fmin(f->area, area_ratio(r));
  f->roughness += roughness(r) / 60.0;
}

/// Motion ///

static double potential_energy(const recording *r) {
  double sum = 0.0;
  for (int i = 0; i < r->count; i++)
    sum += r->pinned[i] ? 0.0 : r->now[i].y;
  return sum * r->particle_mass * GRAVITY;
}

static double kinetic_energy(const recording *r) {
  double sum = 0.0;
  for (int i = 0; i < r->count; i++) {
    point way = point_difference(r->now[i], r->before[i]);
    sum += r->pinned[i] ? 0.0 : point_dot(way, way);
  }
  return 0.5 * r->particle_mass * sum / (r->frame_time * r->frame_time);
}

static double squared_acceleration(const recording *r) {
  double sum = 0.0, squared_time = r->frame_time * r->frame_time;
  for (int i = 0; i < r->count; i++) {
    point change = point_sum(point_difference(r->now[i], point_scaled(r->before[i], 2.0)), r->earlier[i]);
    sum += r->pinned[i] ? 0.0 : point_dot(change, change) / (squared_time * squared_time);
  }
  return sum / r->count;
}

static void measure_motion(const recording *r, figures *f) {
  double kinetic = 1e3 * kinetic_energy(r), energy = kinetic + 1e3 * potential_energy(r);
  f->kinetic_mean += kinetic / r->frames;
  f->energy_end = energy;
  f->broken = f->broken || !isfinite(energy);
  if (r->frame > 30) f->energy_most = fmax(f->energy_most, energy);
  if (is_last(r)) {
    f->kinetic_last += kinetic / 30.0;
    f->acceleration += squared_acceleration(r) / 30.0; /* the root is taken at the end */
  }
}

static void measure_distance(const recording *r, figures *f) {
  for (int i = 0; r->has_sphere && i < r->count; i++) {
    double distance = point_distance(r->now[i], r->sphere);
    f->distance = fmin(f->distance, distance);
    if (is_late(r)) f->distance_late = fmin(f->distance_late, distance);
  }
}

static void measure_frame(const recording *r, figures *f) {
  measure_strains(r, f);
  measure_shape(r, f);
  measure_motion(r, f);
  measure_distance(r, f);
}

/// Running a scene ///

static void read_positions(const cloth *sheet, point *to) {
  cloth_vector_view range;
  cloth_get_positions(sheet, &range);
  for (int i = 0; i < range.count; i++) {
    point p = {(double)range.x[i], (double)range.y[i], (double)range.z[i]};
    to[i] = p;
  }
}

/* Prepares a recording whose last two frames are the start. */
static recording recording_start(const scene *s, const cloth *sheet, point frames[3][LARGEST_COUNT],
                                 unsigned char *pinned) {
  recording r;
  memset(&r, 0, sizeof r);
  r.n = s->config.columns;
  r.count = r.n * r.n;
  r.frames = s->frames;
  r.spacing = 1.0 / (r.n - 1);
  r.particle_mass = SHEET_MASS / r.count;
  r.frame_time = (double)s->frame_time;
  r.pinned = pinned;
  r.has_sphere = s->collider_count > 0 && s->colliders[0].shape == CLOTH_SHAPE_SPHERE;
  r.sphere = point_of(s->colliders[0].pose.position);
  r.now = frames[0];
  r.before = frames[1];
  r.earlier = frames[2];
  for (int i = 0; i < r.count; i++)
    pinned[i] = cloth_get_freedom(sheet, i) == 0;
  for (int k = 0; k < 3; k++)
    read_positions(sheet, frames[k]);
  return r;
}

static figures run_scene(const scene *s) {
  static point frames[3][LARGEST_COUNT];
  static unsigned char pinned[LARGEST_COUNT];
  figures f;
  memset(&f, 0, sizeof f);
  f.area = f.distance = f.distance_late = HUGE_VAL;
  f.energy_most = -HUGE_VAL;
  scene_instance instance;
  int result = scene_open(s, &instance);
  CHECK(result == CLOTH_OK, "%s: %s", s->name, cloth_result_name(result));
  if (result != CLOTH_OK) exit(2);
  recording r = recording_start(s, instance.sheet, frames, pinned);
  f.energy_start = 1e3 * potential_energy(&r);
  for (r.frame = 0; r.frame < r.frames; r.frame++) {
    recording_shift(&r);
    result = cloth_step(instance.sheet, s->frame_time);
    CHECK(result >= CLOTH_OK, "%s, frame %d: %s", s->name, r.frame, cloth_result_name(result));
    read_positions(instance.sheet, r.now);
    measure_frame(&r, &f);
  }
  f.acceleration = sqrt(f.acceleration);
  scene_close(&instance);
  return f;
}

/// Table and judgement ///

static void print_heading(void) {
  printf("%-5s %3s %7s %7s %7s %7s %7s %7s %7s %8s %7s %8s %7s %7s %7s %7s %7s %7s\n", "scene", "n", "st_max",
         "st_mean", "st_p99", "st_p01", "dyn_max", "ymin", "area", "rough", "ke_mean", "ke_res", "acc_rms", "e0",
         "e_end", "e_max", "dmin", "dmin_l");
}

static void print_figures(const char *name, int n, const figures *f, int has_sphere) {
  printf("%-5s %3d %7.4f %7.4f %7.4f %7.4f %7.4f %7.4f %7.4f %8.5f %7.2f %8.4f %7.3f %7.1f %7.1f %7.1f", name, n,
         f->max_stretch, f->stretch_mean, f->stretch_p99, f->stretch_p01, f->stretch_largest_ever, f->lowest, f->area,
         f->roughness, f->kinetic_mean, f->kinetic_last, f->acceleration, f->energy_start, f->energy_end,
         f->energy_most);
  if (has_sphere) printf(" %7.5f %7.5f", f->distance, f->distance_late);
  printf("\n");
}

/* At rest nothing trembles that could be seen: less than the baseline does, or than 0.05 m/s2, which moves a particle
   by a hundredth of a millimetre from frame to frame. What hangs from a ball still sways after three seconds, the more
   the less its motion was damped away, and is chaotic: from 16 to 40 substeps it was 0.6 to 2.1 of the baseline's. */
static double most_acceleration(const baseline *b) {
  return fmax(b->kind == SCENE_REST ? b->acceleration : 2.5 * b->acceleration, 0.05);
}

/* Roughness over the baseline's. The baseline's bend links of 100 N/m hold drapes flat that a fabric of B', the least
   rigidity of the grid, lets fold. */
static double most_roughness(const baseline *b) {
  return (b->kind == SCENE_DRAPE ? 2.2 : 1.25) * b->roughness;
}

static void judge(const scene *s, const baseline *b, const figures *f) {
  const char *name = s->name;
  CHECK(!f->broken, "%s %d is not finite", name, b->n);
  /* A coarse drape has a larger share of its springs at the rim of what touches the ball. */
  const double most_stretch = b->kind != SCENE_DRAPE || b->n > 32 ? 0.01 : b->n > 16 ? 0.011 : 0.02;
  CHECK(f->stretch_p99 <= most_stretch, "%s %d: 99th percentile of stretch %.4f", name, b->n, f->stretch_p99);
  CHECK(fabs(f->area - 1.0) <= 0.02, "%s %d: area %.4f", name, b->n, f->area);
  CHECK(f->roughness <= most_roughness(b), "%s %d: roughness %.5f, %.2f times the baseline's", name, b->n, f->roughness,
        f->roughness / b->roughness);
  if (b->kind != SCENE_HANG)
    CHECK(f->acceleration <= most_acceleration(b), "%s %d: acceleration %.4f m/s2, the baseline's is %.4f", name, b->n,
          f->acceleration, b->acceleration);
  if (b->kind == SCENE_DRAPE) {
    double surface = (double)s->colliders[0].radius + (double)s->config.thickness;
    CHECK(f->distance_late >= surface - 1e-3, "%s %d: %.5f m from the sphere's centre", name, b->n, f->distance_late);
  }
}

static void print_against_baseline(const baseline *b, const figures *f) {
  printf("%9s against the baseline at %d substeps: stretch_p99 %.2f, roughness %.2f, kinetic energy %.2f, "
         "acceleration %.2f\n",
         "", b->substeps, f->stretch_p99 / b->stretch_p99, f->roughness / b->roughness,
         f->kinetic_mean / b->kinetic_mean, f->acceleration / b->acceleration);
}

/// All scenes ///

static int tested_scene;

static const char *scene_name(int number) {
  static const char *const kinds[SCENE_KIND_COUNT] = {"hang", "rest", "drape", "flag"};
  static char name[16];
  snprintf(name, sizeof name, "%s_%d", kinds[baselines[number].kind], baselines[number].n);
  return name;
}

static void select_scene(int number) {
  tested_scene = number;
}

static const test_cases every_scene = {0, (int)BASELINE_COUNT, scene_name, select_scene};

static void test_scene(void) {
  const baseline *b = &baselines[tested_scene];
  scene s = scene_describe(b->kind, b->n);
  figures f = run_scene(&s);
  print_heading();
  print_figures(s.name, b->n, &f, b->kind == SCENE_DRAPE);
  print_against_baseline(b, &f);
  judge(&s, b, &f);
}

static const test tests[] = {
    TEST_EACH(every_scene, scene),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
