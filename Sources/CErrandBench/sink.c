#define _GNU_SOURCE
#include "CErrandBench.h"

#if defined(__linux__)

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kHeadLimit = 16 << 10, kPiece = 1 << 20 };

int errand_bench_sink_open(uint16_t *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 16) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        close(listener);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return listener;
}

void errand_bench_sink_stop(int listener) {
    shutdown(listener, SHUT_RDWR);
}

static bool say(int connection, const char *words) {
    return send(connection, words, strlen(words), MSG_NOSIGNAL) == (ssize_t)strlen(words);
}

/// Reads until the empty line after the head, which is then terminated by a zero byte; returns the number of body bytes
/// that came with it, or -1.
static long read_head(int connection, char *head) {
    size_t count = 0;
    while (count < kHeadLimit - 1) {
        ssize_t got = recv(connection, head + count, kHeadLimit - 1 - count, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        count += (size_t)got;
        head[count] = 0;
        char *end = strstr(head, "\r\n\r\n");
        if (end == NULL) continue;
        long rest = (long)(head + count - (end + 4));
        end[2] = 0;
        return rest;
    }
    return -1;
}

static void serve_one(int connection) {
    char head[kHeadLimit];
    long early = read_head(connection, head);
    if (early < 0) return;
    const char *field = strcasestr(head, "\r\ncontent-length:");
    if (field == NULL) {
        say(connection, "HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
    }
    long long left = strtoll(strchr(field, ':') + 1, NULL, 10) - early;
    if (strcasestr(head, "\r\nexpect: 100-continue") != NULL && !say(connection, "HTTP/1.1 100 Continue\r\n\r\n")) return;
    while (left > 0) {
        // With MSG_TRUNC and no buffer, the system drops the bytes instead of copying them.
        ssize_t got = recv(connection, NULL, left < kPiece ? (size_t)left : (size_t)kPiece, MSG_TRUNC);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        left -= got;
    }
    say(connection, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

void errand_bench_sink_serve(int listener) {
    while (true) {
        int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0 && errno == EINTR) continue;
        if (connection < 0) break;
        serve_one(connection);
        close(connection);
    }
    close(listener);
}

#endif
