// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "readerd_privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// The group nogroup, for a user who is not in the database, instead of root's group.
enum { no_group = 65534 };

static int set_capabilities(const struct __user_cap_data_struct data[2]) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

// Keeps CAP_NET_ADMIN, if requested and permitted, and no other capability.
static int keep_network_administration_alone(bool keeps) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    if (syscall(SYS_capget, &header, data) < 0) return -errno;
    const uint32_t kept = keeps ? data[0].permitted & (1u << CAP_NET_ADMIN) : 0;
    return set_capabilities((struct __user_cap_data_struct[2]){{.permitted = kept, .effective = kept}});
}

static bool is_nothing_but(uid_t user, gid_t group) {
    uid_t users[3];
    gid_t groups[3];
    if (getresuid(&users[0], &users[1], &users[2]) < 0 || getresgid(&groups[0], &groups[1], &groups[2]) < 0) return false;
    for (int id = 0; id < 3; id++)
        if (users[id] != user || groups[id] != group) return false;
    return setresuid(0, 0, 0) < 0 && (group == 0 || setresgid(0, 0, 0) < 0);
}

int readerd_become_user(uid_t user, gid_t group, bool keeps_network_administration) {
    struct passwd entry, *found = NULL;
    char text[4096];
    // An unreadable database counts as one without the user.
    if (getpwuid_r(user, &entry, text, sizeof text, &found) != 0) found = NULL;
    if (found) group = found->pw_gid;
    else if (group == 0) group = no_group;
    if ((found ? initgroups(found->pw_name, group) : setgroups(0, NULL)) < 0) return -errno;
    if (keeps_network_administration && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0) return -errno;
    if (setresgid(group, group, group) < 0 || setresuid(user, user, user) < 0) return -errno;
    int result = keep_network_administration_alone(keeps_network_administration);
    if (result < 0) return result;
    if (prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0) return -errno;
    if (!is_nothing_but(user, group)) return -EPERM;
    // The change of user has set the dumpable attribute to fs.suid_dumpable (proc(5)).
    return readerd_close_memory();
}

int readerd_give_up_capabilities(void) {
    // The loop ends with EINVAL after the last capability of the kernel, and with EPERM without CAP_SETPCAP.
    for (unsigned long capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;) capability++;
    // The ambient capabilities are dropped with the permitted ones (capabilities(7)).
    return set_capabilities((struct __user_cap_data_struct[2]){{0}});
}

bool readerd_has_network_administration(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    return syscall(SYS_capget, &header, data) == 0 && (data[0].effective & (1u << CAP_NET_ADMIN)) != 0;
}

int readerd_close_memory(void) {
    // The limit is for a process that becomes dumpable again; its failure is ignored.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -errno;
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    return 0;
}

bool readerd_is_memory_closed(void) {
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
}

int readerd_open_place(int directory, const char *name) {
    int result = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return result < 0 ? -errno : result;
}
