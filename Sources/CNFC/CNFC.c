// SPDX-License-Identifier: Apache-2.0

#include "CNFC.h"

#include <nfc/nfc.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

// Exported by libnfc.so.6, and declared in a header that is not installed (libnfc/chips/pn53x.h).
int pn53x_transceive(struct nfc_device *device, const uint8_t *command, size_t count, uint8_t *response, size_t size,
                     int milliseconds);

struct readerd_nfc {
    // Modified under the lock by the one thread; read under it by aborting threads.
    nfc_device *device;
    pthread_mutex_t lock;
};

// The activation of the card takes a few octets; libnfc copies all of them into the buffer that it is given.
enum { activation_octets = 262 };

// libnfc calls abort(3) for some responses that a chip may send: for a command of the phone with a node address
// (ISO/IEC 14443-4, 7.1.2) and, with SPI or I2C, for one of more than 252 octets. Any device in the reader's field
// can send both, and the reader must not terminate. abort raises the signal in the calling thread without locks held,
// and a handler may leave it by a jump (POSIX.1-2017, abort); libnfc then has received a complete response of the
// chip, so that the device remains usable.
static _Thread_local sigjmp_buf *shield;
static struct sigaction former;

// nfc_init fills a driver list that is global to the process, and sets the environment; nfc_exit frees that list,
// even if it is in use. There is therefore one context, which is created once and never released; opening a device
// with it only reads it.
static nfc_context *context;
static pthread_once_t library_is_set_up = PTHREAD_ONCE_INIT;

static void aborted(int signal)
{
    if (shield != NULL) siglongjmp(*shield, 1);
    // The signal is not libnfc's: the previous action applies.
    sigaction(signal, &former, NULL);
    raise(signal);
}

static void set_handler(void)
{
    struct sigaction action = {.sa_handler = aborted, .sa_flags = 0};
    sigemptyset(&action.sa_mask);
    sigaction(SIGABRT, &action, &former);
}

static void set_up_library(void)
{
    set_handler();
    nfc_init(&context);
}

// Calls `call` with the protection; the result is `otherwise` if it was left by abort.
#define SHIELDED(result, call, otherwise)                                                                              \
    do {                                                                                                               \
        sigjmp_buf here;                                                                                               \
        if (sigsetjmp(here, 1) == 0) {                                                                                 \
            shield = &here;                                                                                            \
            result = (call);                                                                                           \
        } else {                                                                                                       \
            result = (otherwise);                                                                                      \
        }                                                                                                              \
        shield = NULL;                                                                                                 \
    } while (0)

void readerd_nfc_quiet(void) { setenv("LIBNFC_LOG_LEVEL", "0", 0); }

struct readerd_nfc *readerd_nfc_create(void)
{
    pthread_once(&library_is_set_up, set_up_library);
    if (context == NULL) return NULL;
    struct readerd_nfc *nfc = calloc(1, sizeof *nfc);
    if (nfc != NULL) pthread_mutex_init(&nfc->lock, NULL);
    return nfc;
}

void readerd_nfc_destroy(struct readerd_nfc *nfc)
{
    if (nfc == NULL) return;
    readerd_nfc_close(nfc);
    pthread_mutex_destroy(&nfc->lock);
    free(nfc);
}

int readerd_nfc_open(struct readerd_nfc *nfc, const char *connection)
{
    readerd_nfc_close(nfc);
    nfc_connstring name;
    size_t count = strlen(connection);
    if (count >= sizeof name) return READERD_NFC_FAILED;
    memset(name, 0, sizeof name);
    memcpy(name, connection, count);
    nfc_device *volatile device;
    SHIELDED(device, nfc_open(context, name), NULL);
    pthread_mutex_lock(&nfc->lock);
    nfc->device = device;
    pthread_mutex_unlock(&nfc->lock);
    return device == NULL ? READERD_NFC_FAILED : 0;
}

static int close_device(nfc_device *device)
{
    nfc_close(device);
    return 0;
}

void readerd_nfc_close(struct readerd_nfc *nfc)
{
    pthread_mutex_lock(&nfc->lock);
    nfc_device *device = nfc->device;
    nfc->device = NULL;
    pthread_mutex_unlock(&nfc->lock);
    volatile int result = 0;
    if (device != NULL) SHIELDED(result, close_device(device), 0);
    (void)result;
}

const char *readerd_nfc_name(struct readerd_nfc *nfc)
{
    return nfc->device == NULL ? "" : nfc_device_get_name(nfc->device);
}

static int outcome(int code)
{
    switch (code) {
    case NFC_ETIMEOUT: return READERD_NFC_TIMED_OUT;
    case NFC_EOPABORTED: return READERD_NFC_ABORTED;
    // The chip works, and reports a failure of the exchange with the phone or card; NFC_EINVARG stands for a command
    // that is not acceptable without one (status 10, 26 and 27).
    case NFC_ETGRELEASED:
    case NFC_ERFTRANS:
    case NFC_EINVARG:
    case NFC_EMFCAUTHFAIL:
    case NFC_ECHIP: return READERD_NFC_RELEASED;
    default: return READERD_NFC_FAILED;
    }
}

int readerd_nfc_listen(struct readerd_nfc *nfc, int milliseconds)
{
    if (nfc->device == NULL) return READERD_NFC_FAILED;
    // SAK 20: ISO/IEC 14443-4. The identifier begins with 08 (random) regardless of the request, and identifies
    // nothing. The chip generates the ATS.
    nfc_target target = {
        .nm = {.nmt = NMT_ISO14443A, .nbr = NBR_UNDEFINED},
        .nti = {.nai = {.abtAtqa = {0x00, 0x04}, .btSak = 0x20, .szUidLen = 4, .abtUid = {0x08, 0x00, 0xb0, 0x0b}}},
    };
    uint8_t request[activation_octets];
    volatile int code;
    SHIELDED(code, nfc_target_init(nfc->device, &target, request, sizeof request, milliseconds), NFC_EIO);
    return code < 0 ? outcome(code) : 0;
}

int readerd_nfc_receive(struct readerd_nfc *nfc, uint8_t *octets, size_t size, int milliseconds)
{
    if (nfc->device == NULL) return READERD_NFC_FAILED;
    volatile int code;
    SHIELDED(code, nfc_target_receive_bytes(nfc->device, octets, size, milliseconds), NFC_ERFTRANS);
    if (code >= 0) return (size_t)code <= size ? code : READERD_NFC_FAILED;
    // A command that does not fit is an error of the phone.
    return code == NFC_EOVFLOW ? READERD_NFC_RELEASED : outcome(code);
}

int readerd_nfc_send(struct readerd_nfc *nfc, const uint8_t *octets, size_t count, int milliseconds)
{
    if (nfc->device == NULL || count == 0 || count > READERD_NFC_RESPONSE_LIMIT) return READERD_NFC_FAILED;
    volatile int code;
    SHIELDED(code, nfc_target_send_bytes(nfc->device, octets, count, milliseconds), NFC_ERFTRANS);
    return code < 0 ? outcome(code) : 0;
}

bool readerd_nfc_takes_commands(const char *connection)
{
    // pn53x_transceive takes any device for one of its family, and would read foreign memory.
    static const char *const drivers[] = {"pn532_uart:", "pn532_i2c:", "pn532_spi:"};
    for (size_t at = 0; at < sizeof drivers / sizeof *drivers; at++) {
        if (strncmp(connection, drivers[at], strlen(drivers[at])) == 0) return true;
    }
    return false;
}

int readerd_nfc_command(struct readerd_nfc *nfc, const uint8_t *command, size_t count, uint8_t *response, size_t size,
                        int milliseconds)
{
    if (nfc->device == NULL || count == 0 || count > READERD_NFC_COMMAND_LIMIT) return READERD_NFC_FAILED;
    volatile int code;
    SHIELDED(code, pn53x_transceive(nfc->device, command, count, response, size, milliseconds), NFC_ERFTRANS);
    if (code >= 0) return (size_t)code <= size ? code : READERD_NFC_FAILED;
    return outcome(code);
}

int readerd_nfc_idle(struct readerd_nfc *nfc)
{
    if (nfc->device == NULL) return READERD_NFC_FAILED;
    volatile int code;
    SHIELDED(code, nfc_idle(nfc->device), NFC_EIO);
    return code < 0 ? outcome(code) : 0;
}

void readerd_nfc_abort(struct readerd_nfc *nfc)
{
    pthread_mutex_lock(&nfc->lock);
    if (nfc->device != NULL) nfc_abort_command(nfc->device);
    pthread_mutex_unlock(&nfc->lock);
}
