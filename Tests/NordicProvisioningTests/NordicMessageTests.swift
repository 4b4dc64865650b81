// SPDX-License-Identifier: Apache-2.0

import NordicProvisioning
import Protobuf
import WiFi
import WiFiStation
import TestSupport
import Testing
import WiFiTestSupport

/// The messages, each truncated at every length and with trailing octets.
@Suite struct NordicMessageTests {
    private static func decode<Message: ProtobufMessage>(
        _ type: Message.Type, _ octets: [UInt8]
    ) throws(ProtobufError) -> Message { try Message(decoding: octets.span) }

    /// Checks that the octets decode and encode unchanged, are rejected when truncated within a field, and may be
    /// followed by an unknown field, but not by part of one.
    private static func check<Message: ProtobufMessage>(
        _ type: Message.Type, _ text: String, boundaries: Set<Int>
    ) throws {
        let whole = octets(text)
        let message = try decode(type, whole)
        var written: [UInt8] = []
        message.encode(into: &written)
        #expect(hex(written) == text)
        for count in 0..<whole.count {
            let part = Array(whole[..<count])
            if boundaries.contains(count) {
                #expect(throws: Never.self) { try decode(type, part) }
            } else {
                #expect(throws: ProtobufError.self, "\(type) cut to \(count)") { try decode(type, part) }
            }
        }
        #expect(try decode(type, whole + [0xF8, 0x07, 0x01]) == message)
        #expect(try decode(type, whole + [0xFA, 0x07, 0x02, 0xAA, 0xBB]) == message)
        for behind in [[0x00], [0xF8], [0xF8, 0x07], [0xFA, 0x07, 0x02, 0xAA], [0x07], [0xFB, 0x07]] as [[UInt8]] {
            #expect(throws: ProtobufError.self) { try decode(type, whole + behind) }
        }
    }

    @Test func eachMessageAtEveryLength() throws {
        let network = "0a064d7957694669" + "1206aabbccddeeff" + "1801" + "2006" + "2803"
        try Self.check(NordicInformation.self, "0802", boundaries: [])
        try Self.check(NordicScanParameters.self, "0801100118c8012002", boundaries: [0, 2, 4, 7])
        // A network requires its first, second and fourth field.
        try Self.check(NordicNetwork.self, network, boundaries: [20])
        try Self.check(
            NordicConfiguration.self, "0a16" + network + "1203616263" + "1801" + "2001", boundaries: [0, 24, 29, 31])
        try Self.check(
            NordicRequest.self, "0804" + "5204" + "08011001" + "5a18" + "0a16" + network, boundaries: [0, 2, 8])
        try Self.check(NordicConnectionInformation.self, "0a04c0a8002a", boundaries: [0])
        try Self.check(
            NordicDeviceStatus.self, "0804" + "5216" + network + "5a060a04c0a8002a" + "6202" + "0800",
            boundaries: [0, 2, 26, 34])
        try Self.check(NordicResponse.self, "0801" + "1000" + "52020804", boundaries: [0, 2, 4])
        try Self.check(NordicScanRecord.self, "0a16" + network + "10ceffffffffffffffff01", boundaries: [0, 24])
        try Self.check(NordicResult.self, "0a180a16" + network + "1005" + "1800", boundaries: [0, 26, 28])
        try Self.check(NordicSoftAPNetwork.self, network + "3064", boundaries: [20, 22])
        try Self.check(NordicSoftAPConfiguration.self, "0a16" + network + "1203616263", boundaries: [0, 24])
        try Self.check(NordicSoftAPScanRecord.self, "0a16" + network + "10ceffffffffffffffff01", boundaries: [0, 24])
        try Self.check(
            NordicSoftAPScanResults.self, "0a18" + "0a16" + network + "0a18" + "0a16" + network, boundaries: [0, 26])
    }

    /// The sizes that nanopb's generator computes for the same messages with all fields at their maximum.
    @Test func theLongestMessages() throws {
        let network = NordicNetwork(
            name: try BoundedBytes([UInt8](repeating: 0x41, count: 32)),
            address: try BoundedBytes([UInt8](repeating: 1, count: 6)), band: .ghz5, channel: .max,
            security: .wpa3Personal)
        #expect(network.encodedCount == 52)
        let scan = NordicScanParameters(band: .ghz5, passive: true, periodMilliseconds: .max, groupChannels: .max)
        #expect(scan.encodedCount == 16)
        #expect(NordicScanRecord(network: network, rssi: .min).encodedCount == 65)
        let result = NordicResult(
            record: NordicScanRecord(network: network, rssi: .min), state: .connected, reason: .connection)
        #expect(result.encodedCount == 71)
        let connection = NordicConnectionInformation(ipv4: try BoundedBytes([192, 168, 0, 42]))
        #expect(connection.encodedCount == 6)
        let status = NordicDeviceStatus(state: .connected, provisioned: network, connection: connection, scan: scan)
        #expect(status.encodedCount == 82)
        #expect(NordicResponse(operation: .getStatus, status: .success, deviceStatus: status).encodedCount == 88)
        let request = NordicRequest(
            operation: .setConfiguration,
            configuration: NordicConfiguration(
                network: network, passphrase: try BoundedBytes([UInt8](repeating: 0x61, count: 64)), isVolatile: false,
                anyChannel: true))
        #expect(request.encodedCount == 128)
    }

    @Test func requiredFields() {
        for missing in ["1206aabbccddeeff2006", "0a01412006", "0a01411206aabbccddeeff", ""] {
            #expect(throws: ProtobufError.self) { try Self.decode(NordicNetwork.self, octets(missing)) }
            #expect(throws: ProtobufError.self) { try Self.decode(NordicSoftAPNetwork.self, octets(missing)) }
        }
        #expect(throws: ProtobufError.missingRequired(field: 1)) { try Self.decode(NordicInformation.self, []) }
    }

    @Test func wrongWireTypes() {
        let network = "0a0141" + "1206aabbccddeeff" + "2006"
        for (type, text) in [
            ("request", "0a0101"), ("request", "5001"), ("request", "5801"), ("request", "0d01000000"),
            ("configuration", "0801"), ("configuration", "1001"), ("configuration", "1a00"), ("configuration", "2200"),
            ("configuration", "2801"), ("network", network + "0801"), ("network", network + "1001"),
            ("network", network + "1a00"), ("network", network + "2200"), ("network", network + "2a00"),
        ] {
            #expect(throws: ProtobufError.self, "\(type) \(text)") {
                switch type {
                case "request": _ = try Self.decode(NordicRequest.self, octets(text))
                case "configuration": _ = try Self.decode(NordicConfiguration.self, octets(text))
                default: _ = try Self.decode(NordicNetwork.self, octets(text))
                }
            }
        }
    }

    @Test func theLastOfRepeatedNumbersCounts() throws {
        #expect(try Self.decode(NordicRequest.self, octets("08020801")).operation == .getStatus)
        #expect(try Self.decode(NordicScanParameters.self, octets("08020801")).band == .ghz2)
        let twice = try Self.decode(NordicNetwork.self, octets("0a01410a0142" + "1200" + "20062007"))
        #expect(twice.wifiName?.octets == [0x42])
        #expect(twice.channel == 7)
    }

    @Test func numbersThatAreNotKnownAreKept() throws {
        #expect(try Self.decode(NordicRequest.self, octets("08c801")).operation?.rawValue == 200)
        #expect(try Self.decode(NordicResult.self, octets("1007" + "1809")).reason?.rawValue == 9)
        let network = try Self.decode(NordicNetwork.self, octets("0a01411200" + "1863" + "2006" + "2817"))
        #expect(network.band?.rawValue == 99)
        #expect(network.security?.rawValue == 23)
        // Up to 32 bits, and not negative.
        #expect(try Self.decode(NordicRequest.self, octets("08ffffffff0f")).operation?.rawValue == -1)
        var written: [UInt8] = []
        NordicResponse(operation: NordicOperation(rawValue: -1), status: .invalidArgument).encode(into: &written)
        #expect(hex(written) == "08ffffffff0f1001")
        #expect(throws: ProtobufError.outOfRange(field: 1)) {
            try Self.decode(NordicRequest.self, octets("088080808010"))
        }
    }

    // MARK: - Certificates

    /// 2500 octets of a certificate, 31 of a password; identity and password of the inner method are ignored.
    @Test func certificatesAreLookedAtAndDropped() throws {
        func certificates(field: UInt8, count: Int) -> [UInt8] {
            var octets: [UInt8] = []
            ProtobufWriter.append(to: &octets) {
                $0.put([UInt8](repeating: 0x2D, count: count).span, field: UInt32(field))
            }
            return octets
        }
        for field in 1...8 as ClosedRange<UInt8> {
            let limit = field == 4 || field == 8 ? 31 : 2500
            #expect(throws: Never.self) {
                try Self.decode(NordicCertificates.self, certificates(field: field, count: limit))
            }
            #expect(throws: ProtobufError.tooLong(field: UInt32(field))) {
                try Self.decode(NordicCertificates.self, certificates(field: field, count: limit + 1))
            }
            #expect(throws: ProtobufError.wrongWireType(field: UInt32(field))) {
                try Self.decode(NordicCertificates.self, [field << 3, 0x01])
            }
            let whole = certificates(field: field, count: 20)
            for count in 1..<whole.count {
                #expect(throws: ProtobufError.self) { try Self.decode(NordicCertificates.self, Array(whole[..<count])) }
            }
        }
        for field in [9, 10, 11] as [UInt8] {
            #expect(throws: Never.self) {
                try Self.decode(NordicCertificates.self, certificates(field: field, count: 4000))
            }
        }
        let configuration = try Self.decode(NordicConfiguration.self, octets("2a05" + "0a03616263"))
        #expect(configuration.certificates == NordicCertificates())
        #expect(throws: ProtobufError.self) { try Self.decode(NordicConfiguration.self, octets("2a05" + "0a04616263")) }
    }

    // MARK: - SoftAP

    @Test func theRecordedExchangeOverSoftAP() throws {
        let body = "0a1c0a0c6369612d61737573676f6c641206c87f54de23b8180120092804120f7468696e6779776f726c6432303234"
        let configuration = try Self.decode(NordicSoftAPConfiguration.self, octets(body))
        let network = try #require(configuration.network)
        #expect(network.name.ascii == "cia-asusgold")
        #expect(network.channel == 9)
        #expect(network.security == .wpaWpa2Personal)
        #expect(configuration.passphrase?.ascii == "thingyworld2024")
        let list =
            "0a280a1b0a0b6369612d6c696e6b7379731206d8ec5e8f661918022070280410cfffffffffffffffff01"
            + "0a290a1c0a0c6369612d61737573676f6c641206c87f54de23b818012009280410cfffffffffffffffff01"
        let results = try Self.decode(NordicSoftAPScanResults.self, octets(list))
        #expect(results.records.map(\.rssi) == [-49, -49])
        #expect(results.records.map { $0.network?.channel } == [112, 9])
        var written: [UInt8] = []
        results.encode(into: &written)
        #expect(hex(written) == list)
        let six = String(repeating: "0a00", count: 6)
        #expect(throws: ProtobufError.tooMany(field: 1)) { try Self.decode(NordicSoftAPScanResults.self, octets(six)) }
    }

    @Test func aPassphraseIsNeverShown() throws {
        let request = try Self.decode(
            NordicRequest.self,
            octets(
                "08045a260a160a064d79576946691206aabbccddeeff180120062803120a6d7970617373776f72641800"))
        for text in ["\(request)", String(reflecting: request), "\(request.configuration as Any)"] {
            #expect(!text.contains("mypassword"))
            #expect(!text.contains("109, 121"), "its octets in decimal")
        }
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!dumped.contains("mypassword"))
    }
}
