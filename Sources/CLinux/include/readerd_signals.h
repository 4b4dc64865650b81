// SPDX-License-Identifier: Apache-2.0

// Signals as events.
#ifndef READERD_SIGNALS_H
#define READERD_SIGNALS_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static inline int readerd_signal_set(sigset_t *set, const int *signals, size_t count) {
    sigemptyset(set);
    for (size_t index = 0; index < count; index++) {
        if (sigaddset(set, signals[index]) < 0) return -errno;
    }
    return 0;
}

/// Blocks the signals in the calling thread and in all threads that it creates afterwards.
static inline int readerd_signals_block(const int *signals, size_t count) {
    sigset_t set;
    int result = readerd_signal_set(&set, signals, count);
    return result < 0 ? result : -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/// signalfd(2), non-blocking.
static inline int readerd_signalfd_create(const int *signals, size_t count) {
    sigset_t set;
    int result = readerd_signal_set(&set, signals, count);
    if (result < 0) return result;
    result = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return result < 0 ? -errno : result;
}

/// The number of the next pending signal; -EAGAIN if there is none.
static inline int readerd_signalfd_next(int descriptor) {
    struct signalfd_siginfo information;
    ssize_t result;
    do result = read(descriptor, &information, sizeof information);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    return result == sizeof information ? (int)information.ssi_signo : -EIO;
}

#endif
