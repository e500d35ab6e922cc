/*
 * Time and quality of this library beside a strong XPBD baseline, in one run on one core.
 *
 *     bench [SCENE N [SOLVER]] [options]
 *     bench --unseen [options]
 *
 * N is a number of particles a side, or COLUMNSxROWS. Without a scene all that have goals are run, with --unseen some
 * that nothing was tuned on. Those are given the settings of the tuned scene most like them and judged at its levels:
 *
 *     ratio SCENE N METRIC LEVEL OURS BASELINE COMPARED RATIO goal RATIO ok|missed
 *     unseen SCENE SIZE VARIATION METRIC LEVEL OURS BASELINE COMPARED RATIO stable|broken ok|missed
 *
 * in microseconds of a frame; "-" is what is never reached. COMPARED are bending over theory, elongation over theory
 * and largest stretch [%] of our setting and of the baseline's. Options:
 *
 *     --set KEY=VALUE ...   run one setting only, of cloth if no other solver is named
 *     --density D           of the sheet [kg/m^2], 0.2 if not given
 *     --fps F               frames a second, 60
 *     --frames K            length of a run
 *     --repetitions R       of every run, 3
 *     --csv FILE            write what is printed to a file as well
 *
 * SPDX-License-Identifier: MIT
 */
#include "goals.h"
#include "measures.h"
#include "trials.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BENCH_FLAGS
#define BENCH_FLAGS "unknown"
#endif

enum { REPETITIONS_LIMIT = 99, NAME_LENGTH = 64 };

static FILE *csv;

/* Prints to the terminal and to the CSV file. */
static void emit(const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  vprintf(format, arguments);
  fflush(stdout);
  if (csv) vfprintf(csv, format, again);
  va_end(again);
  va_end(arguments);
}

static void fail(const char *what, const char *value) {
  fprintf(stderr, "bench: %s %s\n", what, value);
  exit(EXIT_FAILURE);
}

static const char *const metric_names[] = {"st_max", "st_p99"};

/// Arguments ///

typedef struct arguments {
  int one_scene, unseen;
  bench_kind kind;
  bench_variant variant;
  const solver *only;
  int has_setting;
  setting with;
  int repetitions;
} arguments;

static const solver *const solvers[] = {&solver_cloth, &solver_xpbd_color8};

static const solver *solver_named(const char *name) {
  for (int i = 0; i < COUNT(solvers); i++)
    if (strcmp(name, solvers[i]->name) == 0) return solvers[i];
  fail("no solver", name);
  return NULL;
}

static int positive(const char *text) {
  int value = atoi(text);
  if (value <= 0) fail("not a positive number:", text);
  return value;
}

static void read_size(arguments *a, const char *text) {
  const char *by = strchr(text, 'x');
  a->variant.columns = positive(text);
  a->variant.rows = by ? positive(by + 1) : a->variant.columns;
  if (a->variant.columns < 3 || a->variant.rows < 3) fail("too small:", text);
}

/* Substeps go into every solver's setting, the rest is for the solver itself to know. */
static void read_setting(arguments *a, const char *text) {
  setting *s = &a->with;
  a->has_setting = 1;
  if (strncmp(text, "substeps=", 9) == 0)
    s->substeps = positive(text + 9);
  else if (s->override_count < SETTING_OVERRIDES)
    s->overrides[s->override_count++] = text;
  else
    fail("too many settings:", text);
}

static void read_option(arguments *a, const char *option, const char *value) {
  if (strcmp(option, "--density") == 0)
    a->variant.density = strtod(value, NULL);
  else if (strcmp(option, "--fps") == 0)
    a->variant.frame_rate = positive(value);
  else if (strcmp(option, "--frames") == 0)
    a->variant.frames = positive(value);
  else if (strcmp(option, "--repetitions") == 0)
    a->repetitions = positive(value) < REPETITIONS_LIMIT ? positive(value) : REPETITIONS_LIMIT;
  else if (strcmp(option, "--csv") == 0)
    csv = fopen(value, "w");
  else
    fail("no option", option);
  if (strcmp(option, "--csv") == 0 && !csv) fail("cannot write", value);
}

static void read_scene(arguments *a, int count, char **texts) {
  a->one_scene = 1;
  a->kind = bench_kind_named(texts[0]);
  if (a->kind == BENCH_KIND_COUNT) fail("no scene", texts[0]);
  if (count < 2) fail("no size given for", texts[0]);
  read_size(a, texts[1]);
  if (count > 2) a->only = solver_named(texts[2]);
}

static arguments read_arguments(int count, char **texts) {
  arguments a = {.repetitions = 3, .with = {.substeps = 8}};
  int i = 1;
  while (i < count && strncmp(texts[i], "--", 2) != 0)
    i++;
  if (i > 1) read_scene(&a, i - 1, texts + 1);
  while (i < count) {
    const char *option = texts[i++];
    if (strcmp(option, "--set") == 0)
      while (i < count && strncmp(texts[i], "--", 2) != 0)
        read_setting(&a, texts[i++]);
    else if (strcmp(option, "--unseen") == 0)
      a.unseen = 1;
    else if (i < count)
      read_option(&a, option, texts[i++]);
    else
      fail("no value for", option);
  }
  if (a.has_setting && !a.only) a.only = &solver_cloth;
  return a;
}

/// Trials ///

static void add_trial(trial_list *list, const solver *with, setting how) {
  trial *t = &list->trials[list->count++];
  *t = (trial){.with = with, .how = how};
}

static void add_budget(trial_list *list, const bench_scene *s, const solver *with) {
  const budget *b = budget_of(with, s);
  for (int i = 0; b->substeps[i] > 0; i++)
    add_trial(list, with, (setting){.substeps = b->substeps[i]});
}

/* Alternates between the solvers, so that what slows the machine for a while slows all of them. */
static void interleave(trial_list *list) {
  trial_list sorted = {.count = 0};
  int taken[TRIAL_LIMIT] = {0};
  for (int turn = 0; sorted.count < list->count; turn++)
    for (int i = 0; i < list->count; i++)
      if (!taken[i] && list->trials[i].with == solvers[turn % COUNT(solvers)]) {
        sorted.trials[sorted.count++] = list->trials[i];
        taken[i] = 1;
        break;
      }
  *list = sorted;
}

static trial_list make_trials(const arguments *a, const bench_scene *s) {
  trial_list list = {.scene = s};
  if (a->has_setting) {
    add_trial(&list, a->only, a->with);
    return list;
  }
  for (int i = 0; i < COUNT(solvers); i++)
    if (!a->only || a->only == solvers[i]) add_budget(&list, s, solvers[i]);
  interleave(&list);
  list.scene = s;
  return list;
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

/* Mean kinetic energy of a scene by our solver with many substeps [mJ]; HUGE_VAL of scenes without a body. Where a
   sheet falls onto a body both solvers lose less energy with few substeps than with many, so that the baseline's alone
   would reject what is nearer to the truth. Explicit springs agree, see docs/measurements.md. */
static double converged_kinetic(const bench_scene *s) {
  enum { SUBSTEPS = 200 };
  static const setting how = {SUBSTEPS, {"integration.max_substeps=200"}, 1};
  if (s->collider_radius <= 0) return HUGE_VAL;
  const double kinetic = measure_run(s, &solver_cloth, &how).kinetic_mean;
  return kinetic;
}

/* A baseline's trial wants the kinetic energy that it has, or that of the converged solution if that is less. */
static void set_kinetic_wanted(trial_list *list) {
  const double converged = converged_kinetic(list->scene);
  if (isfinite(converged))
    emit("# %s %d: kinetic energy with 200 substeps %.1f mJ\n", list->scene->name, list->scene->columns, converged);
  for (int i = 0; i < list->count; i++)
    list->trials[i].kinetic_wanted = fmin(list->trials[i].result.kinetic_mean, converged);
}

static void run_trials(trial_list *list, const arguments *a) {
  static double medians[TRIAL_LIMIT][REPETITIONS_LIMIT], tails[TRIAL_LIMIT][REPETITIONS_LIMIT];
  for (int k = 0; k < a->repetitions; k++)
    for (int i = 0; i < list->count; i++) {
      trial *t = &list->trials[i];
      t->result = measure_run(list->scene, t->with, &t->how);
      medians[i][k] = t->result.us_median;
      tails[i][k] = t->result.us_p99;
    }
  for (int i = 0; i < list->count; i++) {
    trial *t = &list->trials[i];
    t->result.us_median = median(medians[i], a->repetitions);
    t->result.us_p99 = median(tails[i], a->repetitions);
    t->fabric = measure_material(list->scene, t->with, &t->how);
  }
}

/// Rows ///

/* "32", or "24x48" where the sides differ. */
static void size_text(const bench_scene *s, char *text, size_t length) {
  if (s->columns == s->rows)
    snprintf(text, length, "%d", s->columns);
  else
    snprintf(text, length, "%dx%d", s->columns, s->rows);
}

/* What differs from the scene as it stands: "_30Hz", "_0.4kg", or nothing. */
static void variation_text(const bench_scene *s, char *text, size_t length) {
  size_t used = 0;
  text[0] = 0;
  if (s->frame_rate != 60) used += (size_t)snprintf(text, length, "_%dHz", s->frame_rate);
  if (s->density != 0.2f && used < length) snprintf(text + used, length - used, "_%gkg", (double)s->density);
}

/* The scene's name and variation: "HANG_30Hz", "FLAG_0.4kg". */
static void scene_text(const bench_scene *s, char *text, size_t length) {
  char variation[NAME_LENGTH / 2];
  variation_text(s, variation, sizeof variation);
  snprintf(text, length, "%s%s", s->name, variation);
}

/* The setting as one field. */
static void setting_text(const trial *t, char *text, size_t length) {
  size_t used = (size_t)snprintf(text, length, "substeps=%d", t->how.substeps);
  for (int i = 0; i < t->how.override_count && used < length; i++)
    used += (size_t)snprintf(text + used, length - used, " %s", t->how.overrides[i]);
}

static void print_heading(void) {
  emit("scene,n,solver,setting,us_median,us_p99,st_max,st_p99,st_p01,area,rough,dyn_max,ke_mean,energy_end,"
       "bytes_per_particle,hash,ke_res,acc_rms,dmin,bending,elongation,elongation_with_shear\n");
}

static void print_trial(const bench_scene *s, const trial *t) {
  const figures *f = &t->result;
  char name[NAME_LENGTH], size[NAME_LENGTH], how[8 * NAME_LENGTH];
  scene_text(s, name, sizeof name);
  size_text(s, size, sizeof size);
  setting_text(t, how, sizeof how);
  emit("%s,%s,%s,%s,%.1f,%.1f,%.5f,%.5f,%.5f,%.4f,%.5f,%.5f,%.2f,%.2f,%.0f,%016llx,%.4f,%.3f,%.5f,%.3f,%.3f,%.3f\n",
       name, size, t->with->name, how, f->us_median, f->us_p99, f->stretch_most, f->stretch_p99, f->stretch_p01,
       f->area, f->roughness, f->stretch_ever, f->kinetic_mean, f->energy_end, (double)f->bytes / s->count,
       (unsigned long long)f->hash, f->kinetic_last, f->acceleration, f->distance, t->fabric.bending,
       t->fabric.elongation, t->fabric.with_shear);
}

static void print_trials(const trial_list *list) {
  for (int k = 0; k < COUNT(solvers); k++)
    for (int i = 0; i < list->count; i++)
      if (list->trials[i].with == solvers[k]) print_trial(list->scene, &list->trials[i]);
}

/// Judgement ///

/* The times [us] at which both reach a level, ours at the quality of the baseline's trial `match`; HUGE_VAL: it does
 * not. */
typedef struct comparison {
  const trial *match;
  double ours, baseline;
} comparison;

static comparison compare(const trial_list *list, level ours, level baseline, const trial *match) {
  comparison c = {match, HUGE_VAL, HUGE_VAL};
  c.baseline = time_at_level(list, &solver_xpbd_color8, baseline.what, baseline.percent, NULL);
  if (match) c.ours = time_at_level(list, &solver_cloth, ours.what, ours.percent, match);
  return c;
}

static int both_reach(const comparison *c) {
  return isfinite(c->ours) && isfinite(c->baseline);
}

/* Says why a setting of ours may not stand beside the baseline's matching one. */
static void print_rejections(const trial_list *list, level ours, const trial *match) {
  char name[NAME_LENGTH], size[NAME_LENGTH], how[8 * NAME_LENGTH];
  scene_text(list->scene, name, sizeof name);
  size_text(list->scene, size, sizeof size);
  for (int i = 0; i < list->count; i++) {
    const trial *t = &list->trials[i];
    if (t->with != &solver_cloth || quality_is_equal(t, match)) continue;
    setting_text(t, how, sizeof how);
    emit("# rejected %s %s %s %g, %s:", name, size, metric_names[ours.what], ours.percent, how);
    emit(
        " area %.3f, roughness %.2f times the baseline's, kinetic energy %.2f times what is wanted at its %d substeps,",
        t->result.area, t->result.roughness / match->result.roughness, t->result.kinetic_mean / match->kinetic_wanted,
        match->how.substeps);
    emit(" bending %.2f and elongation %.2f of theory%s\n", t->fabric.bending, t->fabric.elongation,
         t->result.broken ? ", broken" : "");
  }
}

static void print_time(double microseconds) {
  if (isfinite(microseconds))
    emit(" %.1f", microseconds);
  else
    emit(" -");
}

static void print_ratio(const comparison *c) {
  if (both_reach(c))
    emit(" %.3f", c->ours / c->baseline);
  else
    emit(" -");
}

/* Of the settings compared, ours and the baseline's: bending and elongation over theory, largest stretch [%]. */
static void print_compared(const trial *ours, const trial *match) {
  const trial *both[2] = {ours, match};
  for (int i = 0; i < 2; i++)
    if (both[i])
      emit(" %.2f/%.*f/%.1f", both[i]->fabric.bending, both[i]->fabric.elongation < 10 ? 2 : 0,
           both[i]->fabric.elongation, metric_of(&both[i]->result, METRIC_MOST));
    else
      emit(" -/-/-");
}

static void judge_goal(trial_list *list, const goal *g) {
  const trial *match = first_at_level(list, &solver_xpbd_color8, g->baseline.what, g->baseline.percent, NULL);
  comparison c = compare(list, g->ours, g->baseline, match);
  if (match) print_rejections(list, g->ours, match);
  emit("ratio %s %d %s %g", bench_kind_name(g->kind), g->n, metric_names[g->ours.what], g->ours.percent);
  if (g->ours.what != g->baseline.what || g->ours.percent < g->baseline.percent)
    emit(" (baseline at %s %g)", metric_names[g->baseline.what], g->baseline.percent);
  print_time(c.ours);
  print_time(c.baseline);
  print_compared(first_at_level(list, &solver_cloth, g->ours.what, g->ours.percent, match), match);
  int is_met = both_reach(&c) && c.ours / c.baseline <= g->ratio;
  print_ratio(&c);
  emit(" goal %.2f %s\n", g->ratio, is_met ? "ok" : "missed");
}

/// Judgement of what nothing was tuned on ///

/* The least a solver comes to in any setting, in percent. */
static double least_of(const trial_list *list, const solver *with, metric what) {
  double least = HUGE_VAL;
  for (int i = 0; i < list->count; i++)
    if (list->trials[i].with == with && !list->trials[i].result.broken)
      least = fmin(least, metric_of(&list->trials[i].result, what));
  return least;
}

/* Where the baseline never reaches the level, ours is held to the quality of the setting that comes nearest. */
static comparison compare_alike(const trial_list *list, level wanted) {
  double reached = fmax(wanted.percent, least_of(list, &solver_xpbd_color8, wanted.what));
  return compare(list, wanted, wanted, first_at_level(list, &solver_xpbd_color8, wanted.what, reached, NULL));
}

/* The least level that both reach, in tenths of a percent from a level that one of them does not reach; 0: none. */
static double common_percent(const trial_list *list, level wanted) {
  enum { TENTHS_LIMIT = 1000 };
  for (int tenths = (int)(10 * wanted.percent) + 1; tenths <= TENTHS_LIMIT; tenths++) {
    comparison c = compare_alike(list, (level){wanted.what, tenths / 10.0});
    if (both_reach(&c)) return tenths / 10.0;
  }
  return 0;
}

/* Whether none of our settings is broken. */
static int is_stable(const trial_list *list) {
  for (int i = 0; i < list->count; i++)
    if (list->trials[i].with == &solver_cloth && list->trials[i].result.broken) return 0;
  return 1;
}

static const char *reach_text(const comparison *c) {
  if (both_reach(c)) return "";
  return isfinite(c->ours)       ? " (the baseline never reaches it)"
         : isfinite(c->baseline) ? " (ours never reaches it at equal quality)"
                                 : " (neither reaches it)";
}

/* A level that neither reaches has no goal. One that ours alone reaches is ok. */
static const char *verdict(const comparison *c, int is_stable) {
  if (!isfinite(c->ours) && !isfinite(c->baseline)) return "";
  return is_stable && isfinite(c->ours) && c->ours < unseen_ratio * c->baseline ? " ok" : " missed";
}

static void print_unseen(const trial_list *list, level at, const comparison *c, const char *remark) {
  const bench_scene *s = list->scene;
  char size[NAME_LENGTH], variation[NAME_LENGTH];
  size_text(s, size, sizeof size);
  variation_text(s, variation, sizeof variation);
  emit("unseen %s %s %s %s %g", s->name, size, variation[0] ? variation + 1 : "-", metric_names[at.what], at.percent);
  print_time(c->ours);
  print_time(c->baseline);
  print_compared(c->match ? first_at_level(list, &solver_cloth, at.what, at.percent, c->match) : NULL, c->match);
  print_ratio(c);
  emit(" %s%s%s\n", is_stable(list) ? "stable" : "broken", remark, verdict(c, is_stable(list)));
}

/* Compares at a level of the like tuned scene, and where that is out of reach at the least level that both reach. */
static void judge_unseen(trial_list *list, level wanted) {
  comparison c = compare_alike(list, wanted);
  if (c.match) print_rejections(list, wanted, c.match);
  print_unseen(list, wanted, &c, reach_text(&c));
  level common = {wanted.what, both_reach(&c) ? 0 : common_percent(list, wanted)};
  if (common.percent > 0) {
    c = compare_alike(list, common);
    print_unseen(list, common, &c, " (the least level both reach)");
    wanted = common;
  }
}

static int is_tuned(const bench_scene *s, const goal *g) {
  return s->kind == g->kind && s->columns == g->n && s->rows == g->n && s->frame_rate == 60 && s->density == 0.2f;
}

static void judge(trial_list *list) {
  const budget *like = budget_of(&solver_cloth, list->scene);
  for (int i = 0; i < goal_count; i++)
    if (is_tuned(list->scene, &goals[i]))
      judge_goal(list, &goals[i]);
    else if (goals[i].kind == like->kind && goals[i].n == like->n)
      judge_unseen(list, goals[i].ours);
}

/// Machine ///

static void print_cpu(void) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "model name", 10) == 0) {
      char *name = strchr(line, ':');
      emit("# cpu:%s", name ? name + 1 : " unknown\n");
      break;
    }
  if (file) fclose(file);
}

static void print_machine(const arguments *a) {
  print_cpu();
#ifdef __clang__
  emit("# compiler: %s\n", __VERSION__);
#else
  emit("# compiler: GCC %s\n", __VERSION__);
#endif
  emit("# flags: %s\n", BENCH_FLAGS);
  emit("# one thread, median of %d runs of each setting, solvers taking turns\n", a->repetitions);
}

static void check_machine(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return;
#endif
  fail("the baseline needs", "AVX2 and FMA, which this machine lacks");
}

/// Run ///

static void run_one(const arguments *a, bench_kind kind) {
  bench_scene s = bench_scene_make(kind, &a->variant);
  trial_list *list = bench_allocate(1, sizeof *list);
  *list = make_trials(a, &s);
  run_trials(list, a);
  print_trials(list);
  if (!a->has_setting && !a->only && a->variant.frames == 0) {
    set_kinetic_wanted(list);
    judge(list);
  }
  free(list);
  bench_scene_free(&s);
}

static void run_sizes(arguments *a, bench_kind kind) {
  static const int sizes[] = {16, 32, 64};
  for (int i = 0; i < COUNT(sizes); i++) {
    a->variant.columns = a->variant.rows = sizes[i];
    run_one(a, kind);
  }
}

/* Other aspect ratios and sizes, other motions of pins and bodies, twice the density, half the frame rate: each has
   the substeps of a frame that the tuned scene has, whatever changed. */
static void run_unseen(const arguments *a) {
  static const struct {
    bench_kind kind;
    bench_variant variant;
  } unseen[] = {
      {BENCH_HANG, {.columns = 24, .rows = 48}},
      {BENCH_HANG, {.columns = 48, .rows = 24}},
      {BENCH_HANG, {.columns = 100, .rows = 100}},
      {BENCH_DRAPE, {.columns = 24, .rows = 48}},
      {BENCH_DRAPE, {.columns = 100, .rows = 100}},
      {BENCH_FLAG, {.columns = 24, .rows = 16}},
      {BENCH_MOVING_PIN, {.columns = 32, .rows = 32}},
      {BENCH_CAPSULE, {.columns = 32, .rows = 32}},
      {BENCH_HANG, {.columns = 32, .rows = 32, .density = 0.4}},
      {BENCH_DRAPE, {.columns = 32, .rows = 32, .density = 0.4}},
      {BENCH_HANG, {.columns = 32, .rows = 32, .frame_rate = 30}},
      {BENCH_DRAPE, {.columns = 32, .rows = 32, .frame_rate = 30}},
  };
  for (int i = 0; i < COUNT(unseen); i++) {
    arguments one = *a;
    one.kind = unseen[i].kind;
    one.variant = unseen[i].variant;
    run_one(&one, one.kind);
  }
}

static void run_tuned(arguments *a) {
  for (int kind = BENCH_HANG; kind <= BENCH_REST; kind++)
    run_sizes(a, (bench_kind)kind);
}

int main(int argument_count, char **texts) {
  arguments a = read_arguments(argument_count, texts);
  check_machine();
  if (!a.has_setting) print_machine(&a);
  print_heading();
  if (a.one_scene)
    run_one(&a, a.kind);
  else if (a.unseen)
    run_unseen(&a);
  else
    run_tuned(&a);
  if (csv && fclose(csv) != 0) fail("cannot write", "the CSV file");
  return EXIT_SUCCESS;
}
