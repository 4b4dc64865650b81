// Linux calls that Swift's Glibc module lacks, or cannot say.
//
// Every function returns a value that is not negative, or the negated errno. None is cut short by a signal.
#ifndef READERD_CLINUX_H
#define READERD_CLINUX_H

#include "readerd_clock.h"
#include "readerd_descriptors.h"
#include "readerd_events.h"
#include "readerd_local.h"
#include "readerd_memory.h"
#include "readerd_privileges.h"
#include "readerd_programs.h"
#include "readerd_serial.h"
#include "readerd_signals.h"
#include "readerd_sockets.h"

#endif
