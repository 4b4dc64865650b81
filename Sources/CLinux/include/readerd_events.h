// SPDX-License-Identifier: Apache-2.0

// epoll, eventfd, timerfd.
#ifndef READERD_EVENTS_H
#define READERD_EVENTS_H

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/// An event of epoll: flags, and the registered token.
typedef struct epoll_event readerd_event;

static const uint32_t readerd_event_in = EPOLLIN;
static const uint32_t readerd_event_out = EPOLLOUT;
static const uint32_t readerd_event_error = EPOLLERR;
static const uint32_t readerd_event_hangup = EPOLLHUP;
static const uint32_t readerd_event_read_hangup = EPOLLRDHUP;
static const uint32_t readerd_event_edge = EPOLLET;

static const int readerd_epoll_add = EPOLL_CTL_ADD;
static const int readerd_epoll_change = EPOLL_CTL_MOD;
static const int readerd_epoll_remove = EPOLL_CTL_DEL;

/// The token of an event. The structure is packed: its members must not be pointed to.
static inline uint64_t readerd_event_token(const readerd_event *event) {
    return event->data.u64;
}

/// The flags of an event.
static inline uint32_t readerd_event_flags(const readerd_event *event) {
    return event->events;
}

/// epoll_create1(2).
static inline int readerd_epoll_create(void) {
    int result = epoll_create1(EPOLL_CLOEXEC);
    return result < 0 ? -errno : result;
}

/// epoll_ctl(2).
static inline int readerd_epoll_control(int epoll, int operation, int descriptor, uint32_t flags, uint64_t token) {
    struct epoll_event event = {.events = flags, .data = {.u64 = token}};
    return epoll_ctl(epoll, operation, descriptor, &event) < 0 ? -errno : 0;
}

/// epoll_wait(2); 0 events if interrupted by a signal.
static inline int readerd_epoll_wait(int epoll, readerd_event *events, int count, int milliseconds) {
    int result = epoll_wait(epoll, events, count, milliseconds);
    if (result >= 0) return result;
    return errno == EINTR ? 0 : -errno;
}

/// eventfd(2), non-blocking.
static inline int readerd_eventfd_create(void) {
    int result = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return result < 0 ? -errno : result;
}

/// Adds one to an eventfd's count.
static inline int readerd_eventfd_signal(int descriptor) {
    uint64_t one = 1;
    ssize_t result;
    do result = write(descriptor, &one, sizeof one);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

/// timerfd_create(2) on CLOCK_MONOTONIC, non-blocking.
static inline int readerd_timerfd_create(void) {
    int result = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return result < 0 ? -errno : result;
}

/// Arms a timerfd for a single expiry at an absolute time (immediately if it has passed); 0 or less disarms it. A
/// pending expiry is discarded.
static inline int readerd_timerfd_set(int descriptor, int64_t nanoseconds) {
    struct itimerspec setting = {{0, 0}, {0, 0}};
    if (nanoseconds > 0) {
        setting.it_value.tv_sec = nanoseconds / 1000000000;
        setting.it_value.tv_nsec = nanoseconds % 1000000000;
    }
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &setting, NULL) < 0 ? -errno : 0;
}

#endif
