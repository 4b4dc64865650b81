// SPDX-License-Identifier: Apache-2.0

#ifndef READERD_CRYPTO_LIBRARY_H
#define READERD_CRYPTO_LIBRARY_H

// Private to this target. Deprecated functions are not declared.
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "CCrypto.h"

// Algorithms fetched from the library once: a fetch per call would cost more than a short hash. All are immutable
// afterwards; the contexts are only copied.
struct algorithms {
    EVP_MD *sha1;
    EVP_MD *sha256;
    EVP_CIPHER *aes128_cbc;
    EVP_CIPHER *aes128_ccm;
    EVP_CIPHER *aes256_ccm;
    EVP_CIPHER *aes256_gcm;
    EVP_KDF *hkdf;
    EVP_MAC_CTX *hmac_sha256;  // digest set, no key
    EVP_MAC *cmac;             // without a context: the library does not copy one that has no key
    EVP_PKEY *p256;            // domain parameters only
    EC_GROUP *group;           // P-256 for arithmetic; building it takes longer than a multiplication
};

// The algorithms; NULL if the library lacks one of them.
const struct algorithms *readerd_crypto_algorithms(void);

// An empty Swift span may have no address; the library requires one, and takes a missing one as another operation.
static inline const uint8_t *address(const uint8_t *data) {
    static const uint8_t nothing[1];
    return data ? data : nothing;
}

// Returns `code`; on failure, empties the library's error queue of this thread.
static inline int finished(int code) {
    if (code != READERD_CRYPTO_OK) ERR_clear_error();
    return code;
}

#endif
