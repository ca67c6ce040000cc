#include "decoding.h"

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

enum { kOK = 0, kStreamEnd = 1, kNeedsDictionary = 2, kBufferError = -5 };
enum { kNoFlush = 0, kFinish = 4 };
/// The method, the windows for gzip and for raw deflate, the default memory level, and the default strategy.
enum { kDeflated = 8, kGzipWindow = 15 + 16, kZlibWindow = 15, kBareWindow = -15, kMemory = 8, kStrategy = 0 };

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
    int (*inflate_init)(struct stream *, int window, const char *version, int size);
    int (*inflate)(struct stream *, int flush);
    int (*inflate_reset)(struct stream *, int window);
    int (*inflate_end)(struct stream *);
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
    *(void **)&zlib.inflate_init = dlsym(library, "inflateInit2_");
    *(void **)&zlib.inflate = dlsym(library, "inflate");
    *(void **)&zlib.inflate_reset = dlsym(library, "inflateReset2");
    *(void **)&zlib.inflate_end = dlsym(library, "inflateEnd");
    bool isWhole = zlib.version != NULL && zlib.deflate_init != NULL && zlib.deflate != NULL && zlib.deflate_end != NULL
        && zlib.inflate_init != NULL && zlib.inflate != NULL && zlib.inflate_reset != NULL && zlib.inflate_end != NULL;
    failure = isWhole ? NULL : "the loaded zlib is not a supported version";
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
    // The pointers do not outlive the call.
    stream->input = NULL;
    stream->output = NULL;
    return step;
}

// MARK: - Decompressing

static void *make_inflater(int window) {
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    if (zlib.inflate_init(stream, window, zlib.version(), (int)sizeof *stream) == kOK) return stream;
    free(stream);
    return NULL;
}

static void *make_gzip(void) {
    return make_inflater(kGzipWindow);
}

static void *make_deflate(void) {
    return make_inflater(kZlibWindow);
}

static void release(void *state) {
    zlib.inflate_end(state);
    free(state);
}

static bool begin_gzip(void *state, uint8_t first, bool isFirstPart) {
    if (isFirstPart) return true;
    return first == 0x1F && zlib.inflate_reset(state, kGzipWindow) == kOK;
}

/// The first byte of the zlib format has the method and a window (RFC 1950 §2.2).
///
/// As raw deflate data, it would start a stored block with a non-zero padding bit, but all known programs write zeros
/// there.
static bool begin_deflate(void *state, uint8_t first, bool isFirstPart) {
    if (!isFirstPart) return false;
    bool isFramed = (first & 0x0F) == kDeflated && first >> 4 <= 7;
    return isFramed || zlib.inflate_reset(state, kBareWindow) == kOK;
}

static const char *problem(const struct stream *stream, int code) {
    if (code == kOK || code == kStreamEnd || code == kBufferError) return NULL;
    if (code == kNeedsDictionary) return "it needs a dictionary";
    return stream->message != NULL ? stream->message : "zlib fails";
}

static errand_decode_step decode(void *state, const uint8_t *bytes, size_t count, uint8_t *room, size_t capacity) {
    struct stream *stream = state;
    unsigned int inputCount = count < UINT_MAX ? (unsigned int)count : UINT_MAX;
    unsigned int outputCount = capacity < UINT_MAX ? (unsigned int)capacity : UINT_MAX;
    stream->input = bytes;
    stream->inputCount = inputCount;
    stream->output = room;
    stream->outputCount = outputCount;
    int code = zlib.inflate(stream, kNoFlush);
    errand_decode_step step = {
        .taken = inputCount - stream->inputCount,
        .made = outputCount - stream->outputCount,
        .isOver = code == kStreamEnd,
        .problem = problem(stream, code),
    };
    // The pointers do not outlive the call.
    stream->input = NULL;
    stream->output = NULL;
    return step;
}

const struct decoding errand_decoding_gzip = {errand_zlib_load, make_gzip, release, begin_gzip, decode};
const struct decoding errand_decoding_deflate = {errand_zlib_load, make_deflate, release, begin_deflate, decode};
