// SPDX-License-Identifier: Apache-2.0

#ifndef _GNU_SOURCE
// struct in6_pktinfo.
#define _GNU_SOURCE
#endif

#include "readerd_datagrams.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// Room for one control message, aligned for its header.
union control {
    struct cmsghdr header;
    uint8_t octets[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(struct in_pktinfo))];
};

int readerd_report_interfaces(int descriptor, bool ipv6) {
    int on = 1;
    int result = ipv6 ? setsockopt(descriptor, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on)
                      : setsockopt(descriptor, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    return result < 0 ? -errno : 0;
}

static void read_interface(struct msghdr *message, struct readerd_endpoint *from) {
    for (struct cmsghdr *each = CMSG_FIRSTHDR(message); each != NULL; each = CMSG_NXTHDR(message, each)) {
        if (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(each), sizeof info);
            from->interface = (uint32_t)info.ipi_ifindex;
        } else if (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo info;
            memcpy(&info, CMSG_DATA(each), sizeof info);
            from->interface = info.ipi6_ifindex;
        }
    }
}

int64_t readerd_receive_datagram(int descriptor, void *octets, size_t count, struct readerd_endpoint *from) {
    struct sockaddr_storage sender = {0};
    union control control = {0};
    struct iovec part = {.iov_base = octets, .iov_len = count};
    struct msghdr message = {
        .msg_name = &sender,
        .msg_namelen = sizeof sender,
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.octets,
        .msg_controllen = sizeof control.octets,
    };
    ssize_t result;
    do result = recvmsg(descriptor, &message, 0);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    memset(from, 0, sizeof *from);
    if (sender.ss_family == AF_INET) {
        const struct sockaddr_in *address = (const struct sockaddr_in *)&sender;
        from->count = 4;
        from->port = ntohs(address->sin_port);
        memcpy(from->address, &address->sin_addr, 4);
    } else if (sender.ss_family == AF_INET6) {
        const struct sockaddr_in6 *address = (const struct sockaddr_in6 *)&sender;
        from->count = 16;
        from->port = ntohs(address->sin6_port);
        from->scope = address->sin6_scope_id;
        memcpy(from->address, &address->sin6_addr, 16);
    }
    read_interface(&message, from);
    return result;
}

int64_t readerd_send_datagram(int descriptor, const void *octets, size_t count, const struct readerd_endpoint *to) {
    struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(to->port)};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(to->port), .sin6_scope_id = to->scope};
    union control control = {0};
    struct iovec part = {.iov_base = (void *)(uintptr_t)octets, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (to->count == 4) {
        memcpy(&ipv4.sin_addr, to->address, 4);
        message.msg_name = &ipv4;
        message.msg_namelen = sizeof ipv4;
    } else {
        memcpy(&ipv6.sin6_addr, to->address, 16);
        message.msg_name = &ipv6;
        message.msg_namelen = sizeof ipv6;
    }
    if (to->interface != 0) {
        message.msg_control = control.octets;
        struct cmsghdr *header = &control.header;
        if (to->count == 4) {
            struct in_pktinfo info = {.ipi_ifindex = (int)to->interface};
            header->cmsg_level = IPPROTO_IP;
            header->cmsg_type = IP_PKTINFO;
            header->cmsg_len = CMSG_LEN(sizeof info);
            memcpy(CMSG_DATA(header), &info, sizeof info);
            message.msg_controllen = CMSG_SPACE(sizeof info);
        } else {
            struct in6_pktinfo info = {.ipi6_ifindex = to->interface};
            header->cmsg_level = IPPROTO_IPV6;
            header->cmsg_type = IPV6_PKTINFO;
            header->cmsg_len = CMSG_LEN(sizeof info);
            memcpy(CMSG_DATA(header), &info, sizeof info);
            message.msg_controllen = CMSG_SPACE(sizeof info);
        }
    }
    ssize_t result;
    do result = sendmsg(descriptor, &message, MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

int readerd_route_open(void) {
    struct sockaddr_nl own = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
    };
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0) return -errno;
    if (bind(descriptor, (const struct sockaddr *)&own, sizeof own) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    return -error;
}

int readerd_route_request(int descriptor, uint16_t type, uint32_t sequence) {
    struct {
        struct nlmsghdr header;
        struct rtgenmsg body;
    } request = {
        .header =
            {
                .nlmsg_len = NLMSG_LENGTH(sizeof(struct rtgenmsg)),
                .nlmsg_type = type,
                .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
                .nlmsg_seq = sequence,
            },
        .body = {.rtgen_family = AF_UNSPEC},
    };
    ssize_t result;
    do result = send(descriptor, &request, sizeof request, MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int64_t readerd_route_receive(int descriptor, void *octets, size_t count) {
    while (true) {
        struct sockaddr_nl sender = {0};
        struct iovec part = {.iov_base = octets, .iov_len = count};
        struct msghdr message = {
            .msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1};
        ssize_t result = recvmsg(descriptor, &message, 0);
        if (result < 0 && errno == EINTR) continue;
        if (result < 0) return -errno;
        // Any process can send to a socket of this family; the kernel is number 0.
        if (sender.nl_pid != 0) continue;
        return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : result;
    }
}
