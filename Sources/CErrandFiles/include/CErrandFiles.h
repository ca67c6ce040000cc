// Calls about files that Swift cannot make by itself.

#ifndef ERRAND_FILES_H
#define ERRAND_FILES_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// In place of the nanoseconds of a time: that time stays as it is.
extern const long errand_same_time;

/// Opens a file for reading, as `open` does with `O_NOFOLLOW` and `O_NONBLOCK`, if the system knows the way to it without
/// asking a disk or a network.
///
/// Answers -1 and sets `errno` otherwise: to `EAGAIN` where it would have to ask, or cannot tell.
int errand_open_at_hand(const char *path);

/// Reads from the beginning of a file what the system has in memory, without waiting for a disk.
///
/// Answers how many bytes that were, fewer than `count` where it has no more at hand, and -1 where it has none, or cannot
/// tell.
long errand_read_at_hand(int descriptor, void *room, size_t count);

/// Renames a file in one step, unless there is one with the new name already.
///
/// Answers 0, or -1 and sets `errno`: to `EEXIST` where there is one. Where the file system cannot do it in one step, the
/// file has both names for a moment.
int errand_rename_to_new(const char *from, const char *to);

#pragma clang assume_nonnull end

#endif
