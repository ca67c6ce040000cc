// Observation: the recorder of a run is notified of tasks and actors that are created on the thread that drives it.
//
// The program's calls of `swift_defaultActor_initialize` arrive here, as those of `swift_task_create` do in tasks.c.

#include "route.h"

#include <stddef.h>

#ifdef ERRAND_REACHES

_Thread_local const errand_observer *errand_observing;

typedef ERRAND_SWIFTCALL void (*errand_actor_initialize)(void *actor);

extern void *swift_retain(void *object);
extern void swift_release(void *object);
extern bool swift_isUniquelyReferenced_nonNull_native(const void *object);
extern __attribute__((weak)) ERRAND_SWIFTCALL void *swift_task_getCurrent(void);

ERRAND_REPLACING ERRAND_SWIFTCALL void swift_defaultActor_initialize(void *actor) {
    static _Atomic(void *) real;
    ((errand_actor_initialize)errand_runtime_function(&real, "swift_defaultActor_initialize"))(actor);
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
