// SPDX-License-Identifier: Apache-2.0

// TLS 1.3 of OpenSSL for a client with a certificate, on a non-blocking socket. No type of the library appears here.
#ifndef READERD_TLS_H
#define READERD_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The identity of a client, and what it expects of a server. Any number of connections may use it while it lasts.
typedef struct readerd_tls readerd_tls;

/// One connection.
typedef struct readerd_tls_stream readerd_tls_stream;

typedef struct {
    /// The name in the server's certificate: a DNS name or an address.
    const char *name;
    // Paths of PEM files.
    const char *authorities;
    const char *certificate;
    const char *key_path;
    /// The key's PEM, which is not kept.
    const uint8_t *key;
    size_t key_count;
} readerd_tls_options;

/// Null on failure, with the problem in `problem`.
readerd_tls *readerd_tls_create(const readerd_tls_options *options, char *problem, size_t problem_size);
void readerd_tls_destroy(readerd_tls *tls);
/// The end of the own certificate in seconds since 1970.
int64_t readerd_tls_end(const readerd_tls *tls);

/// A connection on a connected, non-blocking socket, which stays the caller's; null without memory.
readerd_tls_stream *readerd_tls_open(readerd_tls *tls, int descriptor);
/// Sends close_notify if the connection stands, and frees it.
void readerd_tls_close(readerd_tls_stream *stream);

// The results of readerd_tls_read and readerd_tls_write besides a number of octets. Both shake hands first.
enum {
    /// The socket must become readable.
    READERD_TLS_WANTS_READ = -1,
    /// The socket must become writable.
    READERD_TLS_WANTS_WRITE = -2,
    /// The server has closed the connection.
    READERD_TLS_ENDED = -3,
    /// The connection has failed: readerd_tls_failure.
    READERD_TLS_FAILED = -4,
};

/// Reads at most `count` octets. A buffer of 16,384 octets takes all that was received.
int readerd_tls_read(readerd_tls_stream *stream, uint8_t *octets, size_t count);
/// Writes some of the octets; after READERD_TLS_WANTS_… the same ones have to be written again.
int readerd_tls_write(readerd_tls_stream *stream, const uint8_t *octets, size_t count);

enum {
    /// The failure is none of a certificate.
    READERD_TLS_NO_ALERT = 0,
    /// The server's certificate is for another name.
    READERD_TLS_OTHER_NAME = 1,
    /// The server's certificate has the name as its common name only, and not among its subject alternative names.
    READERD_TLS_COMMON_NAME = 2,
    /// The server's certificate is not valid yet, or no longer.
    READERD_TLS_OTHER_TIME = 3,
    /// The server's certificate is of no known authority, or otherwise refused.
    READERD_TLS_UNTRUSTED = 4,
    /// The server has refused the connection, or the own certificate.
    READERD_TLS_REFUSED = 5,
};

/// The reason of a connection that failed: one of READERD_TLS_….
int readerd_tls_failure(const readerd_tls_stream *stream);
/// OpenSSL's text for a server's certificate that was refused.
const char *readerd_tls_refusal(const readerd_tls_stream *stream);
/// True once the handshake has ended. A server that then refuses the certificate closes: its alert may be lost by that.
bool readerd_tls_is_secured(const readerd_tls_stream *stream);

#endif
