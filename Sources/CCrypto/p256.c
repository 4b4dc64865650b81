// SPDX-License-Identifier: Apache-2.0

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <string.h>

#include "key.h"

enum { UNCOMPRESSED = 0x04 };  // SEC 1, 2.3.3

void readerd_crypto_key_free(readerd_crypto_key *key) { EVP_PKEY_free(wrapped(key)); }

int readerd_crypto_key_generate(readerd_crypto_key **key) {
    *key = wrapper(EVP_EC_gen("P-256"));
    return finished(*key ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_key_from_point(const uint8_t *point, size_t length, readerd_crypto_key **key) {
    const struct algorithms *library = readerd_crypto_algorithms();
    *key = NULL;
    if (!library) return READERD_CRYPTO_LIBRARY_FAILURE;
    // The protocol's only form; the library would also accept compressed and hybrid points.
    if (length != READERD_CRYPTO_POINT_SIZE || point[0] != UNCOMPRESSED) return READERD_CRYPTO_INVALID_POINT;
    EVP_PKEY *made = EVP_PKEY_new();
    if (!made || !EVP_PKEY_copy_parameters(made, library->p256)) {
        EVP_PKEY_free(made);
        return finished(READERD_CRYPTO_LIBRARY_FAILURE);
    }
    // Rejects coordinates of p or more, and points off the curve. The cofactor is 1 and this form cannot encode
    // infinity, so that this is the full validation of SP 800-56A, 5.6.2.3.3, without a multiplication by the order.
    if (EVP_PKEY_set1_encoded_public_key(made, point, length) <= 0) {
        EVP_PKEY_free(made);
        return finished(READERD_CRYPTO_INVALID_POINT);
    }
    *key = wrapper(made);
    return READERD_CRYPTO_OK;
}

static EVP_PKEY *from_scalar_and_point(uint8_t *native_scalar, uint8_t *point) {
    char group[] = "prime256v1";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
        OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native_scalar, READERD_CRYPTO_SCALAR_SIZE),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, READERD_CRYPTO_POINT_SIZE),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *made = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (!context || EVP_PKEY_fromdata_init(context) <= 0
        || EVP_PKEY_fromdata(context, &made, EVP_PKEY_KEYPAIR, parameters) <= 0)
        made = NULL;
    EVP_PKEY_CTX_free(context);
    return made;
}

int readerd_crypto_key_from_scalar(const uint8_t *scalar, size_t length, readerd_crypto_key **key) {
    *key = NULL;
    if (length != READERD_CRYPTO_SCALAR_SIZE) return READERD_CRYPTO_INVALID_LENGTH;
    uint8_t point[READERD_CRYPTO_POINT_SIZE];
    uint8_t native[READERD_CRYPTO_SCALAR_SIZE];
    BIGNUM *number = BN_bin2bn(scalar, (int)length, NULL);
    if (!number) return finished(READERD_CRYPTO_LIBRARY_FAILURE);
    int code = readerd_crypto_p256_multiply(scalar, NULL, point);
    if (code == READERD_CRYPTO_OK && BN_bn2nativepad(number, native, sizeof native) == sizeof native) {
        *key = wrapper(from_scalar_and_point(native, point));
        code = *key ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE;
    }
    OPENSSL_cleanse(native, sizeof native);
    BN_clear_free(number);
    return finished(code);
}

static int coordinate(const EVP_PKEY *key, const char *name, uint8_t *octets) {
    BIGNUM *number = NULL;
    int good = EVP_PKEY_get_bn_param(key, name, &number)
               && BN_bn2binpad(number, octets, READERD_CRYPTO_SCALAR_SIZE) == READERD_CRYPTO_SCALAR_SIZE;
    BN_free(number);
    return good;
}

int readerd_crypto_key_point(const readerd_crypto_key *key, uint8_t *point) {
    // Not the encoded public key, whose form is the one that the key was read in.
    point[0] = UNCOMPRESSED;
    int good = coordinate(wrapped(key), OSSL_PKEY_PARAM_EC_PUB_X, point + 1)
               && coordinate(wrapped(key), OSSL_PKEY_PARAM_EC_PUB_Y, point + 1 + READERD_CRYPTO_SCALAR_SIZE);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_ecdh(const readerd_crypto_key *key, const uint8_t *point, size_t point_length, uint8_t *secret) {
    readerd_crypto_key *peer = NULL;
    int code = readerd_crypto_key_from_point(point, point_length, &peer);
    if (code != READERD_CRYPTO_OK) return code;
    size_t length = READERD_CRYPTO_SCALAR_SIZE;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, wrapped(key), NULL);
    // Last argument 0: the point was validated above.
    int good = context && EVP_PKEY_derive_init(context) > 0
               && EVP_PKEY_derive_set_peer_ex(context, wrapped(peer), 0) > 0
               && EVP_PKEY_derive(context, secret, &length) > 0 && length == READERD_CRYPTO_SCALAR_SIZE;
    EVP_PKEY_CTX_free(context);
    readerd_crypto_key_free(peer);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_sign(const readerd_crypto_key *key, const uint8_t *message, size_t length, uint8_t *signature,
                        size_t *signature_length) {
    static const uint8_t nothing[1];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, wrapped(key), NULL) > 0
               && EVP_DigestSign(context, signature, signature_length, message ? message : nothing, length) > 0;
    EVP_MD_CTX_free(context);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_verify(const readerd_crypto_key *key, const uint8_t *message, size_t length,
                          const uint8_t *signature, size_t signature_length) {
    static const uint8_t nothing[1];
    if (signature_length == 0) return READERD_CRYPTO_INVALID_SIGNATURE;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context || EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, NULL, wrapped(key), NULL) <= 0) {
        EVP_MD_CTX_free(context);
        return finished(READERD_CRYPTO_LIBRARY_FAILURE);
    }
    int good = EVP_DigestVerify(context, signature, signature_length, message ? message : nothing, length) == 1;
    EVP_MD_CTX_free(context);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_INVALID_SIGNATURE);
}
