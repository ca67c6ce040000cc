// The baselines of errand-bench, in C: libcurl in a bare loop, and a server that only reads.

#ifndef ERRAND_BENCH_H
#define ERRAND_BENCH_H

#if defined(__linux__)

#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: - The floor

/// The result of one run of the floor; `problem` is NULL on success.
typedef struct {
    const char *_Nullable problem;
    double seconds;
    /// User and system CPU time of the calling thread.
    double cpuSeconds;
    /// The size of all bodies.
    uint64_t bytes;
} errand_bench_floor_result;

/// Gets a URL a number of times with a number of concurrent transfers, by a bare loop around libcurl's multi interface.
///
/// Connections are established before the clock starts. Blocks until all requests are done, or until a transfer fails.
errand_bench_floor_result errand_bench_floor(const char *url, long width, long requests);

// MARK: - The sink

/// Opens a listening socket on a free port of 127.0.0.1; returns it, or -1.
int errand_bench_sink_open(uint16_t *port);
/// Serves on the calling thread until the sink is stopped: one connection after another, one request on each. Responds
/// with 204 once the body was read, which is not even copied from the system.
void errand_bench_sink_serve(int listener);
/// Stops the serving thread; called from another one.
void errand_bench_sink_stop(int listener);

#pragma clang assume_nonnull end

#endif
#endif
