// What Errand uses of zlib, and of the decoders for Brotli and Zstandard, declared here: a machine that runs Swift programs
// has the libraries, but not their headers.
//
// The layouts and the numbers are part of the libraries' binary interfaces, which are stable. Each library is loaded when
// it is first needed. What belongs to one may be called only after its `load` has answered NULL.

#ifndef ERRAND_CODINGS_H
#define ERRAND_CODINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: - Compressing

/// Loads zlib once; answers NULL, or why it cannot be used. May be called from any thread, any number of times.
const char *_Nullable errand_zlib_load(void);

typedef struct errand_deflater errand_deflater;

/// How far a call has come.
typedef struct {
    /// How many bytes were taken and made; both are less than there was if and only if something is wrong.
    size_t taken;
    size_t made;
    /// The end of the stream was written.
    bool isOver;
    bool isBroken;
} errand_deflate_step;

/// Makes a compressor to the gzip format (RFC 1952) of a level from 0 to 9, or answers NULL.
errand_deflater *_Nullable errand_deflater_make(int level);
void errand_deflater_free(errand_deflater *deflater);
/// Compresses what fits; with `isLast` these bytes are the last ones, and it is called until the step is over.
errand_deflate_step errand_deflate(
    errand_deflater *deflater, const uint8_t *_Nullable bytes, size_t count, uint8_t *room, size_t capacity, bool isLast);

// MARK: - Decompressing

typedef enum {
    /// One or more members (RFC 1952 §2.2).
    ERRAND_CODING_GZIP,
    /// The format of zlib (RFC 1950), or what is in it without its frame (RFC 1951), which some servers send.
    ERRAND_CODING_DEFLATE,
    /// RFC 7932.
    ERRAND_CODING_BROTLI,
    /// One or more frames (RFC 8878 §3) with a window of 8 MiB at most (RFC 9659).
    ERRAND_CODING_ZSTD,
} errand_coding;

/// Loads what a coding needs once; answers NULL, or why there is none. May be called from any thread, any number of times.
const char *_Nullable errand_coding_load(errand_coding coding);

typedef struct errand_decoder errand_decoder;

/// How far a call has come.
typedef struct {
    size_t taken;
    size_t made;
    /// What was taken is whole: more may follow only where the format has several parts.
    bool isOver;
    /// What is wrong; NULL while nothing is. Lives as long as the decoder.
    const char *_Nullable problem;
} errand_decode_step;

/// Makes a decoder, or answers NULL without memory for it.
errand_decoder *_Nullable errand_decoder_make(errand_coding coding);
void errand_decoder_free(errand_decoder *decoder);
/// Decodes what fits; there is more to be made of what was taken only if the room is full.
errand_decode_step errand_decode(
    errand_decoder *decoder, const uint8_t *_Nullable bytes, size_t count, uint8_t *room, size_t capacity);

#pragma clang assume_nonnull end

#endif
