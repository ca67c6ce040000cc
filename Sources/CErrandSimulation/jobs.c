#include "CErrandSimulation.h"

#include <stddef.h>

#ifdef __linux__

extern __attribute__((weak, swiftcall)) uint64_t swift_task_getJobTaskId(const void *job);

uint64_t errand_job_task_id(const void *job) {
    return swift_task_getJobTaskId ? swift_task_getJobTaskId(job) : errand_unknown_task_id;
}

#else

uint64_t errand_job_task_id(const void *job) { return errand_unknown_task_id; }

#endif
