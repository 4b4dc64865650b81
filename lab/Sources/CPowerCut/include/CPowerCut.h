// SPDX-License-Identifier: Apache-2.0

// Ends the process that preloads it (LD_PRELOAD) while it replaces a file. It declares no functions.
#ifndef READERD_POWER_CUT_H
#define READERD_POWER_CUT_H
#endif
