// SPDX-License-Identifier: Apache-2.0

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <string.h>

#include "key.h"

// The passphrase callback in place of the terminal prompt: notes the request, and returns no passphrase.
static int refuse(char *buffer, int size, int writing, void *wanted) {
    (void)buffer, (void)size, (void)writing;
    *(int *)wanted = 1;
    return -1;
}

static int is_p256(const EVP_PKEY *key) {
    char group[64] = "";
    int explicit_parameters = 0;
    return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof group, NULL)
           && strcmp(group, "prime256v1") == 0
           && EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &explicit_parameters)
           && !explicit_parameters;
}

// Derives the key again from its scalar, and requires the file's public key to equal the derived one.
static int normalise(const EVP_PKEY *read, readerd_crypto_key **key) {
    uint8_t scalar[READERD_CRYPTO_SCALAR_SIZE];
    BIGNUM *number = NULL;
    int code = READERD_CRYPTO_INVALID_KEY;
    if (EVP_PKEY_get_bn_param(read, OSSL_PKEY_PARAM_PRIV_KEY, &number)
        && BN_bn2binpad(number, scalar, sizeof scalar) == sizeof scalar)
        code = readerd_crypto_key_from_scalar(scalar, sizeof scalar, key);
    OPENSSL_cleanse(scalar, sizeof scalar);
    BN_clear_free(number);
    if (code == READERD_CRYPTO_OK && EVP_PKEY_eq(read, wrapped(*key)) != 1) {
        readerd_crypto_key_free(*key);
        *key = NULL;
        code = READERD_CRYPTO_INVALID_KEY;
    }
    return code;
}

static int read_pem(int private, const uint8_t *pem, size_t length, EVP_PKEY **key) {
    if (length == 0 || length > READERD_CRYPTO_PEM_MAX_SIZE) return READERD_CRYPTO_INVALID_LENGTH;
    BIO *input = BIO_new_mem_buf(pem, (int)length);
    if (!input) return READERD_CRYPTO_LIBRARY_FAILURE;
    int wanted = 0;
    *key = private ? PEM_read_bio_PrivateKey(input, NULL, refuse, &wanted)
                   : PEM_read_bio_PUBKEY(input, NULL, refuse, &wanted);
    BIO_free(input);
    if (!*key) return wanted ? READERD_CRYPTO_ENCRYPTED_KEY : READERD_CRYPTO_INVALID_KEY;
    if (is_p256(*key)) return READERD_CRYPTO_OK;
    EVP_PKEY_free(*key);
    *key = NULL;
    return READERD_CRYPTO_UNSUPPORTED_KEY;
}

int readerd_crypto_key_from_private_pem(const uint8_t *pem, size_t length, readerd_crypto_key **key) {
    EVP_PKEY *read = NULL;
    *key = NULL;
    int code = read_pem(1, pem, length, &read);
    if (code == READERD_CRYPTO_OK) code = normalise(read, key);
    EVP_PKEY_free(read);
    return finished(code);
}

int readerd_crypto_key_from_public_pem(const uint8_t *pem, size_t length, readerd_crypto_key **key) {
    EVP_PKEY *read = NULL;
    uint8_t point[READERD_CRYPTO_POINT_SIZE];
    *key = NULL;
    int code = read_pem(0, pem, length, &read);
    // Created again from its point, for the same validation and form as a key from octets.
    if (code == READERD_CRYPTO_OK) code = readerd_crypto_key_point(wrapper(read), point);
    if (code == READERD_CRYPTO_OK) code = readerd_crypto_key_from_point(point, sizeof point, key);
    EVP_PKEY_free(read);
    return finished(code);
}

// A memory BIO is wiped by the library when it is freed.
static int copy_out(BIO *output, int written, uint8_t *pem, size_t *length) {
    char *text = NULL;
    long count = written ? BIO_get_mem_data(output, &text) : 0;
    if (count <= 0) return READERD_CRYPTO_LIBRARY_FAILURE;
    if ((size_t)count > *length) return READERD_CRYPTO_BUFFER_TOO_SMALL;
    memcpy(pem, text, (size_t)count);
    *length = (size_t)count;
    return READERD_CRYPTO_OK;
}

int readerd_crypto_key_private_pem(const readerd_crypto_key *key, uint8_t *pem, size_t *length) {
    BIO *output = BIO_new(BIO_s_mem());
    if (!output) return finished(READERD_CRYPTO_LIBRARY_FAILURE);
    int written = PEM_write_bio_PKCS8PrivateKey(output, wrapped(key), NULL, NULL, 0, NULL, NULL);
    int code = copy_out(output, written, pem, length);
    BIO_free(output);
    return finished(code);
}

int readerd_crypto_key_public_pem(const readerd_crypto_key *key, uint8_t *pem, size_t *length) {
    BIO *output = BIO_new(BIO_s_mem());
    if (!output) return finished(READERD_CRYPTO_LIBRARY_FAILURE);
    int written = PEM_write_bio_PUBKEY(output, wrapped(key));
    int code = copy_out(output, written, pem, length);
    BIO_free(output);
    return finished(code);
}
