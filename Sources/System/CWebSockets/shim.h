#pragma once
#include <libwebsockets.h>
#include <sys/socket.h>

// A timer of the event loop and its owner. The library passes the address of `entry` to its callback.
struct tidelog_loop_timer {
    lws_sorted_usec_list_t entry;
    void *owner;
};

// Swift cannot import macros that are expressions. This function returns the flags of the TLS versions before 1.2.
static inline long tidelog_tls_versions_before_1_2(void) {
    return (long)(SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1);
}

#if defined(__linux__)
// The C library declares this function only for GNU sources. With it, child processes that start at the same time do
// not inherit the socket.
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
static inline int tidelog_accept(int socket, struct sockaddr *address, socklen_t *length) {
    return accept4(socket, address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
}
#else
#include <fcntl.h>
static inline int tidelog_accept(int socket, struct sockaddr *address, socklen_t *length) {
    int accepted = accept(socket, address, length);
    if (accepted >= 0) fcntl(accepted, F_SETFD, FD_CLOEXEC);
    return accepted;
}
#endif
