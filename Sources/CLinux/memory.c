// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "readerd_memory.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Returns true if the dynamic linker writes to read-only segments.
static bool has_text_relocations(const struct dl_phdr_info *object) {
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[index];
        if (header->p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + header->p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL) return true;
            if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)) return true;
        }
    }
    return false;
}

// More segments than any object has; further ones would be kept.
enum { MAXIMUM_SEGMENTS = 32 };

static int give_back(struct dl_phdr_info *object, size_t size, void *given) {
    (void)size;
    if (has_text_relocations(object)) return 0;
    // A copy of the headers: they are in the first released page, so that reading them later would map it again, and
    // its neighbours with it.
    ElfW(Phdr) headers[MAXIMUM_SEGMENTS];
    const size_t count = object->dlpi_phnum < MAXIMUM_SEGMENTS ? object->dlpi_phnum : MAXIMUM_SEGMENTS;
    memcpy(headers, object->dlpi_phdr, count * sizeof headers[0]);
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t index = 0; index < count; index++) {
        const ElfW(Phdr) *header = &headers[index];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W)) continue;
        // Complete pages only: a shared page may belong to the next segment.
        const uintptr_t start = (object->dlpi_addr + header->p_vaddr + page - 1) & ~(page - 1);
        const uintptr_t end = (object->dlpi_addr + header->p_vaddr + header->p_filesz) & ~(page - 1);
        // The kernel's vDSO refuses, which is harmless.
        if (start < end && madvise((void *)start, end - start, MADV_DONTNEED) == 0) *(size_t *)given += end - start;
    }
    return 0;
}

size_t readerd_give_back_file_pages(void) {
    size_t given = 0;
    dl_iterate_phdr(give_back, &given);
    return given;
}
