#if defined(__linux__)

#define _GNU_SOURCE
#include "CErrandNetwork.h"

#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int reaches_further(const struct sockaddr *address) {
    if (address->sa_family == AF_INET) {
        unsigned int number = ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr);
        return number >> 16 != 0xA9FE && number >> 24 != 127;
    }
    if (address->sa_family == AF_INET6) {
        const struct in6_addr *number = &((const struct sockaddr_in6 *)address)->sin6_addr;
        return !IN6_IS_ADDR_LINKLOCAL(number) && !IN6_IS_ADDR_LOOPBACK(number);
    }
    return 0;
}

static int has_file(const char *interface, const char *name) {
    char path[128];
    snprintf(path, sizeof path, "/sys/class/net/%s/%s", interface, name);
    return access(path, F_OK) == 0;
}

static int is_ethernet(const char *interface) {
    char path[128];
    int type = 0;
    snprintf(path, sizeof path, "/sys/class/net/%s/type", interface);
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%d", &type) != 1) type = 0;
    fclose(file);
    return type == 1;
}

static int kind_of(const char *interface) {
    if (has_file(interface, "wireless") || has_file(interface, "phy80211")) return ERRAND_INTERFACE_WIFI;
    if (strncmp(interface, "wwan", 4) == 0 || strncmp(interface, "rmnet", 5) == 0) return ERRAND_INTERFACE_CELLULAR;
    return is_ethernet(interface) ? ERRAND_INTERFACE_WIRED : ERRAND_INTERFACE_OTHER;
}

int errand_interfaces_up(void) {
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) return -1;
    int kinds = 0;
    for (struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        unsigned int wanted = IFF_UP | IFF_RUNNING;
        if ((one->ifa_flags & wanted) != wanted || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
        if (one->ifa_addr == NULL || !reaches_further(one->ifa_addr)) continue;
        kinds |= 1 << kind_of(one->ifa_name);
    }
    freeifaddrs(all);
    return kinds;
}

int errand_network_watch(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

void errand_network_drain(int descriptor) {
    char bytes[8192];
    // Events lost to an overflow count as a change too.
    while (recv(descriptor, bytes, sizeof bytes, 0) > 0) {}
}

#endif
