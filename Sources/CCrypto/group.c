// SPDX-License-Identifier: Apache-2.0

#include <openssl/bn.h>
#include <openssl/ec.h>

#include "library.h"

// Each multiplication has one scalar: for these the library's methods take constant time on all processors, unlike for
// a sum of products. Points and numbers that depend on a secret are wiped.

// The shared group with working memory, for one calculation.
struct calculation {
    const EC_GROUP *group;
    BN_CTX *context;
};

static int begin(struct calculation *calculation) {
    const struct algorithms *library = readerd_crypto_algorithms();
    calculation->group = library ? library->group : NULL;
    calculation->context = library ? BN_CTX_new() : NULL;
    return calculation->context != NULL;
}

static int end(struct calculation *calculation, int code) {
    BN_CTX_free(calculation->context);
    return finished(code);
}

// The point on the curve; NULL if there is none.
static EC_POINT *decode(const struct calculation *calculation, const uint8_t *octets) {
    EC_POINT *point = EC_POINT_new(calculation->group);
    if (point && octets[0] == POINT_CONVERSION_UNCOMPRESSED
        && EC_POINT_oct2point(calculation->group, point, octets, READERD_CRYPTO_POINT_SIZE, calculation->context))
        return point;
    EC_POINT_free(point);
    return NULL;
}

static int encode(const struct calculation *calculation, const EC_POINT *point, uint8_t *octets) {
    if (EC_POINT_is_at_infinity(calculation->group, point)) return READERD_CRYPTO_INVALID_POINT;
    size_t length = EC_POINT_point2oct(calculation->group, point, POINT_CONVERSION_UNCOMPRESSED, octets,
                                       READERD_CRYPTO_POINT_SIZE, calculation->context);
    return length == READERD_CRYPTO_POINT_SIZE ? READERD_CRYPTO_OK : READERD_CRYPTO_LIBRARY_FAILURE;
}

int readerd_crypto_p256_reduce(const uint8_t *octets, size_t length, uint8_t *scalar) {
    enum { longest = 64 };
    if (length == 0 || length > longest) return READERD_CRYPTO_INVALID_LENGTH;
    struct calculation calculation;
    int code = READERD_CRYPTO_LIBRARY_FAILURE;
    BIGNUM *number = begin(&calculation) ? BN_bin2bn(octets, (int)length, NULL) : NULL;
    BIGNUM *remainder = BN_new();
    if (number && remainder) {
        BN_set_flags(number, BN_FLG_CONSTTIME);
        if (BN_mod(remainder, number, EC_GROUP_get0_order(calculation.group), calculation.context)
            && BN_bn2binpad(remainder, scalar, READERD_CRYPTO_SCALAR_SIZE) == READERD_CRYPTO_SCALAR_SIZE)
            code = READERD_CRYPTO_OK;
    }
    BN_clear_free(remainder);
    BN_clear_free(number);
    return end(&calculation, code);
}

int readerd_crypto_p256_scalar_multiply(const uint8_t *left, const uint8_t *right, uint8_t *product) {
    struct calculation calculation;
    int code = READERD_CRYPTO_LIBRARY_FAILURE;
    BIGNUM *number = begin(&calculation) ? BN_bin2bn(left, READERD_CRYPTO_SCALAR_SIZE, NULL) : NULL;
    BIGNUM *factor = BN_bin2bn(right, READERD_CRYPTO_SCALAR_SIZE, NULL);
    if (number && factor) {
        BN_set_flags(number, BN_FLG_CONSTTIME);
        BN_set_flags(factor, BN_FLG_CONSTTIME);
        if (BN_mod_mul(number, number, factor, EC_GROUP_get0_order(calculation.group), calculation.context)
            && BN_bn2binpad(number, product, READERD_CRYPTO_SCALAR_SIZE) == READERD_CRYPTO_SCALAR_SIZE)
            code = READERD_CRYPTO_OK;
    }
    BN_clear_free(factor);
    BN_clear_free(number);
    return end(&calculation, code);
}

int readerd_crypto_p256_scalar_invert(const uint8_t *scalar, uint8_t *inverse) {
    struct calculation calculation;
    int code = READERD_CRYPTO_LIBRARY_FAILURE;
    BIGNUM *number = begin(&calculation) ? BN_bin2bn(scalar, READERD_CRYPTO_SCALAR_SIZE, NULL) : NULL;
    BIGNUM *exponent = number ? BN_dup(EC_GROUP_get0_order(calculation.group)) : NULL;
    if (exponent && BN_is_zero(number)) code = READERD_CRYPTO_INVALID_KEY;
    // Fermat: the power n - 2, since n is prime.
    else if (exponent && BN_sub_word(exponent, 2)
             && BN_mod_exp_mont_consttime(number, number, exponent, EC_GROUP_get0_order(calculation.group),
                                          calculation.context, EC_GROUP_get_mont_data(calculation.group))
             && BN_bn2binpad(number, inverse, READERD_CRYPTO_SCALAR_SIZE) == READERD_CRYPTO_SCALAR_SIZE)
        code = READERD_CRYPTO_OK;
    BN_free(exponent);
    BN_clear_free(number);
    return end(&calculation, code);
}

static int multiply(const struct calculation *calculation, const BIGNUM *number, const EC_POINT *point,
                    uint8_t *product) {
    if (BN_is_zero(number) || BN_cmp(number, EC_GROUP_get0_order(calculation->group)) >= 0)
        return READERD_CRYPTO_INVALID_KEY;
    int code = READERD_CRYPTO_LIBRARY_FAILURE;
    EC_POINT *result = EC_POINT_new(calculation->group);
    if (result
        && EC_POINT_mul(calculation->group, result, point ? NULL : number, point, point ? number : NULL,
                        calculation->context))
        code = encode(calculation, result, product);
    EC_POINT_clear_free(result);
    return code;
}

int readerd_crypto_p256_multiply(const uint8_t *scalar, const uint8_t *point, uint8_t *product) {
    struct calculation calculation;
    int code = READERD_CRYPTO_LIBRARY_FAILURE;
    BIGNUM *number = begin(&calculation) ? BN_bin2bn(scalar, READERD_CRYPTO_SCALAR_SIZE, NULL) : NULL;
    if (number) {
        BN_set_flags(number, BN_FLG_CONSTTIME);
        EC_POINT *factor = point ? decode(&calculation, point) : NULL;
        code = point && !factor ? READERD_CRYPTO_INVALID_POINT : multiply(&calculation, number, factor, product);
        EC_POINT_clear_free(factor);
    }
    BN_clear_free(number);
    return end(&calculation, code);
}

int readerd_crypto_p256_add(const uint8_t *left, const uint8_t *right, int subtract, uint8_t *sum) {
    struct calculation calculation;
    int code = READERD_CRYPTO_LIBRARY_FAILURE;
    if (begin(&calculation)) {
        EC_POINT *first = decode(&calculation, left);
        EC_POINT *second = decode(&calculation, right);
        if (!first || !second) code = READERD_CRYPTO_INVALID_POINT;
        else if ((!subtract || EC_POINT_invert(calculation.group, second, calculation.context))
                 && EC_POINT_add(calculation.group, first, first, second, calculation.context))
            code = encode(&calculation, first, sum);
        EC_POINT_clear_free(first);
        EC_POINT_clear_free(second);
    }
    return end(&calculation, code);
}
