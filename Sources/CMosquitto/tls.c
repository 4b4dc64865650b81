// SPDX-License-Identifier: Apache-2.0

#include "tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct readerd_tls {
    SSL_CTX *context;
    int alert;
    bool is_secured;
};

static int reason(long result) {
    switch (result) {
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return READERD_MQTT_OTHER_NAME;
        case X509_V_ERR_CERT_NOT_YET_VALID:
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return READERD_MQTT_OTHER_TIME;
        default:
            return READERD_MQTT_UNTRUSTED;
    }
}

// An alert that is sent tells why this side refuses; one that is read, that the broker does.
static void note_alert(const SSL *ssl, int where, int alert) {
    if ((where & SSL_CB_HANDSHAKE_DONE) != 0) {
        ((readerd_tls *)SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)))->is_secured = true;
    }
    if ((where & SSL_CB_ALERT) == 0 || (alert & 0xFF) == SSL_AD_CLOSE_NOTIFY) return;
    readerd_tls *tls = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    if (tls->alert != READERD_MQTT_NO_ALERT) return;
    long result = SSL_get_verify_result(ssl);
    tls->alert = (where & SSL_CB_WRITE) != 0 && result != X509_V_OK ? reason(result) : READERD_MQTT_REFUSED;
}

// A key with a passphrase is refused: nobody is there to be asked.
static int no_passphrase(char *buffer, int size, int writes, void *context) {
    (void)buffer, (void)size, (void)writes, (void)context;
    return -1;
}

static bool expect_name(SSL_CTX *context, const char *name) {
    X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context);
    unsigned char address[sizeof(struct in6_addr)];
    if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1) {
        return X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1;
    }
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1;
}

// A key that is not the certificate's is refused.
static bool use_key(SSL_CTX *context, const readerd_tls_options *options) {
    BIO *octets = BIO_new_mem_buf(options->key, (int)options->key_count);
    EVP_PKEY *key = octets == NULL ? NULL : PEM_read_bio_PrivateKey(octets, NULL, no_passphrase, NULL);
    bool done = key != NULL && SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
    EVP_PKEY_free(key);
    BIO_free(octets);
    return done;
}

// Null, or the file that cannot be used.
static const char *load(SSL_CTX *context, const readerd_tls_options *options) {
    if (SSL_CTX_load_verify_locations(context, options->authorities, NULL) != 1) return options->authorities;
    if (SSL_CTX_use_certificate_chain_file(context, options->certificate) != 1) return options->certificate;
    return use_key(context, options) ? NULL : options->key_path;
}

readerd_tls *readerd_tls_create(const readerd_tls_options *options, char *problem, size_t problem_size) {
    readerd_tls *tls = calloc(1, sizeof *tls);
    if (tls != NULL) tls->context = SSL_CTX_new(TLS_client_method());
    if (tls == NULL || tls->context == NULL || SSL_CTX_set_min_proto_version(tls->context, TLS1_3_VERSION) != 1 ||
        !expect_name(tls->context, options->name)) {
        snprintf(problem, problem_size, "OpenSSL offers no TLS 1.3");
        if (tls != NULL) readerd_tls_destroy(tls);
        return NULL;
    }
    SSL_CTX_set_app_data(tls->context, tls);
    SSL_CTX_set_info_callback(tls->context, note_alert);
    SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
    // What libmosquitto sets for a context of its own.
    SSL_CTX_set_mode(tls->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS);
    ERR_clear_error();
    const char *file = load(tls->context, options);
    if (file != NULL) {
        const char *why = ERR_reason_error_string(ERR_peek_last_error());
        snprintf(problem, problem_size, "%s: %s", file, why == NULL ? "cannot be used" : why);
        ERR_clear_error();
        readerd_tls_destroy(tls);
        return NULL;
    }
    return tls;
}

void readerd_tls_destroy(readerd_tls *tls) {
    SSL_CTX_free(tls->context);
    free(tls);
}

int64_t readerd_tls_end(const readerd_tls *tls) {
    struct tm time = {0};
    const X509 *own = SSL_CTX_get0_certificate(tls->context);
    return own != NULL && ASN1_TIME_to_tm(X509_get0_notAfter(own), &time) == 1 ? (int64_t)timegm(&time) : 0;
}

void readerd_tls_begin(readerd_tls *tls) {
    tls->alert = READERD_MQTT_NO_ALERT;
    tls->is_secured = false;
}

void *readerd_tls_context(const readerd_tls *tls) { return tls->context; }

int readerd_tls_alert(const readerd_tls *tls) { return tls->alert; }

bool readerd_tls_is_secured(const readerd_tls *tls) { return tls->is_secured; }
