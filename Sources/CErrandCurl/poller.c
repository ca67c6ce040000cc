#include "CErrandCurl.h"

#if defined(__linux__)

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

/// The state of a socket. libcurl leaves most sockets only briefly, between two requests on one connection, so they are
/// removed from the kernel's set only when an unwanted event arrives.
enum standing { kUnknown, kWatched, kLeft };

struct errand_poller {
    int descriptor;
    int count;
    /// An `enum standing` for each socket.
    unsigned char *standings;
};

errand_poller *errand_poller_make(void) {
    errand_poller *poller = calloc(1, sizeof *poller);
    if (poller == NULL) return NULL;
    poller->descriptor = epoll_create1(EPOLL_CLOEXEC);
    if (poller->descriptor >= 0) return poller;
    free(poller);
    return NULL;
}

void errand_poller_free(errand_poller *poller) {
    close(poller->descriptor);
    free(poller->standings);
    free(poller);
}

/// Ensures capacity for a socket; returns false if there is no memory.
static bool has_room(errand_poller *poller, int socket) {
    if (socket < poller->count) return true;
    int count = socket < 512 ? 1024 : 2 * socket;
    unsigned char *grown = realloc(poller->standings, (size_t)count);
    if (grown == NULL) return false;
    memset(grown + poller->count, kUnknown, (size_t)(count - poller->count));
    poller->standings = grown;
    poller->count = count;
    return true;
}

bool errand_poller_watch(errand_poller *poller, int socket, int interest) {
    if (socket < 0 || !has_room(poller, socket)) return false;
    if (interest == ERRAND_CURL_INTEREST_REMOVED) {
        if (poller->standings[socket] == kWatched) poller->standings[socket] = kLeft;
        return true;
    }
    struct epoll_event event = {.data.fd = socket};
    if (interest & ERRAND_CURL_INTEREST_IN) event.events |= EPOLLIN;
    if (interest & ERRAND_CURL_INTEREST_OUT) event.events |= EPOLLOUT;
    // A closed socket is removed by the kernel, and its number may have been reused: the result of the call decides.
    int first = poller->standings[socket] == kUnknown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    int other = first == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    bool isWatched = epoll_ctl(poller->descriptor, first, socket, &event) == 0
        || ((errno == EEXIST || errno == ENOENT) && epoll_ctl(poller->descriptor, other, socket, &event) == 0);
    poller->standings[socket] = isWatched ? kWatched : kUnknown;
    return isWatched;
}

int errand_poller_wait(errand_poller *poller, errand_poller_event *events, int capacity, int milliseconds) {
    enum { kMost = 128 };
    struct epoll_event found[kMost];
    int count = epoll_wait(poller->descriptor, found, capacity < kMost ? capacity : kMost, milliseconds);
    int wanted = 0;
    for (int i = 0; i < count; i++) {
        int socket = found[i].data.fd;
        if (poller->standings[socket] != kWatched) {
            epoll_ctl(poller->descriptor, EPOLL_CTL_DEL, socket, &found[i]);
            poller->standings[socket] = kUnknown;
            continue;
        }
        int happened = 0;
        if (found[i].events & EPOLLIN) happened |= ERRAND_CURL_EVENT_IN;
        if (found[i].events & EPOLLOUT) happened |= ERRAND_CURL_EVENT_OUT;
        if (found[i].events & (EPOLLERR | EPOLLHUP)) happened |= ERRAND_CURL_EVENT_ERROR;
        events[wanted++] = (errand_poller_event){.socket = socket, .events = happened};
    }
    return wanted;
}

int errand_wakeup_make(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void errand_wakeup_signal(int event) {
    eventfd_write(event, 1);
}

void errand_wakeup_clear(int event) {
    eventfd_t count;
    eventfd_read(event, &count);
}

void errand_thread_name(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
