// SPDX-License-Identifier: Apache-2.0

#ifndef READERD_CSQLITE_H
#define READERD_CSQLITE_H

// libsqlite3 unchanged; Swift sees its opaque handles as pointers. The functions below replace what Swift cannot
// call: variadic functions, and destructors that are numbers.

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/// Has SQLite open regular files alone, for the whole process: a FIFO in the place of one would hold an open for reading
/// up for ever. SQLITE_OK, or SQLITE_ERROR.
int readerd_sqlite_open_regular_files(void);
/// Binds a copy of the octets.
int readerd_sqlite_bind_octets(sqlite3_stmt *statement, int index, const void *octets, size_t count);
/// Binds a copy of the text, UTF-8 without a terminating zero.
int readerd_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, size_t count);

#endif
