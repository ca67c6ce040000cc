#define _GNU_SOURCE
#include "CErrandFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>

// Since Linux 5.12; headers may be older.
enum { openat2_number = 437, resolve_cached = 0x20 };

struct openat2_how {
    uint64_t flags;
    uint64_t mode;
    uint64_t resolve;
};
#endif

const long errand_same_time = UTIME_OMIT;

int errand_open_at_hand(const char *path) {
#ifdef __linux__
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    struct openat2_how how = {.flags = (uint64_t)flags, .resolve = resolve_cached};
    long descriptor = syscall(openat2_number, AT_FDCWD, path, &how, sizeof how);
    // The errors of older systems, and of those that restrict system calls: the file is then opened normally, which may
    // access a disk.
    if (descriptor < 0 && (errno == ENOSYS || errno == EINVAL || errno == EPERM)) return open(path, flags);
    return (int)descriptor;
#else
    (void)path;
    errno = EAGAIN;
    return -1;
#endif
}

long errand_read_at_hand(int descriptor, void *room, size_t count) {
#ifdef RWF_NOWAIT
    struct iovec place = {.iov_base = room, .iov_len = count};
    return preadv2(descriptor, &place, 1, 0, RWF_NOWAIT);
#else
    (void)descriptor, (void)room, (void)count;
    return -1;
#endif
}

int errand_rename_to_new(const char *from, const char *to) {
#if defined(__linux__)
    // RENAME_NOREPLACE is 1.
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u) == 0) return 0;
#elif defined(__APPLE__)
    if (renamex_np(from, to, RENAME_EXCL) == 0) return 0;
#endif
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return -1;
    if (link(from, to) != 0) return -1;
    unlink(from);
    return 0;
}
