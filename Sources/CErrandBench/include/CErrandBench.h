// What errand-bench measures against, in C: what libcurl does with nobody around it, and a server that only reads.

#ifndef ERRAND_BENCH_H
#define ERRAND_BENCH_H

#if defined(__linux__)

#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: - The floor

/// What one run of the floor came to; `problem` is NULL when all went well.
typedef struct {
    const char *_Nullable problem;
    double seconds;
    /// Of the processor, user and system, by the calling thread.
    double cpuSeconds;
    /// Bytes of all bodies.
    uint64_t bytes;
} errand_bench_floor_result;

/// Gets a URL so many times with so many transfers at once, by one bare loop around libcurl's multi interface.
///
/// Connections are made before the clock starts. Blocks until it is over, which is early when a transfer fails.
errand_bench_floor_result errand_bench_floor(const char *url, long width, long requests);

// MARK: - The sink

/// Opens a listening socket on a free port of 127.0.0.1; answers it, or -1.
int errand_bench_sink_open(uint16_t *port);
/// Serves on the calling thread until the sink is stopped: one connection after another, one request on each. Answers
/// 204 once the body was read, which is not even copied from the system.
void errand_bench_sink_serve(int listener);
/// Has the serving thread end; called from another one.
void errand_bench_sink_stop(int listener);

#pragma clang assume_nonnull end

#endif
#endif
