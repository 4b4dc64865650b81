// SPDX-License-Identifier: Apache-2.0

// Ends the process that preloads it (LD_PRELOAD) while it replaces a file, or has its disk fail. It declares no functions.
#ifndef READERD_POWER_CUT_H
#define READERD_POWER_CUT_H
#endif
