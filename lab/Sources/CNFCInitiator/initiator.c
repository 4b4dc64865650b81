// SPDX-License-Identifier: Apache-2.0

#include "CNFCInitiator.h"

#include <nfc/nfc.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// For a command. A card that keeps to docs/protocol/nfc-profile.md answers within 100 ms.
enum { response_milliseconds = 1000 };

// A bit of SAK: the card has ISO/IEC 14443-4 (ISO/IEC 14443-3, 6.5.3.4).
enum { has_blocks = 0x20 };

struct readerlab_nfc {
    nfc_context *context;
    nfc_device *device;
};

static bool switch_on(struct readerlab_nfc *nfc, const char *connection)
{
    nfc_connstring name;
    size_t count = strlen(connection);
    if (count >= sizeof name) return false;
    memcpy(name, connection, count + 1);
    nfc_init(&nfc->context);
    if (nfc->context == NULL) return false;
    nfc->device = nfc_open(nfc->context, name);
    // Without infinite selection a call returns when no card is there.
    return nfc->device != NULL && nfc_initiator_init(nfc->device) >= 0
        && nfc_device_set_property_bool(nfc->device, NP_INFINITE_SELECT, false) >= 0;
}

struct readerlab_nfc *readerlab_nfc_open(const char *connection)
{
    setenv("LIBNFC_LOG_LEVEL", "0", 0);
    struct readerlab_nfc *nfc = calloc(1, sizeof *nfc);
    if (nfc == NULL || switch_on(nfc, connection)) return nfc;
    readerlab_nfc_close(nfc);
    return NULL;
}

void readerlab_nfc_close(struct readerlab_nfc *nfc)
{
    if (nfc == NULL) return;
    if (nfc->device != NULL) nfc_close(nfc->device);
    if (nfc->context != NULL) nfc_exit(nfc->context);
    free(nfc);
}

static int outcome(int code)
{
    switch (code) {
    case NFC_ETIMEOUT:
    case NFC_ETGRELEASED:
    case NFC_ERFTRANS:
    case NFC_EOVFLOW:
    case NFC_ECHIP: return READERLAB_NFC_LOST;
    default: return READERLAB_NFC_FAILED;
    }
}

int readerlab_nfc_activate(struct readerlab_nfc *nfc)
{
    const nfc_modulation modulation = {.nmt = NMT_ISO14443A, .nbr = NBR_106};
    nfc_target target;
    int count = nfc_initiator_select_passive_target(nfc->device, modulation, NULL, 0, &target);
    if (count < 0) return outcome(count) == READERLAB_NFC_LOST ? 0 : READERLAB_NFC_FAILED;
    if (count == 0) return 0;
    if (target.nti.nai.btSak & has_blocks) return 1;
    readerlab_nfc_release(nfc);
    return 0;
}

int readerlab_nfc_exchange(
    struct readerlab_nfc *nfc, const uint8_t *command, size_t count, uint8_t *response, size_t size)
{
    int received =
        nfc_initiator_transceive_bytes(nfc->device, command, count, response, size, response_milliseconds);
    if (received < 0) return outcome(received);
    return (size_t)received <= size ? received : READERLAB_NFC_FAILED;
}

void readerlab_nfc_release(struct readerlab_nfc *nfc) { nfc_initiator_deselect_target(nfc->device); }
