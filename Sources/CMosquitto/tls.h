// SPDX-License-Identifier: Apache-2.0

#ifndef READERD_MQTT_TLS_H
#define READERD_MQTT_TLS_H

#include "readerd_mqtt.h"

// Begins another connection: the reason of a failure is its own.
void readerd_tls_begin(readerd_tls *tls);
// The SSL_CTX, owned by `tls`.
void *readerd_tls_context(const readerd_tls *tls);
int readerd_tls_alert(const readerd_tls *tls);
bool readerd_tls_is_secured(const readerd_tls *tls);

#endif
