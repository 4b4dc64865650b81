// SPDX-License-Identifier: Apache-2.0

// Replaces the GPIO lines of the process that preloads it (LD_PRELOAD). It declares no functions.
#ifndef READERD_LINE_CLOCK_H
#define READERD_LINE_CLOCK_H
#endif
