// SPDX-License-Identifier: Apache-2.0

// Reading and writing of descriptors, and the monotonic clock.
#ifndef READERD_DESCRIPTORS_H
#define READERD_DESCRIPTORS_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/// CLOCK_MONOTONIC in nanoseconds.
static inline int64_t readerd_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// An identifier of the calling thread; never 0.
static inline uintptr_t readerd_thread(void) {
    return (uintptr_t)pthread_self();
}

/// read(2).
static inline int64_t readerd_read(int descriptor, void *octets, size_t count) {
    ssize_t result;
    do result = read(descriptor, octets, count);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

/// write(2).
static inline int64_t readerd_write(int descriptor, const void *octets, size_t count) {
    ssize_t result;
    do result = write(descriptor, octets, count);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

/// The errno of a non-blocking read without data.
static const int readerd_error_again = EAGAIN;

/// unlink(2); a missing file is no error.
static inline void readerd_unlink(const char *path) {
    unlink(path);
}

/// close(2). Linux closes the descriptor regardless of the result, so nothing is returned.
static inline void readerd_close(int descriptor) {
    close(descriptor);
}

/// The number of octets available to read; negative for a descriptor that cannot tell.
static inline int readerd_octets_waiting(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) < 0 ? -errno : count;
}

/// True if the descriptor has an error or hang-up condition, or is not open.
static inline bool readerd_has_ended(int descriptor) {
    struct pollfd probe = {.fd = descriptor, .events = 0, .revents = 0};
    return poll(&probe, 1, 0) > 0;
}

#endif
