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

/// Changes the speed in both directions at once: octets that wait in the driver leave at the new one.
int readerd_serial_speed(int descriptor, uint32_t baud);

/// Has the driver turn an RS-485 line: RTS is set while it sends (TIOCSRS485).
int readerd_serial_turn(int descriptor);

/// The effective settings of the driver.
int readerd_serial_settings(int descriptor, uint32_t *baud, bool *flow_control, bool *raw);

#endif
