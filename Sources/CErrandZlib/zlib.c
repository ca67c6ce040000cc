#include "CErrandZlib.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

// MARK: - The library's own types

struct stream {
    const uint8_t *input;
    unsigned int inputCount;
    unsigned long inputTotal;
    uint8_t *output;
    unsigned int outputCount;
    unsigned long outputTotal;
    const char *message;
    void *state;
    void *allocate;
    void *release;
    void *user;
    int kind;
    unsigned long checksum;
    unsigned long reserved;
};

enum { kOK = 0, kStreamEnd = 1, kBufferError = -5 };
enum { kNoFlush = 0, kFinish = 4 };
/// The method, the window with the mark for gzip, the standard amount of memory, and the standard strategy.
enum { kDeflated = 8, kGzipWindow = 15 + 16, kMemory = 8, kStrategy = 0 };

struct errand_deflater {
    struct stream stream;
};

// MARK: - Loading

static struct {
    const char *(*version)(void);
    int (*deflate_init)(
        struct stream *, int level, int method, int window, int memory, int strategy, const char *version, int size);
    int (*deflate)(struct stream *, int flush);
    int (*deflate_end)(struct stream *);
} zlib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *failure = "zlib was not loaded";

static void load(void) {
#if defined(__APPLE__)
    void *library = dlopen("/usr/lib/libz.1.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
    if (library == NULL) {
        failure = "zlib cannot be loaded";
        return;
    }
    *(void **)&zlib.version = dlsym(library, "zlibVersion");
    *(void **)&zlib.deflate_init = dlsym(library, "deflateInit2_");
    *(void **)&zlib.deflate = dlsym(library, "deflate");
    *(void **)&zlib.deflate_end = dlsym(library, "deflateEnd");
    bool isWhole = zlib.version != NULL && zlib.deflate_init != NULL && zlib.deflate != NULL && zlib.deflate_end != NULL;
    failure = isWhole ? NULL : "the loaded zlib is not one that is known";
}

const char *errand_zlib_load(void) {
    pthread_once(&once, load);
    return failure;
}

// MARK: - Compressing

errand_deflater *errand_deflater_make(int level) {
    errand_deflater *deflater = calloc(1, sizeof *deflater);
    if (deflater == NULL) return NULL;
    int code = zlib.deflate_init(
        &deflater->stream, level, kDeflated, kGzipWindow, kMemory, kStrategy, zlib.version(),
        (int)sizeof deflater->stream);
    if (code == kOK) return deflater;
    free(deflater);
    return NULL;
}

void errand_deflater_free(errand_deflater *deflater) {
    zlib.deflate_end(&deflater->stream);
    free(deflater);
}

errand_deflate_step errand_deflate(
    errand_deflater *deflater, const uint8_t *bytes, size_t count, uint8_t *room, size_t capacity, bool isLast) {
    struct stream *stream = &deflater->stream;
    unsigned int inputCount = count < UINT_MAX ? (unsigned int)count : UINT_MAX;
    unsigned int outputCount = capacity < UINT_MAX ? (unsigned int)capacity : UINT_MAX;
    stream->input = bytes;
    stream->inputCount = inputCount;
    stream->output = room;
    stream->outputCount = outputCount;
    int code = zlib.deflate(stream, isLast && inputCount == count ? kFinish : kNoFlush);
    errand_deflate_step step = {
        .taken = inputCount - stream->inputCount,
        .made = outputCount - stream->outputCount,
        .isOver = code == kStreamEnd,
        .isBroken = code != kOK && code != kStreamEnd && code != kBufferError,
    };
    // What was handed over does not outlive the call.
    stream->input = NULL;
    stream->output = NULL;
    return step;
}
