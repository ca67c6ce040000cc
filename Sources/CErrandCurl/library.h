// What the parts of this module share.

#ifndef ERRAND_CURL_LIBRARY_H
#define ERRAND_CURL_LIBRARY_H

#include "CErrandCurl.h"

/// Finds a function of libcurl, or of a library that it was linked with; NULL if there is none.
void *errand_curl_symbol(const char *name);

/// Asks a handle for something; answers 0 where it can tell.
int errand_curl_get_info(errand_curl_easy *easy, int info, void *answer);

#endif
