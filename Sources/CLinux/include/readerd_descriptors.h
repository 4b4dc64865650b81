// Reading and writing descriptors, and the clock.
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

/// Identifies the calling thread; never 0.
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

/// close(2). Linux has closed the descriptor whatever it answers, so nothing is returned.
static inline void readerd_close(int descriptor) {
    close(descriptor);
}

/// How many octets a read would return now; negative for a descriptor that cannot tell.
static inline int readerd_octets_waiting(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) < 0 ? -errno : count;
}

/// Whether the descriptor is in an error or hang-up condition now, or is not open.
static inline bool readerd_has_ended(int descriptor) {
    struct pollfd probe = {.fd = descriptor, .events = 0, .revents = 0};
    return poll(&probe, 1, 0) > 0;
}

#endif
