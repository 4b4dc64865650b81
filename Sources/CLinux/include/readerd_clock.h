// The system's clock.
#ifndef READERD_CLOCK_H
#define READERD_CLOCK_H

#include <stdbool.h>
#include <sys/timex.h>

/// Whether something keeps CLOCK_REALTIME in step with a reference (adjtimex(2), TIME_ERROR). Needs no privilege.
static inline bool readerd_clock_is_synchronised(void) {
    struct timex request = {.modes = 0};
    int state = adjtimex(&request);
    return state >= 0 && state != TIME_ERROR;
}

#endif
