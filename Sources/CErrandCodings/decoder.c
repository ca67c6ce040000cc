#include "decoding.h"

#include <stdlib.h>

struct errand_decoder {
    const struct decoding *decoding;
    void *state;
    bool hasBegun;
    bool isOver;
};

static const struct decoding *decoding_of(errand_coding coding) {
    switch (coding) {
    case ERRAND_CODING_GZIP: return &errand_decoding_gzip;
    case ERRAND_CODING_DEFLATE: return &errand_decoding_deflate;
    case ERRAND_CODING_BROTLI: return &errand_decoding_brotli;
    case ERRAND_CODING_ZSTD: break;
    }
    return &errand_decoding_zstd;
}

const char *errand_coding_load(errand_coding coding) {
    return decoding_of(coding)->load();
}

errand_decoder *errand_decoder_make(errand_coding coding) {
    errand_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->decoding = decoding_of(coding);
    decoder->state = decoder->decoding->make();
    if (decoder->state != NULL) return decoder;
    free(decoder);
    return NULL;
}

void errand_decoder_free(errand_decoder *decoder) {
    decoder->decoding->release(decoder->state);
    free(decoder);
}

errand_decode_step errand_decode(
    errand_decoder *decoder, const uint8_t *bytes, size_t count, uint8_t *room, size_t capacity) {
    bool isBetweenParts = decoder->isOver || !decoder->hasBegun;
    if (isBetweenParts && count == 0) return (errand_decode_step){.isOver = decoder->isOver};
    if (isBetweenParts && !decoder->decoding->begin(decoder->state, bytes[0], !decoder->hasBegun)) {
        return (errand_decode_step){
            .problem = decoder->hasBegun ? "there are bytes after its end" : "it does not start with a valid header",
        };
    }
    decoder->hasBegun = true;
    errand_decode_step step = decoder->decoding->decode(decoder->state, bytes, count, room, capacity);
    decoder->isOver = step.isOver;
    bool isStuck = count > 0 && step.taken == 0 && step.made == 0 && !step.isOver;
    if (isStuck && step.problem == NULL) step.problem = "the decoder makes no progress";
    return step;
}
