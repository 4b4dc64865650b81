// Serial lines at any rate.
#ifndef READERD_SERIAL_H
#define READERD_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

/// Opens a terminal device for reading and writing, non-blocking, never as the controlling terminal, and claims it
/// (TIOCEXCL). -ENOTTY if it is no terminal.
int readerd_serial_open(const char *path);

/// Makes the line raw, 8 data bits, no parity, 1 stop bit, at `baud` both ways, with RTS/CTS flow control or without,
/// and drops what was waiting on it.
int readerd_serial_configure(int descriptor, uint32_t baud, bool flow_control);

/// Tells what the driver made of it.
int readerd_serial_settings(int descriptor, uint32_t *baud, bool *flow_control, bool *raw);

#endif
