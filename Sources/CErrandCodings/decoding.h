// What a coding has to bring to be decoded.

#ifndef ERRAND_DECODING_H
#define ERRAND_DECODING_H

#include "CErrandCodings.h"

struct decoding {
    const char *(*load)(void);
    /// Answers NULL without memory.
    void *(*make)(void);
    void (*release)(void *state);
    /// Prepares for a part with this first byte; answers false where no such part may begin.
    bool (*begin)(void *state, uint8_t first, bool isFirstPart);
    /// Decodes what fits of one part; `isOver` is that the part is.
    errand_decode_step (*decode)(void *state, const uint8_t *bytes, size_t count, uint8_t *room, size_t capacity);
};

extern const struct decoding errand_decoding_gzip;
extern const struct decoding errand_decoding_deflate;
extern const struct decoding errand_decoding_brotli;
extern const struct decoding errand_decoding_zstd;

#endif
