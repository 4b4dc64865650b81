// SPDX-License-Identifier: Apache-2.0

#include "readerd_mqtt.h"

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tls.h"

struct readerd_mqtt {
    struct mosquitto *client;
    readerd_tls *tls;
    int keepalive;
    readerd_mqtt_handlers handlers;
};

static void start_library(void) { mosquitto_lib_init(); }

static pthread_once_t library = PTHREAD_ONCE_INIT;

static void connected(struct mosquitto *client, void *object, int reason, int flags, const mosquitto_property *all) {
    (void)client, (void)flags, (void)all;
    readerd_mqtt *mqtt = object;
    mqtt->handlers.connected(mqtt->handlers.context, reason);
}

static void subscribed(struct mosquitto *client, void *object, int message, int count, const int *reasons,
                       const mosquitto_property *all) {
    (void)client, (void)message, (void)all;
    readerd_mqtt *mqtt = object;
    for (int index = 0; index < count; index++) mqtt->handlers.subscribed(mqtt->handlers.context, reasons[index]);
}

static void published(struct mosquitto *client, void *object, int message, int reason, const mosquitto_property *all) {
    (void)client, (void)all;
    readerd_mqtt *mqtt = object;
    mqtt->handlers.published(mqtt->handlers.context, message, reason);
}

static void received(struct mosquitto *client, void *object, const struct mosquitto_message *message,
                     const mosquitto_property *all) {
    (void)client;
    readerd_mqtt *mqtt = object;
    void *correlation = NULL;
    uint16_t count = 0;
    mosquitto_property_read_binary(all, MQTT_PROP_CORRELATION_DATA, &correlation, &count, false);
    mqtt->handlers.received(mqtt->handlers.context, message->topic, message->payload, (size_t)message->payloadlen,
                            message->retain, correlation, count);
    free(correlation);
}

static void disconnected(struct mosquitto *client, void *object, int reason, const mosquitto_property *all) {
    (void)client, (void)all;
    readerd_mqtt *mqtt = object;
    mqtt->handlers.lost(mqtt->handlers.context, reason);
}

// mosquitto_connect_bind_v5 without a host only keeps the properties; nothing asynchronous takes them.
static bool keep_properties(struct mosquitto *client, int keepalive) {
    mosquitto_property *properties = NULL;
    bool done = mosquitto_property_add_int32(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, 0) == 0 &&
                mosquitto_property_add_int16(&properties, MQTT_PROP_RECEIVE_MAXIMUM, READERD_MQTT_RECEIVE_MAXIMUM) == 0 &&
                mosquitto_property_add_int32(&properties, MQTT_PROP_MAXIMUM_PACKET_SIZE, READERD_MQTT_PACKET_MAXIMUM) == 0;
    if (done) mosquitto_connect_bind_v5(client, NULL, 0, keepalive, NULL, properties);
    mosquitto_property_free_all(&properties);
    return done;
}

static bool set_will(struct mosquitto *client, const readerd_mqtt_options *options) {
    if (options->will_topic == NULL) return true;
    mosquitto_property *properties = NULL;
    if (mosquitto_property_add_int32(&properties, MQTT_PROP_WILL_DELAY_INTERVAL, options->will_delay) != 0) return false;
    // The library owns the properties of a will that it accepts.
    int code = mosquitto_will_set_v5(client, options->will_topic, (int)strlen(options->will), options->will, 1, true,
                                     properties);
    if (code != 0) mosquitto_property_free_all(&properties);
    return code == 0;
}

// The context as it is, without the library's defaults.
static bool set_tls(struct mosquitto *client, const readerd_tls *tls) {
    return mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, readerd_tls_context(tls)) == 0 &&
           mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0) == 0;
}

static bool configure(readerd_mqtt *mqtt, const readerd_mqtt_options *options) {
    struct mosquitto *client = mqtt->client;
    mosquitto_connect_v5_callback_set(client, connected);
    mosquitto_subscribe_v5_callback_set(client, subscribed);
    mosquitto_publish_v5_callback_set(client, published);
    mosquitto_message_v5_callback_set(client, received);
    mosquitto_disconnect_v5_callback_set(client, disconnected);
    return mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5) == 0 &&
           mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1) == 0 &&
           (mqtt->tls == NULL || set_tls(client, mqtt->tls)) &&
           set_will(client, options) && keep_properties(client, options->keepalive);
}

readerd_mqtt *readerd_mqtt_create(const readerd_mqtt_options *options, const readerd_mqtt_handlers *handlers,
                                  char *problem, size_t problem_size) {
    pthread_once(&library, start_library);
    readerd_mqtt *mqtt = calloc(1, sizeof *mqtt);
    if (mqtt == NULL) {
        snprintf(problem, problem_size, "out of memory");
        return NULL;
    }
    mqtt->handlers = *handlers;
    mqtt->keepalive = options->keepalive;
    mqtt->tls = options->tls;
    if (mqtt->tls != NULL) readerd_tls_begin(mqtt->tls);
    mqtt->client = mosquitto_new(options->identity, true, mqtt);
    if (mqtt->client == NULL || !configure(mqtt, options)) {
        snprintf(problem, problem_size, "libmosquitto refuses the client: out of memory, or an invalid option");
        readerd_mqtt_destroy(mqtt);
        return NULL;
    }
    return mqtt;
}

void readerd_mqtt_destroy(readerd_mqtt *mqtt) {
    if (mqtt->client != NULL) mosquitto_destroy(mqtt->client);
    free(mqtt);
}

int readerd_mqtt_connect(readerd_mqtt *mqtt, const char *host, uint16_t port) {
    return mosquitto_connect_async(mqtt->client, host, port, mqtt->keepalive);
}

bool readerd_mqtt_is_unresolved(int code) { return code == MOSQ_ERR_EAI || code == MOSQ_ERR_LOOKUP; }

int readerd_mqtt_descriptor(const readerd_mqtt *mqtt) { return mosquitto_socket(mqtt->client); }

bool readerd_mqtt_wants_write(readerd_mqtt *mqtt) { return mosquitto_want_write(mqtt->client); }

int readerd_mqtt_read(readerd_mqtt *mqtt) { return mosquitto_loop_read(mqtt->client, 1); }

int readerd_mqtt_write(readerd_mqtt *mqtt) { return mosquitto_loop_write(mqtt->client, 1); }

int readerd_mqtt_tick(readerd_mqtt *mqtt) { return mosquitto_loop_misc(mqtt->client); }

int readerd_mqtt_publish(readerd_mqtt *mqtt, const char *topic, const uint8_t *payload, size_t count, bool retained,
                         const uint8_t *correlation, size_t correlation_count) {
    mosquitto_property *properties = NULL;
    if (correlation_count > 0 &&
        mosquitto_property_add_binary(&properties, MQTT_PROP_CORRELATION_DATA, correlation,
                                      (uint16_t)correlation_count) != 0) {
        return -MOSQ_ERR_NOMEM;
    }
    int message = 0;
    int code = mosquitto_publish_v5(mqtt->client, &message, topic, (int)count, payload, 1, retained, properties);
    mosquitto_property_free_all(&properties);
    return code == 0 ? message : -code;
}

int readerd_mqtt_subscribe(readerd_mqtt *mqtt, const char *topic) {
    return mosquitto_subscribe_v5(mqtt->client, NULL, topic, 1, 0, NULL);
}

void readerd_mqtt_disconnect(readerd_mqtt *mqtt) {
    mosquitto_disconnect_v5(mqtt->client, MQTT_RC_DISCONNECT_WITH_WILL_MSG, NULL);
}

int readerd_mqtt_alert(const readerd_mqtt *mqtt) { return mqtt->tls == NULL ? 0 : readerd_tls_alert(mqtt->tls); }

bool readerd_mqtt_is_secured(const readerd_mqtt *mqtt) { return mqtt->tls != NULL && readerd_tls_is_secured(mqtt->tls); }

const char *readerd_mqtt_text(int code) {
    return code >= 0x80 ? mosquitto_reason_string(code) : mosquitto_strerror(code);
}

bool readerd_mqtt_is_silent(int code) { return code == MOSQ_ERR_KEEPALIVE; }

bool readerd_mqtt_is_malformed(int code) {
    return code == MOSQ_ERR_PROTOCOL || code == MOSQ_ERR_MALFORMED_PACKET || code == MOSQ_ERR_DUPLICATE_PROPERTY;
}
