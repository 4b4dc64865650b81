// SPDX-License-Identifier: Apache-2.0

// Linux calls that Swift's Glibc module lacks or cannot express.
//
// Every function returns a non-negative value, or the negated errno. None is interrupted by signals.
#ifndef READERD_CLINUX_H
#define READERD_CLINUX_H

#include "readerd_clock.h"
#include "readerd_datagrams.h"
#include "readerd_descriptors.h"
#include "readerd_events.h"
#include "readerd_local.h"
#include "readerd_memory.h"
#include "readerd_passing.h"
#include "readerd_privileges.h"
#include "readerd_programs.h"
#include "readerd_serial.h"
#include "readerd_signals.h"
#include "readerd_sockets.h"

#endif
