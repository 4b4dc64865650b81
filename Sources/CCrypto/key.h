#ifndef READERD_CRYPTO_KEY_H
#define READERD_CRYPTO_KEY_H

#include "library.h"

// The opaque key is the library's own; the casts are here and nowhere else. The library takes keys it only reads
// without const.
static inline EVP_PKEY *wrapped(const readerd_crypto_key *key) { return (EVP_PKEY *)key; }
static inline readerd_crypto_key *wrapper(EVP_PKEY *key) { return (readerd_crypto_key *)key; }

#endif
