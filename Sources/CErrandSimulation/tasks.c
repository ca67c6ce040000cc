// Tasks without an executor preference: the program's calls of `swift_task_create` arrive here, because a definition in
// the program takes precedence over that in a shared library. On a thread with a route, the executor is added to the
// options, as the compiler does for `Task(executorPreference:)`; otherwise the call is passed on unchanged.
//
// The runtime's hook for the global executor would see only the jobs: neither the tasks that start on an actor, nor the
// task to which a job belongs, so that a task of another test that is resumed here would be captured too.

#include "route.h"

#ifdef ERRAND_REACHES

#include <stddef.h>

/// An option of a new task, as the compiler lays it out; the words are those of the kinds that are named below.
typedef struct errand_task_option {
    size_t flags;
    struct errand_task_option *parent;
    errand_reach_words executor;
} errand_task_option;

typedef struct {
    void *task;
    void *context;
} errand_task_and_context;

typedef ERRAND_SWIFTCALL errand_task_and_context (*errand_task_create)(
    size_t flags, errand_task_option *options, const void *result_type, void *function, void *closure);

enum {
    errand_option_kind_mask = 0xff,
    errand_option_executor_unowned = 5,
    errand_option_executor_owned = 6,
    errand_task_flag_child = 1 << 8,
};

extern void *swift_retain(void *object);

static _Atomic(void *) real_task_create;

bool errand_tasks_found(void) { return errand_find_runtime_function(&real_task_create, "swift_task_create") != NULL; }

/// The option that names an executor, or NULL.
static errand_task_option *executor_option(errand_task_option *options) {
    for (errand_task_option *option = options; option; option = option->parent) {
        size_t kind = option->flags & errand_option_kind_mask;
        if (kind == errand_option_executor_owned || kind == errand_option_executor_unowned) return option;
    }
    return NULL;
}

/// Creates a task, and adds the executor of the thread's route to its options if it has none.
///
/// Stores the object of the executor that the options name in the end, or zero.
static errand_task_and_context create_routed(
    errand_task_create create, size_t flags, errand_task_option *options, const void *result_type, void *function,
    void *closure, uintptr_t *executor) {
    const errand_reach_route *route = errand_route;
    errand_task_option *present = executor_option(options);
    *executor = present ? present->executor.object : 0;
    // A child task has its parent's preference.
    if (*executor || !route || !route->task_executor.object || (flags & errand_task_flag_child))
        return create(flags, options, result_type, function, closure);
    *executor = route->task_executor.object;
    // The runtime releases the executor when the task ends.
    swift_retain((void *)route->task_executor.object);
    if (present) {
        // An option without an executor means a preference of nil; the record belongs to the caller.
        present->flags = (present->flags & ~(size_t)errand_option_kind_mask) | errand_option_executor_owned;
        present->executor = route->task_executor;
        return create(flags, options, result_type, function, closure);
    }
    errand_task_option option = {errand_option_executor_owned, options, route->task_executor};
    return create(flags, &option, result_type, function, closure);
}

ERRAND_REPLACING ERRAND_SWIFTCALL errand_task_and_context swift_task_create(
    size_t flags, errand_task_option *options, const void *result_type, void *function, void *closure) {
    errand_task_create create = (errand_task_create)errand_runtime_function(&real_task_create, "swift_task_create");
    uintptr_t executor;
    errand_task_and_context created = create_routed(create, flags, options, result_type, function, closure, &executor);
    const errand_observer *observer = errand_observing;
    if (observer && observer->task_created)
        observer->task_created(
            observer->recorder, created.task, executor, (flags & errand_task_flag_child) != 0);
    return created;
}

#endif
