// Replaces a GPIO line of the process that preloads it (LD_PRELOAD). Nothing in it is called by name.
#ifndef READERD_LINE_CLOCK_H
#define READERD_LINE_CLOCK_H
#endif
