// The functions of zlib and of the Brotli and Zstandard decoders that Errand uses. They are declared here because a
// machine that runs Swift programs has the libraries, but not their headers.
//
// The layouts and constants are part of the libraries' binary interfaces, which are stable. Each library is loaded on
// first use. Its functions may be called only after its `load` has returned NULL.

#ifndef ERRAND_CODINGS_H
#define ERRAND_CODINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: - Compressing

/// Loads zlib once; returns NULL, or the reason for which it cannot be used.
///
/// Thread-safe, and can be called repeatedly.
const char *_Nullable errand_zlib_load(void);

typedef struct errand_deflater errand_deflater;

/// The progress of a call.
typedef struct {
    /// The number of input and output bytes; both are less than possible only after an error.
    size_t taken;
    size_t made;
    /// True at the end of the stream.
    bool isOver;
    bool isBroken;
} errand_deflate_step;

/// Makes a gzip compressor (RFC 1952) with a level from 0 to 9; returns NULL on failure.
errand_deflater *_Nullable errand_deflater_make(int level);
void errand_deflater_free(errand_deflater *deflater);
/// Compresses as much as fits.
///
/// With `isLast`, these are the last bytes, and it is called until the step is over.
errand_deflate_step errand_deflate(
    errand_deflater *deflater, const uint8_t *_Nullable bytes, size_t count, uint8_t *room, size_t capacity, bool isLast);

// MARK: - Decompressing

typedef enum {
    /// One or more members (RFC 1952 §2.2).
    ERRAND_CODING_GZIP,
    /// The zlib format (RFC 1950), or raw deflate data (RFC 1951), which some servers send.
    ERRAND_CODING_DEFLATE,
    /// RFC 7932.
    ERRAND_CODING_BROTLI,
    /// One or more frames (RFC 8878 §3) with a window of at most 8 MiB (RFC 9659).
    ERRAND_CODING_ZSTD,
} errand_coding;

/// Loads the library of a coding once; returns NULL, or the reason for which it cannot be used.
///
/// Thread-safe, and can be called repeatedly.
const char *_Nullable errand_coding_load(errand_coding coding);

typedef struct errand_decoder errand_decoder;

/// The progress of a call.
typedef struct {
    size_t taken;
    size_t made;
    /// The input so far is complete: more may follow only if the format allows several parts.
    bool isOver;
    /// A description of an error, or NULL.
    ///
    /// Valid as long as the decoder.
    const char *_Nullable problem;
} errand_decode_step;

/// Makes a decoder; returns NULL if there is no memory.
errand_decoder *_Nullable errand_decoder_make(errand_coding coding);
void errand_decoder_free(errand_decoder *decoder);
/// Decodes as much as fits; more output is pending only if the buffer is full.
errand_decode_step errand_decode(
    errand_decoder *decoder, const uint8_t *_Nullable bytes, size_t count, uint8_t *room, size_t capacity);

#pragma clang assume_nonnull end

#endif
