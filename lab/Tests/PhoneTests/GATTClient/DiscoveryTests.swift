// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping

@testable import Phone

/// Core 5.4, Vol 3, Part G, 4.4 to 4.7.
@Suite struct DiscoveryTests {
    private static let access = BluetoothUUID(high: 0x5892_0001_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4)
    private static let accessOctets: [UInt8] = [
        0xE4, 0x44, 0xEC, 0x7F, 0x8C, 0x98, 0xA1, 0xAD, 0x7D, 0x4F, 0xB5, 0x0B, 0x01, 0x00, 0x92, 0x58,
    ]

    // MARK: Services

    /// 4.4.1: entries of both sizes, each in a response of its own, until Attribute Not Found.
    @Test func findsAllPrimaryServices() {
        var bench = ClientBench()
        bench.start(.discoverServices)
        bench.expect(
            [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28],
            answer: [0x11, 0x06, 0x01, 0x00, 0x07, 0x00, 0x00, 0x18, 0x08, 0x00, 0x08, 0x00, 0x01, 0x18])
        bench.expect(
            [0x10, 0x09, 0x00, 0xFF, 0xFF, 0x00, 0x28],
            answer: [0x11, 0x14, 0x10, 0x00, 0x20, 0x00] + Self.accessOctets)
        bench.expect([0x10, 0x21, 0x00, 0xFF, 0xFF, 0x00, 0x28], answer: [0x01, 0x10, 0x21, 0x00, 0x0A])
        #expect(
            bench.results() == [
                .success(
                    .services([
                        RemoteService(uuid: BluetoothUUID(0x1800), handles: handles(1, 7)),
                        RemoteService(uuid: BluetoothUUID(0x1801), handles: handles(8, 8)),
                        RemoteService(uuid: Self.access, handles: handles(0x10, 0x20)),
                    ]))
            ])
    }

    /// A group that ends with handle 0xFFFF is the last: no further request is sent.
    @Test func aServiceAtTheEndOfTheHandlesEndsTheSearch() {
        var bench = ClientBench()
        bench.start(.discoverServices)
        bench.receive([0x11, 0x06, 0x01, 0x00, 0xFF, 0xFF, 0xBA, 0xFC])
        #expect(
            bench.results() == [
                .success(.services([RemoteService(uuid: BluetoothUUID(0xFCBA), handles: handles(1, 0xFFFF))]))
            ])
        #expect(bench.sent().count == 1)
    }

    /// 4.4.2: by UUID, 16-bit and 128-bit.
    @Test func findsServicesByTheirUUID() {
        var bench = ClientBench()
        bench.start(.discoverServicesByUUID(BluetoothUUID(0xFCBA)))
        bench.expect(
            [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0xBA, 0xFC],
            answer: [0x07, 0x10, 0x00, 0x18, 0x00, 0x20, 0x00, 0x2F, 0x00])
        bench.expect(
            [0x06, 0x30, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0xBA, 0xFC], answer: [0x01, 0x06, 0x30, 0x00, 0x0A])
        let found = [handles(0x10, 0x18), handles(0x20, 0x2F)].map {
            RemoteService(uuid: BluetoothUUID(0xFCBA), handles: $0)
        }
        #expect(bench.results() == [.success(.services(found))])

        bench.start(.discoverServicesByUUID(Self.access))
        bench.expect(
            [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28] + Self.accessOctets, answer: [0x01, 0x06, 0x01, 0x00, 0x0A])
        #expect(bench.results() == [.success(.services([]))])
    }

    // MARK: Characteristics and descriptors

    /// 4.6.1: the next request begins after the last declaration.
    @Test func findsTheCharacteristicsOfAService() {
        var bench = ClientBench()
        bench.start(.discoverCharacteristics(in: handles(0x10, 0x18)))
        bench.expect(
            [0x08, 0x10, 0x00, 0x18, 0x00, 0x03, 0x28],
            answer: [0x09, 0x15, 0x11, 0x00, 0x0C, 0x12, 0x00] + Self.accessOctets)
        bench.expect(
            [0x08, 0x12, 0x00, 0x18, 0x00, 0x03, 0x28],
            answer: [0x09, 0x07, 0x13, 0x00, 0x10, 0x14, 0x00, 0x02, 0x2A, 0x16, 0x00, 0x02, 0x17, 0x00, 0x03, 0x2A])
        bench.expect([0x08, 0x17, 0x00, 0x18, 0x00, 0x03, 0x28], answer: [0x01, 0x08, 0x17, 0x00, 0x0A])
        let expected = [
            RemoteCharacteristic(
                uuid: Self.access, properties: 0x0C, declaration: handle(0x11), value: handle(0x12), last: handle(0x12)),
            RemoteCharacteristic(
                uuid: BluetoothUUID(0x2A02), properties: 0x10, declaration: handle(0x13), value: handle(0x14),
                last: handle(0x15)),
            RemoteCharacteristic(
                uuid: BluetoothUUID(0x2A03), properties: 0x02, declaration: handle(0x16), value: handle(0x17),
                last: handle(0x18)),
        ]
        #expect(bench.results() == [.success(.characteristics(expected))])
        #expect(expected.map(\.descriptors) == [nil, handles(0x15, 0x15), handles(0x18, 0x18)])
    }

    /// 4.7.1: types of both sizes; the search ends with the last handle.
    @Test func findsDescriptors() {
        var bench = ClientBench()
        bench.start(.discoverDescriptors(in: handles(0x15, 0x18)))
        bench.expect(
            [0x04, 0x15, 0x00, 0x18, 0x00], answer: [0x05, 0x01, 0x15, 0x00, 0x02, 0x29, 0x16, 0x00, 0x01, 0x29])
        bench.expect([0x04, 0x17, 0x00, 0x18, 0x00], answer: [0x05, 0x02, 0x18, 0x00] + Self.accessOctets)
        let expected = [
            RemoteDescriptor(uuid: BluetoothUUID(0x2902), handle: handle(0x15)),
            RemoteDescriptor(uuid: BluetoothUUID(0x2901), handle: handle(0x16)),
            RemoteDescriptor(uuid: Self.access, handle: handle(0x18)),
        ]
        #expect(bench.results() == [.success(.descriptors(expected))])
        #expect(bench.sent().isEmpty)
    }

    @Test func anyOtherRefusalIsAFailure() {
        for (operation, opcode) in Self.searches {
            var bench = ClientBench()
            bench.start(operation)
            bench.receive([0x01, opcode, 0x01, 0x00, 0x05])
            #expect(bench.results() == [.failure(.refused(handle: handle(1), code: 0x05))])
            bench.start(operation)
            bench.receive([0x01, opcode, 0x01, 0x00, 0x0A])
            guard case .success? = bench.results().first else {
                Issue.record("\(operation)")
                continue
            }
        }
    }

    // MARK: A server that is not to be trusted

    private static let searches: [(GATTOperation, UInt8)] = [
        (.discoverServices, 0x10), (.discoverServicesByUUID(BluetoothUUID(0xFCBA)), 0x06),
        (.discoverCharacteristics(in: handles(0x10, 0x18)), 0x08),
        (.discoverDescriptors(in: handles(0x10, 0x18)), 0x04),
    ]

    /// One valid response of two entries for each search.
    private static let good: [[UInt8]] = [
        [0x11, 0x06, 0x01, 0x00, 0x07, 0x00, 0x00, 0x18, 0x08, 0x00, 0x08, 0x00, 0x01, 0x18],
        [0x07, 0x10, 0x00, 0x18, 0x00, 0x20, 0x00, 0x2F, 0x00],
        [0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x02, 0x2A, 0x13, 0x00, 0x02, 0x14, 0x00, 0x03, 0x2A],
        [0x05, 0x01, 0x11, 0x00, 0x02, 0x29, 0x12, 0x00, 0x01, 0x29],
    ]

    @Test func answersAreTakenOnlyWhole() {
        for ((operation, _), answer) in zip(Self.searches, Self.good) {
            let entry = (answer.count - (answer[0] == 0x07 ? 1 : 2)) / 2
            for count in 1...answer.count + 1 {
                var bench = ClientBench()
                bench.start(operation)
                _ = bench.sent()
                bench.receive(Array((answer + [0x00]).prefix(count)))
                let isWhole = count == answer.count || count == answer.count - entry
                if isWhole {
                    #expect(bench.results().isEmpty && bench.sent().count == 1, "\(operation), \(count) octets")
                } else {
                    #expect(bench.results() == [.failure(.malformed(opcode: answer[0]))], "\(operation), \(count)")
                }
            }
        }
    }

    @Test func entriesHaveNoOtherSize() {
        for ((operation, _), answer) in zip(Self.searches, Self.good) where answer[0] != 0x07 {
            let sizes: Set<UInt8> = [0x11: [6, 20], 0x09: [7, 21], 0x05: [1, 2]][answer[0]] ?? []
            for size in UInt8.min...UInt8.max where !sizes.contains(size) {
                var bench = ClientBench()
                bench.start(operation)
                var other = answer
                other[1] = size
                bench.receive(other)
                let results = bench.results()
                guard results == [.failure(.malformed(opcode: answer[0]))] else {
                    Issue.record("\(operation), size \(size)")
                    break
                }
            }
        }
    }

    @Test func handlesThatDoNotAdvanceEndTheSearch() {
        let table: [(GATTOperation, [UInt8], GATTClientError)] = [
            // Handle 0; an end before its start; a group inside the one before.
            (.discoverServices, [0x11, 0x06, 0, 0, 7, 0, 0, 0x18], .notAdvancing(handle(0))),
            (.discoverServices, [0x11, 0x06, 5, 0, 4, 0, 0, 0x18], .notAdvancing(handle(4))),
            (.discoverServices, [0x11, 0x06, 1, 0, 7, 0, 0, 0x18, 7, 0, 9, 0, 1, 0x18], .notAdvancing(handle(7))),
            // After the last handle nothing can follow.
            (
                .discoverServices, [0x11, 0x06, 1, 0, 0xFF, 0xFF, 0, 0x18, 9, 0, 9, 0, 1, 0x18],
                .notAdvancing(handle(9))
            ),
            (.discoverServicesByUUID(BluetoothUUID(0xFCBA)), [0x07, 2, 0, 1, 0], .notAdvancing(handle(1))),
            (
                .discoverCharacteristics(in: handles(0x10, 0x18)), [0x09, 0x07, 0x0F, 0, 2, 0x11, 0, 2, 0x2A],
                .notAdvancing(handle(0x0F))
            ),
            (
                .discoverCharacteristics(in: handles(0x10, 0x18)), [0x09, 0x07, 0x11, 0, 2, 0x11, 0, 2, 0x2A],
                .notAdvancing(handle(0x11))
            ),
            (
                .discoverCharacteristics(in: handles(0x10, 0x18)), [0x09, 0x07, 0x19, 0, 2, 0x1A, 0, 2, 0x2A],
                .outOfRange(handle(0x19))
            ),
            (
                .discoverCharacteristics(in: handles(0x10, 0x18)), [0x09, 0x07, 0x18, 0, 2, 0x19, 0, 2, 0x2A],
                .outOfRange(handle(0x19))
            ),
            // A declaration at the handle of the preceding value.
            (
                .discoverCharacteristics(in: handles(0x10, 0x18)),
                [0x09, 0x07, 0x11, 0, 2, 0x13, 0, 2, 0x2A, 0x13, 0, 2, 0x14, 0, 3, 0x2A], .notAdvancing(handle(0x13))
            ),
            (
                .discoverDescriptors(in: handles(0x15, 0x18)), [0x05, 0x01, 0x14, 0, 2, 0x29],
                .notAdvancing(handle(0x14))
            ),
            (
                .discoverDescriptors(in: handles(0x15, 0x18)), [0x05, 0x01, 0x15, 0, 2, 0x29, 0x15, 0, 2, 0x29],
                .notAdvancing(handle(0x15))
            ),
            (
                .discoverDescriptors(in: handles(0x15, 0x18)), [0x05, 0x01, 0x19, 0, 2, 0x29],
                .outOfRange(handle(0x19))
            ),
        ]
        for (operation, answer, error) in table {
            var bench = ClientBench()
            bench.start(operation)
            _ = bench.sent()
            bench.receive(answer)
            #expect(bench.results() == [.failure(error)])
            // The client continues with the next operation.
            bench.start(.read(handle(1)))
            #expect(bench.sent() == [[0x0A, 0x01, 0x00]])
        }
    }

    /// A server that repeats its response for ever is stopped at the second one.
    @Test func anAnswerThatIsRepeatedEndsTheSearch() {
        for ((operation, _), answer) in zip(Self.searches, Self.good) {
            var bench = ClientBench()
            bench.start(operation)
            bench.receive(answer)
            bench.receive(answer)
            guard case .failure(.notAdvancing)? = bench.results().first else {
                Issue.record("\(operation)")
                continue
            }
        }
    }

    @Test func noSearchBringsMoreThanItsLimit() {
        var bench = ClientBench()
        bench.start(.discoverDescriptors(in: handles(1, 0xFFFF)))
        for number in 0..<GATTClient.maximumFoundCount {
            let next = UInt16(number + 1)
            bench.receive([0x05, 0x01, UInt8(truncatingIfNeeded: next), UInt8(next >> 8), 0x02, 0x29])
        }
        #expect(bench.results().isEmpty)
        bench.receive([0x05, 0x01, 0x00, 0xF0, 0x02, 0x29])
        #expect(bench.results() == [.failure(.tooManyFound)])
    }
}
