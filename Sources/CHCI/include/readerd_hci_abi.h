// SPDX-License-Identifier: Apache-2.0

// Numbers and layouts of the Linux kernel's Bluetooth socket interface, unchanged since 3.13 (the user channel).
// Written from the interface itself: nothing of libbluetooth is included or linked. Tests/CHCITests compares each with
// libbluetooth's headers; a new one joins Tests/Support/BluetoothHeaders.
#ifndef READERD_HCI_ABI_H
#define READERD_HCI_ABI_H

#include <stdint.h>
#include <sys/ioctl.h>

enum {
    readerd_hci_family = 31,            // AF_BLUETOOTH
    readerd_hci_protocol = 1,           // BTPROTO_HCI
    readerd_hci_channel_user = 1,       // HCI_CHANNEL_USER: the adapter belongs to one process
    readerd_hci_flag_up = 1 << 0,       // Bit HCI_UP of the device's flags
    readerd_hci_list_capacity = 64,     // Our own: more adapters than a machine has
};

// The kernel declares the arguments as int, regardless of their actual types.
#define READERD_HCIDEVUP _IOW('H', 201, int)
#define READERD_HCIDEVDOWN _IOW('H', 202, int)
#define READERD_HCIDEVRESTAT _IOW('H', 204, int)
#define READERD_HCIGETDEVLIST _IOR('H', 210, int)
#define READERD_HCIGETDEVINFO _IOR('H', 211, int)

/// struct sockaddr_hci.
typedef struct {
    uint16_t family;
    uint16_t device;
    uint16_t channel;
} readerd_hci_address;

/// struct hci_dev_list_req, which an array of struct hci_dev_req follows: the question and the answer of HCIGETDEVLIST.
typedef struct {
    uint16_t count;
    uint16_t padding;
} readerd_hci_list_head;

/// struct hci_dev_req.
typedef struct {
    uint16_t device;
    uint32_t flags;
} readerd_hci_list_entry;

/// struct hci_dev_info, the answer to HCIGETDEVINFO.
typedef struct {
    uint16_t device;
    char name[8];
    uint8_t address[6];
    uint32_t flags;
    uint8_t type;
    uint8_t features[8];
    uint32_t packet_types;
    uint32_t link_policy;
    uint32_t link_mode;
    uint16_t acl_length;
    uint16_t acl_packets;
    uint16_t sco_length;
    uint16_t sco_packets;
    uint32_t statistics[10];
} readerd_hci_device;

#endif
