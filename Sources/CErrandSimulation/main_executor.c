// The main actor: the runtime asks a hook for its executor, and gets that of the simulation on a thread with a route.

#define _GNU_SOURCE
#include "route.h"

#ifdef ERRAND_REACHES

#include <dlfcn.h>
#include <stddef.h>

typedef ERRAND_SWIFTCALL errand_reach_words (*errand_original)(void);
typedef ERRAND_SWIFTCALL errand_reach_words (*errand_main_hook)(errand_original original);

static ERRAND_SWIFTCALL errand_reach_words main_executor(errand_original original) {
    const errand_reach_route *route = errand_route;
    return route && route->main_executor.object ? route->main_executor : original();
}

static errand_main_hook *find_hook(void) { return dlsym(RTLD_DEFAULT, "swift_task_getMainExecutor_hook"); }

bool errand_main_found(void) {
    errand_main_hook *hook = find_hook();
    if (!hook) return false;
    errand_main_hook present = __atomic_load_n(hook, __ATOMIC_ACQUIRE);
    return present == NULL || present == main_executor;
}

void errand_main_install(void) {
    errand_main_hook *hook = find_hook();
    if (!hook) return;
    errand_main_hook none = NULL;
    // A hook that is already set is kept.
    __atomic_compare_exchange_n(hook, &none, main_executor, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

#endif
