// SPDX-License-Identifier: Apache-2.0

#ifndef CCrypto_H
#define CCrypto_H

// The primitives that the protocols need, implemented with OpenSSL 3 (libcrypto). No OpenSSL type appears here: Swift
// sees octets and one opaque key. Every function that can fail returns one of the codes below, and leaves nothing on
// the library's error queue. All functions are thread-safe.

#include <stddef.h>
#include <stdint.h>

enum {
    READERD_CRYPTO_OK = 0,
    READERD_CRYPTO_INVALID_KEY = -1,        // not a key, or not one that this function accepts
    READERD_CRYPTO_INVALID_POINT = -2,      // not an uncompressed point on P-256
    READERD_CRYPTO_INVALID_LENGTH = -3,     // the length of an argument is invalid for the algorithm
    READERD_CRYPTO_LIBRARY_FAILURE = -4,    // libcrypto failed: memory, or a build without the algorithm
    READERD_CRYPTO_ENCRYPTED_KEY = -5,      // the PEM requires a passphrase
    READERD_CRYPTO_UNSUPPORTED_KEY = -6,    // a valid key of another type or on another curve
    READERD_CRYPTO_INVALID_SIGNATURE = -7,  // the signature does not verify
    READERD_CRYPTO_BUFFER_TOO_SMALL = -8,   // the output does not fit
    READERD_CRYPTO_NOT_AUTHENTIC = -9,      // the tag of sealed octets does not verify
};

enum {
    READERD_CRYPTO_SCALAR_SIZE = 32,
    READERD_CRYPTO_POINT_SIZE = 65,
    READERD_CRYPTO_SHA256_SIZE = 32,
    READERD_CRYPTO_AES_BLOCK_SIZE = 16,
    READERD_CRYPTO_WPA_KEY_SIZE = 32,
    READERD_CRYPTO_CCM_NONCE_SIZE = 13,
    READERD_CRYPTO_CCM256_NONCE_SIZE = 12,
    READERD_CRYPTO_CCM_TAG_SIZE = 16,
    READERD_CRYPTO_GCM_NONCE_SIZE = 12,
    READERD_CRYPTO_GCM_TAG_SIZE = 16,
    READERD_CRYPTO_SHA1_SIZE = 20,
    READERD_CRYPTO_SIGNATURE_MAX_SIZE = 72,  // DER: sequence header 2, two integers of at most 2 + 33
    READERD_CRYPTO_PEM_MAX_SIZE = 16384,     // far above any P-256 key with comments; a bound on the cost of a file
};

// Digest and message authentication; outputs are 32 octets (CMAC: 16).
int readerd_crypto_sha256(const uint8_t *data, size_t length, uint8_t *digest);
// SHA-1 for identifiers that protocols define with it, never for signatures; 20 octets.
int readerd_crypto_sha1(const uint8_t *data, size_t length, uint8_t *digest);
// The tag of the concatenation of `first` and `second`.
int readerd_crypto_hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *first, size_t first_length,
                               const uint8_t *second, size_t second_length, uint8_t *tag);
int readerd_crypto_hkdf_sha256(const uint8_t *key, size_t key_length, const uint8_t *salt, size_t salt_length,
                               const uint8_t *info, size_t info_length, uint8_t *output, size_t output_length);
int readerd_crypto_aes128_cmac(const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
                               uint8_t *tag);

// AES-128-CBC without padding, in place.
int readerd_crypto_aes128_cbc(int encrypt, const uint8_t *key, size_t key_length, const uint8_t *iv,
                              size_t iv_length, uint8_t *data, size_t length);

// AES-128-CCM with a tag of 16 octets. Writes `length` octets and the tag.
int readerd_crypto_aes128_ccm_seal(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *data, size_t length,
                                   uint8_t *sealed);
// The reverse; writes `length` - 16 octets, all zero if the tag does not verify.
int readerd_crypto_aes128_ccm_open(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *sealed, size_t length,
                                   uint8_t *data);

// AES-256-CCM with a tag of 16 octets and a nonce of 12; the same contract.
int readerd_crypto_aes256_ccm_seal(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *data, size_t length,
                                   uint8_t *sealed);
int readerd_crypto_aes256_ccm_open(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *sealed, size_t length,
                                   uint8_t *data);

// AES-256-GCM with a tag of 16 octets; the same contract as CCM.
int readerd_crypto_aes256_gcm_seal(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *data, size_t length,
                                   uint8_t *sealed);
int readerd_crypto_aes256_gcm_open(const uint8_t *key, size_t key_length, const uint8_t *nonce, size_t nonce_length,
                                   const uint8_t *header, size_t header_length, const uint8_t *sealed, size_t length,
                                   uint8_t *data);

// PBKDF2 with HMAC-SHA-256.
int readerd_crypto_pbkdf2_sha256(const uint8_t *password, size_t password_length, const uint8_t *salt,
                                 size_t salt_length, uint32_t iterations, uint8_t *output, size_t output_length);

// The pre-shared key (32 octets) of a WPA passphrase in the network `name` (IEEE 802.11-2020, J.4.1).
int readerd_crypto_wpa_psk(const uint8_t *passphrase, size_t passphrase_length, const uint8_t *name,
                           size_t name_length, uint8_t *key);

// A P-256 key, private or public only; immutable after its creation.
typedef struct readerd_crypto_key readerd_crypto_key;
void readerd_crypto_key_free(readerd_crypto_key *key);
int readerd_crypto_key_generate(readerd_crypto_key **key);
int readerd_crypto_key_from_scalar(const uint8_t *scalar, size_t length, readerd_crypto_key **key);
int readerd_crypto_key_from_point(const uint8_t *point, size_t length, readerd_crypto_key **key);
int readerd_crypto_key_from_private_pem(const uint8_t *pem, size_t length, readerd_crypto_key **key);
int readerd_crypto_key_from_public_pem(const uint8_t *pem, size_t length, readerd_crypto_key **key);
// Writes 65 octets.
int readerd_crypto_key_point(const readerd_crypto_key *key, uint8_t *point);
// Write PEM text without a terminating zero; `length` is the capacity on input and the length on output.
int readerd_crypto_key_private_pem(const readerd_crypto_key *key, uint8_t *pem, size_t *length);
int readerd_crypto_key_public_pem(const readerd_crypto_key *key, uint8_t *pem, size_t *length);

// ECDH: the x coordinate, 32 octets. The peer's point is validated.
int readerd_crypto_ecdh(const readerd_crypto_key *key, const uint8_t *point, size_t point_length, uint8_t *secret);
// ECDSA over SHA-256, DER. `signature_length` as for PEM.
int readerd_crypto_sign(const readerd_crypto_key *key, const uint8_t *message, size_t length, uint8_t *signature,
                        size_t *signature_length);
int readerd_crypto_verify(const readerd_crypto_key *key, const uint8_t *message, size_t length,
                          const uint8_t *signature, size_t signature_length);

// Arithmetic of the group P-256 on uncompressed points, which are validated; in constant time as far as the scalars
// are concerned. A result at infinity, which has no uncompressed form, is an invalid point.
//
// The number `octets` modulo the group order, 32 octets.
int readerd_crypto_p256_reduce(const uint8_t *octets, size_t length, uint8_t *scalar);
// `left` times `right`, 32 octets each, modulo the group order.
int readerd_crypto_p256_scalar_multiply(const uint8_t *left, const uint8_t *right, uint8_t *product);
// The inverse of `scalar` (32 octets) modulo the group order; invalid key for 0.
int readerd_crypto_p256_scalar_invert(const uint8_t *scalar, uint8_t *inverse);
// `scalar` (32 octets, 1 to n - 1) times `point`, or times the generator if that is NULL.
int readerd_crypto_p256_multiply(const uint8_t *scalar, const uint8_t *point, uint8_t *product);
// `left` + `right`, or `left` - `right`.
int readerd_crypto_p256_add(const uint8_t *left, const uint8_t *right, int subtract, uint8_t *sum);

// Fills from getrandom(2); blocks at boot until the kernel's generator is seeded.
int readerd_crypto_random(uint8_t *data, size_t length);
// 1 if the octets are equal; the time depends only on `length`.
int readerd_crypto_equal(const uint8_t *a, const uint8_t *b, size_t length);
// Overwrites with zeros; not removed by the optimizer.
void readerd_crypto_wipe(void *data, size_t length);
// Overwrites the 128 KiB of stack below the caller's frame, which returned calls have used.
__attribute__((noinline)) void readerd_crypto_wipe_stack(void);
// Overwrites the first 32 KiB of it.
__attribute__((noinline)) void readerd_crypto_wipe_near_stack(void);

#endif
