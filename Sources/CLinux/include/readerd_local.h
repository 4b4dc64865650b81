// SPDX-License-Identifier: Apache-2.0

// Local sockets: servers, credentials of peers, and datagrams.
#ifndef READERD_LOCAL_H
#define READERD_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Creates a non-blocking Unix stream socket at a path with these permission bits, and listens on it. It never has
/// more permissions. -EADDRINUSE if the path exists.
int readerd_listen_unix(const char *path, size_t count, unsigned int mode, int backlog);

/// Accepts the next connection, non-blocking; -EAGAIN if there is none.
int readerd_accept(int descriptor);

/// The credentials of the peer of a Unix stream socket at the time of its connect (SO_PEERCRED).
int readerd_peer(int descriptor, uint32_t *user, int32_t *process);

/// Creates a non-blocking Unix datagram socket connected to a path or, with `abstract`, to a name in the abstract
/// namespace.
int readerd_datagram_unix(const char *path, size_t count, bool abstract);

/// The same, bound to its own path with mode 0600, so that the peer can reply. An existing socket at `own` is
/// removed, as it belongs to an ended process. -EADDRINUSE if `own` is anything else.
int readerd_datagram_unix_named(const char *path, size_t count, const char *own, size_t own_count);

/// Locks a file exclusively until the process ends or closes the descriptor; a missing file is created. -EWOULDBLOCK
/// if another process holds it.
int readerd_claim_file(const char *path);

#endif
