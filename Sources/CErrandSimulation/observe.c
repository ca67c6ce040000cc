// Observation: the recorder of a run is notified of tasks and actors that are created on the thread that drives it.
//
// The program's calls of `swift_defaultActor_initialize` arrive here, as those of `swift_task_create` do in tasks.c.

#define _GNU_SOURCE
#include "route.h"

#include <stddef.h>

#ifdef ERRAND_REACHES

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

_Thread_local const errand_observer *errand_observing;

typedef ERRAND_SWIFTCALL void (*errand_actor_initialize)(void *actor);

static _Atomic(errand_actor_initialize) real_actor_initialize;

extern void *swift_retain(void *object);
extern void swift_release(void *object);
extern bool swift_isUniquelyReferenced_nonNull_native(const void *object);
extern __attribute__((weak)) ERRAND_SWIFTCALL void *swift_task_getCurrent(void);

static errand_actor_initialize find_actor_initialize(void) {
    errand_actor_initialize found = atomic_load_explicit(&real_actor_initialize, memory_order_acquire);
    if (found) return found;
    found = (errand_actor_initialize)dlsym(RTLD_NEXT, "swift_defaultActor_initialize");
    atomic_store_explicit(&real_actor_initialize, found, memory_order_release);
    return found;
}

// Weak: with a static standard library the runtime's own definition wins, which the self-test detects.
__attribute__((weak, visibility("default"))) ERRAND_SWIFTCALL void swift_defaultActor_initialize(void *actor) {
    errand_actor_initialize initialize = find_actor_initialize();
    // Only reached in a program without a runtime to call.
    if (!initialize) abort();
    initialize(actor);
    const errand_observer *observer = errand_observing;
    if (observer && observer->actor_created) observer->actor_created(observer->recorder, actor);
}

const errand_observer *errand_observe(const errand_observer *observer) {
    const errand_observer *previous = errand_observing;
    errand_observing = observer;
    return previous;
}

const void *errand_observing_recorder(void) { return errand_observing ? errand_observing->recorder : NULL; }

const void *errand_current_task(void) { return swift_task_getCurrent ? swift_task_getCurrent() : NULL; }

bool errand_is_unique(const void *object) { return swift_isUniquelyReferenced_nonNull_native(object); }

void errand_retain(const void *object) { swift_retain((void *)object); }

void errand_release(const void *object) { swift_release((void *)object); }

#else

const errand_observer *errand_observe(const errand_observer *observer) { return NULL; }
const void *errand_observing_recorder(void) { return NULL; }
const void *errand_current_task(void) { return NULL; }
bool errand_is_unique(const void *object) { return false; }
void errand_retain(const void *object) {}
void errand_release(const void *object) {}

#endif
