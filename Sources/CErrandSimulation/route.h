// Declarations shared by the files of this module.

#ifndef ERRAND_SIMULATION_ROUTE_H
#define ERRAND_SIMULATION_ROUTE_H

#include "CErrandSimulation.h"

#if defined(ERRAND_SIMULATION_REACH) && defined(__linux__) && defined(__LP64__)
#define ERRAND_REACHES 1
#endif

#ifdef ERRAND_REACHES

#include <stdatomic.h>

#define ERRAND_SWIFTCALL __attribute__((swiftcall))
/// Weak: with a static standard library the runtime's own definition wins, which the self-test detects.
#define ERRAND_REPLACING __attribute__((weak, visibility("default")))

/// The route of the calling thread, or NULL.
extern _Thread_local const errand_reach_route *errand_route;

/// The observer of the calling thread, or NULL.
extern _Thread_local const errand_observer *errand_observing;

/// Returns the runtime's definition of a function that this module replaces, or NULL; `known` keeps it.
void *errand_find_runtime_function(_Atomic(void *) *known, const char *symbol);

/// Returns the runtime's definition of a function that this module replaces, and ends a program that has none.
void *errand_runtime_function(_Atomic(void *) *known, const char *symbol);

bool errand_tasks_found(void);
bool errand_main_found(void);
bool errand_clock_found(void);
void errand_main_install(void);
void errand_clock_install(void);

#endif
#endif
