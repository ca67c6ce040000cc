// File system calls that are not available in Swift.

#ifndef ERRAND_FILES_H
#define ERRAND_FILES_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// A value for the nanoseconds of a time that leaves it unchanged.
extern const long errand_same_time;

/// Opens a file for reading, as `open` does with `O_NOFOLLOW` and `O_NONBLOCK`, if its path is cached by the system.
///
/// Otherwise returns -1 and sets `errno` to `EAGAIN`, instead of accessing a disk or network. Linux systems without
/// `openat2` open the file normally; other systems always return -1.
int errand_open_at_hand(const char *path);

/// Reads the cached beginning of a file, without waiting for a disk.
///
/// Returns the number of bytes, fewer than `count` if no more are cached, and -1 if none are, or if that is unknown.
long errand_read_at_hand(int descriptor, void *room, size_t count);

/// Renames a file atomically, unless the new name is taken.
///
/// Returns 0, or -1 and sets `errno`, to `EEXIST` if the name is taken. If the file system cannot do this atomically,
/// the file briefly has both names.
int errand_rename_to_new(const char *from, const char *to);

#pragma clang assume_nonnull end

#endif
