#include "decoding.h"

#include <dlfcn.h>
#include <pthread.h>

struct input {
    const void *bytes;
    size_t count;
    size_t position;
};

struct output {
    void *bytes;
    size_t count;
    size_t position;
};

/// The parameter for the maximum window, as a power of two, and its value for 8 MiB.
enum { kLargestWindow = 100, kWindow = 23 };

static struct {
    void *(*create)(void);
    size_t (*destroy)(void *state);
    size_t (*set)(void *state, int parameter, int value);
    size_t (*decompress)(void *state, struct output *, struct input *);
    unsigned int (*is_error)(size_t code);
    const char *(*error_words)(size_t code);
} zstd;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *failure = "the Zstandard decoder was not loaded";

static void load_once(void) {
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        failure = "the Zstandard decoder cannot be loaded";
        return;
    }
    *(void **)&zstd.create = dlsym(library, "ZSTD_createDStream");
    *(void **)&zstd.destroy = dlsym(library, "ZSTD_freeDStream");
    *(void **)&zstd.set = dlsym(library, "ZSTD_DCtx_setParameter");
    *(void **)&zstd.decompress = dlsym(library, "ZSTD_decompressStream");
    *(void **)&zstd.is_error = dlsym(library, "ZSTD_isError");
    *(void **)&zstd.error_words = dlsym(library, "ZSTD_getErrorName");
    bool isWhole = zstd.create != NULL && zstd.destroy != NULL && zstd.set != NULL && zstd.decompress != NULL
        && zstd.is_error != NULL && zstd.error_words != NULL;
    failure = isWhole ? NULL : "the loaded Zstandard decoder is not a supported version";
}

static const char *load(void) {
    pthread_once(&once, load_once);
    return failure;
}

static void *make(void) {
    void *state = zstd.create();
    if (state != NULL) zstd.set(state, kLargestWindow, kWindow);
    return state;
}

static void release(void *state) {
    zstd.destroy(state);
}

/// A frame, or a skippable one, by the first byte of its magic number (RFC 8878 §3.1).
///
/// The library may also support legacy formats, for which it ignores the window limit.
static bool begin(void *state, uint8_t first, bool isFirstPart) {
    return first == 0x28 || first >> 4 == 5;
}

static errand_decode_step decode(void *state, const uint8_t *bytes, size_t count, uint8_t *room, size_t capacity) {
    struct input input = {bytes, count, 0};
    struct output output = {room, capacity, 0};
    size_t code = zstd.decompress(state, &output, &input);
    return (errand_decode_step){
        .taken = input.position,
        .made = output.position,
        .isOver = code == 0,
        .problem = zstd.is_error(code) ? zstd.error_words(code) : NULL,
    };
}

const struct decoding errand_decoding_zstd = {load, make, release, begin, decode};
