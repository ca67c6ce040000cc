// The functions of libcurl that Errand uses. They are declared here because a machine that runs Swift programs has the
// library, but not its headers.
//
// The constants and signatures are part of libcurl's binary interface, which has been stable since 2006. The library is
// loaded on first use, so that it is not needed for building, and programs start without it. Functions of the library
// may be called only after `errand_curl_load` has returned NULL.

#ifndef ERRAND_CURL_H
#define ERRAND_CURL_H

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: - Loading

/// Loads the library once; returns NULL, or the reason for which it cannot be used.
///
/// Thread-safe, and can be called repeatedly.
const char *_Nullable errand_curl_load(void);

/// The version of the loaded library as 0xXXYYZZ, and as text with the libraries it uses.
uint32_t errand_curl_version_number(void);
const char *errand_curl_version_words(void);

// MARK: - Types

typedef struct errand_curl_easy errand_curl_easy;
typedef struct errand_curl_multi errand_curl_multi;
typedef struct errand_curl_list errand_curl_list;

/// A message of a multi handle; `easy` is NULL if there is none.
typedef struct {
    errand_curl_easy *_Nullable easy;
    int code;
} errand_curl_message;

typedef size_t (*errand_curl_write)(char *bytes, size_t size, size_t count, void *_Nullable user);
typedef size_t (*errand_curl_read)(char *bytes, size_t size, size_t count, void *_Nullable user);
typedef int (*errand_curl_seek)(void *_Nullable user, int64_t offset, int origin);
typedef int (*errand_curl_prerequest)(
    void *_Nullable user, const char *_Nullable remote, const char *_Nullable local, int remotePort, int localPort);
typedef int (*errand_curl_trace)(errand_curl_easy *easy, int kind, char *bytes, size_t count, void *_Nullable user);
typedef int (*errand_curl_progress)(
    void *_Nullable user, int64_t downloadSize, int64_t downloaded, int64_t uploadSize, int64_t uploaded);
typedef int (*errand_curl_socket_closed)(void *_Nullable user, int socket);

/// The callback for each socket that a handle opens, or for the error number of one that could not be opened.
typedef struct {
    void (*opened)(void *_Nullable user, int socket, int error);
    void *_Nullable user;
} errand_curl_socket_opened;

typedef int (*errand_curl_socket_changed)(
    errand_curl_easy *easy, int socket, int interest, void *_Nullable user, void *_Nullable socketUser);

// MARK: - One transfer

errand_curl_easy *_Nullable errand_curl_easy_make(void);
void errand_curl_easy_free(errand_curl_easy *easy);
int errand_curl_easy_pause(errand_curl_easy *easy, int mask);
const char *errand_curl_easy_words(int code);

int errand_curl_set_long(errand_curl_easy *easy, int option, long value);
int errand_curl_set_size(errand_curl_easy *easy, int option, int64_t value);
int errand_curl_set_text(errand_curl_easy *easy, int option, const char *_Nullable text);
int errand_curl_set_pointer(errand_curl_easy *easy, int option, void *_Nullable pointer);
int errand_curl_set_list(errand_curl_easy *easy, int option, errand_curl_list *_Nullable list);
/// The bytes are copied.
int errand_curl_set_bytes(errand_curl_easy *easy, int option, const void *bytes, size_t count);
int errand_curl_set_write(errand_curl_easy *easy, int option, errand_curl_write _Nullable function);
int errand_curl_set_read(errand_curl_easy *easy, errand_curl_read _Nullable function);
int errand_curl_set_seek(errand_curl_easy *easy, errand_curl_seek _Nullable function);
int errand_curl_set_prerequest(errand_curl_easy *easy, errand_curl_prerequest _Nullable function);
/// Sets the function for trace messages, called while `ERRAND_CURL_VERBOSE` is on.
int errand_curl_set_trace(errand_curl_easy *easy, errand_curl_trace _Nullable function);
/// Sets up sockets that child processes do not inherit.
///
/// Impatient ones give up an address that does not respond after about three seconds, patient ones when the system
/// does.
int errand_curl_set_sockets(errand_curl_easy *easy, bool are_patient);
/// Sets the callbacks for opened and closed sockets; without them, the handle cannot open any.
///
/// The second callback may be called after the handle was freed, with its own user pointer. It closes the socket.
int errand_curl_follow_sockets(
    errand_curl_easy *easy, errand_curl_socket_opened *opened, errand_curl_socket_closed closed, void *_Nullable user);
/// Sets the function that is called during a transfer, and once more before its connection is released, while
/// `ERRAND_CURL_NO_PROGRESS` is off.
int errand_curl_set_progress(errand_curl_easy *easy, errand_curl_progress function);

/// These return 0 or NULL if the value is unknown.
long errand_curl_get_long(errand_curl_easy *easy, int info);
int64_t errand_curl_get_size(errand_curl_easy *easy, int info);
const char *_Nullable errand_curl_get_text(errand_curl_easy *easy, int info);
void *_Nullable errand_curl_get_private(errand_curl_easy *easy);
/// The last status that the server sent over HTTP/2, also of a response that was not delivered; 0 if there is none, and
/// with libcurl before 7.83.
long errand_curl_get_sent_status(errand_curl_easy *easy);

// MARK: - The connection of a transfer; to be asked while it has one

/// A property of a TLS connection.
typedef enum {
    /// There is no TLS, or its library is not supported here.
    ERRAND_TLS_UNKNOWN,
    ERRAND_TLS_NO,
    ERRAND_TLS_YES,
} errand_tls_answer;

/// Returns whether there are decrypted, unread bytes.
errand_tls_answer errand_curl_tls_has_bytes(errand_curl_easy *easy);
/// Returns whether the peer has sent `close_notify`.
errand_tls_answer errand_curl_tls_was_closed(errand_curl_easy *easy);

// MARK: - Many transfers

errand_curl_multi *_Nullable errand_curl_multi_make(void);
void errand_curl_multi_free(errand_curl_multi *multi);
int errand_curl_multi_add(errand_curl_multi *multi, errand_curl_easy *easy);
int errand_curl_multi_remove(errand_curl_multi *multi, errand_curl_easy *easy);
int errand_curl_multi_act(errand_curl_multi *multi, int socket, int events);
int errand_curl_multi_perform(errand_curl_multi *multi);
int errand_curl_multi_poll(errand_curl_multi *multi, int milliseconds);
errand_curl_message errand_curl_multi_next_message(errand_curl_multi *multi);
int errand_curl_multi_set_long(errand_curl_multi *multi, int option, long value);
int errand_curl_multi_set_socket_changed(
    errand_curl_multi *multi, errand_curl_socket_changed function, void *_Nullable user);
/// The time in milliseconds until the handle has to be called with `ERRAND_CURL_TIMEOUT`; 0 for now, -1 for never.
long errand_curl_multi_due(errand_curl_multi *multi);

// MARK: - Lists of header lines

/// Appends a copy of a line; returns NULL, without changing the list, if there is no memory.
errand_curl_list *_Nullable errand_curl_list_append(errand_curl_list *_Nullable list, const char *line);
void errand_curl_list_free(errand_curl_list *_Nullable list);

// MARK: - Waiting for sockets

/// An event on a socket, with libcurl's constants.
typedef struct {
    int socket;
    int events;
} errand_poller_event;

/// An epoll descriptor with the states of its sockets; Swift's system module lacks these functions.
typedef struct errand_poller errand_poller;

/// Makes a poller; returns NULL without a descriptor or memory.
errand_poller *_Nullable errand_poller_make(void);
void errand_poller_free(errand_poller *poller);
/// Watches a socket for the events that libcurl is interested in, or stops watching it; returns true on success.
bool errand_poller_watch(errand_poller *poller, int socket, int interest);
/// Waits for a number of milliseconds, or forever with -1; returns the number of events.
int errand_poller_wait(errand_poller *poller, errand_poller_event *events, int capacity, int milliseconds);

/// The buffer size for the address of an end point as text.
enum { ERRAND_SOCKET_ADDRESS_ROOM = 46 };
/// Reads the end points of a socket; returns false if it is not connected, or has no ports.
bool errand_socket_end_points(int socket, char *remote, int *remotePort, int *localPort);
/// Returns true if bytes can be read from a socket, or if the peer has closed it.
bool errand_socket_has_bytes(int socket);
/// Shuts down both directions of a socket.
void errand_socket_end(int socket);
/// Closes a socket.
void errand_socket_close(int socket);
/// The error number with which new descriptors currently fail, or 0.
int errand_descriptor_shortage(void);

/// Makes a descriptor that is readable while it is signaled; returns -1 on failure.
int errand_wakeup_make(void);
void errand_wakeup_signal(int event);
void errand_wakeup_clear(int event);

/// Names the calling thread in the system, with the first 15 bytes of a name.
void errand_thread_name(const char *name);

#pragma clang assume_nonnull end

// MARK: - Numbers

typedef enum {
    // Options of a transfer.
    ERRAND_CURL_WRITE_DATA = 10001,
    ERRAND_CURL_URL = 10002,
    ERRAND_CURL_PROXY = 10004,
    ERRAND_CURL_READ_DATA = 10009,
    ERRAND_CURL_ERROR_BUFFER = 10010,
    ERRAND_CURL_WRITE_FUNCTION = 20011,
    ERRAND_CURL_HTTP_HEADER = 10023,
    ERRAND_CURL_CLIENT_CERTIFICATE = 10025,
    ERRAND_CURL_KEY_PASSWORD = 10026,
    ERRAND_CURL_HEADER_DATA = 10029,
    ERRAND_CURL_TLS_VERSION = 32,
    ERRAND_CURL_CUSTOM_REQUEST = 10036,
    ERRAND_CURL_VERBOSE = 41,
    ERRAND_CURL_NO_PROGRESS = 43,
    ERRAND_CURL_NO_BODY = 44,
    ERRAND_CURL_UPLOAD = 46,
    ERRAND_CURL_POST = 47,
    ERRAND_CURL_INTERFACE = 10062,
    ERRAND_CURL_VERIFY_PEER = 64,
    ERRAND_CURL_CA_FILE = 10065,
    ERRAND_CURL_PROGRESS_DATA = 10057,
    ERRAND_CURL_TRACE_DATA = 10095,
    ERRAND_CURL_CA_FOLDER = 10097,
    ERRAND_CURL_HEADER_FUNCTION = 20079,
    ERRAND_CURL_FRESH_CONNECT = 74,
    ERRAND_CURL_FORBID_REUSE = 75,
    ERRAND_CURL_HTTP_GET = 80,
    ERRAND_CURL_VERIFY_HOST = 81,
    ERRAND_CURL_HTTP_VERSION = 84,
    ERRAND_CURL_CLIENT_KEY = 10087,
    ERRAND_CURL_DNS_CACHE_SECONDS = 92,
    ERRAND_CURL_BUFFER_SIZE = 98,
    ERRAND_CURL_NO_SIGNAL = 99,
    ERRAND_CURL_PRIVATE = 10103,
    ERRAND_CURL_IP_RESOLVE = 113,
    ERRAND_CURL_UPLOAD_SIZE = 30115,
    ERRAND_CURL_POST_SIZE = 30120,
    ERRAND_CURL_CONNECT_MILLISECONDS = 156,
    ERRAND_CURL_COPY_POST_FIELDS = 10165,
    ERRAND_CURL_SEEK_DATA = 10168,
    ERRAND_CURL_PROXY_USER = 10175,
    ERRAND_CURL_PROXY_PASSWORD = 10176,
    ERRAND_CURL_NO_PROXY = 10177,
    ERRAND_CURL_PROTOCOLS = 181,
    ERRAND_CURL_GSS_DELEGATION = 210,
    ERRAND_CURL_TCP_KEEP_ALIVE = 213,
    ERRAND_CURL_TLS_OPTIONS = 216,
    ERRAND_CURL_ADDRESSES = 10203,
    ERRAND_CURL_PINNED_PUBLIC_KEY = 10230,
    ERRAND_CURL_UNIX_SOCKET = 10231,
    ERRAND_CURL_PATH_AS_IS = 234,
    ERRAND_CURL_PIPE_WAIT = 237,
    ERRAND_CURL_SUPPRESS_CONNECT_HEADERS = 265,
    ERRAND_CURL_UPLOAD_BUFFER_SIZE = 280,
    ERRAND_CURL_CLIENT_CERTIFICATE_BYTES = 40291,
    ERRAND_CURL_CLIENT_KEY_BYTES = 40292,
    ERRAND_CURL_CA_BYTES = 40309,
    ERRAND_CURL_PREREQUEST_DATA = 10313,
    ERRAND_CURL_QUICK_EXIT = 322,
    ERRAND_CURL_OLDEST_IDLE_CONNECTION = 288,

    // Values of options.
    ERRAND_CURL_PROTOCOL_HTTP = 1,
    ERRAND_CURL_PROTOCOL_HTTPS = 2,
    ERRAND_CURL_HTTP_1_1 = 2,
    ERRAND_CURL_HTTP_2_OVER_TLS = 4,
    ERRAND_CURL_HTTP_2_PRIOR_KNOWLEDGE = 5,
    ERRAND_CURL_TLS_1_2 = 6,
    ERRAND_CURL_TLS_1_3 = 7,
    ERRAND_CURL_SCHANNEL_NO_REVOCATION = 1 << 1,
    ERRAND_CURL_SCHANNEL_LAX_REVOCATION = 1 << 3,
    ERRAND_CURL_SCHANNEL_ANY_CERTIFICATE = 1 << 5,
    ERRAND_CURL_IP_ANY = 0,
    ERRAND_CURL_IP_4 = 1,
    ERRAND_CURL_IP_6 = 2,

    // Information about a transfer.
    ERRAND_CURL_INFO_STATUS = 0x200000 + 2,
    ERRAND_CURL_INFO_REQUEST_SIZE = 0x200000 + 12,
    ERRAND_CURL_INFO_TUNNEL_STATUS = 0x200000 + 22,
    ERRAND_CURL_INFO_SYSTEM_ERROR = 0x200000 + 25,
    ERRAND_CURL_INFO_NEW_CONNECTIONS = 0x200000 + 26,
    ERRAND_CURL_INFO_HTTP_VERSION = 0x200000 + 46,
    ERRAND_CURL_INFO_PROXY_ERROR = 0x200000 + 59,
    ERRAND_CURL_INFO_ADDRESS = 0x100000 + 32,
    ERRAND_CURL_INFO_UPLOADED = 0x600000 + 7,
    ERRAND_CURL_INFO_DOWNLOADED = 0x600000 + 8,
    ERRAND_CURL_INFO_TOTAL = 0x600000 + 50,
    ERRAND_CURL_INFO_NAME_LOOKUP = 0x600000 + 51,
    ERRAND_CURL_INFO_CONNECT = 0x600000 + 52,
    ERRAND_CURL_INFO_PRE_TRANSFER = 0x600000 + 53,
    ERRAND_CURL_INFO_START_TRANSFER = 0x600000 + 54,
    ERRAND_CURL_INFO_APP_CONNECT = 0x600000 + 56,

    // Results of a transfer.
    ERRAND_CURL_CANNOT_CONNECT = 7,
    ERRAND_CURL_OUT_OF_MEMORY = 27,
    ERRAND_CURL_TIMED_OUT = 28,
    ERRAND_CURL_ABORTED = 42,
    ERRAND_CURL_BAD_ARGUMENT = 43,
    ERRAND_CURL_STREAM_FAILED = 92,

    // Return values of callbacks.
    ERRAND_CURL_PAUSE_TRANSFER = 0x10000001,
    ERRAND_CURL_ABORT_READING = 0x10000000,
    ERRAND_CURL_SEEK_DONE = 0,
    ERRAND_CURL_SEEK_FAILED = 1,
    ERRAND_CURL_SEEK_IMPOSSIBLE = 2,
    ERRAND_CURL_CONTINUE_ALL = 0,
    ERRAND_CURL_PAUSE_SENDING = 4,
    ERRAND_CURL_PAUSE_ALL = 5,

    // Results of a SOCKS proxy.
    ERRAND_CURL_PROXY_WANTS_OTHER_CREDENTIALS = 12,
    ERRAND_CURL_PROXY_REJECTED_USER = 33,

    // Kinds of trace messages.
    ERRAND_CURL_TRACED_TEXT = 0,
    ERRAND_CURL_TRACED_HEADER_LINE = 1,

    // Options of a multi handle.
    ERRAND_CURL_MULTI_MULTIPLEX = 3,
    ERRAND_CURL_MULTI_MOST_CONNECTIONS = 6,

    // Interest in a socket, and events on it.
    ERRAND_CURL_INTEREST_NONE = 0,
    ERRAND_CURL_INTEREST_IN = 1,
    ERRAND_CURL_INTEREST_OUT = 2,
    ERRAND_CURL_INTEREST_BOTH = 3,
    ERRAND_CURL_INTEREST_REMOVED = 4,
    ERRAND_CURL_EVENT_IN = 1,
    ERRAND_CURL_EVENT_OUT = 2,
    ERRAND_CURL_EVENT_ERROR = 4,
    ERRAND_CURL_TIMEOUT = -1,
} errand_curl_number;

#endif
#endif
