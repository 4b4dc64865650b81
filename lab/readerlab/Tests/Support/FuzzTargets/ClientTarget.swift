// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Phone
import Timekeeping

/// A phone's GATT client and a server that sends anything: every operation ends once.
func fuzzClient(_ input: inout FuzzInput) {
    var client = GATTClient()
    var now = Instant.origin
    var open: Set<GATTOperationID> = []
    var pdu: [UInt8] = []
    while let choice = input.next() {
        switch choice {
        case 0..<0x10: open.insert(client.start(operation(choice, &input), at: now))
        case 0x10: now = now + .milliseconds(Int(input.octet()) * 200)
        case 0x11: client.timePassed(now)
        case 0x12: client.linkLost()
        default: client.receive(input.block().span, at: now)
        }
        send(&client, &open, &pdu)
    }
    client.linkLost()
    send(&client, &open, &pdu)
    require(open.isEmpty, "\(open.count) operations never end")
}

private func send(_ client: inout GATTClient, _ open: inout Set<GATTOperationID>, _ pdu: inout [UInt8]) {
    while let event = client.nextEvent() {
        guard case .completed(let id, _) = event else { continue }
        require(open.remove(id) != nil, "operation \(id.rawValue) ends twice")
    }
    while client.nextPDU(into: &pdu) {
        require((1...client.mtu).contains(pdu.count), "a PDU of \(pdu.count) octets, the MTU is \(client.mtu)")
    }
    require((23...517).contains(client.mtu), "an MTU of \(client.mtu)")
    if !client.isBusy { require(open.isEmpty, "not busy, and \(open.count) operations are open") }
}

private func operation(_ choice: UInt8, _ input: inout FuzzInput) -> GATTOperation {
    let handle = AttributeHandle(rawValue: input.word())
    let end = AttributeHandle(rawValue: max(handle.rawValue, input.word()))
    switch choice {
    case 0: return .exchangeMTU
    case 1: return .discoverServices
    case 2: return .discoverServicesByUUID(BluetoothUUID(0xFCBA))
    case 3: return .discoverServicesByUUID(BluetoothUUID(high: 0x5892_0001_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4))
    case 4: return .discoverCharacteristics(in: handle...end)
    case 5: return .discoverDescriptors(in: handle...end)
    case 6: return .read(handle)
    case 7: return .readLong(handle)
    case 8: return .write(handle, input.block())
    case 9: return .writeCommand(handle, input.block())
    default: return .subscribe(descriptor: handle, .notification)
    }
}
