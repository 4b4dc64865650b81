// SPDX-License-Identifier: Apache-2.0

#include "CSQLite.h"

#include <limits.h>

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
