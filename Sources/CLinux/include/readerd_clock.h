// SPDX-License-Identifier: Apache-2.0

// The system's clock.
#ifndef READERD_CLOCK_H
#define READERD_CLOCK_H

#include <stdbool.h>
#include <sys/timex.h>

/// True if CLOCK_REALTIME is synchronised with a reference (adjtimex(2), TIME_ERROR). Requires no privilege.
static inline bool readerd_clock_is_synchronised(void) {
    struct timex request = {.modes = 0};
    int state = adjtimex(&request);
    return state >= 0 && state != TIME_ERROR;
}

#endif
