// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Testing

@testable import MatterNode

/// The texts of notices and errors: names of a table, never those of the source.
struct NoticeTests {
    @Test(
        arguments: [
            (MatterNotice.windowOpened(.label, by: nil), "commissionable: the label's code"),
            (
                .windowOpened(.enhanced, by: MatterAuthor(fabric: 1, node: 0x1B669)),
                "commissionable: a code of an administrator's, by fabric 1, node 0x1B669"
            ),
            (.windowOpened(.basic, by: nil), "commissionable: the label's code, opened by an administrator"),
            (.windowClosed(.commissioned), "no longer commissionable: commissioned"),
            (.windowClosed(.timeout), "no longer commissionable: its time is over"),
            (.windowClosed(.revoked), "no longer commissionable: revoked"),
            (.windowClosed(.tooManyFailures), "no longer commissionable: twenty wrong passcodes"),
            (.windowClosed(.closed), "no longer commissionable: closed by hand"),
            (.windowClosed(.programLost), "no longer commissionable: the connection to the reader is lost"),
            (.windowClosed(.fabricRemoved), "no longer commissionable: the fabric is removed"),
            (.passcodeAttempt, "PASE begins"), (.passcodeFailed(count: 3), "PASE failed: wrong passcode, 3 of 20"),
            (.passcodeAccepted, "PASE: the passcode is right"), (.passcodeSessionEnded, "the PASE session has ended"),
            (.sessionEstablished(fabric: 1, node: 2), "CASE session: fabric 1, node 0x2"),
            (.sessionEnded(fabric: 1, node: 2), "CASE session ended: fabric 1, node 0x2"),
            (
                .sessionDisplaced(fabric: 1, node: 2, by: MatterAuthor(fabric: 1, node: 2)),
                "CASE session of fabric 1, node 0x2 ends with its subscriptions: too many sessions, fabric 1, node 0x2 opens "
                    + "another one"
            ),
            (.failSafeArmed(seconds: 60, byCommand: false), "fail-safe: 60 s, armed by PASE"),
            (.failSafeArmed(seconds: 60, byCommand: true), "fail-safe: 60 s"),
            (.failSafeExpired(.timeout), "fail-safe ended, all is undone: its time is over"),
            (.failSafeExpired(.disarmed), "fail-safe ended, all is undone: disarmed by the app"),
            (.failSafeExpired(.revoked), "fail-safe ended, all is undone: revoked"),
            (.failSafeExpired(.fabricRemoved), "fail-safe ended, all is undone: its fabric is removed"),
            (.failSafeExpired(.sessionLost), "fail-safe ended, all is undone: the connection is lost"),
            (.failSafeExpired(.factoryReset), "fail-safe ended, all is undone: forgotten by hand"),
            (.command(cluster: 0x30, command: 0, name: "ArmFailSafe", fabric: nil, outcome: "ok"), "ArmFailSafe: ok"),
            (.fabricAdded(1, node: 0x4001), "fabric 1 added, node 0x4001"),
            (.fabricUpdated(1), "credentials of fabric 1 replaced"), (.commissioned(1), "commissioned: fabric 1"),
            (.fabricRemoved(1, by: nil), "fabric 1 removed"),
            (
                .fabricRemoved(2, by: MatterAuthor(fabric: 1, node: 3)), "fabric 2 removed, by fabric 1, node 0x3"
            ),
            (.networkStored([0x11, 0x22]), "network stored: 1122"),
            (.networkJoined(Array("Home".utf8), status: 0), "network joined: Home"),
            (.networkJoined(Array("Home".utf8), status: 7), "network not joined: Home, status 7"),
            (.networkLost, "network lost"),
            (
                .subscribed(fabric: 1, subscription: 0xAB, maximumInterval: 60),
                "subscription 0xAB of fabric 1, at most 60 s"
            ),
            (.unsubscribed(subscription: 0xAB), "subscription 0xAB ended"),
            (
                .lockOperation(.unlock, .remote, fabric: 1, node: 2, isRefused: false),
                "lock: unlock, by remote, fabric 1, node 0x2"
            ),
            (
                .lockOperation(.lock, .auto, fabric: nil, node: nil, isRefused: true),
                "lock: lock refused, by the lock itself"
            ),
            (.identifying(seconds: 0), "identified enough"), (.identifying(seconds: 3), "identifies itself for 3 s"),
            (.storingFailed, "the state was not stored: the app gets no answer"), (.faultInjected("x"), "fault: x"),
            (.factoryReset, "as delivered"), (.refused("x"), "refused: x"),
        ] as [(MatterNotice, String)])
    func notices(notice: MatterNotice, text: String) { #expect("\(notice)" == text) }

    @Test
    func actuations() {
        let all: [MatterActuation] = [
            .lock, .unlock, .unlatch, .power(true), .power(false), .identify(seconds: 0), .identify(seconds: 3),
            .effect(2),
        ]
        #expect(
            all.map { "\($0)" } == [
                "lock", "unlock", "unlatch", "on", "off", "identification ends", "identifies itself for 3 s",
                "effect 2",
            ])
    }

    @Test
    func stateErrors() {
        #expect("\(MatterStateError.damaged)" == "the stored state is damaged")
        #expect("\(MatterStateError.unknownVersion(9))" == "the stored state has the unknown version 9")
        #expect(
            "\(MatterStateError.invalidFabric(2))" == "the certificates or the key of fabric 2 do not agree")
        #expect("\(TLVError.wrongType(1))" == "tag 1 has another type")
        #expect(
            "\(TLVError.outOfRange(.qualified(vendor: 1, profile: 2, number: 3)))"
                == "tag 3 of profile 2, vendor 1 is out of range")
    }
}
