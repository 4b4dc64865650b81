// SPDX-License-Identifier: Apache-2.0

#include <errno.h>
#include <sys/random.h>

#include "CCrypto.h"

int readerd_crypto_random(uint8_t *data, size_t length) {
    while (length > 0) {
        ssize_t count = getrandom(data, length, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return READERD_CRYPTO_LIBRARY_FAILURE;
        data += count;
        length -= (size_t)count;
    }
    return READERD_CRYPTO_OK;
}
