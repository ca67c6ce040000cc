#include "decoding.h"

#include <dlfcn.h>
#include <pthread.h>

enum { kBroken = 0, kStreamEnd = 1 };

static struct {
    void *(*create)(void *allocate, void *release, void *user);
    void (*destroy)(void *state);
    int (*decompress)(
        void *state, size_t *inputCount, const uint8_t **input, size_t *outputCount, uint8_t **output, size_t *total);
    int (*error_code)(const void *state);
    const char *(*error_words)(int code);
} brotli;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *failure = "the Brotli decoder was not loaded";

static void load_once(void) {
    void *library = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        failure = "the Brotli decoder cannot be loaded";
        return;
    }
    *(void **)&brotli.create = dlsym(library, "BrotliDecoderCreateInstance");
    *(void **)&brotli.destroy = dlsym(library, "BrotliDecoderDestroyInstance");
    *(void **)&brotli.decompress = dlsym(library, "BrotliDecoderDecompressStream");
    *(void **)&brotli.error_code = dlsym(library, "BrotliDecoderGetErrorCode");
    *(void **)&brotli.error_words = dlsym(library, "BrotliDecoderErrorString");
    bool isWhole = brotli.create != NULL && brotli.destroy != NULL && brotli.decompress != NULL
        && brotli.error_code != NULL && brotli.error_words != NULL;
    failure = isWhole ? NULL : "the loaded Brotli decoder is not a supported version";
}

static const char *load(void) {
    pthread_once(&once, load_once);
    return failure;
}

static void *make(void) {
    return brotli.create(NULL, NULL, NULL);
}

static void release(void *state) {
    brotli.destroy(state);
}

static bool begin(void *state, uint8_t first, bool isFirstPart) {
    return isFirstPart;
}

static errand_decode_step decode(void *state, const uint8_t *bytes, size_t count, uint8_t *room, size_t capacity) {
    size_t inputCount = count;
    size_t outputCount = capacity;
    int code = brotli.decompress(state, &inputCount, &bytes, &outputCount, &room, NULL);
    return (errand_decode_step){
        .taken = count - inputCount,
        .made = capacity - outputCount,
        .isOver = code == kStreamEnd,
        .problem = code == kBroken ? brotli.error_words(brotli.error_code(state)) : NULL,
    };
}

const struct decoding errand_decoding_brotli = {load, make, release, begin, decode};
