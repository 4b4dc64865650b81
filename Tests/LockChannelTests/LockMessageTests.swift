// SPDX-License-Identifier: Apache-2.0

import JSON
import LockChannel
import Testing
import WiFi
import WiFiTestSupport

/// The messages between a reader and the process of its Matter lock.
struct LockMessageTests {
    private static let reader = LockReader(
        firmware: "0.1.0", serial: "012345678A", hasContact: true, pulseSeconds: 5)
    private static let home = WiFiNetwork(
        name: "Home", address: "02:11:22:33:44:55", band: .band2GHz, channel: 6, security: .wpa2PSK, rssi: -50)
    private static let order = LockChannelOrder(number: 7, position: .unlocked, fabric: 1, node: 0x1B669)

    @Test(arguments: [
        (
            LockReport.reader(reader),
            #"{"reader":{"version":6,"firmware":"0.1.0","serial":"012345678A","contact":true,"pulse-s":5,"wifi":null,"aliro":null,"pins":false}}"#
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
        (
            .movedByAliro(.unlocked, LockAliroPlace(.evictable, 3)),
            #"{"moved":"unlocked","key":{"kind":"evictable","index":3}}"#
        ),
        (.aliro(request: 9, .full), #"{"aliro":9,"is":"full"}"#),
        (.alarm(.lockout), #"{"alarm":"lockout"}"#),
        (.answered(order: 7, isDone: false), #"{"answered":7,"done":false}"#),
        (.window(seconds: 300), #"{"window":300}"#),
        (.link(3, .opened), #"{"link":3,"event":"opened"}"#),
        (.link(3, .wrote([0x65, 0x6C], mtu: 247)), #"{"link":3,"wrote":"656c","mtu":247}"#),
        (.link(3, .subscribed), #"{"link":3,"event":"subscribed"}"#),
        (.link(3, .confirmed), #"{"link":3,"event":"confirmed"}"#),
        (.link(0xFFFF, .closed), #"{"link":65535,"event":"closed"}"#),
        (
            .wifi(.station(.found(home))),
            #"{"wifi":{"is":"found","network":{"name":"486f6d65","address":"02:11:22:33:44:55","band":"2.4","channel":6,"security":"wpa2-psk","rssi":-50}}}"#
        ),
        (.wifi(.station(.scanEnded(complete: true))), #"{"wifi":{"is":"scan-ended","complete":true}}"#),
        (
            .wifi(.station(.joined(home, IPv4Address(192, 0, 2, 7)))),
            #"{"wifi":{"is":"joined","network":{"name":"486f6d65","address":"02:11:22:33:44:55","band":"2.4","channel":6,"security":"wpa2-psk","rssi":-50},"ipv4":"192.0.2.7"}}"#
        ),
        (.wifi(.station(.joinFailed(.authentication))), #"{"wifi":{"is":"join-failed","why":"authentication"}}"#),
        (.wifi(.station(.lost)), #"{"wifi":{"is":"lost"}}"#),
        (.wifi(.refused), #"{"wifi":{"is":"refused"}}"#),
    ])
    func reports(report: LockReport, line: String) throws {
        #expect(report.line == line)
        #expect(try LockReport(line: Array(line.utf8)) == report)
        #expect(line.utf8.count <= LockChannelLimits.lineCount)
    }

    @Test(arguments: [
        (LockRequest.order(order), #"{"order":7,"move":"unlocked","fabric":1,"node":"000000000001B669"}"#),
        (
            .order(LockChannelOrder(number: 7, position: .locked, fabric: 1, node: 0x1B669, user: 3)),
            #"{"order":7,"move":"locked","fabric":1,"node":"000000000001B669","user":3}"#
        ),
        (
            .recordPINs(
                LockPINRequest(
                    number: 8,
                    changes: [
                        LockPINChange(isAdded: false, index: 2, user: 3),
                        LockPINChange(isAdded: true, index: 2, user: 3),
                    ], author: LockNode(fabric: 1, node: 0x1B669))),
            #"{"pins":8,"changes":[{"removed":2,"user":3},{"added":2,"user":3}],"by":{"fabric":1,"node":"000000000001B669"}}"#
        ),
        (
            .pinRefused(
                LockPINRefusal(
                    position: .unlocked, author: LockNode(fabric: 1, node: 0x1B669), reason: .lastWrong)),
            #"{"pin":"last-wrong","move":"unlocked","by":{"fabric":1,"node":"000000000001B669"}}"#
        ),
        (
            .state(LockNodeState()), #"{"fabrics":[],"window":null,"by":null,"why":null}"#
        ),
        (
            .state(
                LockNodeState(
                    fabrics: [LockFabric(index: 3, fabric: 0xFAB1, node: 0x1001, vendor: 0xFFF1)],
                    window: LockWindow(id: [1, 2, 3, 4, 5, 6, 7, 8], opener: LockNode(fabric: 3, node: 0x1B669)),
                    author: LockNode(fabric: 3, node: 0x1B669), cause: .fabricRemoved)),
            #"{"fabrics":[{"index":3,"fabric":"000000000000FAB1","node":"0000000000001001","vendor":65521}],"window":{"id":"0102030405060708","by":{"fabric":3,"node":"000000000001B669"}},"by":{"fabric":3,"node":"000000000001B669"},"why":"fabric-removed"}"#
        ),
        (
            .openWindow(LockWindowRequest(number: 7, seconds: 180, author: LockNode(fabric: 1, node: 0x1B669))),
            #"{"open-window":7,"seconds":180,"fabric":1,"node":"000000000001B669"}"#
        ),
        (.aliro(LockAliroRequest(number: 9, change: .clear)), #"{"aliro":9,"by":null,"clear":true}"#),
        (
            .aliro(LockAliroRequest(number: 9, change: .keys([]), author: LockNode(fabric: 1, node: 0x1B669))),
            #"{"aliro":9,"by":{"fabric":1,"node":"000000000001B669"},"keys":[]}"#
        ),
        (.advertise([0, 0, 0xF, 0xF1, 0xFF, 1, 0x80, 0]), #"{"advertise":"00000ff1ff018000"}"#),
        (.advertise(nil), #"{"advertise":null}"#), (.indicate(3, [1, 2]), #"{"link":3,"indicate":"0102"}"#),
        (.disconnect(3), #"{"link":3,"disconnect":true}"#), (.wifi(.scan()), #"{"wifi":{"do":"scan"}}"#),
        (.wifi(.scan(home.name)), #"{"wifi":{"do":"scan","name":"486f6d65"}}"#),
        (
            .wifi(
                .join(
                    WiFiJoin(name: home.name, security: .wpa2PSK, passphrase: WiFiPassphrase(Array("open sesame".utf8)))
                )),
            #"{"wifi":{"do":"join","name":"486f6d65","security":"wpa2-psk"}}"# + "\t6f70656e20736573616d65"
        ),
        (
            .wifi(.join(WiFiJoin(name: home.name, security: .open))),
            #"{"wifi":{"do":"join","name":"486f6d65","security":"open"}}"#
        ),
        (.wifi(.leave), #"{"wifi":{"do":"leave"}}"#), (.wifi(.keep), #"{"wifi":{"do":"keep"}}"#),
    ])
    func requests(request: LockRequest, line: String) throws {
        #expect(String(decoding: request.line, as: UTF8.self) == line)
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
        #"{"reader":{"version":1}}"#, #"{"link":3}"#, #"{"link":3,"wrote":"0","mtu":247}"#,
        #"{"link":3,"wrote":"00","mtu":22}"#, #"{"link":3,"event":"eaten"}"#, #"{"wifi":{"is":"found"}}"#,
        #"{"wifi":{"is":"joined","ipv4":"1.2.3"}}"#, #"{"wifi":{"is":"join-failed","why":"bad luck"}}"#,
        #"{"reader":{"version":1,"firmware":"123456789012345678901234567890123","serial":"","contact":true,"pulse-s":5,"wifi":null}}"#,
    ])
    func brokenReports(line: String) {
        #expect(throws: JSONPlaceFault.self) { try LockReport(line: Array(line.utf8)) }
    }

    @Test(arguments: [
        #"{"order":7,"move":"unlocked","fabric":1,"node":"000000000001B669","user":null}"#,
        #"{"order":7,"move":"unlocked","fabric":1,"node":"000000000001B669","user":0}"#,
        #"{"pins":8,"changes":[],"by":{"fabric":1,"node":"000000000001B669"}}"#,
        #"{"pins":8,"changes":[{"added":0,"user":3}],"by":{"fabric":1,"node":"000000000001B669"}}"#,
        #"{"pins":8,"changes":[{"added":1,"removed":1,"user":3}],"by":{"fabric":1,"node":"000000000001B669"}}"#,
        #"{"pins":8,"changes":[{"added":1,"user":3}],"by":null}"#,
        #"{"pin":"guessed","move":"unlocked","by":{"fabric":1,"node":"000000000001B669"}}"#,
        "", "{}", #"{"order":7}"#, #"{"order":7,"move":"unlocked","fabric":0,"node":"000000000001B669"}"#,
        #"{"order":7,"move":"unlocked","fabric":1,"node":"01B669"}"#,
        #"{"order":-1,"move":"unlocked","fabric":1,"node":"000000000001B669"}"#,
        #"{"order":7,"move":"open","fabric":1,"node":"000000000001B669"}"#, #"{"fabrics":1}"#,
        #"{"fabrics":[],"window":null,"by":null}"#, #"{"fabrics":[],"window":true,"by":null,"why":null}"#,
        #"{"fabrics":[],"window":{"id":"01","by":null},"by":null,"why":null}"#,
        #"{"fabrics":[],"window":null,"by":null,"why":"boredom"}"#,
        #"{"open-window":7,"seconds":179,"fabric":1,"node":"000000000001B669"}"#,
        #"{"open-window":7,"seconds":180,"fabric":0,"node":"000000000001B669"}"#,
        #"{"open-window":7,"seconds":180,"fabric":1}"#, #"{"advertise":"00"}"#, #"{"advertise":1}"#, #"{"link":3}"#,
        #"{"link":3,"disconnect":false}"#, #"{"link":65536,"disconnect":true}"#, #"{"wifi":{"do":"dance"}}"#,
        #"{"wifi":{"do":"join","name":"48","security":"wpa9"}}"#,
        #"{"wifi":{"do":"join","name":"48","security":"open","passphrase":null}}"#,
        #"{"wifi":{"do":"join","name":"48","security":"wpa2-psk"}}"# + "\t" + String(repeating: "61", count: 65),
        #"{"wifi":{"do":"leave"}}"# + "\t61",
    ])
    func brokenRequests(line: String) {
        #expect(throws: JSONPlaceFault.self) { try LockRequest(line: Array(line.utf8)) }
    }
}
