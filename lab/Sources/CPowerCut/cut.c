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
//   bound      a Unix socket: after; its file is there, as the kernel made it
//
// With READERLAB_CUT_LOG, each operation is a line "NUMBER OPERATION FILE" there.
//
// While there is a file READERLAB_CUT_FAULT, the disk fails instead: its content is the number of an error, and what the
// path of a file has to contain; creating, writing, synchronising and renaming such files gives that error. Databases
// are among them, which write at a place and synchronise the data alone.
#define _GNU_SOURCE
#include "CPowerCut.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char *directory;
static unsigned long wanted, count;
static int log_file = -1;
static int (*next_openat)(int, const char *, int, ...);
static ssize_t (*next_write)(int, const void *, size_t);
static ssize_t (*next_pwrite64)(int, const void *, size_t, off64_t);
static int (*next_fdatasync)(int);
static const char *fault_file;
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
    *(void **)&next_pwrite64 = dlsym(RTLD_NEXT, "pwrite64");
    *(void **)&next_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    *(void **)&next_write = dlsym(RTLD_NEXT, "write");
}

__attribute__((constructor)) static void begin(void) {
    find();
    directory = getenv("READERLAB_CUT_DIRECTORY");
    const char *at = getenv("READERLAB_CUT_AT"), *path = getenv("READERLAB_CUT_LOG");
    fault_file = getenv("READERLAB_CUT_FAULT");
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

// The error with which an operation on this path fails now; 0 for none.
static int fault(const char *path) {
    if (fault_file == NULL) return 0;
    int descriptor = open(fault_file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    char text[PATH_MAX] = {0};
    ssize_t length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    if (length <= 0) return 0;
    char *rest;
    long number = strtol(text, &rest, 10);
    rest += strspn(rest, " ");
    rest[strcspn(rest, "\n")] = 0;
    return strstr(path, rest) != NULL ? (int)number : 0;
}

// True, with errno, if an operation on the descriptor fails now.
static int fails(int descriptor, const char *name) {
    char path[PATH_MAX], whole[PATH_MAX + NAME_MAX + 2];
    if (fault_file == NULL || descriptor == log_file || !place(descriptor, path)) return 0;
    snprintf(whole, sizeof whole, "%.*s/%.255s", PATH_MAX - 1, path, name);
    int error = fault(name[0] != 0 ? whole : path);
    if (error != 0) errno = error;
    return error != 0;
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
    if (flags & O_CREAT && fails(parent, name)) return -1;
    if (flags & O_CREAT && place(parent, path) && is_now("create", name)) cut();
    return next_openat(parent, name, flags, mode);
}

ssize_t write(int descriptor, const void *octets, size_t length) {
    find();
    char path[PATH_MAX];
    if (fails(descriptor, "")) return -1;
    if (descriptor != log_file && place(descriptor, path) && is_now("write", path)) {
        (void)!next_write(descriptor, octets, length / 2);
        cut();
    }
    return next_write(descriptor, octets, length);
}

ssize_t pwrite64(int descriptor, const void *octets, size_t length, off64_t offset) {
    find();
    return fails(descriptor, "") ? -1 : next_pwrite64(descriptor, octets, length, offset);
}

ssize_t pwrite(int descriptor, const void *octets, size_t length, off_t offset) {
    return pwrite64(descriptor, octets, length, offset);
}

int fdatasync(int descriptor) {
    find();
    return fails(descriptor, "") ? -1 : next_fdatasync(descriptor);
}

int fsync(int descriptor) {
    find();
    if (fails(descriptor, "")) return -1;
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
    if (fails(to_parent, to)) return -1;
    if (place(to_parent, path)) {
        if (is_now("rename", to)) cut();
        snprintf(renamed, sizeof renamed, "%.*s/%.255s", PATH_MAX - 300, path, to);
        snprintf(former, sizeof former, "%s.former", renamed);
        if (link(renamed, former) != 0) former[0] = 0;
    }
    return next_renameat(from_parent, from, to_parent, to);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    static int (*next_bind)(int, const struct sockaddr *, socklen_t);
    if (next_bind == NULL) *(void **)&next_bind = dlsym(RTLD_NEXT, "bind");
    int result = next_bind(descriptor, address, length);
    const struct sockaddr_un *local = (const struct sockaddr_un *)address;
    if (result == 0 && directory != NULL && address->sa_family == AF_UNIX
        && strncmp(local->sun_path, directory, strlen(directory)) == 0 && is_now("bound", local->sun_path))
        cut();
    return result;
}
