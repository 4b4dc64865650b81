// SPDX-License-Identifier: Apache-2.0

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "library.h"

enum { AES128_KEY_SIZE = 16, HKDF_MAX_SIZE = 255 * READERD_CRYPTO_SHA256_SIZE };  // RFC 5869, 2.3

int readerd_crypto_sha256(const uint8_t *data, size_t length, uint8_t *digest) {
    const struct algorithms *library = readerd_crypto_algorithms();
    if (!library || !EVP_Digest(address(data), length, digest, NULL, library->sha256, NULL))
        return finished(READERD_CRYPTO_LIBRARY_FAILURE);
    return READERD_CRYPTO_OK;
}

int readerd_crypto_sha1(const uint8_t *data, size_t length, uint8_t *digest) {
    const struct algorithms *library = readerd_crypto_algorithms();
    if (!library || !EVP_Digest(address(data), length, digest, NULL, library->sha1, NULL))
        return finished(READERD_CRYPTO_LIBRARY_FAILURE);
    return READERD_CRYPTO_OK;
}

int readerd_crypto_hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *first, size_t first_length,
                               const uint8_t *second, size_t second_length, uint8_t *tag) {
    const struct algorithms *library = readerd_crypto_algorithms();
    size_t size = 0;
    EVP_MAC_CTX *context = library ? EVP_MAC_CTX_dup(library->hmac_sha256) : NULL;
    int good = context && EVP_MAC_init(context, address(key), key_length, NULL)
               && EVP_MAC_update(context, address(first), first_length)
               && EVP_MAC_update(context, address(second), second_length)
               && EVP_MAC_final(context, tag, &size, READERD_CRYPTO_SHA256_SIZE);
    EVP_MAC_CTX_free(context);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_aes128_cmac(const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
                               uint8_t *tag) {
    const struct algorithms *library = readerd_crypto_algorithms();
    if (key_length != AES128_KEY_SIZE) return READERD_CRYPTO_INVALID_LENGTH;
    char cipher[] = "AES-128-CBC";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0), OSSL_PARAM_construct_end()};
    size_t size = 0;
    EVP_MAC_CTX *context = library ? EVP_MAC_CTX_new(library->cmac) : NULL;
    int good = context && EVP_MAC_init(context, key, key_length, parameters)
               && EVP_MAC_update(context, address(data), length)
               && EVP_MAC_final(context, tag, &size, READERD_CRYPTO_AES_BLOCK_SIZE);
    EVP_MAC_CTX_free(context);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_hkdf_sha256(const uint8_t *key, size_t key_length, const uint8_t *salt, size_t salt_length,
                               const uint8_t *info, size_t info_length, uint8_t *output, size_t output_length) {
    const struct algorithms *library = readerd_crypto_algorithms();
    if (!library) return READERD_CRYPTO_LIBRARY_FAILURE;
    if (key_length == 0 || output_length == 0 || output_length > HKDF_MAX_SIZE) return READERD_CRYPTO_INVALID_LENGTH;
    char digest[] = "SHA256";
    // The parameter type has no const; the library only reads these.
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)address(key), key_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)address(salt), salt_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)address(info), info_length),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(library->hkdf);
    int good = context && EVP_KDF_derive(context, output, output_length, parameters) > 0;
    EVP_KDF_CTX_free(context);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_pbkdf2_sha256(const uint8_t *password, size_t password_length, const uint8_t *salt,
                                 size_t salt_length, uint32_t iterations, uint8_t *output, size_t output_length) {
    const struct algorithms *library = readerd_crypto_algorithms();
    if (!library) return READERD_CRYPTO_LIBRARY_FAILURE;
    if (iterations == 0 || iterations > INT_MAX || password_length > INT_MAX || salt_length > INT_MAX
        || output_length == 0 || output_length > INT_MAX)
        return READERD_CRYPTO_INVALID_LENGTH;
    int good = PKCS5_PBKDF2_HMAC((const char *)address(password), (int)password_length, address(salt), (int)salt_length,
                                 (int)iterations, library->sha256, (int)output_length, output);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_wpa_psk(const uint8_t *passphrase, size_t passphrase_length, const uint8_t *name,
                           size_t name_length, uint8_t *key) {
    enum { ITERATIONS = 4096 };
    if (passphrase_length > INT_MAX || name_length > INT_MAX) return READERD_CRYPTO_INVALID_LENGTH;
    int good = PKCS5_PBKDF2_HMAC((const char *)address(passphrase), (int)passphrase_length, address(name),
                                 (int)name_length, ITERATIONS, EVP_sha1(), READERD_CRYPTO_WPA_KEY_SIZE, key);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}

int readerd_crypto_aes128_cbc(int encrypt, const uint8_t *key, size_t key_length, const uint8_t *iv,
                              size_t iv_length, uint8_t *data, size_t length) {
    const struct algorithms *library = readerd_crypto_algorithms();
    if (!library) return READERD_CRYPTO_LIBRARY_FAILURE;
    if (key_length != AES128_KEY_SIZE || iv_length != READERD_CRYPTO_AES_BLOCK_SIZE
        || length % READERD_CRYPTO_AES_BLOCK_SIZE != 0 || length > INT_MAX)
        return READERD_CRYPTO_INVALID_LENGTH;
    if (length == 0) return READERD_CRYPTO_OK;
    int written = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int good = context && EVP_CipherInit_ex2(context, library->aes128_cbc, key, iv, encrypt, NULL)
               && EVP_CIPHER_CTX_set_padding(context, 0)
               && EVP_CipherUpdate(context, data, &written, data, (int)length) && (size_t)written == length;
    EVP_CIPHER_CTX_free(context);
    return finished(good ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE);
}
