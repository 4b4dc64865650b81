// SPDX-License-Identifier: Apache-2.0

#include "CSQLite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char randomness[] = "/dev/urandom";

/// open(2) for SQLite, which opens directories to synchronize them, and the source of its random numbers.
static int open_regular(const char *path, int flags, int mode) {
    int descriptor = open(path, flags | O_NONBLOCK, mode);
    if (descriptor < 0) return descriptor;
    struct stat status;
    if (fstat(descriptor, &status) == 0
        && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)
            || (S_ISCHR(status.st_mode) && strcmp(path, randomness) == 0)))
        return descriptor;
    close(descriptor);
    errno = EACCES;
    return -1;
}

int readerd_sqlite_open_regular_files(void) {
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    if (!system || system->iVersion < 3 || !system->xSetSystemCall) return SQLITE_ERROR;
    return system->xSetSystemCall(system, "open", (sqlite3_syscall_ptr)open_regular);
}

int readerd_sqlite_bind_octets(sqlite3_stmt *statement, int index, const void *octets, size_t count) {
    if (count > INT_MAX) return SQLITE_TOOBIG;
    // A null pointer would bind NULL instead of no octets.
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, octets, (int)count, SQLITE_TRANSIENT);
}

int readerd_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, size_t count) {
    if (count > INT_MAX) return SQLITE_TOOBIG;
    return sqlite3_bind_text(statement, index, text ? text : "", (int)count, SQLITE_TRANSIENT);
}
