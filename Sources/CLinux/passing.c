// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "readerd_passing.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

typedef union {
    struct cmsghdr header;
    char octets[CMSG_SPACE(sizeof(int))];
} control_octets;

int64_t readerd_send_passing(int socket, const void *octets, size_t count, int descriptor) {
    struct iovec part = {(void *)octets, count};
    control_octets control = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = control.octets;
        message.msg_controllen = sizeof control.octets;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    ssize_t result;
    do result = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

int64_t readerd_receive_passed(int socket, void *octets, size_t count, int *descriptor) {
    struct iovec part = {octets, count};
    // Room for one: the kernel closes what has none.
    control_octets control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.octets, .msg_controllen = sizeof control.octets};
    *descriptor = -1;
    ssize_t result;
    do result = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(descriptor, CMSG_DATA(header), sizeof(int));
    return result;
}

int readerd_limit_receiving(int socket, unsigned int seconds) {
    struct timeval time = {.tv_sec = seconds};
    return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) < 0 ? -errno : 0;
}
