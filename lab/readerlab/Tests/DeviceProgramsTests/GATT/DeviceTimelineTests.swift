// SPDX-License-Identifier: Apache-2.0

import Emulation
import GATTDevice
import Peripheral
import Testing
import Timekeeping

@testable import DevicePrograms

/// The findings about clients of a device from a file, each with the nearest behaviour that is no mistake.
@Suite struct DeviceTimelineTests {
    private let link = LinkID(slot: 0, generation: 7)
    private let handle = AttributeHandle(rawValue: 13)
    private let uuid = BluetoothUUID(0x2A39)

    /// The rules after these notices on a link, a millisecond apart.
    private func rules(_ notices: DeviceNotice...) -> [String] {
        var timeline = DeviceTimeline(start: .origin, devices: 1)
        let peer = BluetoothAddress(kind: .random, value: 0xC0_1122_3344_55)
        var now = Instant.origin
        for notice in [.connected(link, peer: peer, device: 0, ownAddress: nil)] + notices {
            now = now + .milliseconds(1)
            _ = timeline.receive(notice, at: now)
        }
        return timeline.rules
    }

    private func refused(_ error: ATTErrorCode, of type: BluetoothUUID? = BluetoothUUID(0x2A39)) -> DeviceNotice {
        .refused(link, RefusedRequest(opcode: .writeRequest, handle: handle, error: error), type)
    }

    private func value(_ count: Int) -> DeviceValue {
        DeviceValue(handle: handle, type: uuid, octets: [UInt8](repeating: 1, count: count))
    }

    @Test func aServersRefusalIsTheClientsMistake() {
        #expect(rules(refused(.invalidAttributeValueLength)) == ["wrong-length"])
        #expect(rules(refused(.readNotPermitted), refused(.writeNotPermitted)) == ["not-readable", "not-writable"])
        // Of a configuration, in either form of a file; a control point that refuses with it has its own sentence.
        for type in [nil, BluetoothUUID.clientConfiguration] {
            #expect(rules(refused(.configurationImproper, of: type)) == ["cannot-subscribe"])
        }
        let mistake = DeviceNotice.mistaken(
            link, handle, rule: "control-point-not-enabled", sentence: "wrote too early")
        #expect(rules(mistake, refused(.configurationImproper)) == ["control-point-not-enabled"])
        #expect(rules(refused(.invalidHandle)) == ["wrong-handle"])
        // Once a link.
        #expect(rules(refused(.invalidHandle), refused(.invalidHandle)) == ["wrong-handle"])
    }

    /// A client pairs because it is refused, and reads a value of unknown length to its end.
    @Test func whatAClientHasToTryIsNoMistake() {
        for error: ATTErrorCode in [
            .insufficientAuthentication, .insufficientEncryption, .attributeNotLong, .attributeNotFound,
            .databaseOutOfSync,
        ] { #expect(rules(refused(error)) == []) }
    }

    @Test func aFaultIsNoMistake() {
        let request = RefusedRequest(opcode: .writeRequest, handle: handle, error: .invalidAttributeValueLength)
        #expect(rules(.fault(link, step: "write", .error(0x0D)), .failed(link, request, uuid)) == [])
        #expect(rules(.dropped(link, value(1))) == [])
    }

    @Test func aLostAnswerNeedsASubscription() {
        let lost = DeviceNotice.leftOut(link, handle, uuid, .notSubscribed)
        let late = DeviceNotice.subscribed(link, handle, uuid, .notification)
        #expect(rules(.written(link, value(1)), lost, late) == ["not-subscribed", "subscribed-late"])
        #expect(rules(late, .written(link, value(1)), .notified(link, value(1))) == [])
        #expect(rules(.written(link, value(1)), .leftOut(link, handle, uuid, .busy)) == [])
    }

    @Test func aCutValueIsForTheATTMTU() {
        #expect(rules(.notified(link, value(20)), .cut(link, value(30), room: 20)) == ["small-mtu"])
    }

    @Test func anAnswerIsWaitedForThreeSeconds() {
        #expect(rules(.gaveUp(link, handle, uuid, after: .milliseconds(2999))) == ["did-not-wait"])
        #expect(rules(.gaveUp(link, handle, uuid, after: .seconds(3))) == [])
    }

    @Test func aLinkMayBeIdle() {
        var timeline = DeviceTimeline(start: .origin, devices: 1)
        let peer = BluetoothAddress(kind: .random, value: 0xC0_1122_3344_55)
        _ = timeline.receive(.connected(link, peer: peer, device: 0, ownAddress: nil), at: .origin)
        #expect(timeline.entries.deadline == nil)
    }
}
