// Counts the allocations of the process it is loaded into (LD_PRELOAD). Nothing of it is called by name.
#ifndef READERD_ALLOCATION_COUNTER_H
#define READERD_ALLOCATION_COUNTER_H
#endif
