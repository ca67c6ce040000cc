// The interface of a coding's decoder.

#ifndef ERRAND_DECODING_H
#define ERRAND_DECODING_H

#include "CErrandCodings.h"

struct decoding {
    const char *(*load)(void);
    /// Returns NULL if there is no memory.
    void *(*make)(void);
    void (*release)(void *state);
    /// Prepares for a part with this first byte; returns false if no part can start with it.
    bool (*begin)(void *state, uint8_t first, bool isFirstPart);
    /// Decodes as much as fits of one part; `isOver` is true at the end of the part.
    errand_decode_step (*decode)(void *state, const uint8_t *bytes, size_t count, uint8_t *room, size_t capacity);
};

extern const struct decoding errand_decoding_gzip;
extern const struct decoding errand_decoding_deflate;
extern const struct decoding errand_decoding_brotli;
extern const struct decoding errand_decoding_zstd;

#endif
