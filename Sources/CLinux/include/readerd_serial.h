// SPDX-License-Identifier: Apache-2.0

// Serial lines with arbitrary rates.
#ifndef READERD_SERIAL_H
#define READERD_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

/// Opens a terminal device for reading and writing, non-blocking, never as the controlling terminal, and locks it
/// (TIOCEXCL). -ENOTTY for any other device.
int readerd_serial_open(const char *path);

/// Sets the line to raw mode, 8 data bits, no parity, 1 stop bit, at `baud` in both directions, with or without
/// RTS/CTS flow control, and discards queued data.
int readerd_serial_configure(int descriptor, uint32_t baud, bool flow_control);

/// The effective settings of the driver.
int readerd_serial_settings(int descriptor, uint32_t *baud, bool *flow_control, bool *raw);

#endif
