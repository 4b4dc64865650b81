// Non-blocking stream sockets.
#ifndef READERD_SOCKETS_H
#define READERD_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// `connecting` tells whether the descriptor has still to become writable before it can be used; then ask
// readerd_connect_result what became of it.

/// Starts to connect to a Unix stream socket: a path, or with `abstract` a name of the abstract namespace.
/// -ENAMETOOLONG beyond 107 octets. Returns a descriptor.
int readerd_connect_unix(const char *path, size_t count, bool abstract, bool *connecting);

/// Starts to connect to a TCP port with TCP_NODELAY. Of the addresses a name has, the first is taken that does not
/// refuse at once. Returns a descriptor, or the negated errno; `resolution` is then the getaddrinfo(3) code, 0 if the
/// name was resolved.
int readerd_connect_tcp(const char *host, const char *port, bool *connecting, int *resolution);

/// Whether `host` is an IPv4 or IPv6 address, for which no name service is asked.
bool readerd_is_address(const char *host);

/// Looks a host up, for as long as the name service takes: its addresses as text in the order to try them, a zero octet
/// behind each, as many as fit `text` of `count` octets. Returns how many there are, or the negated errno; `resolution`
/// is as above.
int readerd_resolve(const char *host, char *text, size_t count, int *resolution);

/// What became of a connection under way: 0 it stands, -EINPROGRESS not known yet, else why it failed.
int readerd_connect_result(int descriptor);

/// send(2) without SIGPIPE.
int64_t readerd_send(int descriptor, const void *octets, size_t count);

#endif
