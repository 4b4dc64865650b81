#define _GNU_SOURCE
#include "readerd_memory.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Whether the dynamic linker writes into segments that are for reading.
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

// More segments than any object has; what is behind them would stay.
enum { MAXIMUM_SEGMENTS = 32 };

static int give_back(struct dl_phdr_info *object, size_t size, void *given) {
    (void)size;
    if (has_text_relocations(object)) return 0;
    // The headers stand in the first of the pages that are given back: read after that, they would bring it, and what
    // the kernel maps around it, back again.
    ElfW(Phdr) headers[MAXIMUM_SEGMENTS];
    const size_t count = object->dlpi_phnum < MAXIMUM_SEGMENTS ? object->dlpi_phnum : MAXIMUM_SEGMENTS;
    memcpy(headers, object->dlpi_phdr, count * sizeof headers[0]);
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t index = 0; index < count; index++) {
        const ElfW(Phdr) *header = &headers[index];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W)) continue;
        // Whole pages: one that the segment shares with the next may be the next one's.
        const uintptr_t start = (object->dlpi_addr + header->p_vaddr + page - 1) & ~(page - 1);
        const uintptr_t end = (object->dlpi_addr + header->p_vaddr + header->p_filesz) & ~(page - 1);
        // The kernel's own object refuses, which is as good.
        if (start < end && madvise((void *)start, end - start, MADV_DONTNEED) == 0) *(size_t *)given += end - start;
    }
    return 0;
}

size_t readerd_give_back_file_pages(void) {
    size_t given = 0;
    dl_iterate_phdr(give_back, &given);
    return given;
}
