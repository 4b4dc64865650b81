// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing
import Timekeeping

/// Dynamic values (Core 5.4, Vol 3, Part F, 3.3.2, 3.4.4 and 3.4.5).
@Suite struct GATTDynamicValueTests {
    private static let value = AttributeHandle(rawValue: 0x03)
    private static let second = AttributeHandle(rawValue: 0x05)

    /// 02 03 dynamic (read, write), 04 05 dynamic (read, write), 06 07 static "hi", 08 09 dynamic, encrypted, 0a 0b 0c
    /// indicated.
    private func bench(mtu: Int? = nil, configuration: GATTServer.Configuration = .init()) throws -> GATTBench {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        for type: UInt16 in [0x1111, 0x2222] {
            builder.addCharacteristic(BluetoothUUID(type), properties: [.read, .write], value: .dynamic)
        }
        builder.addCharacteristic(
            BluetoothUUID(0x1111), properties: [.read, .write], value: .static([0x68, 0x69], maximumCount: 8))
        builder.addCharacteristic(
            BluetoothUUID(0x3333), properties: [.read, .write], security: .encrypted, value: .dynamic)
        builder.addCharacteristic(BluetoothUUID(0x4444), properties: .indicate)
        let bench = GATTBench(try builder.build(), configuration: configuration)
        if let mtu { _ = bench.send([0x02, UInt8(truncatingIfNeeded: mtu), UInt8(truncatingIfNeeded: mtu >> 8)]) }
        bench.events.removeAll()
        return bench
    }

    @Test func readIsAnsweredWhenTheDeviceAnswers() throws {
        let bench = try bench()
        #expect(bench.send("0a 0300") == "")
        let request = try #require(bench.question)
        #expect(bench.taken().events == [.readRequested(request, GATTDynamicValueTests.value, offset: 0)])
        #expect(bench.respond(request, [1, 2, 3]) == packed("0b 010203"))
        #expect(bench.events.events.isEmpty && bench.outputs() == [])
        // Each read is asked for anew.
        #expect(bench.send("0a 0300") == "")
        #expect(bench.respond(bench.question, []) == "0b")
    }

    @Test func writeIsAnsweredWhenTheDeviceAnswers() throws {
        let bench = try bench()
        #expect(bench.send("12 0300 0a0b") == "")
        let request = try #require(bench.question)
        let (events, values) = bench.taken()
        #expect(
            events == [.writeRequested(request, GATTDynamicValueTests.value, value: 0..<2)] && values == [[10, 11]])
        #expect(bench.accept(request) == "13")
        #expect(bench.send("12 0300 0c") == "")
        #expect(bench.refuse(bench.question, 0x80) == packed("01 12 0300 80"))
        // A command has no answer, so it is only told.
        _ = bench.taken()
        #expect(bench.send("52 0300 0d") == "")
        #expect(
            bench.taken().events == [.written(GATTDynamicValueTests.value, value: 0..<1, withResponse: false)])
    }

    @Test func indicationMayGoBeforeTheWriteResponse() throws {
        let bench = try bench()
        #expect(bench.send("12 0c00 0200") == "13")
        #expect(bench.send("12 0300 01") == "")
        #expect(bench.indicate(0x0B, [7]) == (.accepted, packed("1d 0b00 07")))
        // The confirmation is no request: it is taken while the request waits.
        #expect(bench.send("1e") == "")
        #expect(!bench.awaitsConfirmation(slot: 0))
        #expect(bench.accept(bench.question) == "13")
    }

    /// CVE-2021-43400, CVE-2026-11368: the link ends before the device answers.
    @Test func answerToALinkThatIsGoneIsDropped() throws {
        let bench = try bench()
        #expect(bench.send("0a 0300") == "")
        let old = bench.question
        bench.close(slot: 0)
        #expect(bench.respond(old, [1]) == "gone")
        bench.open(slot: 0)
        #expect(bench.respond(old, [1]) == "gone")
        #expect(bench.send("0a 0300") == "")
        #expect(bench.respond(old, [1]) == "gone" && bench.refuse(old, 0x80) == "gone")
        let new = bench.question
        #expect(bench.respond(new, [2]) == packed("0b 02"))
        #expect(bench.respond(new, [3]) == "gone")
    }

    @Test func answerThatDoesNotFitTheQuestionIsNone() throws {
        let bench = try bench()
        #expect(bench.send("0a 0300") == "")
        #expect(bench.accept(bench.question) == "mismatched")
        #expect(bench.respond(bench.question, [UInt8](repeating: 0, count: 513)) == "tooLong")
        #expect(bench.respond(bench.question, [1]) == packed("0b 01"))
        #expect(bench.send("12 0300 01") == "")
        #expect(bench.respond(bench.question, [1]) == "mismatched")
        #expect(bench.accept(bench.question) == "13")
    }

    @Test func deviceThatDoesNotAnswerIsAnsweredFor() throws {
        let bench = try bench()
        bench.now = .origin + .seconds(5)
        #expect(bench.send("0a 0300") == "" && bench.send("12 0300 01", slot: 1) == "")
        let late = bench.question
        #expect(bench.nextDeadline == .origin + .seconds(25))
        #expect(bench.advance(to: 24.999) == [] && bench.outputs() == [])
        #expect(bench.advance(to: 25) == [])
        #expect(bench.outputs() == ["0.0<010a03000e", "1.0<011203000e"])
        #expect(bench.nextDeadline == nil)
        #expect(bench.accept(late) == "gone")
        #expect(bench.send("0a 0700") == packed("0b 6869"))
    }

    @Test func configuredTimeEndsBeforeTheTransactionTime() throws {
        var configuration = GATTServer.Configuration()
        configuration.answerTime = .seconds(60)
        let bench = try bench(configuration: configuration)
        #expect(bench.send("0a 0300") == "")
        #expect(bench.nextDeadline == .origin + .seconds(29))
    }

    /// CVE-2019-19192, sequential ATT deadlock: a client that does not wait is answered in order; requests beyond the
    /// limit are dropped, and the bearer continues.
    @Test func requestsThatComeTooEarlyAreAnsweredInOrder() throws {
        let bench = try bench()
        #expect(bench.send("0a 0300") == "")
        let first = bench.question
        for pdu in ["0a 0700", "12 0500 01", "0a 0800", "0a 0700", "0a 0100", "0a 0200"] {
            #expect(bench.send(pdu) == "")
        }
        // Commands are no part of that order, and another link is none of it.
        #expect(bench.send("52 0700 6f6b") == "" && bench.send("0a 0700", slot: 1) == packed("0b 6f6b"))
        #expect(bench.outputs() == [])
        #expect(bench.respond(first, [9]) == packed("0b 09"))
        #expect(bench.outputs() == ["0.0<0b6f6b"])
        let second = bench.question
        #expect(second != first)
        #expect(bench.accept(second) == "13")
        // The fifth and sixth were dropped.
        #expect(bench.outputs() == ["0.0<0b0a0900" + "3333", "0.0<0b6f6b"])
        #expect(bench.send("0a 0700") == packed("0b 6f6b"))
    }

    @Test func floodWhileTheDeviceIsAtWork() throws {
        let bench = try bench()
        #expect(bench.send("0a 0300") == "")
        for _ in 0..<10_000 {
            guard bench.send("0a 0300") == "" else {
                Issue.record("a request was answered out of turn")
                return
            }
        }
        var answered = 0
        while bench.respond(bench.question, [1]) == "0b01" {
            answered += 1
            bench.events.removeAll()
            #expect(bench.outputs() == [])
        }
        #expect(answered == 5)
    }

    /// 3.4.4.5: all parts of a long value are from one answer of the device.
    @Test func longValueIsReadInParts() throws {
        let bench = try bench()
        let value = (0..<50).map { UInt8($0) }
        #expect(bench.send("0a 0300") == "")
        #expect(bench.respond(bench.question, value) == "0b" + hex(value[0..<22]))
        _ = bench.taken()
        #expect(bench.send("0c 0300 1600") == "0d" + hex(value[22..<44]))
        #expect(bench.send("0c 0300 2c00") == "0d" + hex(value[44...]))
        #expect(bench.events.events.isEmpty)
        // Read to the end, so it is asked for again: at its offset, and of a value that is shorter by now.
        #expect(bench.send("0c 0300 0a00") == "")
        let request = try #require(bench.question)
        #expect(bench.taken().events == [.readRequested(request, GATTDynamicValueTests.value, offset: 10)])
        #expect(bench.respond(request, [1, 2, 3]) == packed("01 0c 0300 07"))
        #expect(bench.send("0c 0300 0300") == "")
        #expect(bench.respond(bench.question, [1, 2, 3]) == "0d")
    }

    @Test func keptValueEndsWithAnyOtherRequest() throws {
        let bench = try bench()
        let value = [UInt8](repeating: 7, count: 40)
        for other in ["0a 0700", "0c 0500 1600", "0a 0300", "0c 0300 0000"] {
            #expect(bench.send("0a 0300") == "")
            #expect(bench.respond(bench.question, value) == "0b" + "07".times(22))
            _ = bench.taken()
            _ = bench.send(other)
            if let question = bench.question { _ = bench.respond(question, []) }
            _ = bench.taken()
            #expect(bench.send("0c 0300 1600") == "")
            #expect(bench.respond(bench.question, []) == packed("01 0c 0300 07"))
        }
    }

    @Test func permissionIsCheckedBeforeTheDeviceIsAsked() throws {
        let bench = try bench()
        #expect(bench.send("0a 0900") == packed("01 0a 0900 05"))
        #expect(bench.send("12 0900 01") == packed("01 12 0900 05"))
        #expect(bench.send("16 0900 0000 01") == packed("01 16 0900 05"))
        #expect(bench.events.events.isEmpty)
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true), slot: 0)
        #expect(bench.send("0a 0900") == "")
        // And again when it has answered: the link has lost its key meanwhile.
        bench.setSecurity(LinkSecurityLevel(isBonded: true), slot: 0)
        #expect(bench.respond(bench.question, [0x5E]) == packed("01 0a 0900 0f"))
    }

    /// 3.4.4.7 and 3.4.4.11: one question per value, one response.
    @Test func readMultipleAsksForEach() throws {
        let bench = try bench()
        #expect(bench.send("20 0300 0700 0500") == "")
        #expect(bench.respond(bench.question, [1, 2]) == "")
        let second = try #require(bench.question)
        #expect(bench.taken().events.last == .readRequested(second, GATTDynamicValueTests.second, offset: 0))
        #expect(bench.respond(second, [3]) == packed("21 0200 0102 0200 6869 0100 03"))
        #expect(bench.send("0e 0500 0500") == "")
        #expect(bench.respond(bench.question, [4]) == packed("0f 04 04"))
        #expect(bench.send("0e 0700 0300") == "")
        #expect(bench.refuse(bench.question, 0x81) == packed("01 0e 0300 81"))
    }

    @Test func whatDoesNotFitIsNotAskedFor() throws {
        let bench = try bench()
        #expect(bench.send("0e 0300 0500") == "")
        let only = bench.question
        #expect(bench.respond(only, [UInt8](repeating: 1, count: 30)) == "0f" + "01".times(22))
        #expect(bench.question == only)
    }

    /// All questions of one request have one deadline.
    @Test func questionsAboutOneRequestHaveOneDeadline() throws {
        let bench = try bench()
        #expect(bench.send("20 0300 0500") == "")
        bench.now = .origin + .seconds(15)
        #expect(bench.respond(bench.question, [1]) == "")
        #expect(bench.nextDeadline == .origin + .seconds(20))
        #expect(bench.advance(to: 20) == [] && bench.outputs() == ["0.0<012003000e"])
    }

    /// 3.4.4.1: a dynamic value is the only one in a response, and ends the list after others.
    @Test func readByType() throws {
        let bench = try bench()
        #expect(bench.send("08 0100 ffff 1111") == "")
        #expect(bench.respond(bench.question, [1, 2]) == packed("09 04 0300 0102 0700 6869"))
        #expect(bench.send("08 0400 ffff 1111") == packed("09 04 0700 6869"))
        #expect(bench.send("08 0100 ffff 2222") == "")
        #expect(bench.refuse(bench.question, 0x0E) == packed("01 08 0500 0e"))
        // Values are not to be guessed.
        bench.events.removeAll()
        #expect(bench.send("06 0100 ffff 1111 00") == packed("01 06 0100 0a"))
        #expect(bench.events.events.isEmpty)
    }

    @Test func preparedWritesAreAskedAboutWhenExecuted() throws {
        let bench = try bench(configuration: .mixing)
        for pdu in ["0300 0000 0102", "0700 0000 6162", "0300 0200 03", "0500 0000 09"] {
            #expect(bench.send("16" + pdu) == packed("17" + pdu))
        }
        #expect(bench.send("18 01") == "")
        let first = try #require(bench.question)
        let (events, values) = bench.taken()
        #expect(events == [.writeRequested(first, GATTDynamicValueTests.value, value: 0..<3)] && values == [[1, 2, 3]])
        #expect(bench.accept(first) == "")
        #expect(bench.send("0a 0700", slot: 1) == packed("0b 6869"))
        #expect(bench.refuse(bench.question, 0x80) == packed("01 18 0500 80"))
        #expect(bench.send("0a 0700") == packed("0b 6869"))
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("16 0300 0000 05") == packed("17 0300 0000 05"))
        #expect(bench.send("18 01") == "")
        #expect(bench.accept(bench.question) == "19")
        // Of a handled value there is nothing to be changed from its middle on.
        _ = bench.send("16 0300 0100 05")
        #expect(bench.send("18 01") == packed("01 18 0300 07"))
    }

    @Test func queueLivesAsLongAsItIsExecuted() throws {
        let bench = try bench()
        _ = bench.send("16 0300 0000 05")
        bench.now = .origin + .seconds(29)
        #expect(bench.send("18 01") == "")
        #expect(bench.advance(to: 31) == [])
        #expect(bench.accept(bench.question) == "19")
        _ = bench.send("16 0300 0000 05")
        #expect(bench.send("18 01") == "")
        #expect(bench.advance(to: 51) == [] && bench.outputs() == ["0.0<011800000e"])
        #expect(bench.send("18 01") == "19" && bench.nextDeadline == nil)
    }

    @Test func preparedWritePolicy() throws {
        var configuration = GATTServer.Configuration()
        configuration.preparedWritingToDynamic = .refused(.writeNotPermitted)
        var bench = try bench(configuration: configuration)
        #expect(bench.send("16 0300 0000 05") == packed("01 16 0300 03"))
        #expect(bench.send("16 0700 0000 05") == packed("17 0700 0000 05"))
        configuration.preparedWriting = .refused(.requestNotSupported)
        bench = try self.bench(configuration: configuration)
        #expect(bench.send("16 0700 0000 05") == packed("01 16 0700 06"))
        #expect(bench.send("18 01") == "19")
    }

    @Test func storedValueMayReportItsWrites() throws {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        let handle = builder.addCharacteristic(
            BluetoothUUID(0x1111), properties: [.read, .write], value: .static([1], reportsWrites: true))
        let bench = GATTBench(try builder.build())
        #expect(bench.send("12 0300 0203") == "13" && bench.send("52 0300 04") == "")
        let (events, values) = bench.taken()
        #expect(values == [[2, 3], [4]])
        #expect(events.first == .written(handle, value: 0..<2, withResponse: true))
        #expect(bench.send("0a 0300") == packed("0b 04"))
    }
}
