// Handles of tasks: the program's calls that wait for a task, cancel it, or read its cancellation arrive here, as those
// of `swift_task_create` do in tasks.c. The observer of the thread is notified of the task, and the call is passed on.
//
// The names are the mangled ones of the members of `Task`, or functions of the runtime that the compiler calls for them.

#define _GNU_SOURCE
#include "route.h"

#ifdef ERRAND_REACHES

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#define ASYNC __attribute__((swiftasynccall))
#define CONTEXT __attribute__((swift_async_context))
// Weak: with a static standard library the runtime's own definition wins, which the self-test detects.
#define REPLACED(symbol) __asm__(symbol) __attribute__((weak, visibility("default")))

static void *find(_Atomic(void *) *known, const char *symbol) {
    void *found = atomic_load_explicit(known, memory_order_acquire);
    if (found) return found;
    found = dlsym(RTLD_NEXT, symbol);
    // Only reached in a program without a runtime to call.
    if (!found) abort();
    atomic_store_explicit(known, found, memory_order_release);
    return found;
}

static void report(const void *task) {
    const errand_observer *observer = errand_observing;
    if (observer && observer->handle_used) observer->handle_used(observer->recorder, task);
}

// MARK: - Waiting for a task

// The arguments are the place of the result, the task, and the types of its result.
typedef ASYNC void (*errand_wait)(void *result, void *task, void *success, void *failure, void *witness, CONTEXT void *);

#define WAIT(name, symbol)                                                                             \
    ASYNC void name(                                                                                   \
        void *result, void *task, void *success, void *failure, void *witness, CONTEXT void *context)  \
        REPLACED(symbol);                                                                              \
    ASYNC void name(                                                                                   \
        void *result, void *task, void *success, void *failure, void *witness, CONTEXT void *context) { \
        static _Atomic(void *) real;                                                                   \
        report(task);                                                                                  \
        errand_wait wait = (errand_wait)find(&real, symbol);                                           \
        __attribute__((musttail)) return wait(result, task, success, failure, witness, context);       \
    }

WAIT(errand_handle_value, "$sScT5valuexvg")
WAIT(errand_handle_value_of_never, "$sScTss5NeverORs_rlE5valuexvg")
WAIT(errand_handle_result, "$sScT6results6ResultOyxq_Gvg")

// MARK: - Cancellation and priority

typedef ERRAND_SWIFTCALL bool (*errand_is_cancelled)(void *task, void *success, void *failure, void *witness);

// The compiler inlines the getter, but not in a key path.
#define IS_CANCELLED(name, symbol)                                                                     \
    ERRAND_SWIFTCALL bool name(void *task, void *success, void *failure, void *witness) REPLACED(symbol); \
    ERRAND_SWIFTCALL bool name(void *task, void *success, void *failure, void *witness) {              \
        static _Atomic(void *) real;                                                                   \
        report(task);                                                                                  \
        return ((errand_is_cancelled)find(&real, symbol))(task, success, failure, witness);            \
    }

IS_CANCELLED(errand_handle_is_cancelled, "swift_task_isCancelled")
IS_CANCELLED(errand_handle_is_cancelled_by_key_path, "$sScT11isCancelledSbvg")

typedef ERRAND_SWIFTCALL void (*errand_cancel)(void *task, void *success, void *failure, void *witness);

ERRAND_SWIFTCALL void errand_handle_cancel(void *task, void *success, void *failure, void *witness)
    REPLACED("$sScT6cancelyyF");
ERRAND_SWIFTCALL void errand_handle_cancel(void *task, void *success, void *failure, void *witness) {
    static _Atomic(void *) real;
    report(task);
    ((errand_cancel)find(&real, "$sScT6cancelyyF"))(task, success, failure, witness);
}

typedef ERRAND_SWIFTCALL void (*errand_escalate)(
    const void *priority, void *task, void *success, void *failure, void *witness);

ERRAND_SWIFTCALL void errand_handle_escalate(
    const void *priority, void *task, void *success, void *failure, void *witness)
    REPLACED("$sScT16escalatePriority2toyScP_tF");
ERRAND_SWIFTCALL void errand_handle_escalate(
    const void *priority, void *task, void *success, void *failure, void *witness) {
    static _Atomic(void *) real;
    report(task);
    ((errand_escalate)find(&real, "$sScT16escalatePriority2toyScP_tF"))(priority, task, success, failure, witness);
}

#endif
