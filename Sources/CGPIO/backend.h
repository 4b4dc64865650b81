// SPDX-License-Identifier: Apache-2.0

#ifndef READERD_GPIO_BACKEND_H
#define READERD_GPIO_BACKEND_H

#include "CGPIO.h"

#include <gpiod.h>

// libgpiod 1.x has line bulks of fixed size and this macro for it; 2.x has neither, nor a version macro.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define READERD_GPIO_API 1
#else
#define READERD_GPIO_API 2
#endif

// The consumer name of requested lines, as shown by gpioinfo.
#define READERD_GPIO_CONSUMER "readerd"

// Counts the lines of a chip with this name, and returns the offset of the first. 0, or the errno if the chip could
// not be read.
int readerd_gpio_backend_search(const char *path, const char *name, uint32_t *offset, size_t *found);

#endif
