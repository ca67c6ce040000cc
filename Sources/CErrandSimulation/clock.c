// Time: calls of `clock_gettime` in the program and its libraries arrive here, because a definition in the program
// takes precedence over that in a shared library. On a thread with a route, the callers that the route covers read
// virtual time: the standard library's clocks, and Foundation and the program itself. All other callers, such as
// Dispatch and the C library, and all other threads read real time.

#define _GNU_SOURCE
#include "route.h"

#ifdef ERRAND_REACHES

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef int (*errand_gettime)(clockid_t clock, struct timespec *time);

/// The kind of a caller, determined by its address.
typedef struct {
    uintptr_t start;
    uintptr_t end;
} errand_range;

enum {
    errand_concurrency,
    errand_foundation,
    errand_essentials,
    errand_program,
    errand_range_count,
    /// The start of virtual time in seconds: for the clocks that count from the machine's start, and for the calendar
    /// (midnight UTC of 2000-01-01).
    errand_monotonic_start = 1000000,
    errand_calendar_start = 946684800,
};

static _Atomic(errand_gettime) real_gettime;
/// Written once before the first route.
static errand_range ranges[errand_range_count];

__attribute__((constructor)) static void find_gettime(void) {
    atomic_store_explicit(
        &real_gettime, (errand_gettime)dlsym(RTLD_NEXT, "clock_gettime"), memory_order_release);
}

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), end_length = strlen(end);
    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

static bool contains(errand_range range, uintptr_t address) { return address >= range.start && address < range.end; }

static errand_range range_of(const struct dl_phdr_info *info) {
    errand_range range = {UINTPTR_MAX, 0};
    for (int index = 0; index < info->dlpi_phnum; index++) {
        if (info->dlpi_phdr[index].p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[index].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[index].p_memsz;
        if (start < range.start) range.start = start;
        if (end > range.end) range.end = end;
    }
    return range;
}

static int note_range(struct dl_phdr_info *info, size_t size, void *context) {
    errand_range range = range_of(info);
    if (contains(range, (uintptr_t)&ranges)) ranges[errand_program] = range;
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    if (ends_with(name, "/libswift_Concurrency.so")) ranges[errand_concurrency] = range;
    if (ends_with(name, "/libFoundation.so")) ranges[errand_foundation] = range;
    if (ends_with(name, "/libFoundationEssentials.so")) ranges[errand_essentials] = range;
    return 0;
}

static void note_ranges(void) { dl_iterate_phdr(note_range, NULL); }

void errand_clock_install(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, note_ranges);
}

/// False in a program with a static standard library, where callers cannot be distinguished.
bool errand_clock_found(void) {
    errand_clock_install();
    return atomic_load_explicit(&real_gettime, memory_order_acquire) && ranges[errand_concurrency].end
        && !contains(ranges[errand_concurrency], (uintptr_t)&ranges);
}

static bool is_virtual(const errand_reach_route *route, uintptr_t caller) {
    if (contains(ranges[errand_concurrency], caller)) return route->has_clocks;
    if (!route->has_now) return false;
    return contains(ranges[errand_foundation], caller) || contains(ranges[errand_essentials], caller)
        || contains(ranges[errand_program], caller);
}

/// The start of a clock in virtual time; zero for one that measures neither the time of day nor the time since a start.
static int64_t start_of(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE: return errand_calendar_start;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME: return errand_monotonic_start;
    default: return 0;
    }
}

// Not weak: the sanitizers define it as weak, so that a program's own definition takes precedence.
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time) {
    const errand_reach_route *route = errand_route;
    int64_t start = route && route->read ? start_of(clock) : 0;
    if (start && is_virtual(route, (uintptr_t)__builtin_return_address(0))) {
        errand_reach_time now = route->read(route->clock);
        time->tv_sec = start + now.seconds;
        time->tv_nsec = now.nanoseconds;
        return 0;
    }
    errand_gettime gettime = atomic_load_explicit(&real_gettime, memory_order_acquire);
    // Before the constructors have run, only the system call has no dependencies.
    return gettime ? gettime(clock, time) : (int)syscall(SYS_clock_gettime, clock, time);
}

#endif
