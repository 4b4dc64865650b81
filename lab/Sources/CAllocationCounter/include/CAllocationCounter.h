// Counts the allocations of the process that preloads it (LD_PRELOAD). Nothing in it is called by name.
#ifndef READERD_ALLOCATION_COUNTER_H
#define READERD_ALLOCATION_COUNTER_H
#endif
