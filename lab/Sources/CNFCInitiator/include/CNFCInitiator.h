// SPDX-License-Identifier: Apache-2.0

#ifndef CNFCINITIATOR_H
#define CNFCINITIATOR_H

// An NFC chip as the initiator: the phone's side of a touch (ISO/IEC 14443-4, type A), implemented with libnfc 1.8.
// Every call blocks for a second at most, unless said otherwise. One thread, one chip.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The outcome of a call, if it is not a count.
enum readerlab_nfc_outcome {
    // The card has left the field, or did not answer.
    READERLAB_NFC_LOST = -1,
    // The chip is faulty.
    READERLAB_NFC_FAILED = -2,
};

struct readerlab_nfc;

// Opens the device of a libnfc connection string, and switches its field on; NULL if no chip answers, which may take
// some seconds. libnfc prints nothing, unless LIBNFC_LOG_LEVEL is set.
struct readerlab_nfc *readerlab_nfc_open(const char *connection);

// Switches the field off, and closes the device.
void readerlab_nfc_close(struct readerlab_nfc *nfc);

// Activates a card of type A with ISO/IEC 14443-4, if one is in the field: 1, 0 if none is, or an outcome.
int readerlab_nfc_activate(struct readerlab_nfc *nfc);

// Sends a command APDU: the length of the response in octets, or an outcome.
int readerlab_nfc_exchange(
    struct readerlab_nfc *nfc, const uint8_t *command, size_t count, uint8_t *response, size_t size);

// Deselects the card.
void readerlab_nfc_release(struct readerlab_nfc *nfc);

#ifdef __cplusplus
}
#endif

#endif
