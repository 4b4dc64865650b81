// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "readerd_local.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int close_with(int descriptor, int error) {
    close(descriptor);
    return -error;
}

static int unix_socket(int type) {
    int descriptor = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return descriptor < 0 ? -errno : descriptor;
}

static int unix_address(struct sockaddr_un *address, const char *path, size_t count, bool abstract, socklen_t *length) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (count == 0 || count > sizeof address->sun_path - 1) return -ENAMETOOLONG;
    // An abstract name begins with a zero octet, and is delimited by its length only.
    memcpy(address->sun_path + (abstract ? 1 : 0), path, count);
    *length = offsetof(struct sockaddr_un, sun_path) + count + 1;
    return 0;
}

int readerd_listen_unix(const char *path, size_t count, unsigned int mode, int backlog) {
    struct sockaddr_un address;
    socklen_t length;
    int result = unix_address(&address, path, count, false, &length);
    if (result < 0) return result;
    int descriptor = unix_socket(SOCK_STREAM);
    if (descriptor < 0) return descriptor;
    // Linux creates the file with the socket's permission bits less the umask; chmod adds the rest later.
    if (fchmod(descriptor, mode) < 0) return close_with(descriptor, errno);
    if (bind(descriptor, (const struct sockaddr *)&address, length) < 0) return close_with(descriptor, errno);
    if (chmod(address.sun_path, mode) < 0 || listen(descriptor, backlog) < 0) {
        int error = errno;
        unlink(address.sun_path);
        return close_with(descriptor, error);
    }
    return descriptor;
}

int readerd_accept(int descriptor) {
    int result;
    do result = accept4(descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    while (result < 0 && (errno == EINTR || errno == ECONNABORTED));
    return result < 0 ? -errno : result;
}

int readerd_peer(int descriptor, uint32_t *user, int32_t *process) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -errno;
    *user = credentials.uid;
    *process = credentials.pid;
    return 0;
}

int readerd_datagram_unix(const char *path, size_t count, bool abstract) {
    struct sockaddr_un address;
    socklen_t length;
    int result = unix_address(&address, path, count, abstract, &length);
    if (result < 0) return result;
    int descriptor = unix_socket(SOCK_DGRAM);
    if (descriptor < 0) return descriptor;
    if (connect(descriptor, (const struct sockaddr *)&address, length) < 0) return close_with(descriptor, errno);
    return descriptor;
}

int readerd_datagram_unix_named(const char *path, size_t count, const char *own, size_t own_count) {
    struct sockaddr_un address, own_address;
    socklen_t length, own_length;
    struct stat found;
    int result = unix_address(&address, path, count, false, &length);
    if (result < 0) return result;
    result = unix_address(&own_address, own, own_count, false, &own_length);
    if (result < 0) return result;
    int descriptor = unix_socket(SOCK_DGRAM);
    if (descriptor < 0) return descriptor;
    if (lstat(own_address.sun_path, &found) == 0 && S_ISSOCK(found.st_mode)) unlink(own_address.sun_path);
    // Linux creates the file with the socket's permission bits less the umask.
    if (fchmod(descriptor, 0600) < 0) return close_with(descriptor, errno);
    if (bind(descriptor, (const struct sockaddr *)&own_address, own_length) < 0) return close_with(descriptor, errno);
    if (connect(descriptor, (const struct sockaddr *)&address, length) < 0) {
        int error = errno;
        unlink(own_address.sun_path);
        return close_with(descriptor, error);
    }
    return descriptor;
}

int readerd_claim_file(const char *path) {
    int descriptor;
    do descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return -errno;
    if (flock(descriptor, LOCK_EX | LOCK_NB) < 0) return close_with(descriptor, errno);
    return descriptor;
}
