// SPDX-License-Identifier: Apache-2.0

#include "readerd_tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct readerd_tls {
    SSL_CTX *context;
    // The expected name.
    char *name;
    bool is_address;
};

struct readerd_tls_stream {
    SSL *ssl;
    const char *name;
    int alert;
    bool has_common_name;
    bool is_secured;
    bool has_failed;
};

// Notes a certificate that would be for the name if its common name counted, which RFC 9525 (2) does not permit. The
// connection has no certificate any more once it was refused.
static int verified(int is_sound, X509_STORE_CTX *verification) {
    if (is_sound) return is_sound;
    const SSL *ssl = X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx());
    readerd_tls_stream *stream = SSL_get_app_data(ssl);
    X509 *certificate = X509_STORE_CTX_get0_cert(verification);
    stream->has_common_name =
        X509_check_host(certificate, stream->name, 0, X509_CHECK_FLAG_ALWAYS_CHECK_SUBJECT, NULL) == 1;
    return is_sound;
}

static int reason(const readerd_tls_stream *stream, long result) {
    switch (result) {
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return stream->has_common_name ? READERD_TLS_COMMON_NAME : READERD_TLS_OTHER_NAME;
        case X509_V_ERR_CERT_NOT_YET_VALID:
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return READERD_TLS_OTHER_TIME;
        default:
            return READERD_TLS_UNTRUSTED;
    }
}

// An alert that is sent has the reason of this side, one that is received that of the server.
static void note_alert(const SSL *ssl, int where, int alert) {
    readerd_tls_stream *stream = SSL_get_app_data(ssl);
    if ((where & SSL_CB_HANDSHAKE_DONE) != 0) stream->is_secured = true;
    if ((where & SSL_CB_ALERT) == 0 || (alert & 0xFF) == SSL_AD_CLOSE_NOTIFY) return;
    if (stream->alert != READERD_TLS_NO_ALERT) return;
    long result = SSL_get_verify_result(ssl);
    stream->alert = (where & SSL_CB_WRITE) != 0 && result != X509_V_OK ? reason(stream, result) : READERD_TLS_REFUSED;
}

// A key with a passphrase is refused: nobody is there to be asked.
static int no_passphrase(char *buffer, int size, int writes, void *context) {
    (void)buffer, (void)size, (void)writes, (void)context;
    return -1;
}

// Only a subject alternative name counts (RFC 9525, 2).
static bool expect_name(readerd_tls *tls, const char *name) {
    X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(tls->context);
    unsigned char address[sizeof(struct in6_addr)];
    tls->name = strdup(name);
    if (tls->name == NULL) return false;
    tls->is_address = inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
    if (tls->is_address) return X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1;
    X509_VERIFY_PARAM_set_hostflags(
        parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
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
        !expect_name(tls, options->name)) {
        snprintf(problem, problem_size, "OpenSSL offers no TLS 1.3");
        if (tls != NULL) readerd_tls_destroy(tls);
        return NULL;
    }
    SSL_CTX_set_info_callback(tls->context, note_alert);
    SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, verified);
    // The buffer may move between two calls of SSL_write with the same octets.
    SSL_CTX_set_mode(tls->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                       SSL_MODE_RELEASE_BUFFERS);
    // Packets of MQTT have their length, so an end without close_notify cuts none unnoticed.
    SSL_CTX_set_options(tls->context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_session_cache_mode(tls->context, SSL_SESS_CACHE_OFF);
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
    free(tls->name);
    free(tls);
}

int64_t readerd_tls_end(const readerd_tls *tls) {
    struct tm time = {0};
    const X509 *own = SSL_CTX_get0_certificate(tls->context);
    return own != NULL && ASN1_TIME_to_tm(X509_get0_notAfter(own), &time) == 1 ? (int64_t)timegm(&time) : 0;
}

readerd_tls_stream *readerd_tls_open(readerd_tls *tls, int descriptor) {
    readerd_tls_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->ssl = SSL_new(tls->context);
    stream->name = tls->name;
    // The indication names no address (RFC 6066, 3).
    if (stream->ssl == NULL || SSL_set_fd(stream->ssl, descriptor) != 1 ||
        (!tls->is_address && SSL_set_tlsext_host_name(stream->ssl, tls->name) != 1)) {
        SSL_free(stream->ssl);
        free(stream);
        return NULL;
    }
    SSL_set_app_data(stream->ssl, stream);
    SSL_set_connect_state(stream->ssl);
    return stream;
}

void readerd_tls_close(readerd_tls_stream *stream) {
    // After a failure the library does not permit it.
    if (stream->is_secured && !stream->has_failed) SSL_shutdown(stream->ssl);
    ERR_clear_error();
    SSL_free(stream->ssl);
    free(stream);
}

static int outcome(readerd_tls_stream *stream, int result) {
    if (result > 0) return result;
    switch (SSL_get_error(stream->ssl, result)) {
        case SSL_ERROR_WANT_READ:
            return READERD_TLS_WANTS_READ;
        case SSL_ERROR_WANT_WRITE:
            return READERD_TLS_WANTS_WRITE;
        case SSL_ERROR_ZERO_RETURN:
            return READERD_TLS_ENDED;
        case SSL_ERROR_SYSCALL:
            // A reset.
            stream->has_failed = true;
            return READERD_TLS_ENDED;
        default:
            stream->has_failed = true;
            return READERD_TLS_FAILED;
    }
}

int readerd_tls_read(readerd_tls_stream *stream, uint8_t *octets, size_t count) {
    ERR_clear_error();
    int result = outcome(stream, SSL_read(stream->ssl, octets, (int)count));
    ERR_clear_error();
    return result;
}

int readerd_tls_write(readerd_tls_stream *stream, const uint8_t *octets, size_t count) {
    ERR_clear_error();
    int result = outcome(stream, SSL_write(stream->ssl, octets, (int)count));
    ERR_clear_error();
    return result;
}

int readerd_tls_failure(const readerd_tls_stream *stream) { return stream->alert; }

const char *readerd_tls_refusal(const readerd_tls_stream *stream) {
    return X509_verify_cert_error_string(SSL_get_verify_result(stream->ssl));
}

bool readerd_tls_is_secured(const readerd_tls_stream *stream) { return stream->is_secured; }
