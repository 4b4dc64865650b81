// SPDX-License-Identifier: Apache-2.0

import JSON
import LockChannel
import Testing

/// The messages between a reader and the process of its Matter lock.
struct LockMessageTests {
    private static let reader = LockReader(
        firmware: "0.1.0", serial: "012345678A", hasContact: true, pulseSeconds: 5)
    private static let order = LockChannelOrder(number: 7, position: .unlocked, fabric: 1, node: 0x1B669)

    @Test(arguments: [
        (
            LockReport.reader(reader),
            #"{"reader":{"version":1,"firmware":"0.1.0","serial":"012345678A","contact":true,"pulse-s":5}}"#
        ),
        (
            .door(LockDoor(lock: .locked, position: .closed, hold: .none)),
            #"{"door":{"lock":"locked","position":"closed","hold":"none"}}"#
        ),
        (
            .door(LockDoor(lock: .unlocked, position: nil, hold: .open)),
            #"{"door":{"lock":"unlocked","position":null,"hold":"open"}}"#
        ),
        (.moved(.unlocked, by: .nfc), #"{"moved":"unlocked","by":"nfc"}"#),
        (.alarm(.lockout), #"{"alarm":"lockout"}"#),
        (.answered(order: 7, isDone: false), #"{"answered":7,"done":false}"#),
        (.window(seconds: 300), #"{"window":300}"#),
    ])
    func reports(report: LockReport, line: String) throws {
        #expect(report.line == line)
        #expect(try LockReport(line: Array(line.utf8)) == report)
        #expect(line.utf8.count <= LockChannelLimits.lineCount)
    }

    @Test(arguments: [
        (LockRequest.order(order), #"{"order":7,"move":"unlocked","fabric":1,"node":"000000000001B669"}"#),
        (
            .state(LockNodeState(fabrics: 2, isCommissionable: false)),
            #"{"fabrics":2,"commissionable":false}"#
        ),
    ])
    func requests(request: LockRequest, line: String) throws {
        #expect(request.line == line)
        #expect(try LockRequest(line: Array(line.utf8)) == request)
    }

    /// An event record has room for it.
    @Test
    func actor() {
        #expect(Self.order.actor == "fabric 1 node 000000000001B669")
        let longest = LockChannelOrder(number: 1, position: .locked, fabric: 254, node: .max)
        #expect(longest.actor.utf8.count == 32)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"window":-1}"#, #"{"window":3601}"#, #"{"window":300,"door":1}"#, #"{"moved":"ajar"}"#,
        #"{"moved":"unlocked","by":"somebody"}"#, #"{"answered":4294967296,"done":true}"#,
        #"{"door":{"lock":null,"position":null,"hold":"none"}}"#, #"{"door":{"lock":"locked","hold":"none"}}"#,
        #"{"reader":{"version":1}}"#,
        #"{"reader":{"version":1,"firmware":"123456789012345678901234567890123","serial":"","contact":true,"pulse-s":5}}"#,
    ])
    func brokenReports(line: String) {
        #expect(throws: JSONPlaceFault.self) { try LockReport(line: Array(line.utf8)) }
    }

    @Test(arguments: [
        "", "{}", #"{"order":7}"#, #"{"order":7,"move":"unlocked","fabric":0,"node":"000000000001B669"}"#,
        #"{"order":7,"move":"unlocked","fabric":1,"node":"01B669"}"#,
        #"{"order":-1,"move":"unlocked","fabric":1,"node":"000000000001B669"}"#,
        #"{"order":7,"move":"open","fabric":1,"node":"000000000001B669"}"#, #"{"fabrics":1}"#,
        #"{"fabrics":255,"commissionable":true}"#,
    ])
    func brokenRequests(line: String) {
        #expect(throws: JSONPlaceFault.self) { try LockRequest(line: Array(line.utf8)) }
    }
}
