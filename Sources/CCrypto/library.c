// SPDX-License-Identifier: Apache-2.0

#include "library.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <pthread.h>
#include <stdint.h>

static struct algorithms algorithms;
static int available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static EVP_MAC_CTX *unkeyed_hmac(char *digest) {
    EVP_MAC *method = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = method ? EVP_MAC_CTX_new(method) : NULL;
    EVP_MAC_free(method);  // the context holds its own reference
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
    if (context && EVP_MAC_CTX_set_params(context, parameters)) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

static EVP_PKEY *p256_parameters(void) {
    char group[] = "prime256v1";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0), OSSL_PARAM_construct_end()};
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (!context || EVP_PKEY_fromdata_init(context) <= 0
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEY_PARAMETERS, parameters) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

static void load(void) {
    char digest[] = "SHA256";
    algorithms.sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
    algorithms.sha256 = EVP_MD_fetch(NULL, digest, NULL);
    algorithms.aes128_cbc = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
    algorithms.aes128_ccm = EVP_CIPHER_fetch(NULL, "AES-128-CCM", NULL);
    algorithms.aes256_ccm = EVP_CIPHER_fetch(NULL, "AES-256-CCM", NULL);
    algorithms.aes256_gcm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    algorithms.hkdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    algorithms.hmac_sha256 = unkeyed_hmac(digest);
    algorithms.cmac = EVP_MAC_fetch(NULL, "CMAC", NULL);
    algorithms.p256 = p256_parameters();
    algorithms.group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    available = algorithms.sha1 && algorithms.sha256 && algorithms.aes128_cbc && algorithms.aes128_ccm
                && algorithms.aes256_ccm && algorithms.aes256_gcm && algorithms.hkdf && algorithms.hmac_sha256
                && algorithms.cmac && algorithms.p256 && algorithms.group;
    if (!available) ERR_clear_error();
}

const struct algorithms *readerd_crypto_algorithms(void) {
    return pthread_once(&once, load) == 0 && available ? &algorithms : NULL;
}

int readerd_crypto_equal(const uint8_t *a, const uint8_t *b, size_t length) {
    return length == 0 || CRYPTO_memcmp(a, b, length) == 0;
}

// More than the stack used by a decision about a token, in a debug build as well; verified by test_residue.py. It is
// not released to the kernel, since mapping it again would take longer than the decision.
enum { wiped_stack = 128 * 1024 };
// More than the frames between two calls of one session, in a debug build as well.
enum { wiped_near_stack = 32 * 1024 };

void readerd_crypto_wipe_stack(void) {
    uint8_t dead[wiped_stack];
    OPENSSL_cleanse(dead, sizeof dead);
}

void readerd_crypto_wipe_near_stack(void) {
    uint8_t dead[wiped_near_stack];
    OPENSSL_cleanse(dead, sizeof dead);
}

void readerd_crypto_wipe(void *data, size_t length) {
    if (length > 0) OPENSSL_cleanse(data, length);
}
