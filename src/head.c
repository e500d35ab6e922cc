/*
 * cloth - cloth simulation in one header and one source file. See cloth.h.
 *
 * How this file is laid out, top to bottom:
 *   Compiler guards, Scalars and vectors, Lanes, The cloth in its arena, Hash, Configuration, Memory, Fabrics,
 *   Plan of a step, Springs, Bend springs, External forces, Operator, Preconditioner, Conjugate gradient,
 *   Projection, Projected lines, Collider shapes, Tethers, Contact by projection, Contact in the solver,
 *   Motion constraints, Work, Planner, Stepping, Inputs, Colliders, Carrying, Targets, Results, State,
 *   Portable image, Statistics, Self-test, Names.
 *
 * Units inside. The linear system is divided by the reference mass m0 = density * area / particles, so that its
 * unknown is a velocity change [m/s], its matrix is the unit matrix plus kappa-sized blocks, and forces appear as
 * velocity changes k f / m0. With k the substep, a stiffness ks enters as k^2 ks / m0 and a damping kd as k kd / m0.
 *
 * Why the result does not depend on the machine. Only +, -, *, / and a correctly rounded square root of floats are
 * used, in an order fixed by the source; sums over the grid go through eight partial sums and one tree, whatever the
 * lane width; minimum, maximum and sign are compare and select. Stored quantities smaller than 2^-40 (positions and
 * velocities: 2^-30) are replaced by +0, so that no product reaches the subnormal range, where machines differ.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"

