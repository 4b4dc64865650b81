// SPDX-License-Identifier: Apache-2.0

// Calls of the Linux kernel's Bluetooth socket interface. Every function returns a non-negative value, or the negated
// errno.
#ifndef READERD_CHCI_H
#define READERD_CHCI_H

#include "readerd_hci_abi.h"

/// Creates an unbound non-blocking HCI socket. -EAFNOSUPPORT without Bluetooth in the kernel.
int readerd_hci_socket(void);

/// Binds the socket to the user channel of an adapter, which must be down: the process is its host then.
int readerd_hci_bind_user_channel(int descriptor, uint16_t device);

/// Fills `devices` with the numbers of at most `capacity` adapters, and returns how many there are (HCIGETDEVLIST).
int readerd_hci_list(int descriptor, uint16_t *devices, uint16_t capacity);

/// The adapter's public address, its most significant octet in bits 40 to 47; 0 if it has none.
int readerd_hci_get_address(int descriptor, uint16_t device, uint64_t *address);

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
