#pragma once
#include "../cloth/access.h"
#include "../cloth/costs.h"

/// Contact record ///

/* What the contacts of a step did, for cloth_get_contacts(): entries in the cloth's own scratch, until the next step;
   one without room is counted. A particle's entries, one for each collider, form a list from its head; heads and links
   are numbers of entries, from 1, and 0 ends a list. */

static int has_contact_record(const cloth *c) {
  return WITH_CONTACT_RECORD && c->max_contacts > 0;
}

/* The number of entries in use; the heads of all particles follow it. */
static int32_t *recorded_of(const cloth *c) {
  return (int32_t *)at(c, c->own.contact_record);
}

static uint32_t record_cost(const cloth *c) {
  return has_contact_record(c) ? COST_RECORD : 0u;
}

/* Empties the record, before a step. */
static void clear_contact_record(const cloth *c) {
  if (has_contact_record(c)) { fill_zero(recorded_of(c), (1u + (size_t)(uint32_t)c->count) * sizeof(int32_t)); }
}

/* Entry `number` of the record, from 1. */
static contact_entry *contact_entry_at(const cloth *c, int32_t number) {
  contact_entry *first = (contact_entry *)(void *)(recorded_of(c) + 1 + c->count);
  return first + (number - 1);
}

/* The entry of a particle and a collider, a new one if there is none yet; NULL if the record is full. */
static contact_entry *find_contact_entry(const cloth *c, int32_t particle, int32_t collider) {
  int32_t *link = recorded_of(c) + 1 + particle;
  while (*link) {
    contact_entry *entry = contact_entry_at(c, *link);
    if (entry->contact.collider == collider) { return entry; }
    link = &entry->next;
  }
  if (*recorded_of(c) == c->max_contacts) { return NULL; }
  *link = ++*recorded_of(c);
  contact_entry *made = contact_entry_at(c, *link);
  fill_zero(made, sizeof *made);
  made->contact.particle = particle;
  made->contact.collider = collider;
  made->contact.is_touching = -1;
  return made;
}

/* Records the impulse [N s] of a collider on a particle at `position` in a substep, -1 if it lets go of it. */
static void record_contact(const cloth *c, int32_t substep, int32_t particle, int32_t collider, cloth_vector position,
                           cloth_vector normal, cloth_vector impulse) {
  contact_entry *entry = find_contact_entry(c, particle, collider);
  if (!entry) {
    statistics_of(c)->contacts_dropped++;
    return;
  }
  entry->contact.is_touching = substep > entry->contact.is_touching ? substep : entry->contact.is_touching;
  entry->contact.position = vector_add(position, workspace_of(c)->origin); /* position is relative to it */
  entry->contact.normal = vector_flush_work(normal);
  entry->contact.impulse = vector_add(entry->contact.impulse, impulse);
}

/* Records an impulse that a collider gave at a point beside a particle that stands for it: where the particle itself
   touches in this substep, its place and normal stay. */
static void record_beside(const cloth *c, int32_t substep, int32_t particle, int32_t collider, cloth_vector position,
                          cloth_vector normal, cloth_vector impulse) {
  contact_entry *entry = find_contact_entry(c, particle, collider);
  if (entry && entry->contact.is_touching == workspace_of(c)->parts) {
    entry->contact.impulse = vector_add(entry->contact.impulse, impulse);
  } else {
    record_contact(c, substep, particle, collider, position, normal, impulse);
  }
}

/* What tells a collider of the step to the caller: its index; of a shared body its place behind all indices. */
static int32_t recorded_number(const cloth *c, int32_t index) {
  const int32_t body = index - c->settings.capacity.max_colliders;
  return body < 0 ? index : c->settings.capacity.max_colliders + ((const int32_t *)at(c, c->own.shared_places))[body];
}

#if WITH_CONTACT_RECORD

int cloth_get_contacts(const cloth *c, cloth_contact *contacts, int32_t count) {
  RETURN_IF_ERROR(check_cloth(c));
  if ((!contacts && count > 0)) { return CLOTH_ERROR_NULL; }
  if (count < 0) { return CLOTH_ERROR_RANGE; }
  if (!has_contact_record(c)) { return CLOTH_ERROR_STATE; }
  const int32_t last_substep = workspace_of(c)->parts - 1; /* the last part of one */
  int32_t written = 0;
  for (int32_t i = 0; i < c->count && written < count; i++) {
    for (int32_t number = recorded_of(c)[1 + i]; number && written < count; written++) {
      const contact_entry *entry = contact_entry_at(c, number);
      contacts[written] = entry->contact;
      contacts[written].is_touching = entry->contact.is_touching == last_substep;
      number = entry->next;
    }
  }
  return *recorded_of(c);
}

#endif
