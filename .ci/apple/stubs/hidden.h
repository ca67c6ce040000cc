// Names of Linux's C library that Apple's does not have, or has with another type; the latter are in Glibc.swift and
// DarwinTypes.swift. Included before the headers, so that they are not found there.

// <sys/stat.h>, <unistd.h>, <dirent.h>
#define stat linux_stat
#define lstat linux_lstat
#define fstat linux_fstat
#define fstatat linux_fstatat
#define mkdir linux_mkdir
#define chmod linux_chmod
#define fchmod linux_fchmod
#define umask linux_umask
#define lseek linux_lseek
#define ftruncate linux_ftruncate
#define truncate linux_truncate
#define pread linux_pread
#define pwrite linux_pwrite
#define DIR linux_DIR
#define dirent linux_dirent
#define opendir linux_opendir
#define readdir linux_readdir
#define closedir linux_closedir

// <sys/socket.h>, <netinet/in.h>, <poll.h>
#define sockaddr_in linux_sockaddr_in
#define poll linux_poll
#define nfds_t linux_nfds_t

// <sys/resource.h>, <signal.h>, <spawn.h>, <pthread.h>
#define rlimit linux_rlimit
#define getrlimit linux_getrlimit
#define setrlimit linux_setrlimit
#define signal linux_signal
#define sigemptyset linux_sigemptyset
#define sigfillset linux_sigfillset
#define sigaddset linux_sigaddset
#define sigdelset linux_sigdelset
#define sigismember linux_sigismember
#define sigpending linux_sigpending
#define sigwait linux_sigwait
#define pthread_sigmask linux_pthread_sigmask
#define posix_spawn_file_actions_init linux_posix_spawn_file_actions_init
#define posix_spawn_file_actions_destroy linux_posix_spawn_file_actions_destroy
#define posix_spawn_file_actions_addopen linux_posix_spawn_file_actions_addopen
#define posix_spawn_file_actions_adddup2 linux_posix_spawn_file_actions_adddup2
#define posix_spawnattr_init linux_posix_spawnattr_init
#define posix_spawnattr_destroy linux_posix_spawnattr_destroy
#define posix_spawnattr_setflags linux_posix_spawnattr_setflags
#define posix_spawnattr_setsigmask linux_posix_spawnattr_setsigmask
#define posix_spawnattr_setsigdefault linux_posix_spawnattr_setsigdefault
#define posix_spawn linux_posix_spawn
#define pthread_self linux_pthread_self

// Linux only
#define accept4 linux_accept4
#define dup3 linux_dup3
#define pipe2 linux_pipe2
#define fdatasync linux_fdatasync
#define posix_fadvise linux_posix_fadvise
#define posix_fallocate linux_posix_fallocate
#define fallocate linux_fallocate
#define sendmmsg linux_sendmmsg
#define recvmmsg linux_recvmmsg
#define gettid linux_gettid
#define getrandom linux_getrandom
#define memfd_create linux_memfd_create
#define renameat2 linux_renameat2
#define syncfs linux_syncfs
#define sched_getaffinity linux_sched_getaffinity
#define prctl linux_prctl
#define epoll_create1 linux_epoll_create1
#define eventfd linux_eventfd
#define inotify_init1 linux_inotify_init1
#define secure_getenv linux_secure_getenv
#define strerrordesc_np linux_strerrordesc_np
