// SPDX-License-Identifier: Apache-2.0

// CHCI's declarations of the kernel's interface beside those of libbluetooth's headers. The headers are under the GPL:
// this target alone includes them, only CHCITests uses it, and nothing links the library.
#ifndef READERD_BLUETOOTH_HEADERS_H
#define READERD_BLUETOOTH_HEADERS_H

#include <stddef.h>
#include <stdint.h>

/// A constant, an ioctl number or the size of a structure.
typedef struct {
    const char *name;
    uint64_t ours;
    uint64_t theirs;
} readerd_abi_number;

/// A field of a structure, under its name there.
typedef struct {
    const char *structure;
    const char *name;
    size_t offset;
    size_t size;
    size_t their_offset;
    size_t their_size;
} readerd_abi_field;

/// The number at the index, or one without a name behind the last.
readerd_abi_number readerd_abi_number_at(size_t index);

/// The field at the index, in the order of the structures, or one without a name behind the last.
readerd_abi_field readerd_abi_field_at(size_t index);

#endif
