// SPDX-License-Identifier: Apache-2.0

// Non-blocking stream sockets.
#ifndef READERD_SOCKETS_H
#define READERD_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// `connecting` is set if the descriptor must become writable before use; readerd_connect_result then returns the
// result.

/// Starts connecting to a Unix stream socket: a path, or with `abstract` a name in the abstract namespace.
/// -ENAMETOOLONG above 107 octets. Returns a descriptor.
int readerd_connect_unix(const char *path, size_t count, bool abstract, bool *connecting);

/// Starts connecting to a TCP port with TCP_NODELAY. Of the addresses of a name, the first is used that does not fail
/// immediately. Returns a descriptor, or the negated errno; `resolution` is then the getaddrinfo(3) code, 0 if the
/// name was resolved.
int readerd_connect_tcp(const char *host, const char *port, bool *connecting, int *resolution);

/// True if `host` is an IPv4 or IPv6 address, which needs no name resolution.
bool readerd_is_address(const char *host);

/// Resolves a host, which blocks as long as the name service takes: its addresses as text in order of preference,
/// each followed by a zero octet, as many as fit `text` of `count` octets. Returns their number, or the negated
/// errno; `resolution` is as above.
int readerd_resolve(const char *host, char *text, size_t count, int *resolution);

/// The address of a TCP port, IPv4 or IPv6.
typedef struct {
    uint8_t octets[28];
    uint32_t count;
} readerd_address;

/// Resolves a host, which blocks as long as the name service takes: at most `count` addresses in order of preference.
/// Returns their number, or the negated errno; `resolution` is as above.
int readerd_look_up(const char *host, const char *port, readerd_address *addresses, size_t count, int *resolution);

/// Starts connecting to an address with TCP_NODELAY, without a look-up. Returns a descriptor.
int readerd_connect_address(const readerd_address *address, bool *connecting);

/// The result of a pending connection: 0 if established, -EINPROGRESS if still unknown, otherwise the reason of the
/// failure.
int readerd_connect_result(int descriptor);

/// send(2) without SIGPIPE.
int64_t readerd_send(int descriptor, const void *octets, size_t count);

#endif
