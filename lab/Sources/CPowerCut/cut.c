// SPDX-License-Identifier: Apache-2.0

// Power cuts at the operations that replace a file as a whole: the program that preloads this is killed at operation
// number READERLAB_CUT_AT, counted from 1, on files below READERLAB_CUT_DIRECTORY. Operations are
//
//   create     a new file: before
//   write      its octets: half of them, unsynchronised
//   sync       the file: before, with half of what was written since
//   rename     to its name: before
//   settle     the directory: before; the new name is there
//   unsettle   the directory: before; the new name was not yet on the disk, and the old file is there
//
// With READERLAB_CUT_LOG, each operation is a line "NUMBER OPERATION FILE" there.
#define _GNU_SOURCE
#include "CPowerCut.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *directory;
static unsigned long wanted, count;
static int log_file = -1;
static int (*next_openat)(int, const char *, int, ...);
static ssize_t (*next_write)(int, const void *, size_t);
static int (*next_fsync)(int);
static int (*next_renameat)(int, const char *, int, const char *);

// The last rename, until its directory is synchronised: the name, and the file that had it.
static char renamed[PATH_MAX], former[PATH_MAX + 8];

// Called from the wrappers, since constructors of other libraries may write before this one's runs.
static void find(void) {
    if (next_write != NULL) return;
    *(void **)&next_openat = dlsym(RTLD_NEXT, "openat");
    *(void **)&next_fsync = dlsym(RTLD_NEXT, "fsync");
    *(void **)&next_renameat = dlsym(RTLD_NEXT, "renameat");
    *(void **)&next_write = dlsym(RTLD_NEXT, "write");
}

__attribute__((constructor)) static void begin(void) {
    find();
    directory = getenv("READERLAB_CUT_DIRECTORY");
    const char *at = getenv("READERLAB_CUT_AT"), *path = getenv("READERLAB_CUT_LOG");
    if (at != NULL) wanted = strtoul(at, NULL, 10);
    if (path != NULL) log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// The path of a descriptor, if it is below the directory.
static int place(int descriptor, char path[PATH_MAX]) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (directory == NULL || length <= 0) return 0;
    path[length] = 0;
    return strncmp(path, directory, strlen(directory)) == 0;
}

static int is_now(const char *operation, const char *path) {
    count += 1;
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%lu %s %s\n", count, operation, path);
    if (log_file >= 0 && length > 0) (void)!next_write(log_file, line, (size_t)length);
    return count == wanted;
}

static void cut(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

int openat(int parent, const char *name, int flags, ...) {
    find();
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    char path[PATH_MAX];
    if (flags & O_CREAT && place(parent, path) && is_now("create", name)) cut();
    return next_openat(parent, name, flags, mode);
}

ssize_t write(int descriptor, const void *octets, size_t length) {
    find();
    char path[PATH_MAX];
    if (descriptor != log_file && place(descriptor, path) && is_now("write", path)) {
        (void)!next_write(descriptor, octets, length / 2);
        cut();
    }
    return next_write(descriptor, octets, length);
}

int fsync(int descriptor) {
    find();
    char path[PATH_MAX];
    struct stat status;
    if (!place(descriptor, path) || fstat(descriptor, &status) != 0) return next_fsync(descriptor);
    if (!S_ISDIR(status.st_mode)) {
        if (is_now("sync", path)) {
            (void)!ftruncate(descriptor, status.st_size / 2);
            cut();
        }
        return next_fsync(descriptor);
    }
    if (is_now("settle", path)) cut();
    if (is_now("unsettle", path)) {
        if (former[0] != 0) {
            rename(former, renamed);
        } else {
            unlink(renamed);
        }
        cut();
    }
    if (former[0] != 0) unlink(former);
    former[0] = 0;
    return next_fsync(descriptor);
}

int renameat(int from_parent, const char *from, int to_parent, const char *to) {
    find();
    char path[PATH_MAX];
    if (place(to_parent, path)) {
        if (is_now("rename", to)) cut();
        snprintf(renamed, sizeof renamed, "%.*s/%.255s", PATH_MAX - 300, path, to);
        snprintf(former, sizeof former, "%s.former", renamed);
        if (link(renamed, former) != 0) former[0] = 0;
    }
    return next_renameat(from_parent, from, to_parent, to);
}
