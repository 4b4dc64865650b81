// SPDX-License-Identifier: Apache-2.0

#ifndef READERD_ENROLMENT_H
#define READERD_ENROLMENT_H

// Keys, requests (PKCS#10, RFC 2986) and certificates (RFC 5280) on P-256, by OpenSSL; all in PEM, all ended by a zero.

#include <stdbool.h>
#include <stddef.h>

// Enough for each text below.
enum { READERD_PEM_SIZE = 4096 };

typedef struct {
    char text[READERD_PEM_SIZE];
} readerd_pem;

// Makes a key, PKCS#8, and the request of a client with this name. False on failure; the key is to be wiped.
bool readerd_make_request(const char *name, readerd_pem *key, readerd_pem *request);
// Makes a key and the certificate of an authority.
bool readerd_make_authority(const char *name, int days, readerd_pem *key, readerd_pem *certificate);

// Issues a client's certificate for the request. Null, or the reason of a refusal.
const char *readerd_issue(const char *request, const char *name, int days, const char *authority, const char *key,
                          readerd_pem *certificate);
void readerd_wipe_pem(readerd_pem *pem);

#endif
