#define _GNU_SOURCE
#include "CErrandFiles.h"

#include <sys/types.h>
#include <sys/uio.h>

long errand_read_at_hand(int descriptor, void *room, size_t count) {
#ifdef RWF_NOWAIT
    struct iovec place = {.iov_base = room, .iov_len = count};
    return preadv2(descriptor, &place, 1, 0, RWF_NOWAIT);
#else
    (void)descriptor, (void)room, (void)count;
    return -1;
#endif
}
