// Shared declarations of this module.

#ifndef ERRAND_CURL_LIBRARY_H
#define ERRAND_CURL_LIBRARY_H

#include "CErrandCurl.h"

/// Finds a function of libcurl, or of a library that it was linked with; returns NULL if there is none.
void *errand_curl_symbol(const char *name);

/// Reads information of a handle; returns 0 if it is available.
int errand_curl_get_info(errand_curl_easy *easy, int info, void *answer);

#endif
