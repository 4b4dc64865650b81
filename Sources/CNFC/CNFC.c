#include "CNFC.h"

#include <nfc/nfc.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct readerd_nfc {
    // Changed under the lock, by the one thread; read under it by those that abort.
    nfc_device *device;
    pthread_mutex_t lock;
};

// How a phone activates the card takes a few octets; libnfc copies as many as there are into what it is given.
enum { activation_octets = 262 };

// libnfc calls abort(3) for some of what a chip may well answer: for a command of the phone that came with a node address
// (ISO/IEC 14443-4, 7.1.2), and, behind SPI or I2C, for one of more than 252 octets. Whoever holds a device to the reader can
// send both, and the reader must not end for it. abort raises the signal in the thread that calls it, with nothing locked, and a
// handler may leave it by a jump (POSIX.1-2017, abort); what libnfc has then is a whole answer of the chip, so the device can go
// on being used.
static _Thread_local sigjmp_buf *shield;
static struct sigaction former;

// nfc_init fills a list of drivers that is the process's, and sets the environment; nfc_exit frees that list, whoever else is
// just going through it. So there is one context, which is made once and never ended; to open a device with it only reads it.
static nfc_context *context;
static pthread_once_t library_is_set_up = PTHREAD_ONCE_INIT;

static void aborted(int signal)
{
    if (shield != NULL) siglongjmp(*shield, 1);
    // Somebody else's: as it was before.
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

// Does `call` behind the shield; what it comes to is `otherwise` if it was left by abort.
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
    // The chip works, and says that the exchange with the phone does not.
    case NFC_ETGRELEASED:
    case NFC_ERFTRANS:
    case NFC_ECHIP: return READERD_NFC_RELEASED;
    default: return READERD_NFC_FAILED;
    }
}

int readerd_nfc_listen(struct readerd_nfc *nfc, int milliseconds)
{
    if (nfc->device == NULL) return READERD_NFC_FAILED;
    // SAK 20: ISO/IEC 14443-4. The identifier begins with 08 (random) whatever is asked for, and tells nobody anything.
    // The chip makes the ATS.
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
    // A command that does not fit is the phone's fault.
    return code == NFC_EOVFLOW ? READERD_NFC_RELEASED : outcome(code);
}

int readerd_nfc_send(struct readerd_nfc *nfc, const uint8_t *octets, size_t count, int milliseconds)
{
    if (nfc->device == NULL || count == 0 || count > READERD_NFC_RESPONSE_LIMIT) return READERD_NFC_FAILED;
    volatile int code;
    SHIELDED(code, nfc_target_send_bytes(nfc->device, octets, count, milliseconds), NFC_ERFTRANS);
    return code < 0 ? outcome(code) : 0;
}

void readerd_nfc_abort(struct readerd_nfc *nfc)
{
    pthread_mutex_lock(&nfc->lock);
    if (nfc->device != NULL) nfc_abort_command(nfc->device);
    pthread_mutex_unlock(&nfc->lock);
}
