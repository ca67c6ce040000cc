// Handles of tasks: the program's calls that wait for a task, cancel it, or read its cancellation arrive here, as those
// of `swift_task_create` do in tasks.c. The observer of the thread is notified of the task, and the call is passed on.
//
// The names are the mangled ones of the members of `Task`, or functions of the runtime that the compiler calls for them.

#include "route.h"

#ifdef ERRAND_REACHES

#define ASYNC __attribute__((swiftasynccall))
#define CONTEXT __attribute__((swift_async_context))
#define REPLACED(symbol) __asm__(symbol) ERRAND_REPLACING

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
        errand_wait wait = (errand_wait)errand_runtime_function(&real, symbol);                        \
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
        return ((errand_is_cancelled)errand_runtime_function(&real, symbol))(task, success, failure, witness); \
    }

IS_CANCELLED(errand_handle_is_cancelled, "swift_task_isCancelled")
IS_CANCELLED(errand_handle_is_cancelled_by_key_path, "$sScT11isCancelledSbvg")

typedef ERRAND_SWIFTCALL void (*errand_cancel)(void *task, void *success, void *failure, void *witness);

ERRAND_SWIFTCALL void errand_handle_cancel(void *task, void *success, void *failure, void *witness)
    REPLACED("$sScT6cancelyyF");
ERRAND_SWIFTCALL void errand_handle_cancel(void *task, void *success, void *failure, void *witness) {
    static _Atomic(void *) real;
    report(task);
    ((errand_cancel)errand_runtime_function(&real, "$sScT6cancelyyF"))(task, success, failure, witness);
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
    errand_escalate escalate = (errand_escalate)errand_runtime_function(&real, "$sScT16escalatePriority2toyScP_tF");
    escalate(priority, task, success, failure, witness);
}

#endif
