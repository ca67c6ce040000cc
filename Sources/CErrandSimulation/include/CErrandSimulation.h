// How a simulation reaches what leaves its executor: tasks without a preference, the main actor, the clocks.
//
// Nothing here is a supported interface of the Swift runtime. It is compiled to something only where the manifest
// defines ERRAND_SIMULATION_REACH, which it does for Linux and the compiler versions that are known; everywhere else
// the functions do nothing and `errand_reach_symbols` answers none.
//
// Everything is routed by thread: a thread without a route behaves as if none of this were linked.

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

/// Where a driving thread sends what would leave its simulation; each ability is off where its words are zero.
typedef struct {
    /// The executor, as `any TaskExecutor`, which tasks without a preference prefer.
    errand_reach_words task_executor;
    /// The serial executor, unowned, that stands for the main actor's.
    errand_reach_words main_executor;
    /// Whether the standard library's clocks show virtual time.
    bool has_clocks;
    /// Whether Foundation and the program itself read virtual time.
    bool has_now;
    /// Reads the virtual time of `clock`.
    errand_reach_time (*_Nullable read)(const void *_Nullable clock);
    const void *_Nullable clock;
} errand_reach_route;

/// The runtime's symbols that were found, and that nobody else uses.
enum {
    ERRAND_REACH_TASK_CREATE = 1,
    ERRAND_REACH_MAIN_EXECUTOR = 2,
    ERRAND_REACH_CLOCK = 4,
};
uint32_t errand_reach_symbols(void);

/// Installs what must be installed, once; until then, and on threads without a route, nothing is redirected.
void errand_reach_install(void);

/// Gives the calling thread a route, which must stay valid until it gets another or none; answers the one it had.
const errand_reach_route *_Nullable errand_reach_enter(const errand_reach_route *_Nullable route);

// MARK: - Jobs

/// The runtime's number of the task to which a job belongs, or zero; what is behind the description of a job.
/// `errand_unknown_task_id` where the runtime has no such function.
uint64_t errand_job_task_id(const void *_Nullable job);
static const uint64_t errand_unknown_task_id = UINT64_MAX;

// MARK: - The current task

/// The task that runs on the calling thread, retained; NULL if none does.
void *_Nullable errand_reach_retain_current_task(void);
void errand_reach_release_task(void *task);
void errand_reach_cancel_task(void *task);
bool errand_reach_task_is_cancelled(void *task);

#pragma clang assume_nonnull end

#endif
