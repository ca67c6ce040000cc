// Calls about files that Swift cannot make by itself.

#ifndef ERRAND_FILES_H
#define ERRAND_FILES_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// Reads from the beginning of a file what the system has in memory, without waiting for a disk.
///
/// Answers how many bytes that were, fewer than `count` where it has no more at hand, and -1 where it has none, or cannot
/// tell.
long errand_read_at_hand(int descriptor, void *room, size_t count);

#pragma clang assume_nonnull end

#endif
