/*
 * Methods of cloth simulation side by side: one equation, and four choices that a caller makes for it.
 *
 * Every method finds the positions y at the end of a substep of k seconds, with M the masses and f the forces:
 *
 *     M (y - target) - tau^2 f(y, v') = 0,    v' = (y - a) / tau
 *
 * material    the law of the forces in the plane (cloth_method.material) and of bending (cloth_method.bending)
 * scheme      the time scheme: what a, tau and the target are
 * solver      how the equation, or its linear form, is solved
 * contact     with colliders (cloth_method.contact): after the solve, by projection, or as constraints of the solve: by
 *             GRADIENTS and COMPONENTS, with one Newton iteration of EULER, BDF2 or IMEX2
 * self        contact of the sheet with itself: cloth_method.repulsion, in the equation, and cloth_method.self, after
 * it
 *
 * With CLOTH_SELF_IMPULSES the sheet is looked at after colliders, these again, and so on, up to three times in a
 * substep. The sheet has the last word over colliders: it may leave particles within config.thickness of them, which
 * the next substep moves out. What crosses itself when a step starts goes on crossing, is counted in `crossings`, and
 * what touches then, in `standing`, may. All searches of a substep make at most 1024 continuous tests, of at most 33
 * intervals each, and 12288 comparisons of boxes a particle, besides (n / 16)^2 / 2 of boxes of 16 cells in each of up
 * to 54 searches; where that is not enough, what they have found is treated and `searches_cut` tells it.
 *
 * A cloth is made by cloth_init() as usual; cloth_method_step() then takes the place of cloth_step(). It needs memory
 * of its own, cloth_method_memory() bytes, in which the history of the multistep schemes stays between steps.
 *
 * Of the config a method treats the grid of a sheet with its positions and mass_map, the fabric, gravity, substeps,
 * thickness, colliders, max_speed, velocity_damping, min_bending_length, origin, and the capacities shared_scratch and
 * max_contacts; 1/60 s is not the longest substep. It has its own in place of the rest of integration, of solver and of
 * capacity.workers: the preconditioner of solver does not act, it is that of blocks. Air and gusts, tethers, rest_drag,
 * and contact of colliders between particles do not act. Refused, with
 * CLOTH_ERROR_METHOD and nothing changed, is all else that a step of the library does: tubes, absent cells, pre-shaped
 * pieces, maps of stiffness, cloth that may tear, bdf2_blend, EXPLICIT_ONLY, self_thickness, strain limits, sleep,
 * recentre_distance, pin reactions, fixed work, confined and attached particles, colliders with mass or geometry,
 * targets. Seams and groups are calls of the library, as surroundings are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLOTH_METHODS_H
#define CLOTH_METHODS_H

#include "../../cloth.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The error of calls whose choices do not fit each other, the cloth or the call. cloth_method_explain() and
   cloth_method_explain_settle() say why. */
#define CLOTH_ERROR_METHOD (-64)

#define CLOTH_METHOD_NEWTON_LIMIT 16 /* most Newton iterations of a substep */
#define CLOTH_METHOD_CUTS 4          /* most times that a step of Newton's method is shortened */

/* The law of the forces in the plane. */
typedef enum cloth_material {
  CLOTH_MATERIAL_SPRINGS,     /* the library's springs to 8 neighbours (Choi and Ko 2002; thesis eq. 3.6) */
  CLOTH_MATERIAL_UNPROJECTED, /* the same, with damping of the whole relative velocity (thesis eq. 3.12) */
  CLOTH_MATERIAL_CONDITIONS,  /* stretch and shear conditions (Baraff and Witkin 1998), with the area outside of the
                                 square; fabric.shear is the modulus of shear */
  CLOTH_MATERIAL_TRISPRINGS   /* St. Venant-Kirchhoff triangles, the energy of three coupled springs; isotropic by
                                 cloth_method.lambda and mu */
} cloth_material;

/* The law of bending, of the rigidity fabric.bend. */
typedef enum cloth_bending {
  CLOTH_BENDING_NONE,
  CLOTH_BENDING_SPRINGS,   /* springs to the 8 neighbours two cells away, which resist shortening as a buckled beam does
                              (Choi and Ko 2002) */
  CLOTH_BENDING_QUADRATIC, /* bend / 2 (x_uu^2 + x_vv^2 + 2 x_uv^2): linear in the positions */
  CLOTH_BENDING_PLANE,     /* distance of a particle from the plane of its neighbours (SimCloth3) */
  CLOTH_BENDING_HINGE      /* angle between neighbouring triangles (Bridson, Marino and Fedkiw 2003) */
} cloth_bending;

typedef enum cloth_scheme {
  CLOTH_SCHEME_EXPLICIT, /* forward-backward Euler; a step that would be unstable is refused: UNSTABLE */
  CLOTH_SCHEME_EULER,    /* backward Euler. Families up to explicit_threshold are explicit */
  CLOTH_SCHEME_BDF2,     /* second-order backward differences. All families are implicit: explicit ones would be
                            unstable at any threshold */
  CLOTH_SCHEME_IMEX2,    /* BDF2 with extrapolated explicit forces (thesis eq. 4.15), for families whose stability
                            numbers add up to at most min(0.2, kd / (4 k ks)), while they are not so taut that motion
                            across them, which damping along them does not reach, grows by more than 1 % a second */
  CLOTH_SCHEME_STATIC    /* no motion: the cloth at rest. cloth_method_settle() alone */
} cloth_scheme;

/* NONLINEAR and SWEEPS keep the momentum of a sheet that nothing holds to rounding, wherever they stop. GRADIENTS and
   COMPONENTS do not, as the preconditioner weighs particles differently: a sheet that flies at 5 m/s and shakes by up
   to 1 m/s is off by 6 mm/s after steps of 1/60 s with the default tolerance, by 3e-4 m/s with 28 substeps, and by 2e-5
   m/s with a tolerance of 1e-6; with masses that differ by up to ten times by 30 mm/s. */
typedef enum cloth_solver {
  CLOTH_SOLVER_GRADIENTS,  /* Newton's method with preconditioned conjugate gradients (Baraff and Witkin 1998) */
  CLOTH_SOLVER_COMPONENTS, /* the same for each connected component by itself (thesis chapter 6) */
  CLOTH_SOLVER_NONLINEAR,  /* nonlinear conjugate gradients (SimCloth3): no derivatives */
  CLOTH_SOLVER_SWEEPS      /* Gauss-Seidel over the springs, with compliance */
} cloth_solver;

/* Contact with colliders. */
typedef enum cloth_method_contact {
  CLOTH_CONTACT_PROJECTION, /* after the solve particles are moved out of colliders */
  CLOTH_CONTACT_SOLVER      /* constraints of the linear solve, whose residual is their force (Baraff and Witkin 1998;
                               thesis section 3.4.2) */
} cloth_method_contact;

/* The response of the sheet to itself, after the solve and after colliders. */
typedef enum cloth_self_response {
  CLOTH_SELF_NONE,
  CLOTH_SELF_IMPULSES /* impulses between triangles, then rigid impact zones (Bridson, Fedkiw and Anderson 2002): a
                         sheet that does not cross or touch itself does not cross afterwards, but for
                         what README.md names */
} cloth_self_response;

/* A method: made by cloth_method_default(), then changed. */
typedef struct cloth_method {
  uint32_t cookie;    /* set by cloth_method_default() */
  int32_t material;   /* a cloth_material; default CLOTH_MATERIAL_SPRINGS */
  int32_t bending;    /* a cloth_bending; default CLOTH_BENDING_QUADRATIC */
  int32_t scheme;     /* a cloth_scheme; default CLOTH_SCHEME_EULER */
  int32_t solver;     /* a cloth_solver; default CLOTH_SOLVER_GRADIENTS */
  int32_t contact;    /* a cloth_method_contact; default CLOTH_CONTACT_PROJECTION */
  int32_t newton;     /* most Newton iterations of a substep; 1..16; default 1: the linear form alone */
  int32_t iterations; /* most iterations of a solve, evaluations, or sweeps; 1..CLOTH_ITERATION_LIMIT; default 64 */
  float tolerance;    /* of a solve: its residual over that at its start [1]; 1e-6..0.5; default 1e-3. GRADIENTS and
                         COMPONENTS also end at what rounding leaves, about 1e-8 m/s a particle. NONLINEAR often ends
                         above small ones, and is then capped */
  float explicit_threshold; /* of EULER: families of elements with a stability number (thesis eq. 4.8) of at most that
                          are explicit [1]; 0..1; default 0 */
  float lambda, mu;         /* of trisprings [N/m]; each 0..1e7; defaults 400 and 300 */
  float repulsion;     /* distance below which particles of the sheet that are no neighbours push each other apart [m],
                          0..10; 0: not at all; default 0. A layer passes through below .7072 of the spacing */
  int32_t self;        /* a cloth_self_response; default CLOTH_SELF_NONE; with every scheme but STATIC. Any distance of
                          repulsion goes with it */
  float self_gap;      /* distance to which impulses lead what touches or ends closer [m]; 1e-4..1, at most a quarter of
                          the spacing; default 0.002. Far from the origin give it at least 1e-4 of the distance */
  float self_friction; /* of impulses [1]; 0..10; default 0.3 */
  int32_t pieces; /* most pieces in which the rows of the sheet are handed to `workers` by GRADIENTS, COMPONENTS and
                     NONLINEAR; 0..CLOTH_WORKER_LIMIT; default 0. Each takes the memory of a few rows. The bits are
                     the same for any number */
  const cloth_workers *workers; /* who does them, as in a step of cloth.h; default NULL: the calling thread */
} cloth_method;

/* What a step did, in all its substeps together. */
typedef struct cloth_method_report {
  int32_t evaluations;         /* of all forces */
  int32_t newton;              /* Newton iterations */
  int32_t iterations;          /* of linear and nonlinear solves; sweeps */
  int32_t cuts;                /* times that a Newton step was shortened */
  int32_t capped;              /* solves that a maximum ended above the tolerance, or that failed: NONLINEAR then leaves
                                  the sheet where the substep started, with the residual 1 */
  int32_t components, largest; /* connected components in the last solve, and particles of the largest */
  int32_t row_vectors;         /* products of one row of blocks with a vector: particles times iterations */
  int32_t pairs;               /* of repulsion, in the last substep */
  int32_t pairs_dropped;       /* those for which there was no room */
  int32_t touches;             /* impulses between parts of the sheet */
  int32_t zones;               /* rigid zones that were moved; each counts again where it has grown */
  int32_t largest_zone;        /* particles of the largest */
  int32_t stops;               /* substeps in which only the whole sheet, as one zone, did not touch itself */
  int32_t contradictions;      /* pins that were not where the others led their zone */
  int32_t unresolved;          /* pairs that touched on their way even as one zone, and were left */
  int32_t standing;            /* pairs that touched when the step started, within rounding */
  int32_t crossings;           /* edges that went through triangles then, which no motion mends */
  int32_t searches_cut;        /* substeps that met a maximum of tests: what they did not find was left */
  uint64_t tests, boxes;       /* the most continuous tests, and comparisons of boxes, of a substep's searches */
  float residual;  /* of the last substep: that of the equation over that at its first iterate [1]; 0 if it was not
                      evaluated: one Newton iteration, or a solver that has no use for it */
  int32_t settled; /* of cloth_method_settle(), 1: at rest, as its last step, of 10 s, moved nothing by more than 2e-6
                      m, or a rounding of a position farther off than 16 m, and left no forces but those of rounding. In
                      fabrics of 1e4 N/m and more these hide the weight: NONLINEAR cut short may pass there */
  float moved;     /* how far that step moved a particle, or would have if it was taken back, along one axis [m] */
  float acceleration; /* of cloth_method_settle(): the largest that forces would give a particle where it ends, along
                         one axis [m/s^2]; at rest that of roundings. Forces into colliders do not count */
} cloth_method_report;

cloth_method cloth_method_default(void);

/* Says in words why cloth_method_step() refuses a method for this cloth; "ok" if it does not, but for dt, memory and
   EXPLICIT's longest step. The text is constant. */
const char *cloth_method_explain(const cloth *sheet, const cloth_method *method);

/* The same of cloth_method_settle(). */
const char *cloth_method_explain_settle(const cloth *sheet, const cloth_method *method);

/* Writes how many bytes of memory a method needs to *bytes. Returns CLOTH_OK; CONFIG: not made by
   cloth_method_default(); RANGE; NULL, also for workers without a function; METHOD: the choices do not fit. */
int cloth_method_memory(const cloth *sheet, const cloth_method *method, size_t *bytes);

/* Advances by dt seconds, in the substeps that the config of the cloth says. `memory` has at least
   cloth_method_memory() bytes and the alignment of an arena. Before the first step its first four bytes are 0; it then
   belongs to this cloth, and keeps the history of BDF2 and IMEX2. They start anew, with backward Euler or an
   extrapolation, where that history does not fit: after another dt, for particles that the caller or the limit of
   speed has moved, and for the explicit forces when other families are explicit. Returns what cloth_step() or
   cloth_method_memory() would; METHOD, also: STATIC; ARENA: the memory is too small, not aligned, or overlaps the
   cloth's arena or scratch. */
int cloth_method_step(cloth *sheet, const cloth_method *method, float dt, void *memory, size_t bytes,
                      cloth_method_report *report);

/* Brings the cloth to rest under gravity, with CLOTH_SCHEME_STATIC: positions of least energy, velocities 0. At most
   24 steps of at most 8 Newton iterations, 240 where there are colliders; report.settled says whether they were enough.
   The minimum is a local one: a sheet that resists shortening may fold, also through itself, and stay so, or hang over
   a collider from which another way would lead it down. With CLOTH_SOLVER_NONLINEAR give it 400 iterations: cut short
   much earlier, it may end far from rest. Moves of pins that were set for the next step are made first; pins that a
   velocity moves stop where they are. Returns as cloth_method_step(), METHOD for all schemes but STATIC. */
int cloth_method_settle(cloth *sheet, const cloth_method *method, void *memory, size_t bytes,
                        cloth_method_report *report);

#ifdef __cplusplus
}
#endif

#endif
