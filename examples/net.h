/*
 * The springs of a sheet as a net of ribbons to draw, in one mesh for each method that integrates them: what
 * cloth_config_use_imex() makes of a fabric whose shear is soft.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef NET_H
#define NET_H

#include "cloth.h"
#include "render.h"

typedef enum net_method { NET_EXPLICIT, NET_IMPLICIT, NET_METHOD_COUNT } net_method;

typedef struct net {
  render_mesh meshes[NET_METHOD_COUNT];
  int springs[NET_METHOD_COUNT]; /* how many each method integrates */
} net;

/* Allocates for the springs of stretch and shear of a flat sheet. Returns 0, or -1 if there is no memory. */
int net_create(net *n, int columns, int rows);
void net_destroy(net *n);

/* Makes the net of a sheet as it is now, each spring by how its family was integrated in the last step. `config` is
   that of the sheet. Returns CLOTH_OK or an error. */
int net_update(net *n, const cloth *sheet, const cloth_config *config);

#endif /* NET_H */
