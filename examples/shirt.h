/*
 * A T-shirt for the figure, cut as a pattern: front, back and two sleeves, which are sewn together in a group, and a
 * mesh of one piece that is bound to them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIRT_H
#define SHIRT_H

#include "cloth.h"
#include "figure.h"
#include "render.h"

#include <stdint.h>

/* The panels; left is the side of -z. All have their outside in front. */
enum { SHIRT_FRONT, SHIRT_BACK, SHIRT_LEFT, SHIRT_RIGHT, SHIRT_PANELS };
enum { SHIRT_SEAMS = 10, SHIRT_PARTICLES_MOST = 1024 /* of a panel */ };

/* How many particles the panels have. Their sizes in metres do not depend on it, but for the length. */
typedef struct shirt_cut {
  int32_t columns;     /* of front and back */
  int32_t rows;        /* of them, from the shoulders down */
  int32_t armhole;     /* cells from the shoulder to the armpit; a sleeve has twice as many around the arm */
  int32_t neck;        /* cells of a shoulder; between the two is the neck */
  int32_t sleeve_rows; /* of a sleeve, along the arm */
} shirt_cut;

/* What cloth_init() reads of a panel [m]. */
typedef struct shirt_panel {
  cloth_vector places[SHIRT_PARTICLES_MOST];  /* at the start, around the figure */
  cloth_vector pattern[SHIRT_PARTICLES_MOST]; /* at rest, as it is cut out of plane cloth */
} shirt_panel;

int32_t shirt_columns(const shirt_cut *cut, int panel);
int32_t shirt_rows(const shirt_cut *cut, int panel);

/* Length of a cell of front and back, from the shoulder down [m]. */
float shirt_spacing(const shirt_cut *cut);

/* Writes a panel for a figure that stands upright, and of its config fabric, grid and start. */
void shirt_describe(const shirt_cut *cut, int panel, const limb limbs[FIGURE_LIMBS], shirt_panel *p,
                    cloth_config *config);

/* Writes the seams of panels whose places in a group are from `first` on. */
void shirt_sew(const shirt_cut *cut, int32_t first, cloth_seam seams[SHIRT_SEAMS]);

/* The mesh has four quads for each cell. How many vertices it has at most, and how many indices. */
int32_t shirt_vertex_limit(const shirt_cut *cut);
int32_t shirt_index_count(const shirt_cut *cut);

/* Writes the mesh of the panels as they start, with one vertex where panels meet. Returns how many vertices it has. */
int32_t shirt_mesh(const shirt_cut *cut, const shirt_panel panels[SHIRT_PANELS], render_vertex *vertices,
                   uint32_t *indices);

#endif /* SHIRT_H */
