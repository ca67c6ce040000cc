// What Errand uses of zlib, declared here: a machine that runs Swift programs has the library, but not its headers.
//
// The layout and the numbers are part of zlib's binary interface, which has been stable since 1995. The library is loaded
// when it is first needed. Functions but `errand_zlib_load` may be called only after that has answered NULL.

#ifndef ERRAND_ZLIB_H
#define ERRAND_ZLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library once; answers NULL, or why it cannot be used. May be called from any thread, any number of times.
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

#pragma clang assume_nonnull end

#endif
