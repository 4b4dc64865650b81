// SPDX-License-Identifier: Apache-2.0

// Counts the allocations of the process that preloads it (LD_PRELOAD). It declares no functions.
#ifndef READERD_ALLOCATION_COUNTER_H
#define READERD_ALLOCATION_COUNTER_H
#endif
