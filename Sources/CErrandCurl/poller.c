#include "CErrandCurl.h"

#if defined(__linux__)

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int errand_poller_make(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

void errand_poller_watch(int poller, int socket, int interest) {
    struct epoll_event event = {.data.fd = socket};
    if (interest == ERRAND_CURL_INTEREST_REMOVED) {
        epoll_ctl(poller, EPOLL_CTL_DEL, socket, &event);
        return;
    }
    if (interest & ERRAND_CURL_INTEREST_IN) event.events |= EPOLLIN;
    if (interest & ERRAND_CURL_INTEREST_OUT) event.events |= EPOLLOUT;
    // A closed socket leaves by itself, and its number may have come back as another one: what is there decides.
    if (epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event) != 0 && errno == EEXIST)
        epoll_ctl(poller, EPOLL_CTL_MOD, socket, &event);
}

int errand_poller_wait(int poller, errand_poller_event *events, int capacity, int milliseconds) {
    enum { kMost = 128 };
    struct epoll_event found[kMost];
    int count = epoll_wait(poller, found, capacity < kMost ? capacity : kMost, milliseconds);
    for (int i = 0; i < count; i++) {
        int happened = 0;
        if (found[i].events & EPOLLIN) happened |= ERRAND_CURL_EVENT_IN;
        if (found[i].events & EPOLLOUT) happened |= ERRAND_CURL_EVENT_OUT;
        if (found[i].events & (EPOLLERR | EPOLLHUP)) happened |= ERRAND_CURL_EVENT_ERROR;
        events[i] = (errand_poller_event){.socket = found[i].data.fd, .events = happened};
    }
    return count;
}

int errand_bell_make(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void errand_bell_ring(int bell) {
    eventfd_write(bell, 1);
}

void errand_bell_silence(int bell) {
    eventfd_t count;
    eventfd_read(bell, &count);
}

#endif
