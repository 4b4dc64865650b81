// SPDX-License-Identifier: Apache-2.0

// Datagrams with the interface that they pass, and the kernel's account of interfaces and addresses.
#ifndef READERD_DATAGRAMS_H
#define READERD_DATAGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The other end of a datagram.
struct readerd_endpoint {
    /// The address in network order.
    uint8_t address[16];
    /// The length of the address: 4 or 16.
    uint32_t count;
    /// The interface of an IPv6 link-local address; otherwise 0.
    uint32_t scope;
    /// The interface on which the datagram arrived, or is to be sent; 0 for any.
    uint32_t interface;
    /// The port.
    uint16_t port;
};

/// Makes a socket report the interface of arrival.
int readerd_report_interfaces(int descriptor, bool ipv6);

/// recvmsg(2) of one datagram. Returns its length.
int64_t readerd_receive_datagram(int descriptor, void *octets, size_t count, struct readerd_endpoint *from);

/// sendmsg(2) of one datagram, from the address of the interface, without SIGPIPE.
int64_t readerd_send_datagram(int descriptor, const void *octets, size_t count, const struct readerd_endpoint *to);

/// A socket of rtnetlink(7) that receives each change of links and addresses.
int readerd_route_open(void);

/// Requests all entries: RTM_GETLINK or RTM_GETADDR.
int readerd_route_request(int descriptor, uint16_t type, uint32_t sequence);

/// Receives messages of the kernel; those of other senders are skipped. -ENOBUFS if messages were lost, -EMSGSIZE for
/// more than `count` octets.
int64_t readerd_route_receive(int descriptor, void *octets, size_t count);

#endif
