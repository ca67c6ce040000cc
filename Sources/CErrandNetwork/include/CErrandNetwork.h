// The networks of a Linux machine.

#ifndef ERRAND_NETWORK_H
#define ERRAND_NETWORK_H

#pragma clang assume_nonnull begin

/// The kind of an interface, by its name and driver.
enum errand_interface_kind {
    ERRAND_INTERFACE_OTHER = 0,
    ERRAND_INTERFACE_WIRED = 1,
    ERRAND_INTERFACE_WIFI = 2,
    ERRAND_INTERFACE_CELLULAR = 3,
};

/// Returns the kinds of the interfaces that are up and have an address beyond link-local scope, as bits `1 << kind`; 0
/// if there are none, and -1 on failure.
///
/// Loopback does not count.
int errand_interfaces_up(void);

/// Opens a descriptor that is readable when an address, a link or a route changes; returns -1 and sets `errno` on
/// failure.
int errand_network_watch(void);

/// Reads all pending changes.
void errand_network_drain(int descriptor);

#pragma clang assume_nonnull end

#endif
