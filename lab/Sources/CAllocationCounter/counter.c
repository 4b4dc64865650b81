// SPDX-License-Identifier: Apache-2.0

// Wrappers of malloc and related functions of glibc, which count in the file named by READERLAB_ALLOCATIONS: four
// numbers of 64 bits: all calls; 1 if counting is active; calls by libcrypto, identified by the return address;
// remaining calls by threads other than the first.
#define _GNU_SOURCE
#include "CAllocationCounter.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { ALL, IS_COUNTED, OF_LIBCRYPTO, OF_OTHER_THREADS, NUMBERS };

static _Atomic uint64_t unseen[NUMBERS];
static _Atomic uint64_t *counter = unseen;
static uintptr_t libcrypto_start, libcrypto_end;
// 0 until determined: 1 for the first thread, 2 for another.
static __thread int which_thread __attribute__((tls_model("initial-exec")));

static void add(int number) {
    atomic_fetch_add_explicit(&counter[number], 1, memory_order_relaxed);
}

static void count(void *caller) {
    add(ALL);
    uintptr_t place = (uintptr_t)caller;
    if (place >= libcrypto_start && place < libcrypto_end) {
        add(OF_LIBCRYPTO);
        return;
    }
    if (which_thread == 0) which_thread = gettid() == getpid() ? 1 : 2;
    if (which_thread == 2) add(OF_OTHER_THREADS);
}

static int find_libcrypto(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (object->dlpi_name == NULL || strstr(object->dlpi_name, "/libcrypto.so") == NULL) return 0;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
        libcrypto_start = object->dlpi_addr + part->p_vaddr;
        libcrypto_end = libcrypto_start + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void) {
    dl_iterate_phdr(find_libcrypto, NULL);
    const char *path = getenv("READERLAB_ALLOCATIONS");
    if (path == NULL) return;
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED) return;
    counter = memory;
    atomic_store(&counter[IS_COUNTED], 1);
}

void *malloc(size_t size) {
    count(__builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(__builtin_return_address(0));
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count(__builtin_return_address(0));
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count(__builtin_return_address(0));
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}
