// SPDX-License-Identifier: Apache-2.0

#include "readerd_sockets.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int close_with(int descriptor, int error) {
    close(descriptor);
    return -error;
}

static int start(int descriptor, const struct sockaddr *address, socklen_t count, bool *connecting) {
    *connecting = false;
    if (connect(descriptor, address, count) == 0) return descriptor;
    // An interrupted connect continues asynchronously, like a non-blocking one.
    if (errno != EINPROGRESS && errno != EINTR) return close_with(descriptor, errno);
    int result = readerd_connect_result(descriptor);
    if (result < 0 && result != -EINPROGRESS) return close_with(descriptor, -result);
    *connecting = result < 0;
    return descriptor;
}

int readerd_connect_unix(const char *path, size_t count, bool abstract, bool *connecting) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count > sizeof address.sun_path - 1) return -ENAMETOOLONG;
    // An abstract name begins with a zero octet, and is delimited by its length only.
    memcpy(address.sun_path + (abstract ? 1 : 0), path, count);
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + count + 1;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    return start(descriptor, (const struct sockaddr *)&address, length, connecting);
}

static int start_tcp(const struct sockaddr *address, socklen_t count, bool *connecting) {
    int descriptor = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return start(descriptor, address, count, connecting);
}

int readerd_connect_tcp(const char *host, const char *port, bool *connecting, int *resolution) {
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    *connecting = false;
    *resolution = getaddrinfo(host, port, &wanted, &found);
    if (*resolution != 0) return *resolution == EAI_SYSTEM ? -errno : -EHOSTUNREACH;
    int result = -EHOSTUNREACH;
    for (struct addrinfo *each = found; each != NULL; each = each->ai_next) {
        result = start_tcp(each->ai_addr, each->ai_addrlen, connecting);
        if (result >= 0) break;
    }
    freeaddrinfo(found);
    return result;
}

bool readerd_is_address(const char *host) {
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, NULL, &wanted, &found) != 0) return false;
    freeaddrinfo(found);
    return true;
}

int readerd_resolve(const char *host, char *text, size_t count, int *resolution) {
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    *resolution = getaddrinfo(host, NULL, &wanted, &found);
    if (*resolution != 0) return *resolution == EAI_SYSTEM ? -errno : -EHOSTUNREACH;
    int number = 0;
    for (struct addrinfo *each = found; each != NULL; each = each->ai_next) {
        if (getnameinfo(each->ai_addr, each->ai_addrlen, text, count, NULL, 0, NI_NUMERICHOST) != 0) break;
        size_t length = strlen(text) + 1;
        text += length;
        count -= length;
        number++;
    }
    freeaddrinfo(found);
    return number;
}

int readerd_look_up(const char *host, const char *port, readerd_address *addresses, size_t count, int *resolution) {
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    *resolution = getaddrinfo(host, port, &wanted, &found);
    if (*resolution != 0) return *resolution == EAI_SYSTEM ? -errno : -EHOSTUNREACH;
    size_t number = 0;
    for (struct addrinfo *each = found; each != NULL && number < count; each = each->ai_next) {
        if (each->ai_addrlen > sizeof addresses->octets) continue;
        memcpy(addresses[number].octets, each->ai_addr, each->ai_addrlen);
        addresses[number].count = each->ai_addrlen;
        number++;
    }
    freeaddrinfo(found);
    return (int)number;
}

int readerd_connect_address(const readerd_address *address, bool *connecting) {
    struct sockaddr_storage copy = {0};
    memcpy(&copy, address->octets, address->count);
    return start_tcp((const struct sockaddr *)&copy, (socklen_t)address->count, connecting);
}

int readerd_connect_result(int descriptor) {
    struct pollfd probe = {.fd = descriptor, .events = POLLOUT, .revents = 0};
    int ready;
    do ready = poll(&probe, 1, 0);
    while (ready < 0 && errno == EINTR);
    if (ready < 0) return -errno;
    if (ready == 0) return -EINPROGRESS;
    int error = 0;
    socklen_t count = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &count) < 0) return -errno;
    return -error;
}

int64_t readerd_send(int descriptor, const void *octets, size_t count) {
    ssize_t result;
    do result = send(descriptor, octets, count, MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}
