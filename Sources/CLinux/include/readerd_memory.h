// SPDX-License-Identifier: Apache-2.0

// The memory of the process.
#ifndef READERD_MEMORY_H
#define READERD_MEMORY_H

#include <stddef.h>

/// Releases mapped file pages of the program and its libraries that are never written: text, constants, tables of the
/// dynamic linker (MADV_DONTNEED). Pages that are used again are mapped again, from the page cache while they are in
/// it. Returns the size of the released address ranges in octets.
///
/// Segments written by the dynamic linker are kept, since its changes would be lost: writable ones, those that were
/// made read-only (RELRO), and libraries with text relocations. A debugger's breakpoints are lost.
size_t readerd_give_back_file_pages(void);

#endif
