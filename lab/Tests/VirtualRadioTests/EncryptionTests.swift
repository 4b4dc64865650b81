// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import VirtualRadio

/// Encryption of links: Core 5.4, Vol 4, Part E, 7.8.24 to 7.8.26, 7.7.8, 7.7.39, 7.7.65.5.
@Suite struct EncryptionTests {
    private let name: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    private let key = [UInt8](0x20..<0x30)

    /// 7.8.22, with the sample data of Core 5.4, Vol 6, Part C, 1.
    @Test func encrypt() {
        let key: [UInt8] = [
            0xBF, 0x01, 0xFB, 0x9D, 0x4E, 0xF3, 0xBC, 0x36, 0xD8, 0x74, 0xF5, 0x39, 0x41, 0x38, 0x68, 0x4C,
        ]
        let plain: [UInt8] = [
            0x13, 0x02, 0xF1, 0xE0, 0xDF, 0xCE, 0xBD, 0xAC, 0x79, 0x68, 0x57, 0x46, 0x35, 0x24, 0x13, 0x02,
        ]
        let encrypted: [UInt8] = [
            0x66, 0xC6, 0xC2, 0x27, 0x8E, 0x3B, 0x8E, 0x05, 0x3E, 0x7E, 0xA3, 0x26, 0x52, 0x1B, 0xAD, 0x99,
        ]
        let host = RawHost(Air(seed: 1), .legacy, address: 1)
        #expect(host.send(0x2017, key + plain) == [0x04, 0x0E, 0x14, 0x01, 0x17, 0x20, 0x00] + encrypted)
        #expect(host.controller.violations == [])
    }

    /// The central requests encryption; returns the events of the peripheral's host.
    private func ask(_ pair: Linked) -> [[UInt8]] {
        let answer = pair.phone.send(0x2019, pair.phoneHandle.octets + name + key)
        #expect(answer == [0x04, 0x0F, 0x04, 0x00, 0x01, 0x19, 0x20])
        pair.run(.milliseconds(100))
        return pair.reader.remove(subevent: 0x05).map(\.packet)
    }

    @Test func sameKey() {
        let pair = Linked()
        let phone = pair.phoneHandle.octets
        let reader = pair.readerHandle.octets
        #expect(ask(pair) == [[0x04, 0x3E, 0x0D, 0x05] + reader + name])
        #expect(pair.phone.status(0x2019, phone + name + key) == 0x0C)
        #expect(pair.reader.send(0x201A, reader + key) == [0x04, 0x0E, 0x06, 0x01, 0x1A, 0x20, 0x00] + reader)
        pair.run(.milliseconds(100))
        #expect(pair.reader.remove([0x04, 0x08]).map(\.packet) == [[0x04, 0x08, 0x04, 0x00] + reader + [0x01]])
        #expect(pair.phone.remove([0x04, 0x08]).map(\.packet) == [[0x04, 0x08, 0x04, 0x00] + phone + [0x01]])
        // Again: the key is refreshed.
        #expect(ask(pair).count == 1)
        #expect(pair.reader.status(0x201A, reader + key) == 0)
        pair.run(.milliseconds(100))
        #expect(pair.reader.remove([0x04, 0x30]).map(\.packet) == [[0x04, 0x30, 0x03, 0x00] + reader])
        #expect(pair.phone.remove([0x04, 0x30]).map(\.packet) == [[0x04, 0x30, 0x03, 0x00] + phone])
        #expect(pair.reader.remove([0x04, 0x08]).isEmpty && pair.phone.remove([0x04, 0x08]).isEmpty)
    }

    /// The message integrity check fails on both sides.
    @Test func anotherKey() {
        let pair = Linked()
        #expect(ask(pair).count == 1)
        #expect(pair.reader.status(0x201A, pair.readerHandle.octets + key.reversed()) == 0)
        pair.run(.milliseconds(100))
        for (host, handle) in [(pair.reader, pair.readerHandle), (pair.phone, pair.phoneHandle)] {
            #expect(host.remove([0x04, 0x08]).isEmpty)
            #expect(host.remove([0x04, 0x05]).map(\.packet) == [[0x04, 0x05, 0x04, 0x00] + handle.octets + [0x3D]])
        }
    }

    @Test func noKey() {
        let pair = Linked()
        let phone = pair.phoneHandle.octets
        let reader = pair.readerHandle.octets
        #expect(ask(pair).count == 1)
        #expect(pair.reader.send(0x201B, reader) == [0x04, 0x0E, 0x06, 0x01, 0x1B, 0x20, 0x00] + reader)
        pair.run(.milliseconds(100))
        #expect(pair.phone.remove([0x04, 0x08]).map(\.packet) == [[0x04, 0x08, 0x04, 0x06] + phone + [0x00]])
        #expect(pair.reader.remove([0x04, 0x08]).isEmpty)
        // The link is unchanged and can be encrypted; if no key is provided the next time, it ends.
        #expect(ask(pair).count == 1)
        #expect(pair.reader.status(0x201A, reader + key) == 0)
        pair.run(.milliseconds(100))
        #expect(ask(pair).count == 1)
        #expect(pair.reader.status(0x201B, reader) == 0)
        pair.run(.milliseconds(200))
        #expect(pair.phone.remove([0x04, 0x05]).map(\.packet) == [[0x04, 0x05, 0x04, 0x00] + phone + [0x06]])
        #expect(pair.violations == [])
    }

    /// A host that masks the request event has no keys.
    @Test func masked() {
        let pair = Linked()
        #expect(pair.reader.status(0x2001, [0xEF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]) == 0)
        #expect(ask(pair) == [])
        #expect(pair.phone.remove([0x04, 0x08]).map { $0.packet[3] } == [0x06])
    }

    @Test func strictness() {
        let pair = Linked()
        let reader = pair.readerHandle.octets
        #expect(pair.reader.status(0x2019, reader + name + key) == 0x0C)
        #expect(pair.reader.status(0x201A, reader + key) == 0x0C)
        #expect(pair.reader.status(0x201B, reader) == 0x0C)
        #expect(pair.phone.status(0x2019, [0xEE, 0x0E] + name + key) == 0x02)
        #expect(pair.phone.status(0x2019, pair.phoneHandle.octets + name) == 0x12)
        #expect(
            pair.violations.prefix(3) == [
                "enableEncryption: a peripheral cannot encrypt", "longTermKeyRequestReply: no key was asked for",
                "longTermKeyRequestNegativeReply: no key was asked for",
            ])
    }
}
