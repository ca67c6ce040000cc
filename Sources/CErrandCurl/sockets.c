#include "CErrandCurl.h"

#if defined(__linux__)

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_storage storage;
};

static int port_of(const union address *address) {
    switch (address->any.sa_family) {
        case AF_INET: return ntohs(address->four.sin_port);
        case AF_INET6: return ntohs(address->six.sin6_port);
        default: return 0;
    }
}

bool errand_socket_end_points(int socket, char *remote, int *remotePort, int *localPort) {
    union address address;
    socklen_t length = sizeof address;
    if (getsockname(socket, &address.any, &length) != 0) return false;
    *localPort = port_of(&address);
    length = sizeof address;
    if (getpeername(socket, &address.any, &length) != 0) return false;
    *remotePort = port_of(&address);
    if (*localPort == 0 || *remotePort == 0) return false;
    const void *bytes = address.any.sa_family == AF_INET ? (void *)&address.four.sin_addr : &address.six.sin6_addr;
    return inet_ntop(address.any.sa_family, bytes, remote, ERRAND_SOCKET_ADDRESS_ROOM) != NULL;
}

bool errand_socket_has_bytes(int socket) {
    char byte;
    ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void errand_socket_end(int socket) {
    shutdown(socket, SHUT_RDWR);
}

void errand_socket_close(int socket) {
    close(socket);
}

int errand_descriptor_shortage(void) {
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno == EMFILE || errno == ENFILE ? errno : 0;
    close(descriptor);
    return 0;
}

#endif
