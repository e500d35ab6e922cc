/*
 * The scenes of the benchmark, described for any solver: a sheet of equal particles on a square grid, what is pinned,
 * what moves, and the one collider there may be. Positions are packed, x y z of a particle, row by row.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_SCENES_H
#define BENCH_SCENES_H

typedef enum bench_kind {
  BENCH_HANG,       /* swings down from horizontal, pinned at two corners; 3 s */
  BENCH_DRAPE,      /* falls 0.1 m onto a sphere; 3 s */
  BENCH_FLAG,       /* pinned at its left edge in a wind of 8 m/s, 15 degrees off its plane; 3 s */
  BENCH_REST,       /* HANG, damped until it hangs still; 5 s */
  BENCH_MOVING_PIN, /* HANG, one pin going 0.2 m towards the other and back once a second */
  BENCH_CAPSULE,    /* pinned at its upper edge, a standing capsule walks through at 1 m/s; 3 s */
  BENCH_KIND_COUNT
} bench_kind;

/* What may differ from the scene as it stands; 0 keeps that. */
typedef struct bench_variant {
  int columns, rows;
  int frame_rate; /* [1/s] */
  int frames;
  double density; /* [kg/m^2] */
} bench_variant;

typedef struct bench_point {
  float x, y, z;
} bench_point;

typedef struct bench_scene {
  bench_kind kind;
  const char *name;
  int columns, rows, count;
  int frames, frame_rate;
  float frame_time;      /* [s] */
  float spacing;         /* of neighbours in a row or column [m]; the longer side of the sheet is 1 m */
  float density;         /* [kg/m^2] */
  float mass;            /* of a particle [kg] */
  float rigidity;        /* with which a grid of this spacing bends [N m], see cloth_config_grid */
  float shear;           /* stiffness of shear springs [N/m]; 0: there are none */
  float gravity;         /* along -y [m/s^2] */
  float damping;         /* drag on velocities [1/s] */
  float height;          /* of the first row at the start, along y [m] */
  int is_upright;        /* rows follow each other along -y, otherwise along z; columns follow each other along x */
  float *start;          /* positions [m] */
  float *inverse_mass;   /* of a particle [1/kg]; 0: pinned */
  int moving_pin;        /* its particle, or -1 */
  int has_wind;          /* bench_wind blows */
  float collider_radius; /* of a sphere or a standing capsule [m]; 0: there is none */
  float collider_half;   /* half the length of the capsule's axis [m]; 0: a sphere */
  bench_point collider;  /* its centre at the start [m] */
  float collider_speed;  /* along z [m/s] */
} bench_scene;

static const float bench_gravity = 9.81f, bench_thickness = 0.01f, bench_friction = 0.5f, bench_air_density = 1.2f;
static const float bench_stiffness = 1e5f; /* of stretch springs on a square grid, and of shear springs [N/m] */
static const bench_point bench_wind = {8.0f * 0.9659258f, 0.0f, 8.0f * 0.2588190f};

/* Returns a kind's name, and the kind of a name or BENCH_KIND_COUNT. */
const char *bench_kind_name(bench_kind kind);
bench_kind bench_kind_named(const char *name);

/* Allocates and describes a scene. Ends the program if there is no memory. */
bench_scene bench_scene_make(bench_kind kind, const bench_variant *variant);
void bench_scene_free(bench_scene *scene);

/* Gives a scene its particles, when all but `start` and `inverse_mass` is set. is_pinned() tells of each. */
void bench_place_particles(bench_scene *s, int (*is_pinned)(const bench_scene *s, int row, int column));

/* Where the moving pin and the collider's centre are at the end of a frame; frame -1 is the start. Between frames both
   go straight and evenly. */
bench_point bench_pin_place(const bench_scene *scene, int frame);
bench_point bench_collider_place(const bench_scene *scene, int frame);

/* Memory that is there; ends the program if it is not. Of zeros, aligned for vectors of eight floats. */
void *bench_allocate(unsigned long count, unsigned long size);

#endif
