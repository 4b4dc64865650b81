// SPDX-License-Identifier: Apache-2.0

#include "CHCI.h"

#include <errno.h>
#include <sys/socket.h>

int readerd_hci_socket(void) {
    int descriptor = socket(readerd_hci_family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, readerd_hci_protocol);
    return descriptor < 0 ? -errno : descriptor;
}

int readerd_hci_bind_user_channel(int descriptor, uint16_t device) {
    readerd_hci_address address = {readerd_hci_family, device, readerd_hci_channel_user};
    return bind(descriptor, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

int readerd_hci_list(int descriptor, uint16_t *devices, uint16_t capacity) {
    struct {
        readerd_hci_list_head head;
        readerd_hci_list_entry entries[readerd_hci_list_capacity];
    } list = {.head = {capacity < readerd_hci_list_capacity ? capacity : readerd_hci_list_capacity}};
    if (ioctl(descriptor, READERD_HCIGETDEVLIST, &list) < 0) return -errno;
    int count = list.head.count < capacity ? list.head.count : capacity;
    for (int index = 0; index < count; index++) devices[index] = list.entries[index].device;
    return count;
}

int readerd_hci_get_address(int descriptor, uint16_t device, uint64_t *address) {
    readerd_hci_device information = {.device = device};
    if (ioctl(descriptor, READERD_HCIGETDEVINFO, &information) < 0) return -errno;
    *address = 0;
    for (int index = 5; index >= 0; index--) *address = *address << 8 | information.address[index];
    return 0;
}

int readerd_hci_is_up(int descriptor, uint16_t device) {
    readerd_hci_device information = {.device = device};
    if (ioctl(descriptor, READERD_HCIGETDEVINFO, &information) < 0) return -errno;
    return (information.flags & readerd_hci_flag_up) != 0;
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
