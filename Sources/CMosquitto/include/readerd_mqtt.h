// SPDX-License-Identifier: Apache-2.0

#ifndef READERD_MQTT_H
#define READERD_MQTT_H

// An MQTT 5 connection of libmosquitto, used without its thread, with an own TLS context of OpenSSL: the library does
// not tell why a certificate was refused. No type of either library appears here. A connection is for one attempt:
// create, connect, serve, destroy.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct readerd_mqtt readerd_mqtt;

// A TLS 1.3 context of OpenSSL for one client: one connection at a time.
typedef struct readerd_tls readerd_tls;

typedef struct {
    const char *name;  // that the broker's certificate has to be for: a DNS name or an address
    // Paths of PEM files.
    const char *authorities;
    const char *certificate;
    // The key's PEM, which is not kept.
    const char *key_path;
    const uint8_t *key;
    size_t key_count;
} readerd_tls_options;

// Null on failure, with the problem in `problem`.
readerd_tls *readerd_tls_create(const readerd_tls_options *options, char *problem, size_t problem_size);
void readerd_tls_destroy(readerd_tls *tls);
// The end of the own certificate in seconds since 1970.
int64_t readerd_tls_end(const readerd_tls *tls);

// Called within the functions below. `reason` is a reason code of MQTT 5 (section 2.4).
typedef struct {
    void *context;
    void (*connected)(void *context, int reason);
    void (*subscribed)(void *context, int reason);
    void (*published)(void *context, int message, int reason);
    // Without correlation data: null and 0.
    void (*received)(void *context, const char *topic, const uint8_t *payload, size_t count, bool retained,
                     const uint8_t *correlation, size_t correlation_count);
    // The connection has ended: a code of libmosquitto, or from 128 on the broker's reason.
    void (*lost)(void *context, int reason);
} readerd_mqtt_handlers;

typedef struct {
    const char *identity;    // the client identifier
    readerd_tls *tls;        // which outlives the connection; null for one in the clear
    const char *will_topic;  // null for none; retained
    const char *will;
    uint32_t will_delay;     // seconds
    int keepalive;           // seconds, at least 5
} readerd_mqtt_options;

enum {
    // The attempt has not failed by a certificate.
    READERD_MQTT_NO_ALERT = 0,
    // The broker's certificate is for another name.
    READERD_MQTT_OTHER_NAME = 1,
    // The broker's certificate is not valid yet, or no longer.
    READERD_MQTT_OTHER_TIME = 2,
    // The broker's certificate is of no known authority, or otherwise refused.
    READERD_MQTT_UNTRUSTED = 3,
    // The broker has refused the TLS connection, or the own certificate.
    READERD_MQTT_REFUSED = 4,
};

// The limits told in CONNECT: no more than 20 messages at once, of 64 KB (3.1.2.11.3, 3.1.2.11.4).
enum { READERD_MQTT_RECEIVE_MAXIMUM = 20, READERD_MQTT_PACKET_MAXIMUM = 65536 };

// Null on failure, with the problem in `problem`.
readerd_mqtt *readerd_mqtt_create(const readerd_mqtt_options *options, const readerd_mqtt_handlers *handlers,
                                  char *problem, size_t problem_size);
void readerd_mqtt_destroy(readerd_mqtt *mqtt);

// Looks the host up, which may block, and begins to connect. 0, or a code of libmosquitto.
int readerd_mqtt_connect(readerd_mqtt *mqtt, const char *host, uint16_t port);
// True if the code of readerd_mqtt_connect says that the host has no address.
bool readerd_mqtt_is_unresolved(int code);
// The descriptor; -1 if there is none any more. To be asked again after each call.
int readerd_mqtt_descriptor(const readerd_mqtt *mqtt);
// True if the descriptor is to be watched for writing. To be asked again after each call.
bool readerd_mqtt_wants_write(readerd_mqtt *mqtt);

// 0, or a code of libmosquitto after which the connection has ended.
int readerd_mqtt_read(readerd_mqtt *mqtt);
int readerd_mqtt_write(readerd_mqtt *mqtt);
// To be called each second.
int readerd_mqtt_tick(readerd_mqtt *mqtt);

// With QoS 1, and correlation data unless its count is 0. The number of the message, or a negative code of libmosquitto.
int readerd_mqtt_publish(readerd_mqtt *mqtt, const char *topic, const uint8_t *payload, size_t count, bool retained,
                         const uint8_t *correlation, size_t correlation_count);
// With QoS 1. 0, or a code of libmosquitto.
int readerd_mqtt_subscribe(readerd_mqtt *mqtt, const char *topic);
// Ends the connection in order; the broker publishes the will (MQTT 5, 3.14.2.1).
void readerd_mqtt_disconnect(readerd_mqtt *mqtt);

// The reason of a TLS connection that failed: one of READERD_MQTT_….
int readerd_mqtt_alert(const readerd_mqtt *mqtt);
// True if the TLS handshake has ended. A broker that refuses the certificate then closes: its alert may be lost by that.
bool readerd_mqtt_is_secured(const readerd_mqtt *mqtt);
// The text of a code of libmosquitto, or of a reason from 128 on.
const char *readerd_mqtt_text(int code);
// True for the code of a peer that is silent beyond the keepalive.
bool readerd_mqtt_is_silent(int code);
// True for the code of a peer whose packets are none of MQTT 5.
bool readerd_mqtt_is_malformed(int code);

#endif
