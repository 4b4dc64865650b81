// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// Packets for a capture. The air models which packets are received, when, on which data channel and at which level;
/// access addresses, and the bits of acknowledgement are added here by the rules of the specification.
extension Air {
    private static let moreData: UInt8 = 0x10
    private static let sequenceNumber: UInt8 = 0x08
    private static let nextExpected: UInt8 = 0x04
    private static let firstAdvertisingChannel: UInt8 = 37

    /// Adds an advertising PDU with its sender or, with a level, its receiver.
    func capture(
        _ pdu: @autoclosure () -> [UInt8], at controller: VirtualController, of advertiser: Advertiser,
        level: Int8? = nil
    ) {
        guard capture != nil else { return }
        let channel = Air.firstAdvertisingChannel + UInt8(advertiser.channelMap.trailingZeroBitCount)
        let packet = AirPacket(access: .advertising, kind: .advertising, channel: channel, pdu: pdu())
        capture?.radio(packet, at: controller, level: level, at: now)
    }

    /// The connection request of a link.
    func connectionRequest(
        _ link: UInt64, from own: BluetoothAddress, to address: BluetoothAddress,
        _ parameters: ConnectionParameters, windowOffset: UInt16
    ) -> [UInt8] {
        AdvertisingPDU.connect(
            from: own, to: address, AirPacket.Access(link: link), parameters, windowOffset: windowOffset,
            hop: AirLink.hop)
    }

    /// Adds a packet of a link with its sender and, with a level, its receiver. An empty packet that no one received
    /// is left out: the next one may be another with its number.
    func capture(_ pdu: LinkPDU?, from sender: LinkEnd, to receiver: LinkEnd, over link: AirLink, level: Int8?) {
        guard capture != nil, pdu != nil || level != nil else { return }
        var header: UInt8 = sender.control.isEmpty && sender.data.isEmpty ? 0 : Air.moreData
        if sender.bits.number { header |= Air.sequenceNumber }
        if sender.bits.expected { header |= Air.nextExpected }
        let packet = AirPacket(
            access: AirPacket.Access(link: link.number), kind: sender.role == .central ? .fromCentral : .fromPeripheral,
            channel: link.channel,
            pdu: LinkPDU.octets(
                pdu, header: header, from: sender, event: link.events, update: link.updateInstant),
            isEncrypted: sender.isEncrypted)
        capture?.radio(packet, at: sender.controller, level: nil, at: now)
        guard let level else { return }
        capture?.radio(packet, at: receiver.controller, level: level, at: now)
        receiver.bits.receive(sender.bits)
    }
}
