#include "CHCI.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

_Static_assert(sizeof(readerd_hci_address) == 6, "struct sockaddr_hci has 6 octets");
_Static_assert(sizeof(readerd_hci_device) == 92, "struct hci_dev_info has 92 octets");

// The kernel declares the arguments as int, whatever they point at.
#define READERD_HCIDEVUP _IOW('H', 201, int)
#define READERD_HCIDEVDOWN _IOW('H', 202, int)
#define READERD_HCIDEVRESTAT _IOW('H', 204, int)
#define READERD_HCIGETDEVINFO _IOR('H', 211, int)

// Bit 0 of the device's flags.
#define READERD_HCI_UP 0x01u

int readerd_hci_socket(void) {
    int descriptor = socket(readerd_hci_family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, readerd_hci_protocol);
    return descriptor < 0 ? -errno : descriptor;
}

int readerd_hci_bind_user_channel(int descriptor, uint16_t device) {
    readerd_hci_address address = {readerd_hci_family, device, readerd_hci_channel_user};
    return bind(descriptor, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

int readerd_hci_is_up(int descriptor, uint16_t device) {
    readerd_hci_device information = {.device = device};
    if (ioctl(descriptor, READERD_HCIGETDEVINFO, &information) < 0) return -errno;
    return (information.flags & READERD_HCI_UP) != 0;
}

int readerd_hci_is_taken(int descriptor, uint16_t device) {
    if (ioctl(descriptor, READERD_HCIDEVRESTAT, (unsigned long)device) == 0) return 0;
    return errno == EBUSY ? 1 : -errno;
}

int readerd_hci_up(int descriptor, uint16_t device) {
    return ioctl(descriptor, READERD_HCIDEVUP, (unsigned long)device) < 0 ? -errno : 0;
}

int readerd_hci_down(int descriptor, uint16_t device) {
    return ioctl(descriptor, READERD_HCIDEVDOWN, (unsigned long)device) < 0 ? -errno : 0;
}
