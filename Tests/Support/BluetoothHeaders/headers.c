// SPDX-License-Identifier: Apache-2.0

#if !__has_include(<bluetooth/hci.h>)
#error "libbluetooth's headers are missing: apt-get install libbluetooth-dev (script/bootstrap does)"
#endif

#include "BluetoothHeaders.h"

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "readerd_hci_abi.h"

#define NUMBER(theirs, ours) {#theirs, (ours), (theirs)}
#define SIZE(theirs, ours) {"sizeof(" #theirs ")", sizeof(ours), sizeof(theirs)}

static const readerd_abi_number numbers[] = {
    NUMBER(AF_BLUETOOTH, readerd_hci_family),
    NUMBER(BTPROTO_HCI, readerd_hci_protocol),
    NUMBER(HCI_CHANNEL_USER, readerd_hci_channel_user),
    NUMBER(1 << HCI_UP, readerd_hci_flag_up),
    NUMBER(HCIDEVUP, READERD_HCIDEVUP),
    NUMBER(HCIDEVDOWN, READERD_HCIDEVDOWN),
    NUMBER(HCIDEVRESTAT, READERD_HCIDEVRESTAT),
    NUMBER(HCIGETDEVLIST, READERD_HCIGETDEVLIST),
    NUMBER(HCIGETDEVINFO, READERD_HCIGETDEVINFO),
    SIZE(struct hci_dev_list_req, readerd_hci_list_head),
    SIZE(struct hci_dev_req, readerd_hci_list_entry),
    SIZE(struct sockaddr_hci, readerd_hci_address),
    SIZE(struct hci_dev_info, readerd_hci_device),
};

#define SIZE_OF(structure, field) sizeof(((structure *)0)->field)
#define FIELD(theirs, their_field, ours, field)                                                                       \
    {#theirs,                                                                                                         \
     #their_field,                                                                                                    \
     offsetof(ours, field),                                                                                           \
     SIZE_OF(ours, field),                                                                                            \
     offsetof(theirs, their_field),                                                                                   \
     SIZE_OF(theirs, their_field)}
#define OF_ADDRESS(theirs, field) FIELD(struct sockaddr_hci, theirs, readerd_hci_address, field)
#define OF_DEVICE(theirs, field) FIELD(struct hci_dev_info, theirs, readerd_hci_device, field)

static const readerd_abi_field fields[] = {
    OF_ADDRESS(hci_family, family),
    OF_ADDRESS(hci_dev, device),
    OF_ADDRESS(hci_channel, channel),
    FIELD(struct hci_dev_list_req, dev_num, readerd_hci_list_head, count),
    FIELD(struct hci_dev_req, dev_id, readerd_hci_list_entry, device),
    FIELD(struct hci_dev_req, dev_opt, readerd_hci_list_entry, flags),
    OF_DEVICE(dev_id, device),
    OF_DEVICE(name, name),
    OF_DEVICE(bdaddr, address),
    OF_DEVICE(flags, flags),
    OF_DEVICE(type, type),
    OF_DEVICE(features, features),
    OF_DEVICE(pkt_type, packet_types),
    OF_DEVICE(link_policy, link_policy),
    OF_DEVICE(link_mode, link_mode),
    OF_DEVICE(acl_mtu, acl_length),
    OF_DEVICE(acl_pkts, acl_packets),
    OF_DEVICE(sco_mtu, sco_length),
    OF_DEVICE(sco_pkts, sco_packets),
    OF_DEVICE(stat, statistics),
};

readerd_abi_number readerd_abi_number_at(size_t index) {
    return index < sizeof numbers / sizeof *numbers ? numbers[index] : (readerd_abi_number){0};
}

readerd_abi_field readerd_abi_field_at(size_t index) {
    return index < sizeof fields / sizeof *fields ? fields[index] : (readerd_abi_field){0};
}
