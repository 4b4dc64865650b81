// SPDX-License-Identifier: Apache-2.0

// The privileges of the process, and access to its memory.
#ifndef READERD_PRIVILEGES_H
#define READERD_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/// Changes root permanently to the given user: with the groups of the user database or, for a user that is not in it,
/// the given group only. A group 0 that is only the directory's is not used. Of the capabilities, CAP_NET_ADMIN is
/// kept if requested and available. Call this while there is only one thread. 0, or the negated errno; then the
/// process must end, as its identity is undefined.
int readerd_become_user(uid_t user, gid_t group, bool keeps_network_administration);

/// Drops all capabilities of the calling thread and, if CAP_SETPCAP allows it, those that an executed program could
/// gain: otherwise a program executed by root has all of them again. System calls only. 0, or the negated errno.
int readerd_give_up_capabilities(void);

/// True if CAP_NET_ADMIN is in effect.
bool readerd_has_network_administration(void);

/// Excludes the process's memory from core dumps, and from debuggers of the same user. 0, or the negated errno.
int readerd_close_memory(void);

/// True if `readerd_close_memory` is in effect.
bool readerd_is_memory_closed(void);

/// Opens an entry of a directory for inspection or traversal, without following a symbolic link (O_PATH, O_NOFOLLOW):
/// its descriptor, or the negated errno.
int readerd_open_place(int directory, const char *name);

#endif
