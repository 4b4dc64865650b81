// SPDX-License-Identifier: Apache-2.0

#include <limits.h>

#include "library.h"

enum { AES128_KEY_SIZE = 16 };

// A context with key, nonce, length and authenticated header; `tag` is the expected one, or NULL to seal.
static EVP_CIPHER_CTX *prepared(const uint8_t *key, const uint8_t *nonce, const uint8_t *header, size_t header_length,
                                size_t length, const uint8_t *tag) {
    const struct algorithms *library = readerd_crypto_algorithms();
    EVP_CIPHER_CTX *context = library ? EVP_CIPHER_CTX_new() : NULL;
    int sealing = tag == NULL, written = 0;
    // Only read by the library, whose parameter has no const.
    if (context && EVP_CipherInit_ex2(context, library->aes128_ccm, NULL, NULL, sealing, NULL)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, READERD_CRYPTO_CCM_NONCE_SIZE, NULL) > 0
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, READERD_CRYPTO_CCM_TAG_SIZE, (void *)tag) > 0
        && EVP_CipherInit_ex2(context, NULL, key, nonce, sealing, NULL)
        && EVP_CipherUpdate(context, NULL, &written, NULL, (int)length)
        && (header_length == 0 || EVP_CipherUpdate(context, NULL, &written, header, (int)header_length)))
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

static int lengths_are_valid(size_t key_length, size_t nonce_length, size_t header_length, size_t length) {
    // Two octets hold the length of the message with a nonce of 13 (RFC 3610, 2.1).
    return key_length == AES128_KEY_SIZE && nonce_length == READERD_CRYPTO_CCM_NONCE_SIZE && header_length <= INT_MAX
           && length <= UINT16_MAX;
}

int readerd_crypto_aes128_ccm_seal(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *data, size_t length,
                                   uint8_t *sealed) {
    if (!lengths_are_valid(key_length, nonce_length, header_length, length)) return READERD_CRYPTO_INVALID_LENGTH;
    int written = 0;
    EVP_CIPHER_CTX *context = prepared(key, nonce, header, header_length, length, NULL);
    int good = context && EVP_CipherUpdate(context, sealed, &written, address(data), (int)length)
               && (size_t)written == length && EVP_CipherFinal_ex(context, sealed + length, &written)
               && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, READERD_CRYPTO_CCM_TAG_SIZE, sealed + length) > 0;
    EVP_CIPHER_CTX_free(context);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_aes128_ccm_open(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *sealed, size_t length,
                                   uint8_t *data) {
    if (length < READERD_CRYPTO_CCM_TAG_SIZE) return READERD_CRYPTO_INVALID_LENGTH;
    length -= READERD_CRYPTO_CCM_TAG_SIZE;
    if (!lengths_are_valid(key_length, nonce_length, header_length, length)) return READERD_CRYPTO_INVALID_LENGTH;
    int written = 0;
    uint8_t nothing[1];  // in place of a missing output
    EVP_CIPHER_CTX *context = prepared(key, nonce, header, header_length, length, sealed + length);
    if (!context) return finished(READERD_CRYPTO_LIBRARY_FAILURE);
    int good = EVP_CipherUpdate(context, data ? data : nothing, &written, sealed, (int)length)
               && (size_t)written == length;
    EVP_CIPHER_CTX_free(context);
    if (!good) readerd_crypto_wipe(data, length);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_NOT_AUTHENTIC);
}
