// SPDX-License-Identifier: Apache-2.0

#ifndef READERD_CRYPTO_KEY_H
#define READERD_CRYPTO_KEY_H

#include "library.h"

// The opaque key is that of the library; casts are confined to this file. The library takes keys that it only reads
// without const.
static inline EVP_PKEY *wrapped(const readerd_crypto_key *key) { return (EVP_PKEY *)key; }
static inline readerd_crypto_key *wrapper(EVP_PKEY *key) { return (readerd_crypto_key *)key; }

#endif
