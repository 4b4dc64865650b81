// SPDX-License-Identifier: Apache-2.0

#ifndef CNFC_H
#define CNFC_H

// An NFC front end in card emulation (ISO/IEC 14443-4), or driven by commands of a PN532, implemented with libnfc 1.8.
// Calls of libnfc block, so that a dedicated thread makes them; only readerd_nfc_abort may be called from another one.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The outcome of a call, if it is not a count.
enum readerd_nfc_outcome {
    // Time-out.
    READERD_NFC_TIMED_OUT = -1,
    // The phone has deselected the card, or left the field.
    READERD_NFC_RELEASED = -2,
    // readerd_nfc_abort was called.
    READERD_NFC_ABORTED = -3,
    // The chip is faulty.
    READERD_NFC_FAILED = -4,
};

// The maximum length of a response in octets: that of one exchange with the chip, without its framing. libnfc does
// not verify the length, and terminates the process slightly above it.
#define READERD_NFC_RESPONSE_LIMIT 250

// The maximum length of a command for the chip in octets, its code included: libnfc does not verify the length, and
// terminates the process above it.
#define READERD_NFC_COMMAND_LIMIT 264

struct readerd_nfc;

// Disables libnfc's output on standard error, unless LIBNFC_LOG_LEVEL is set. Changes the environment: call this
// while there is only one thread.
void readerd_nfc_quiet(void);

// Creates a library handle without a device; NULL without memory. From the first one on, a SIGABRT raised by libnfc
// within a call of this interface ends the call and not the process; any other keeps its previous action.
struct readerd_nfc *readerd_nfc_create(void);

// Closes the device, and frees the handle. State of libnfc that is global to the process is kept.
void readerd_nfc_destroy(struct readerd_nfc *nfc);

// Opens the device of a libnfc connection string; 0, or READERD_NFC_FAILED.
int readerd_nfc_open(struct readerd_nfc *nfc, const char *connection);

// Closes the device, if open.
void readerd_nfc_close(struct readerd_nfc *nfc);

// The name of the open device in libnfc: driver, port and chip; empty without one.
const char *readerd_nfc_name(struct readerd_nfc *nfc);

// Waits until a phone activates the card; 0, or an outcome.
int readerd_nfc_listen(struct readerd_nfc *nfc, int milliseconds);

// Waits for a command of the phone: its length in octets, or an outcome.
int readerd_nfc_receive(struct readerd_nfc *nfc, uint8_t *octets, size_t size, int milliseconds);

// Answers the command: 0, or an outcome. Above READERD_NFC_RESPONSE_LIMIT octets nothing is sent: READERD_NFC_FAILED.
int readerd_nfc_send(struct readerd_nfc *nfc, const uint8_t *octets, size_t count, int milliseconds);

// True if the connection string names a driver whose chips are driven by readerd_nfc_command.
bool readerd_nfc_takes_commands(const char *connection);

// Sends a command to the chip, as octets of the PN532's manual without the direction, and receives its response without
// direction and code: its length in octets, or an outcome. READERD_NFC_RELEASED: the chip works, and reports a failure
// of the exchange with the card. After READERD_NFC_TIMED_OUT, a late response may be read as that of the next command,
// which fails; after READERD_NFC_FAILED, close the device. Needs a connection for which readerd_nfc_takes_commands is true.
int readerd_nfc_command(struct readerd_nfc *nfc, const uint8_t *command, size_t count, uint8_t *response, size_t size,
                        int milliseconds);

// Ends card emulation, before a command; 0, or an outcome.
int readerd_nfc_idle(struct readerd_nfc *nfc);

// Ends the wait of a listen, receive or command in progress. One that is just starting may miss it: repeat the call
// until the wait has ended.
void readerd_nfc_abort(struct readerd_nfc *nfc);

#ifdef __cplusplus
}
#endif

#endif
