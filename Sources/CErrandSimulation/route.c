#define _GNU_SOURCE
#include "route.h"

#include <stddef.h>

#ifdef ERRAND_REACHES

#include <dlfcn.h>
#include <stdlib.h>

_Thread_local const errand_reach_route *errand_route;

extern __attribute__((weak)) ERRAND_SWIFTCALL void *swift_task_getCurrent(void);
extern __attribute__((weak)) ERRAND_SWIFTCALL void swift_task_cancel(void *task);

void *errand_find_runtime_function(_Atomic(void *) *known, const char *symbol) {
    void *found = atomic_load_explicit(known, memory_order_acquire);
    if (found) return found;
    found = dlsym(RTLD_NEXT, symbol);
    atomic_store_explicit(known, found, memory_order_release);
    return found;
}

void *errand_runtime_function(_Atomic(void *) *known, const char *symbol) {
    void *found = errand_find_runtime_function(known, symbol);
    // Only reached in a program without a runtime to call.
    if (!found) abort();
    return found;
}

uint32_t errand_reach_symbols(void) {
    bool has_tasks = swift_task_getCurrent && swift_task_cancel;
    return (errand_tasks_found() ? ERRAND_REACH_TASK_CREATE : 0)
        | (errand_main_found() ? ERRAND_REACH_MAIN_EXECUTOR : 0)
        | (errand_clock_found() && has_tasks ? ERRAND_REACH_CLOCK : 0);
}

void errand_reach_install(void) {
    errand_main_install();
    errand_clock_install();
}

const errand_reach_route *errand_reach_enter(const errand_reach_route *route) {
    const errand_reach_route *previous = errand_route;
    errand_route = route;
    return previous;
}

void errand_reach_cancel_task(void *task) {
    if (swift_task_cancel) swift_task_cancel(task);
}

#else

uint32_t errand_reach_symbols(void) { return 0; }
void errand_reach_install(void) {}
const errand_reach_route *errand_reach_enter(const errand_reach_route *route) { return NULL; }
void errand_reach_cancel_task(void *task) {}

#endif
