// SPDX-License-Identifier: Apache-2.0

#ifndef READERD_MQTT_TLS_H
#define READERD_MQTT_TLS_H

#include "readerd_mqtt.h"

// A TLS 1.3 context of OpenSSL for one client, which keeps the reason of a failure.
typedef struct readerd_tls readerd_tls;

// Null on failure, with the problem in `problem`.
readerd_tls *readerd_tls_create(const readerd_mqtt_options *options, char *problem, size_t problem_size);
void readerd_tls_destroy(readerd_tls *tls);
// The SSL_CTX, owned by `tls`.
void *readerd_tls_context(const readerd_tls *tls);
int readerd_tls_alert(const readerd_tls *tls);
bool readerd_tls_is_secured(const readerd_tls *tls);

#endif
