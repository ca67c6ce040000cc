// What Linux knows about the networks that a machine is on.

#ifndef ERRAND_NETWORK_H
#define ERRAND_NETWORK_H

#pragma clang assume_nonnull begin

/// What can be told of an interface by its name and by what drives it.
enum errand_interface_kind {
    ERRAND_INTERFACE_OTHER = 0,
    ERRAND_INTERFACE_WIRED = 1,
    ERRAND_INTERFACE_WIFI = 2,
    ERRAND_INTERFACE_CELLULAR = 3,
};

/// Answers the kinds of the interfaces that are up and have an address that reaches further than their own link, as bits
/// `1 << kind`; 0 where there is none, and -1 where that cannot be told. Loopback does not count.
int errand_interfaces_up(void);

/// Opens a descriptor that can be read when an address, a link or a route of this machine changes, or answers -1 and sets
/// `errno`.
int errand_network_watch(void);

/// Reads all that waits there.
void errand_network_drain(int descriptor);

#pragma clang assume_nonnull end

#endif
