/* A user's own port header: every hook defined, taken with -DCLOTH_PORT='"tests/port_hooks.h"'. */
#ifndef PORT_HOOKS_H
#define PORT_HOOKS_H

#include "../port/cloth_port.h"

#ifdef __cplusplus
extern "C" {
#endif
void hook_failed(const char *condition);
void hook_stage(int stage, int substep, unsigned long long hash);
unsigned hook_ticks(void);
#ifdef __cplusplus
}
#endif

#define CLOTH_ASSERT(condition) ((condition) ? (void)0 : hook_failed(#condition))
#define CLOTH_TRACE(sheet, stage, substep, hash) hook_stage((int)(stage), (int)(substep), (unsigned long long)(hash))
#define CLOTH_TICKS() ((uint32_t)hook_ticks())
#define CLOTH_HOT __attribute__((section(".cloth_hot")))
#define CLOTH_CONSTANT __attribute__((section(".cloth_constant")))

#endif
