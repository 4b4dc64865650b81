// Whose rights the process has, and who may look into it.
#ifndef READERD_PRIVILEGES_H
#define READERD_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/// Makes root the given user for good: with the groups that the system's list of users says, or, for one that is not in
/// it, the given group alone. A group 0 that is only the directory's is not taken. Of the capabilities CAP_NET_ADMIN stays
/// if it is asked for and there. To be called while there is one thread. 0, or the negated errno; then the process must
/// end, since it may be anybody.
int readerd_become_user(uid_t user, gid_t group, bool keeps_network_administration);

/// Gives up each capability of the calling thread, and where CAP_SETPCAP allows it, what a program could get of them:
/// without that, a program that root executes has all of them again. System calls only. 0, or the negated errno.
int readerd_give_up_capabilities(void);

/// Keeps the process's memory out of core dumps, and from debuggers of the same user. 0, or the negated errno.
int readerd_close_memory(void);

/// Whether `readerd_close_memory` holds.
bool readerd_is_memory_closed(void);

/// A place in a directory to be looked at or gone through, never followed if it is a link (O_PATH, O_NOFOLLOW): its
/// descriptor, or the negated errno.
int readerd_open_place(int directory, const char *name);

#endif
