/*
 * cloth - cloth simulation in one header and one source file. See cloth.h.
 *
 * Made from the parts in src/ by src/join.sh. Do not change this file: change a part, then run `make cloth.c`.
 * src/README.md is the map: what a step does in order, and in which part.
 *
 * Units inside. The linear system is divided by the reference mass m0 = density * area / particles, so that its
 * unknown is a velocity change [m/s], its matrix is the unit matrix plus kappa-sized blocks, and forces appear as
 * velocity changes h f / m0. With h the substep, a stiffness ks enters as h^2 ks / m0 and a damping kd as h kd / m0.
 *
 * Why the result does not depend on the machine. Only +, -, *, / and a correctly rounded square root of floats are
 * used, in an order fixed by the source; sums over the grid go through eight partial sums and one tree, whatever the
 * lane width; minimum, maximum and sign are compare and select. Stored quantities smaller than 2^-40 (positions and
 * velocities: 2^-30) are replaced by +0, so that no product reaches the subnormal range, where machines differ.
 *
 * SPDX-License-Identifier: MIT
 */
/* clang-format off */

/// 1. Language: compiler, numbers, lanes ///

#include "compiler.h"
#include "scalar.h"
#include "hash.h"
#include "lanes.h"
#include "block3.h"
#include "base/rows.h"

/// 2. The cloth in memory ///

#include "types.h"
#include "contracts.h"
#include "access.h"
#include "gaps.h"
#include "bodies/list.h"
#include "rest_lengths.h"
#include "rigid.h"
#include "geometry.h"
#include "contact/memory.h"
#include "bodies/unknown.h"
#include "contact/touch.h"
#include "contact/cell_memory.h"
#include "solve/arrays.h"
#include "solve/transfer.h"
#include "solve/levels.h"
#include "solve/labels.h"

/// 3. Making a cloth ///

#include "settings.h"
#include "placement.h"
#include "fabric.h"
#include "rest_shape.h"
#include "config.h"
#include "layout.h"
#include "init.h"

/// 4. Building blocks of a step ///

#include "stiffness.h"
#include "costs.h"
#include "shape_hull.h"
#include "triangle.h"
#include "triangle_place.h"
#include "triangle_point.h"
#include "shape_grid.h"
#include "shapes.h"
#include "step_origin.h"
#include "vertices.h"
#include "bodies.h"
#include "pieces.h"
#include "solve/strips.h"
#include "contact_record.h"
#include "statistics.h"

/// 5. Stages of a substep ///

#include "air.h"
#include "terms/springs.h"
#include "terms/plate.h"
#include "terms/hinges.h"
#include "terms/links.h"
#include "terms/wind.h"
#include "step/coefficients.h"
#include "plan.h"
#include "pin_reactions.h"
#include "confinement.h"
#include "tethers.h"
#include "shape_mesh.h"
#include "shape_field.h"
#include "solve/members.h"
#include "self/tree.h"
#include "self/untangle.h"
#include "self/leaves.h"
#include "self/features.h"
#include "self/candidates.h"
#include "self/ages.h"
#include "self/memory.h"
#include "self/work.h"
#include "self/search.h"
#include "targets.h"
#include "tear.h"
#include "motion.h"
#include "bodies/motion.h"
#include "contact/law.h"
#include "contact/body.h"
#include "contact/boxes.h"
#include "contact/triangles.h"
#include "contact/hits.h"
#include "contact/passes.h"
#include "contact/buried.h"
#include "contact/points.h"
#include "contact/search.h"
#include "contact/cell_nearest.h"
#include "contact/cell_edges.h"
#include "contact/cell_search.h"
#include "contact/surface.h"
#include "contact/press.h"
#include "contact/element.h"
#include "contact/cell_point.h"
#include "self/pairs.h"
#include "self/equation.h"
#include "self/contour.h"
#include "self/contact.h"
#include "bodies/coupling.h"
#include "contact/energy.h"
#include "contact/result.h"
#include "contact/cell_press.h"
#include "contact/runaway.h"
#include "step/predict.h"
#include "step/momentum.h"
#include "step/restore.h"
#include "terms/confined.h"
#include "terms/clamps.h"
#include "terms/bounds.h"
#include "solve/product.h"
#include "step/linearise.h"
#include "stitches.h"
#include "terms/seams.h"
#include "terms/seam_folds.h"
#include "terms/seam_springs.h"
#include "terms/gathers.h"
#include "common_bodies.h"
#include "solve/joints.h"
#include "solve/coarsest.h"
#include "solve/energy.h"
#include "solve/passes.h"
#include "solve/solve.h"
#include "step/rigid_way.h"
#include "step/guard.h"
#include "step/accept.h"
#include "step/prepare.h"
#include "step/reactions.h"
#include "bodies/attached.h"
#include "step/work.h"
#include "step/stages.h"
#include "step/substep.h"
#include "sleep.h"

/// 6. A step ///

#include "step/forecast.h"
#include "step/planner.h"
#include "move_frame.h"
#include "origin.h"
#include "step.h"

/// 7. The interface ///

#include "inputs.h"
#include "colliders.h"
#include "body_calls.h"
#include "build_hull.h"
#include "build_mesh.h"
#include "build_geometry.h"
#include "surroundings.h"
#include "group_links.h"
#include "group_layout.h"
#include "group.h"
#include "step_calls.h"
#include "group_calls.h"
#include "step/settle.h"
#include "torn_cells.h"
#include "blend.h"
#include "output.h"
#include "skin.h"
#include "bind.h"
#include "skin_seams.h"
#include "state.h"
#include "image_view.h"
#include "image.h"
#include "saves.h"
#include "queries.h"
#include "measure.h"
#include "step/kernel_test.h"
#include "self_test.h"
#include "names.h"
