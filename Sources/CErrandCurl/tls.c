#include "CErrandCurl.h"

#if defined(__linux__)

#include "library.h"

struct session {
    int library;
    void *session;
};

enum { kTLSPointer = 0x400000 + 45, kOpenSSL = 1, kGnuTLS = 2, kReceivedShutdown = 2 };

/// Returns the TLS session of a transfer that has a connection; otherwise an empty one.
static struct session session_of(errand_curl_easy *easy) {
    struct session *found = NULL;
    if (errand_curl_get_info(easy, kTLSPointer, &found) != 0 || found == NULL) return (struct session){0, NULL};
    return *found;
}

// The functions are those that libcurl itself was linked with. They are looked up only if there is TLS, because the
// lookup is the most expensive part.

errand_tls_answer errand_curl_tls_has_bytes(errand_curl_easy *easy) {
    struct session found = session_of(easy);
    if (found.session == NULL) return ERRAND_TLS_UNKNOWN;
    if (found.library == kOpenSSL) {
        int (*pending)(const void *) = (int (*)(const void *))errand_curl_symbol("SSL_pending");
        if (pending != NULL) return pending(found.session) > 0 ? ERRAND_TLS_YES : ERRAND_TLS_NO;
    } else if (found.library == kGnuTLS) {
        size_t (*unread)(void *) = (size_t (*)(void *))errand_curl_symbol("gnutls_record_check_pending");
        if (unread != NULL) return unread(found.session) > 0 ? ERRAND_TLS_YES : ERRAND_TLS_NO;
    }
    return ERRAND_TLS_UNKNOWN;
}

errand_tls_answer errand_curl_tls_was_closed(errand_curl_easy *easy) {
    struct session found = session_of(easy);
    // With GnuTLS, libcurl itself fails without a `close_notify`.
    if (found.session == NULL || found.library != kOpenSSL) return ERRAND_TLS_UNKNOWN;
    int (*shutdown)(const void *) = (int (*)(const void *))errand_curl_symbol("SSL_get_shutdown");
    if (shutdown == NULL) return ERRAND_TLS_UNKNOWN;
    return shutdown(found.session) & kReceivedShutdown ? ERRAND_TLS_YES : ERRAND_TLS_NO;
}

#endif
