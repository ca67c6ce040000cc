#define _GNU_SOURCE
#include "CErrandBench.h"

#if defined(__linux__)

#include "CErrandCurl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

struct floor {
    errand_curl_multi *multi;
    errand_curl_easy **transfers;
    long width;
    uint64_t bytes;
    const char *problem;
};

static size_t count_bytes(char *bytes, size_t size, size_t count, void *user) {
    (void)bytes;
    ((struct floor *)user)->bytes += size * count;
    return size * count;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double cpu_now(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static bool open_floor(struct floor *floor, const char *url) {
    floor->multi = errand_curl_multi_make();
    floor->transfers = calloc((size_t)floor->width, sizeof *floor->transfers);
    if (floor->multi == NULL || floor->transfers == NULL) return false;
    for (long i = 0; i < floor->width; i++) {
        errand_curl_easy *easy = floor->transfers[i] = errand_curl_easy_make();
        if (easy == NULL) return false;
        errand_curl_set_text(easy, ERRAND_CURL_URL, url);
        errand_curl_set_long(easy, ERRAND_CURL_NO_SIGNAL, 1);
        errand_curl_set_long(easy, ERRAND_CURL_HTTP_VERSION, ERRAND_CURL_HTTP_1_1);
        errand_curl_set_write(easy, ERRAND_CURL_WRITE_FUNCTION, count_bytes);
        errand_curl_set_pointer(easy, ERRAND_CURL_WRITE_DATA, floor);
    }
    return true;
}

static void close_floor(struct floor *floor) {
    for (long i = 0; floor->transfers != NULL && i < floor->width; i++) {
        if (floor->transfers[i] == NULL) continue;
        if (floor->multi != NULL) errand_curl_multi_remove(floor->multi, floor->transfers[i]);
        errand_curl_easy_free(floor->transfers[i]);
    }
    free(floor->transfers);
    if (floor->multi != NULL) errand_curl_multi_free(floor->multi);
}

/// Collects finished transfers, and starts as many of the remaining ones.
static long collect(struct floor *floor, long *left) {
    long done = 0;
    errand_curl_message message;
    while ((message = errand_curl_multi_next_message(floor->multi)).easy != NULL) {
        if (message.code != 0) floor->problem = errand_curl_easy_words(message.code);
        errand_curl_multi_remove(floor->multi, message.easy);
        done++;
        if (*left == 0) continue;
        (*left)--;
        errand_curl_multi_add(floor->multi, message.easy);
    }
    return done;
}

static void get_many(struct floor *floor, long requests) {
    long started = floor->width < requests ? floor->width : requests;
    long left = requests - started;
    for (long i = 0; i < started; i++) errand_curl_multi_add(floor->multi, floor->transfers[i]);
    for (long done = 0; done < requests;) {
        errand_curl_multi_perform(floor->multi);
        done += collect(floor, &left);
        if (floor->problem != NULL) return;
        if (done < requests) errand_curl_multi_poll(floor->multi, 1000);
    }
}

errand_bench_floor_result errand_bench_floor(const char *url, long width, long requests) {
    struct floor floor = {.width = width, .problem = errand_curl_load()};
    errand_bench_floor_result result = {.problem = floor.problem};
    if (floor.problem != NULL) return result;
    if (open_floor(&floor, url)) {
        // Establishes a connection for every transfer.
        get_many(&floor, 4 * width);
        floor.bytes = 0;
        double start = now(), cpuStart = cpu_now();
        if (floor.problem == NULL) get_many(&floor, requests);
        result.seconds = now() - start;
        result.cpuSeconds = cpu_now() - cpuStart;
        result.bytes = floor.bytes;
    } else {
        floor.problem = "out of memory for the transfers";
    }
    close_floor(&floor);
    result.problem = floor.problem;
    return result;
}

#endif
