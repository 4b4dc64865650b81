// SPDX-License-Identifier: Apache-2.0

#include <limits.h>

#include "library.h"

enum { AES128_KEY_SIZE = 16, AES256_KEY_SIZE = 32 };

// A cipher with its lengths. A nonce of 13 octets leaves two for the length of the message, one of 12 three (RFC 3610,
// 2.1); messages here are shorter than either limit.
struct ccm {
    const EVP_CIPHER *cipher;
    size_t key_size, nonce_size;
};

static struct ccm aes128(void) {
    const struct algorithms *library = readerd_crypto_algorithms();
    struct ccm ccm = {library ? library->aes128_ccm : NULL, AES128_KEY_SIZE, READERD_CRYPTO_CCM_NONCE_SIZE};
    return ccm;
}

static struct ccm aes256(void) {
    const struct algorithms *library = readerd_crypto_algorithms();
    struct ccm ccm = {library ? library->aes256_ccm : NULL, AES256_KEY_SIZE, READERD_CRYPTO_CCM256_NONCE_SIZE};
    return ccm;
}

// A context with key, nonce, length and authenticated header; `tag` is the expected one, or NULL to seal.
static EVP_CIPHER_CTX *prepared(struct ccm ccm, const uint8_t *key, const uint8_t *nonce, const uint8_t *header,
                                size_t header_length, size_t length, const uint8_t *tag) {
    EVP_CIPHER_CTX *context = ccm.cipher ? EVP_CIPHER_CTX_new() : NULL;
    int sealing = tag == NULL, written = 0;
    // Only read by the library, whose parameter has no const.
    if (context && EVP_CipherInit_ex2(context, ccm.cipher, NULL, NULL, sealing, NULL)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)ccm.nonce_size, NULL) > 0
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, READERD_CRYPTO_CCM_TAG_SIZE, (void *)tag) > 0
        && EVP_CipherInit_ex2(context, NULL, key, nonce, sealing, NULL)
        && EVP_CipherUpdate(context, NULL, &written, NULL, (int)length)
        && (header_length == 0 || EVP_CipherUpdate(context, NULL, &written, header, (int)header_length)))
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

static int lengths_are_valid(struct ccm ccm, size_t key_length, size_t nonce_length, size_t header_length,
                             size_t length) {
    return key_length == ccm.key_size && nonce_length == ccm.nonce_size && header_length <= INT_MAX
           && length <= UINT16_MAX;
}

static int seal(struct ccm ccm, const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                const uint8_t *header, size_t header_length, const uint8_t *data, size_t length, uint8_t *sealed) {
    if (!lengths_are_valid(ccm, key_length, nonce_length, header_length, length)) return READERD_CRYPTO_INVALID_LENGTH;
    int written = 0;
    EVP_CIPHER_CTX *context = prepared(ccm, key, nonce, header, header_length, length, NULL);
    int good = context && EVP_CipherUpdate(context, sealed, &written, address(data), (int)length)
               && (size_t)written == length && EVP_CipherFinal_ex(context, sealed + length, &written)
               && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, READERD_CRYPTO_CCM_TAG_SIZE, sealed + length) > 0;
    EVP_CIPHER_CTX_free(context);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

static int unseal(struct ccm ccm, const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                  const uint8_t *header, size_t header_length, const uint8_t *sealed, size_t length, uint8_t *data) {
    if (length < READERD_CRYPTO_CCM_TAG_SIZE) return READERD_CRYPTO_INVALID_LENGTH;
    length -= READERD_CRYPTO_CCM_TAG_SIZE;
    if (!lengths_are_valid(ccm, key_length, nonce_length, header_length, length)) return READERD_CRYPTO_INVALID_LENGTH;
    int written = 0;
    uint8_t nothing[1];  // in place of a missing output
    EVP_CIPHER_CTX *context = prepared(ccm, key, nonce, header, header_length, length, sealed + length);
    if (!context) return finished(READERD_CRYPTO_LIBRARY_FAILURE);
    int good = EVP_CipherUpdate(context, data ? data : nothing, &written, sealed, (int)length)
               && (size_t)written == length;
    EVP_CIPHER_CTX_free(context);
    if (!good) readerd_crypto_wipe(data, length);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_NOT_AUTHENTIC);
}

int readerd_crypto_aes128_ccm_seal(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *data, size_t length,
                                   uint8_t *sealed) {
    return seal(aes128(), key, key_length, nonce, nonce_length, header, header_length, data, length, sealed);
}

int readerd_crypto_aes128_ccm_open(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *sealed, size_t length,
                                   uint8_t *data) {
    return unseal(aes128(), key, key_length, nonce, nonce_length, header, header_length, sealed, length, data);
}

int readerd_crypto_aes256_ccm_seal(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *data, size_t length,
                                   uint8_t *sealed) {
    return seal(aes256(), key, key_length, nonce, nonce_length, header, header_length, data, length, sealed);
}

int readerd_crypto_aes256_ccm_open(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *sealed, size_t length,
                                   uint8_t *data) {
    return unseal(aes256(), key, key_length, nonce, nonce_length, header, header_length, sealed, length, data);
}
