// Stands for a GPIO line of the process it is loaded into (LD_PRELOAD). Nothing of it is called by name.
#ifndef READERD_LINE_CLOCK_H
#define READERD_LINE_CLOCK_H
#endif
