// SPDX-License-Identifier: Apache-2.0

// Descriptors that pass from one process to another by a Unix socket (unix(7), SCM_RIGHTS).
#ifndef READERD_PASSING_H
#define READERD_PASSING_H

#include <stddef.h>
#include <stdint.h>

/// Sends octets, at least one, with a descriptor, or without if it is negative. Returns the number sent.
int64_t readerd_send_passing(int socket, const void *octets, size_t count, int descriptor);

/// Receives octets, and the descriptor that came with them, closed by exec(2), or -1. Others are closed.
int64_t readerd_receive_passed(int socket, void *octets, size_t count, int *descriptor);

/// Sets the time after which a read of a blocking socket fails with -EAGAIN.
int readerd_limit_receiving(int socket, unsigned int seconds);

#endif
