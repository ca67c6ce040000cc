#include "CErrandCurl.h"

#if defined(__linux__)

#include "library.h"

struct session {
    int library;
    void *session;
};

enum { kTLSPointer = 0x400000 + 45, kOpenSSL = 1, kGnuTLS = 2, kReceivedShutdown = 2 };

/// The TLS session of a transfer that has a connection, if it is by a library; NULL else.
static void *session_of(errand_curl_easy *easy, int library) {
    struct session *found = NULL;
    if (errand_curl_get_info(easy, kTLSPointer, &found) != 0 || found == NULL) return NULL;
    return found->library == library ? found->session : NULL;
}

errand_tls_answer errand_curl_tls_has_bytes(errand_curl_easy *easy) {
    // Those that libcurl itself was linked with.
    int (*pending)(const void *) = (int (*)(const void *))errand_curl_symbol("SSL_pending");
    void *session = pending == NULL ? NULL : session_of(easy, kOpenSSL);
    if (session != NULL) return pending(session) > 0 ? ERRAND_TLS_YES : ERRAND_TLS_NO;
    size_t (*unread)(void *) = (size_t (*)(void *))errand_curl_symbol("gnutls_record_check_pending");
    session = unread == NULL ? NULL : session_of(easy, kGnuTLS);
    if (session != NULL) return unread(session) > 0 ? ERRAND_TLS_YES : ERRAND_TLS_NO;
    return ERRAND_TLS_UNKNOWN;
}

errand_tls_answer errand_curl_tls_was_closed(errand_curl_easy *easy) {
    // With GnuTLS libcurl itself fails without that.
    int (*shutdown)(const void *) = (int (*)(const void *))errand_curl_symbol("SSL_get_shutdown");
    void *session = shutdown == NULL ? NULL : session_of(easy, kOpenSSL);
    if (session == NULL) return ERRAND_TLS_UNKNOWN;
    return shutdown(session) & kReceivedShutdown ? ERRAND_TLS_YES : ERRAND_TLS_NO;
}

#endif
