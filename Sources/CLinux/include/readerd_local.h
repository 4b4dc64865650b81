// Sockets of this machine: to be called on, to know who calls, and to tell the service manager.
#ifndef READERD_LOCAL_H
#define READERD_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Makes a Unix stream socket at a path with these permission bits and listens on it, non-blocking. At no moment does
/// it have more bits. -EADDRINUSE if there is anything at the path already.
int readerd_listen_unix(const char *path, size_t count, unsigned int mode, int backlog);

/// The next caller, non-blocking; -EAGAIN if there is none.
int readerd_accept(int descriptor);

/// Who is at the other end of a Unix stream socket, as the kernel saw them connect (SO_PEERCRED).
int readerd_peer(int descriptor, uint32_t *user, int32_t *process);

/// A Unix datagram socket, non-blocking, that is connected to a path or, with `abstract`, to a name of the abstract
/// namespace.
int readerd_datagram_unix(const char *path, size_t count, bool abstract);

/// Takes a file for this process alone until it ends or closes the descriptor; the file is made if it is missing.
/// -EWOULDBLOCK if another process has it.
int readerd_claim_file(const char *path);

#endif
