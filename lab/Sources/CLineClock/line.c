// SPDX-License-Identifier: Apache-2.0

// Replacements for the functions of libgpiod, 1 and 2, that an output needs, for a simulated chip with 32 lines. Edges of
// the first, the lock's, are recorded in the file named by READERLAB_LINES, as six numbers of 64 bits:
//
//   0  the number of edges; written last
//   1  the time of the last edge (CLOCK_MONOTONIC, nanoseconds)
//   2  the level since then
//   3  the time at which the last read before the edge returned
//   4  the processor time of the thread that set the line, at the edge (CLOCK_THREAD_CPUTIME_ID, nanoseconds)
//   5  the processor time at the return of that read, if by the same thread; else 0
//
// A file of more than 4096 octets has all lines' edges as well, the first setting included, as many as fit: number 6 is
// how many there were, and from octet 4096 on each has its time, as above, and twice the line's offset plus the level.
//
// Only reads from the socket named by READERLAB_TRANSPORT count, which is identified at its connect.
#define _GNU_SOURCE
#include "CLineClock.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { EDGES, TIME, LEVEL, READ_TIME, EDGE_PROCESSOR, READ_PROCESSOR, ALL_EDGES, NUMBERS };
enum { LINES = 32, HEAD_OCTETS = 4096, UNKNOWN = -1 };

static _Atomic uint64_t unseen[NUMBERS];
static _Atomic uint64_t *line = unseen;
// The number of edges for which the file has room.
static uint64_t room;
static const char *transport_path;
static _Atomic int transport = -1;
static _Atomic uint64_t read_time;
static __thread uint64_t read_processor __attribute__((tls_model("initial-exec")));
static ssize_t (*next_read)(int, void *, size_t);
static int (*next_connect)(int, const struct sockaddr *, socklen_t);
// The targets of the library's handles; only those of lines have contents, their levels.
static int chip, other;
static _Atomic int levels[LINES];
// The line and the level of the next request (libgpiod 2).
static unsigned int wanted_line;
static int wanted;

// Called from the wrappers, since constructors of other libraries may read before this one's runs.
static void find(void) {
    if (next_connect != NULL) return;
    *(void **)&next_read = dlsym(RTLD_NEXT, "read");
    *(void **)&next_connect = dlsym(RTLD_NEXT, "connect");
}

__attribute__((constructor)) static void begin(void) {
    find();
    transport_path = getenv("READERLAB_TRANSPORT");
    for (size_t number = 0; number < LINES; number++) levels[number] = UNKNOWN;
    const char *path = getenv("READERLAB_LINES");
    if (path == NULL) return;
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat about;
    size_t octets = HEAD_OCTETS;
    if (fstat(descriptor, &about) == 0 && (size_t)about.st_size > octets) octets = (size_t)about.st_size;
    // All of it now: a page that is missing would take its time from an edge.
    void *memory = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED) return;
    line = memory;
    room = (octets - HEAD_OCTETS) / (2 * sizeof *line);
}

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
    find();
    int result = next_connect(descriptor, address, length);
    if (transport_path != NULL && length > offsetof(struct sockaddr_un, sun_path) && address->sa_family == AF_UNIX) {
        const struct sockaddr_un *name = (const struct sockaddr_un *)address;
        size_t room = length - offsetof(struct sockaddr_un, sun_path);
        if (strncmp(name->sun_path, transport_path, room) == 0) transport = descriptor;
    }
    return result;
}

ssize_t read(int descriptor, void *octets, size_t count) {
    find();
    ssize_t result = next_read(descriptor, octets, count);
    if (result <= 0 || descriptor != transport) return result;
    // The time is taken last, so that taking the processor time does not count as the reader's.
    read_processor = now(CLOCK_THREAD_CPUTIME_ID);
    read_time = now(CLOCK_MONOTONIC);
    return result;
}

static int set(_Atomic int *handle, int level) {
    if (atomic_exchange(handle, level) == level) return 0;
    uint64_t time = now(CLOCK_MONOTONIC);
    uint64_t number = (uint64_t)(handle - levels);
    uint64_t edge = atomic_fetch_add(&line[ALL_EDGES], 1);
    if (edge < room) {
        _Atomic uint64_t *entry = &line[HEAD_OCTETS / sizeof *line + 2 * edge];
        entry[1] = 2 * number + (uint64_t)level;
        // The time last: it is not 0.
        entry[0] = time;
    }
    if (number > 0) return 0;
    line[TIME] = time;
    line[EDGE_PROCESSOR] = now(CLOCK_THREAD_CPUTIME_ID);
    line[READ_PROCESSOR] = read_processor;
    line[READ_TIME] = read_time;
    line[LEVEL] = (uint64_t)level;
    atomic_fetch_add(&line[EDGES], 1);
    return 0;
}

void *gpiod_chip_open(const char *path) {
    (void)path;
    return &chip;
}

void gpiod_chip_close(void *opened) { (void)opened; }

// libgpiod 1.

unsigned int gpiod_chip_num_lines(void *opened) {
    (void)opened;
    return LINES;
}

void *gpiod_chip_get_line(void *opened, unsigned int offset) {
    (void)opened;
    return offset < LINES ? (void *)&levels[offset] : NULL;
}

// "lock", "line1", "line2" and so on; valid until the thread asks again.
const char *gpiod_line_name(void *handle) {
    static __thread char name[16];
    long number = (_Atomic int *)handle - levels;
    if (number == 0) return "lock";
    snprintf(name, sizeof name, "line%ld", number);
    return name;
}

int gpiod_line_request_output_flags(void *requested, const char *consumer, int flags, int level) {
    (void)consumer;
    (void)flags;
    return set(requested, level);
}

int gpiod_line_set_value(void *requested, int level) { return set(requested, level); }

int gpiod_line_get_value(void *requested) { return *(_Atomic int *)requested > 0; }

void gpiod_line_release(void *requested) { (void)requested; }

// libgpiod 2.

void *gpiod_chip_get_info(void *opened) {
    (void)opened;
    return &other;
}

size_t gpiod_chip_info_get_num_lines(void *info) {
    (void)info;
    return LINES;
}

void gpiod_chip_info_free(void *info) { (void)info; }

void *gpiod_chip_get_line_info(void *opened, unsigned int offset) {
    (void)opened;
    return offset < LINES ? (void *)&levels[offset] : NULL;
}

const char *gpiod_line_info_get_name(void *info) { return gpiod_line_name(info); }

void gpiod_line_info_free(void *info) { (void)info; }
void *gpiod_line_settings_new(void) { return &other; }
void gpiod_line_settings_free(void *settings) { (void)settings; }

void gpiod_line_settings_set_active_low(void *settings, _Bool is_active_low) {
    (void)settings;
    (void)is_active_low;
}

int gpiod_line_settings_set_direction(void *settings, int direction) {
    (void)settings;
    (void)direction;
    return 0;
}

int gpiod_line_settings_set_output_value(void *settings, int level) {
    (void)settings;
    wanted = level;
    return 0;
}

void *gpiod_line_config_new(void) { return &other; }
void gpiod_line_config_free(void *config) { (void)config; }

int gpiod_line_config_add_line_settings(void *config, const unsigned int *offsets, size_t count, void *settings) {
    (void)config;
    (void)settings;
    if (count > 0) wanted_line = offsets[0];
    return 0;
}

void *gpiod_request_config_new(void) { return &other; }
void gpiod_request_config_free(void *config) { (void)config; }

void gpiod_request_config_set_consumer(void *config, const char *consumer) {
    (void)config;
    (void)consumer;
}

void *gpiod_chip_request_lines(void *opened, void *request, void *lines) {
    (void)opened;
    (void)request;
    (void)lines;
    if (wanted_line >= LINES) return NULL;
    set(&levels[wanted_line], wanted);
    return (void *)&levels[wanted_line];
}

int gpiod_line_request_set_value(void *requested, unsigned int offset, int level) {
    (void)offset;
    return set(requested, level);
}

int gpiod_line_request_get_value(void *requested, unsigned int offset) {
    (void)offset;
    return *(_Atomic int *)requested > 0;
}

void gpiod_line_request_release(void *requested) { (void)requested; }
