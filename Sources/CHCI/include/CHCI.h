// The Linux kernel's Bluetooth socket interface: numbers and layouts since 3.13 (the user channel). Written from the
// interface itself; nothing of libbluetooth is included or linked.
//
// Every function returns a non-negative value, or the negated errno.
#ifndef READERD_CHCI_H
#define READERD_CHCI_H

#include <stdbool.h>
#include <stdint.h>

enum {
    readerd_hci_family = 31,            // AF_BLUETOOTH
    readerd_hci_protocol = 1,           // BTPROTO_HCI
    readerd_hci_channel_user = 1,       // HCI_CHANNEL_USER: the adapter belongs to one process
};

/// struct sockaddr_hci.
typedef struct {
    uint16_t family;
    uint16_t device;
    uint16_t channel;
} readerd_hci_address;

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

/// Creates an unbound non-blocking HCI socket. -EAFNOSUPPORT without Bluetooth in the kernel.
int readerd_hci_socket(void);

/// Binds the socket to the user channel of an adapter, which must be down: the process is its host then.
int readerd_hci_bind_user_channel(int descriptor, uint16_t device);

/// 1 if the adapter is up (HCI_UP), 0 if it is down.
int readerd_hci_is_up(int descriptor, uint16_t device);

/// 1 if a process has bound the adapter's user channel, 0 if not. HCIGETDEVINFO and bind() report such an adapter
/// only as up; HCIDEVRESTAT, which resets the adapter's counters, fails for it with EBUSY and succeeds for all
/// others.
int readerd_hci_is_taken(int descriptor, uint16_t device);

/// Brings the adapter up (HCIDEVUP).
int readerd_hci_up(int descriptor, uint16_t device);

/// Brings the adapter down (HCIDEVDOWN): users of the kernel's host stack lose it.
int readerd_hci_down(int descriptor, uint16_t device);

#endif
