#include "CErrandCurl.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "library.h"

// MARK: - The library's own types

struct message {
    int kind;
    errand_curl_easy *easy;
    union {
        void *whatever;
        int code;
    } data;
};

struct blob {
    void *bytes;
    size_t count;
    unsigned int flags;
};

struct socket_address {
    int family;
    int kind;
    int protocol;
    unsigned int count;
    struct sockaddr address;
};

struct header {
    const char *name;
    const char *value;
    size_t amount;
    size_t index;
    unsigned int origin;
    void *anchor;
};

struct version {
    int age;
    const char *version;
    unsigned int number;
};

enum { kMessageDone = 1, kGlobalAll = 3, kVersionNow = 9, kBlobCopy = 1, kInfoPrivate = 0x100000 + 21 };
enum { kReadFunction = 20012, kSeekFunction = 20167, kPrerequestFunction = 20312, kOpenSocketFunction = 20163 };
enum { kTraceFunction = 20094, kProgressFunction = 20219, kCloseSocketFunction = 20208 };
enum { kOpenSocketData = 10164, kCloseSocketData = 10209 };
enum { kHeaderPseudo = 1 << 4, kHeaderLastRequest = -1 };
enum { kMultiSocketFunction = 20001, kMultiSocketData = 10002 };

// MARK: - The table

static struct {
    int (*global_init)(long flags);
    const char *(*version)(void);
    struct version *(*version_info)(int age);

    errand_curl_easy *(*easy_init)(void);
    void (*easy_cleanup)(errand_curl_easy *);
    int (*easy_setopt)(errand_curl_easy *, int option, ...);
    int (*easy_getinfo)(errand_curl_easy *, int info, ...);
    int (*easy_pause)(errand_curl_easy *, int mask);
    const char *(*easy_strerror)(int code);

    errand_curl_multi *(*multi_init)(void);
    int (*multi_cleanup)(errand_curl_multi *);
    int (*multi_add_handle)(errand_curl_multi *, errand_curl_easy *);
    int (*multi_remove_handle)(errand_curl_multi *, errand_curl_easy *);
    int (*multi_setopt)(errand_curl_multi *, int option, ...);
    int (*multi_socket_action)(errand_curl_multi *, int socket, int events, int *running);
    int (*multi_timeout)(errand_curl_multi *, long *milliseconds);
    int (*multi_perform)(errand_curl_multi *, int *running);
    int (*multi_poll)(errand_curl_multi *, void *extra, unsigned int count, int milliseconds, int *ready);
    struct message *(*multi_info_read)(errand_curl_multi *, int *left);

    /// Since 7.83; otherwise NULL.
    int (*easy_header)(errand_curl_easy *, const char *, size_t, unsigned int, int, struct header **);

    errand_curl_list *(*slist_append)(errand_curl_list *, const char *);
    void (*slist_free_all)(errand_curl_list *);
} curl;

static const struct {
    const char *name;
    void **place;
} symbols[] = {
    {"curl_global_init", (void **)&curl.global_init},
    {"curl_version", (void **)&curl.version},
    {"curl_version_info", (void **)&curl.version_info},
    {"curl_easy_init", (void **)&curl.easy_init},
    {"curl_easy_cleanup", (void **)&curl.easy_cleanup},
    {"curl_easy_setopt", (void **)&curl.easy_setopt},
    {"curl_easy_getinfo", (void **)&curl.easy_getinfo},
    {"curl_easy_pause", (void **)&curl.easy_pause},
    {"curl_easy_strerror", (void **)&curl.easy_strerror},
    {"curl_multi_init", (void **)&curl.multi_init},
    {"curl_multi_cleanup", (void **)&curl.multi_cleanup},
    {"curl_multi_add_handle", (void **)&curl.multi_add_handle},
    {"curl_multi_remove_handle", (void **)&curl.multi_remove_handle},
    {"curl_multi_setopt", (void **)&curl.multi_setopt},
    {"curl_multi_socket_action", (void **)&curl.multi_socket_action},
    {"curl_multi_timeout", (void **)&curl.multi_timeout},
    {"curl_multi_perform", (void **)&curl.multi_perform},
    {"curl_multi_poll", (void **)&curl.multi_poll},
    {"curl_multi_info_read", (void **)&curl.multi_info_read},
    {"curl_slist_append", (void **)&curl.slist_append},
    {"curl_slist_free_all", (void **)&curl.slist_free_all},
};

// MARK: - Loading

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *failure = "libcurl was not loaded";
static void *loaded;

static void load(void) {
    // Not closed again, not even on failure, because other parts of the program may be using it.
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        failure = "neither libcurl.so.4 nor libcurl-gnutls.so.4 can be loaded";
        return;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        *symbols[i].place = dlsym(library, symbols[i].name);
        if (*symbols[i].place == NULL) {
            failure = "the loaded libcurl is too old: 7.66 or later is needed";
            return;
        }
    }
    loaded = library;
    *(void **)&curl.easy_header = dlsym(library, "curl_easy_header");
    failure = curl.global_init(kGlobalAll) == 0 ? NULL : "libcurl could not be initialized";
}

const char *errand_curl_load(void) {
    pthread_once(&once, load);
    return failure;
}

void *errand_curl_symbol(const char *name) {
    return loaded == NULL ? NULL : dlsym(loaded, name);
}

uint32_t errand_curl_version_number(void) {
    return curl.version_info(kVersionNow)->number;
}

const char *errand_curl_version_words(void) {
    return curl.version();
}

// MARK: - One transfer

errand_curl_easy *errand_curl_easy_make(void) {
    return curl.easy_init();
}

void errand_curl_easy_free(errand_curl_easy *easy) {
    curl.easy_cleanup(easy);
}

int errand_curl_easy_pause(errand_curl_easy *easy, int mask) {
    return curl.easy_pause(easy, mask);
}

const char *errand_curl_easy_words(int code) {
    return curl.easy_strerror(code);
}

int errand_curl_set_long(errand_curl_easy *easy, int option, long value) {
    return curl.easy_setopt(easy, option, value);
}

int errand_curl_set_size(errand_curl_easy *easy, int option, int64_t value) {
    return curl.easy_setopt(easy, option, value);
}

int errand_curl_set_text(errand_curl_easy *easy, int option, const char *text) {
    return curl.easy_setopt(easy, option, text);
}

int errand_curl_set_pointer(errand_curl_easy *easy, int option, void *pointer) {
    return curl.easy_setopt(easy, option, pointer);
}

int errand_curl_set_list(errand_curl_easy *easy, int option, errand_curl_list *list) {
    return curl.easy_setopt(easy, option, list);
}

int errand_curl_set_bytes(errand_curl_easy *easy, int option, const void *bytes, size_t count) {
    struct blob blob = {.bytes = (void *)bytes, .count = count, .flags = kBlobCopy};
    return curl.easy_setopt(easy, option, &blob);
}

int errand_curl_set_write(errand_curl_easy *easy, int option, errand_curl_write function) {
    return curl.easy_setopt(easy, option, function);
}

int errand_curl_set_read(errand_curl_easy *easy, errand_curl_read function) {
    return curl.easy_setopt(easy, kReadFunction, function);
}

int errand_curl_set_seek(errand_curl_easy *easy, errand_curl_seek function) {
    return curl.easy_setopt(easy, kSeekFunction, function);
}

int errand_curl_set_prerequest(errand_curl_easy *easy, errand_curl_prerequest function) {
    return curl.easy_setopt(easy, kPrerequestFunction, function);
}

int errand_curl_set_trace(errand_curl_easy *easy, errand_curl_trace function) {
    return curl.easy_setopt(easy, kTraceFunction, function);
}

int errand_curl_set_progress(errand_curl_easy *easy, errand_curl_progress function) {
    return curl.easy_setopt(easy, kProgressFunction, function);
}

static int open_private_socket(void *user, int purpose, struct socket_address *address) {
    (void)purpose;
    errand_curl_socket_opened *told = user;
    int made = socket(address->family, address->kind | SOCK_CLOEXEC, address->protocol);
    told->opened(told->user, made, made < 0 ? errno : 0);
    return made;
}

static int open_impatient_socket(void *user, int purpose, struct socket_address *address) {
    int opened = open_private_socket(user, purpose, address);
    // One retransmission of the SYN: the attempt fails after about three seconds.
    int repetitions = 1;
    if (opened >= 0 && (address->family == AF_INET || address->family == AF_INET6))
        setsockopt(opened, IPPROTO_TCP, TCP_SYNCNT, &repetitions, sizeof repetitions);
    return opened;
}

int errand_curl_set_sockets(errand_curl_easy *easy, bool are_patient) {
    return curl.easy_setopt(easy, kOpenSocketFunction, are_patient ? open_private_socket : open_impatient_socket);
}

int errand_curl_follow_sockets(
    errand_curl_easy *easy, errand_curl_socket_opened *opened, errand_curl_socket_closed closed, void *user) {
    int code = curl.easy_setopt(easy, kOpenSocketData, opened);
    if (code == 0) code = curl.easy_setopt(easy, kCloseSocketFunction, closed);
    return code != 0 ? code : curl.easy_setopt(easy, kCloseSocketData, user);
}

long errand_curl_get_long(errand_curl_easy *easy, int info) {
    long value = 0;
    return curl.easy_getinfo(easy, info, &value) == 0 ? value : 0;
}

int64_t errand_curl_get_size(errand_curl_easy *easy, int info) {
    int64_t value = 0;
    return curl.easy_getinfo(easy, info, &value) == 0 ? value : 0;
}

const char *errand_curl_get_text(errand_curl_easy *easy, int info) {
    char *text = NULL;
    return curl.easy_getinfo(easy, info, &text) == 0 ? text : NULL;
}

int errand_curl_get_info(errand_curl_easy *easy, int info, void *answer) {
    return curl.easy_getinfo(easy, info, answer);
}

void *errand_curl_get_private(errand_curl_easy *easy) {
    void *pointer = NULL;
    return curl.easy_getinfo(easy, kInfoPrivate, &pointer) == 0 ? pointer : NULL;
}

long errand_curl_get_sent_status(errand_curl_easy *easy) {
    struct header *header = NULL;
    if (curl.easy_header == NULL) return 0;
    int code = curl.easy_header(easy, ":status", 0, kHeaderPseudo, kHeaderLastRequest, &header);
    return code == 0 && header != NULL ? strtol(header->value, NULL, 10) : 0;
}

// MARK: - Many transfers

errand_curl_multi *errand_curl_multi_make(void) {
    return curl.multi_init();
}

void errand_curl_multi_free(errand_curl_multi *multi) {
    curl.multi_cleanup(multi);
}

int errand_curl_multi_add(errand_curl_multi *multi, errand_curl_easy *easy) {
    return curl.multi_add_handle(multi, easy);
}

int errand_curl_multi_remove(errand_curl_multi *multi, errand_curl_easy *easy) {
    return curl.multi_remove_handle(multi, easy);
}

int errand_curl_multi_act(errand_curl_multi *multi, int socket, int events) {
    int running = 0;
    return curl.multi_socket_action(multi, socket, events, &running);
}

int errand_curl_multi_perform(errand_curl_multi *multi) {
    int running = 0;
    return curl.multi_perform(multi, &running);
}

int errand_curl_multi_poll(errand_curl_multi *multi, int milliseconds) {
    return curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
}

errand_curl_message errand_curl_multi_next_message(errand_curl_multi *multi) {
    int left = 0;
    struct message *message;
    while ((message = curl.multi_info_read(multi, &left)) != NULL) {
        if (message->kind == kMessageDone)
            return (errand_curl_message){.easy = message->easy, .code = message->data.code};
    }
    return (errand_curl_message){.easy = NULL, .code = 0};
}

int errand_curl_multi_set_long(errand_curl_multi *multi, int option, long value) {
    return curl.multi_setopt(multi, option, value);
}

int errand_curl_multi_set_socket_changed(
    errand_curl_multi *multi, errand_curl_socket_changed function, void *user) {
    int code = curl.multi_setopt(multi, kMultiSocketFunction, function);
    return code != 0 ? code : curl.multi_setopt(multi, kMultiSocketData, user);
}

long errand_curl_multi_due(errand_curl_multi *multi) {
    long milliseconds = -1;
    return curl.multi_timeout(multi, &milliseconds) == 0 ? milliseconds : -1;
}

// MARK: - Lists of header lines

errand_curl_list *errand_curl_list_append(errand_curl_list *list, const char *line) {
    return curl.slist_append(list, line);
}

void errand_curl_list_free(errand_curl_list *list) {
    if (list != NULL) curl.slist_free_all(list);
}

#endif
