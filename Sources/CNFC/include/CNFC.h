#ifndef CNFC_H
#define CNFC_H

// An NFC front end that plays a card (ISO/IEC 14443-4), over libnfc 1.8. libnfc waits in its calls, so a thread of its
// own makes them; only readerd_nfc_abort may be called from another one.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What became of a call, where it is no count.
enum readerd_nfc_outcome {
    // Nothing came in time.
    READERD_NFC_TIMED_OUT = -1,
    // The phone has let go, or left the field.
    READERD_NFC_RELEASED = -2,
    // readerd_nfc_abort was called.
    READERD_NFC_ABORTED = -3,
    // The chip does not do as it should.
    READERD_NFC_FAILED = -4,
};

// The most octets of a response: what one exchange with the chip holds, without what is around it. libnfc does not look at
// the length, and ends the process for some more.
#define READERD_NFC_RESPONSE_LIMIT 250

struct readerd_nfc;

// Makes libnfc say nothing on the standard error, unless LIBNFC_LOG_LEVEL is set already. Changes the environment: to be
// called while there is one thread.
void readerd_nfc_quiet(void);

// A library without a device; NULL where there is no memory. From the first on, a SIGABRT that libnfc raises in a call of this
// face ends the call and not the process; every other one does what it did before.
struct readerd_nfc *readerd_nfc_create(void);

// Closes the device and frees what is the caller's. What libnfc has for the whole process stays.
void readerd_nfc_destroy(struct readerd_nfc *nfc);

// Opens the device that a connection string of libnfc names; 0, or READERD_NFC_FAILED.
int readerd_nfc_open(struct readerd_nfc *nfc, const char *connection);

// Closes the device, if one is open.
void readerd_nfc_close(struct readerd_nfc *nfc);

// What libnfc calls the open device: driver, port and chip; empty without one.
const char *readerd_nfc_name(struct readerd_nfc *nfc);

// Waits until a phone activates the card; 0, or an outcome.
int readerd_nfc_listen(struct readerd_nfc *nfc, int milliseconds);

// Waits for a command of the phone: how many octets it has, or an outcome.
int readerd_nfc_receive(struct readerd_nfc *nfc, uint8_t *octets, size_t size, int milliseconds);

// Answers the command: 0, or an outcome. More than READERD_NFC_RESPONSE_LIMIT octets are not sent: READERD_NFC_FAILED.
int readerd_nfc_send(struct readerd_nfc *nfc, const uint8_t *octets, size_t count, int milliseconds);

// Ends the wait of a listen or receive that is under way. One that begins just now may miss it: call it again until the
// wait is over.
void readerd_nfc_abort(struct readerd_nfc *nfc);

#ifdef __cplusplus
}
#endif

#endif
