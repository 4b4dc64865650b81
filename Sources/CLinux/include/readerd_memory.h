// Memory that the process holds.
#ifndef READERD_MEMORY_H
#define READERD_MEMORY_H

#include <stddef.h>

/// Gives back what is mapped of the files of the program and its libraries and is never written: text, constants,
/// tables of the dynamic linker (MADV_DONTNEED). What is used again is mapped again, from the page cache while it is
/// there. How many octets of addresses that were.
///
/// Segments that the dynamic linker writes stay, since what it wrote would be lost: those that may be written, those
/// that may not any more (RELRO), and libraries with relocations in their text. A debugger's breakpoints are lost.
size_t readerd_give_back_file_pages(void);

#endif
