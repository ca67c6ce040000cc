// The hooks with which a simulation captures work that leaves its executor: tasks without a preference, the main actor,
// the clocks.
//
// This is not a supported interface of the Swift runtime. It is compiled only where the manifest defines
// ERRAND_SIMULATION_REACH, which it does for Linux and known compiler versions; elsewhere the functions do nothing and
// `errand_reach_symbols` returns no symbols.
//
// Everything is routed by thread: a thread without a route behaves as if this module were not linked.

#ifndef ERRAND_SIMULATION_H
#define ERRAND_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Two words of the runtime: an object and its witness table, as in `any TaskExecutor` or an unowned executor.
typedef struct {
    uintptr_t object;
    uintptr_t witness;
} errand_reach_words;

/// The time since the clocks' virtual start.
typedef struct {
    int64_t seconds;
    int64_t nanoseconds;
} errand_reach_time;

/// The destinations for work that would leave a driving thread's simulation; an ability is off if its words are zero.
typedef struct {
    /// The executor, as `any TaskExecutor`, for tasks without a preference.
    errand_reach_words task_executor;
    /// The serial executor, unowned, that replaces the main actor's.
    errand_reach_words main_executor;
    /// True if the standard library's clocks show virtual time.
    bool has_clocks;
    /// True if Foundation and the program itself read virtual time.
    bool has_now;
    /// Reads the virtual time of `clock`.
    errand_reach_time (*_Nullable read)(const void *_Nullable clock);
    const void *_Nullable clock;
} errand_reach_route;

/// The runtime's symbols that were found and are not used otherwise.
enum {
    ERRAND_REACH_TASK_CREATE = 1,
    ERRAND_REACH_MAIN_EXECUTOR = 2,
    ERRAND_REACH_CLOCK = 4,
};
uint32_t errand_reach_symbols(void);

/// Installs the hooks once; until then, and on threads without a route, all calls are passed on unchanged.
void errand_reach_install(void);

/// Sets the route of the calling thread, which must stay valid until it is replaced, and returns the previous one.
const errand_reach_route *_Nullable errand_reach_enter(const errand_reach_route *_Nullable route);

// MARK: - Jobs

/// The runtime's id of the task to which a job belongs, or zero; it is also in the description of a job.
/// `errand_unknown_task_id` if the runtime lacks this function.
uint64_t errand_job_task_id(const void *_Nullable job);
static const uint64_t errand_unknown_task_id = UINT64_MAX;

// MARK: - Tasks

void errand_reach_cancel_task(void *task);

// MARK: - Observation

/// The functions that are called for what a thread creates and uses.
typedef struct {
    const void *_Nullable recorder;
    /// Called with a task that the program has created, the object of the executor that it prefers, or zero, and
    /// whether it is a child, which without a preference of its own has its parent's.
    void (*_Nullable task_created)(
        const void *_Nullable recorder, const void *task, uintptr_t executor, bool is_child);
    /// Called with the address of an actor that begins its initializer.
    void (*_Nullable actor_created)(const void *_Nullable recorder, const void *actor);
    /// Called with a task before the program waits for it, cancels it, changes its priority, or reads its cancellation
    /// through a handle.
    void (*_Nullable handle_used)(const void *_Nullable recorder, const void *task);
} errand_observer;

/// Sets the observer of the calling thread, which must stay valid until it is replaced, and returns the previous one.
const errand_observer *_Nullable errand_observe(const errand_observer *_Nullable observer);

/// The recorder of the calling thread's observer, or NULL.
const void *_Nullable errand_observing_recorder(void);

/// The task that runs on the calling thread, not retained; NULL if there is none.
const void *_Nullable errand_current_task(void);

/// True if the object has only one strong reference.
bool errand_is_unique(const void *object);
void errand_retain(const void *object);
void errand_release(const void *object);

#pragma clang assume_nonnull end

#endif
