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

#include "base/compiler.h"
#include "base/scalar.h"
#include "base/hash.h"
#include "base/lanes.h"
#include "base/block3.h"
#include "base/rows.h"

/// 2. The cloth in memory ///

#include "cloth/types.h"
#include "cloth/access.h"
#include "cloth/gaps.h"
#include "cloth/body_list.h"
#include "base/rigid.h"
#include "contact/geometry.h"
#include "contact/memory.h"
#include "contact/touch.h"
#include "contact/cell_memory.h"
#include "cloth/arrays.h"
#include "solve/transfer.h"
#include "solve/levels.h"

/// 3. Making a cloth ///

#include "cloth/settings.h"
#include "cloth/placement.h"
#include "cloth/rest_shape.h"
#include "cloth/config.h"
#include "cloth/layout.h"
#include "cloth/init.h"

/// 4. Building blocks of a step ///

#include "terms/stiffness.h"
#include "cloth/costs.h"
#include "contact/triangle_place.h"
#include "contact/shapes.h"
#include "cloth/step_origin.h"
#include "cloth/vertices.h"
#include "bodies/bodies.h"
#include "cloth/pieces.h"
#include "solve/strips.h"
#include "contact/contact_record.h"
#include "step/statistics.h"

/// 5. Stages of a substep ///

#include "terms/air.h"
#include "terms/springs.h"
#include "terms/plate.h"
#include "terms/links.h"
#include "step/plan.h"
#include "terms/pin_reactions.h"
#include "terms/confinement.h"
#include "terms/tethers.h"
#include "cloth/members.h"
#include "self/tree.h"
#include "self/features.h"
#include "self/candidates.h"
#include "self/memory.h"
#include "self/search.h"
#include "terms/targets.h"
#include "tear/tear.h"
#include "contact/law.h"
#include "contact/body.h"
#include "contact/shape_surface.h"
#include "contact/triangles.h"
#include "contact/hits.h"
#include "contact/search.h"
#include "contact/cell_nearest.h"
#include "contact/cell_search.h"
#include "contact/surface.h"
#include "contact/element.h"
#include "contact/points.h"
#include "contact/press.h"
#include "self/pairs.h"
#include "self/equation.h"
#include "self/contact.h"
#include "bodies/coupling.h"
#include "contact/result.h"
#include "contact/cell_press.h"
#include "solve/free_pieces.h"
#include "terms/clamps.h"
#include "terms/bounds.h"
#include "step/places.h"
#include "step/momentum.h"
#include "solve/product.h"
#include "step/linearise.h"
#include "group/stitches.h"
#include "group/seams.h"
#include "group/seam_springs.h"
#include "bodies/common_bodies.h"
#include "solve/coarsest.h"
#include "solve/passes.h"
#include "solve/solve.h"
#include "step/guard.h"
#include "step/reactions.h"
#include "bodies/attached.h"
#include "step/work.h"
#include "step/substep.h"

/// 6. A step ///

#include "step/inputs.h"
#include "step/origin.h"
#include "step/step.h"

/// 7. The interface ///

#if WITH_COLLIDERS
#include "bodies/colliders.h"
#endif
#include "bodies/body_calls.h"
#if WITH_COLLIDERS
#include "contact/build_geometry.h"
#endif
#include "bodies/surroundings.h"
#include "step/group_layout.h"
#include "step/group.h"
#include "step/step_calls.h"
#include "step/group_calls.h"
#include "tear/torn_cells.h"
#include "io/output.h"
#include "io/skin.h"
#include "io/bind.h"
#include "io/skin_seams.h"
#include "io/image_check.h"
#include "io/image.h"
#include "io/queries.h"
#include "io/measure.h"
#include "step/kernel_test.h"
#include "io/self_test.h"
#include "io/names.h"
