// SPDX-License-Identifier: Apache-2.0

#include "readerd_enrolment.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>

// The clock of a device may be behind the authority's.
enum { BACKDATED_SECONDS = 3600, DAY_SECONDS = 86400, SERIAL_COUNT = 16 };

void readerd_wipe_pem(readerd_pem *pem) { OPENSSL_cleanse(pem, sizeof *pem); }

// The text of a memory BIO, which is freed.
static bool take_text(BIO *octets, bool is_written, readerd_pem *pem) {
    char *text = NULL;
    long count = octets == NULL ? 0 : BIO_get_mem_data(octets, &text);
    bool done = is_written && count > 0 && (size_t)count < sizeof pem->text;
    if (done) {
        memcpy(pem->text, text, (size_t)count);
        pem->text[count] = 0;
    }
    if (text != NULL) OPENSSL_cleanse(text, (size_t)count);
    BIO_free(octets);
    return done;
}

static bool write_key(EVP_PKEY *key, readerd_pem *pem) {
    BIO *octets = BIO_new(BIO_s_mem());
    return take_text(
        octets, octets != NULL && PEM_write_bio_PKCS8PrivateKey(octets, key, NULL, NULL, 0, NULL, NULL) == 1, pem);
}

static bool write_certificate(X509 *certificate, readerd_pem *pem) {
    BIO *octets = BIO_new(BIO_s_mem());
    return take_text(octets, octets != NULL && PEM_write_bio_X509(octets, certificate) == 1, pem);
}

static bool set_name(X509_NAME *subject, const char *name) {
    return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0) == 1;
}

bool readerd_make_request(const char *name, readerd_pem *key, readerd_pem *request) {
    EVP_PKEY *pair = EVP_EC_gen("P-256");
    X509_REQ *made = X509_REQ_new();
    bool done = pair != NULL && made != NULL && set_name(X509_REQ_get_subject_name(made), name) &&
                X509_REQ_set_pubkey(made, pair) == 1 && X509_REQ_sign(made, pair, EVP_sha256()) > 0 &&
                write_key(pair, key);
    BIO *octets = done ? BIO_new(BIO_s_mem()) : NULL;
    done = done && take_text(octets, octets != NULL && PEM_write_bio_X509_REQ(octets, made) == 1, request);
    X509_REQ_free(made);
    EVP_PKEY_free(pair);
    return done;
}

static bool extend(X509 *certificate, X509 *issuer, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    bool done = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return done;
}

// 127 random bits (RFC 5280, 4.1.2.2).
static bool set_serial(X509 *certificate) {
    unsigned char octets[SERIAL_COUNT];
    if (RAND_bytes(octets, sizeof octets) != 1) return false;
    octets[0] = (unsigned char)((octets[0] & 0x7F) | 0x40);
    BIGNUM *number = BN_bin2bn(octets, sizeof octets, NULL);
    bool done = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return done;
}

static bool begin(X509 *certificate, const char *name, EVP_PKEY *key, X509 *issuer, int days) {
    return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
           set_name(X509_get_subject_name(certificate), name) &&
           X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -BACKDATED_SECONDS) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), (long)days * DAY_SECONDS) != NULL &&
           X509_set_pubkey(certificate, key) == 1;
}

bool readerd_make_authority(const char *name, int days, readerd_pem *key, readerd_pem *certificate) {
    EVP_PKEY *pair = EVP_EC_gen("P-256");
    X509 *made = X509_new();
    bool done = pair != NULL && made != NULL && begin(made, name, pair, made, days) &&
                extend(made, made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                extend(made, made, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                extend(made, made, NID_subject_key_identifier, "hash") && X509_sign(made, pair, EVP_sha256()) > 0 &&
                write_key(pair, key) && write_certificate(made, certificate);
    X509_free(made);
    EVP_PKEY_free(pair);
    return done;
}

static bool is_p256(EVP_PKEY *key) {
    char group[32];
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
           EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, NULL) == 1 &&
           OBJ_txt2nid(group) == NID_X9_62_prime256v1;
}

// The subject has the common name alone.
static bool is_named(X509_NAME *subject, const char *name) {
    if (X509_NAME_entry_count(subject) != 1) return false;
    X509_NAME_ENTRY *entry = X509_NAME_get_entry(subject, 0);
    if (OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry)) != NID_commonName) return false;
    ASN1_STRING *value = X509_NAME_ENTRY_get_data(entry);
    size_t count = strlen(name);
    return (size_t)ASN1_STRING_length(value) == count && memcmp(ASN1_STRING_get0_data(value), name, count) == 0;
}

static const char *refusal(X509_REQ *request, const char *name) {
    if (request == NULL) return "is no certificate request in PEM";
    EVP_PKEY *key = X509_REQ_get0_pubkey(request);
    if (key == NULL || !is_p256(key)) return "its key is none on P-256";
    if (X509_REQ_verify(request, key) != 1) return "its signature is not its key's";
    return is_named(X509_REQ_get_subject_name(request), name) ? NULL : "its name is not the reader's";
}

static const char *sign(X509_REQ *request, const char *name, int days, X509 *issuer, EVP_PKEY *key,
                        readerd_pem *certificate) {
    if (issuer == NULL || key == NULL || X509_check_private_key(issuer, key) != 1 || X509_check_ca(issuer) != 1) {
        return "the authority's certificate and key do not fit";
    }
    X509 *made = X509_new();
    bool done = made != NULL && begin(made, name, X509_REQ_get0_pubkey(request), issuer, days) &&
                extend(made, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
                extend(made, issuer, NID_key_usage, "critical,digitalSignature") &&
                extend(made, issuer, NID_ext_key_usage, "clientAuth") &&
                extend(made, issuer, NID_subject_key_identifier, "hash") &&
                extend(made, issuer, NID_authority_key_identifier, "keyid:always") &&
                X509_sign(made, key, EVP_sha256()) > 0 && write_certificate(made, certificate);
    X509_free(made);
    return done ? NULL : "OpenSSL does not sign it";
}

const char *readerd_issue(const char *request, const char *name, int days, const char *authority, const char *key,
                          readerd_pem *certificate) {
    BIO *texts[] = {BIO_new_mem_buf(request, -1), BIO_new_mem_buf(authority, -1), BIO_new_mem_buf(key, -1)};
    X509_REQ *parsed = PEM_read_bio_X509_REQ(texts[0], NULL, NULL, NULL);
    X509 *issuer = PEM_read_bio_X509(texts[1], NULL, NULL, NULL);
    EVP_PKEY *pair = PEM_read_bio_PrivateKey(texts[2], NULL, NULL, "");
    const char *reason = refusal(parsed, name);
    if (reason == NULL) reason = sign(parsed, name, days, issuer, pair, certificate);
    EVP_PKEY_free(pair);
    X509_free(issuer);
    X509_REQ_free(parsed);
    for (size_t index = 0; index < sizeof texts / sizeof *texts; index++) BIO_free(texts[index]);
    return reason;
}
