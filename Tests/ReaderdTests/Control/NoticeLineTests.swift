// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Peripheral
import Reader
import Testing

@testable import readerd

/// The members of docs/operate/control.md, "Notices".
@Suite struct NoticeLineTests {
    private let link = LinkID(slot: 0, generation: 3)

    private func decision(_ outcome: CredentialDecision.Outcome) -> CredentialDecision {
        CredentialDecision(.standardOffline, of: OSSCredentialID("CRED000001"), outcome)
    }

    private func expect(_ notice: ReaderNotice, _ json: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(NoticeLine.json(notice) == json, sourceLocation: location)
    }

    @Test func whatBecomesOfALink() {
        let peer = BluetoothAddress(kind: .random, value: 0xC000_1000_0001)
        expect(
            .connected(link, .access, peer: peer),
            #"{"link":3,"what":"connected","peer":"C0:00:10:00:00:01","mode":"access","#
                + #""text":"link 3: connected, C0:00:10:00:00:01, mode access"}"#)
        expect(
            .connected(link, nil, peer: peer),
            #"{"link":3,"what":"connected","peer":"C0:00:10:00:00:01","#
                + #""text":"link 3: connected, C0:00:10:00:00:01, mode unknown"}"#)
        expect(
            .traced(link, dBm: -71),
            #"{"link":3,"what":"measured","rssi-dbm":-71,"text":"link 3: RSSI -71 dBm"}"#)
        expect(
            .near(link, median: -48),
            #"{"link":3,"what":"near","rssi-dbm":-48,"text":"link 3: near, median -48 dBm"}"#)
        expect(
            .disconnected(link, reason: 0x13),
            #"{"link":3,"what":"disconnected","text":"link 3: disconnected, reason 0x13"}"#)
    }

    @Test func aRefusalHasItsReadingIfThereIsOne() {
        expect(
            .refused(.link(link), .wellUnder(last: -90)),
            #"{"link":3,"what":"refused","rssi-dbm":-90,"#
                + #""text":"link 3: refused, far below the threshold (-90 dBm)"}"#)
        expect(
            .refused(.link(link), .tooFar(median: nil)),
            #"{"link":3,"what":"refused","text":"link 3: refused, too few readings in the window"}"#)
        expect(
            .refused(.link(link), .poolFull),
            #"{"link":3,"what":"refused","text":"link 3: refused, all slots are taken"}"#)
    }

    /// No more of a credential than in the log.
    @Test func whatAPhoneIsTold() {
        expect(
            .decided(.link(link), decision(.granted(.defaultTime)), .ok),
            #"{"link":3,"text":"link 3: OSS-SO credential CR…001 granted, status 0 (ok)"}"#)
        expect(
            .decided(.tap(2), decision(.denied(.schedule)), .ok),
            #"{"text":"tap 2: OSS-SO credential CR…001 denied, outside its schedule, status 0 (ok)"}"#)
        // A card is sent no status.
        var ofCard = CredentialDecision(.pkoc, of: OSSCredentialID("CRED000001"), .denied(.lockdown))
        ofCard.card = CardEvidence(kind: .pkoc, identity: [1])
        expect(
            .decided(.tap(2), ofCard, .ok),
            #"{"text":"tap 2: PKOC credential CR…001 denied, lockdown"}"#)
        expect(
            .executed(.link(link), credential: "CRED000001", command: "tokn", .ok),
            #"{"link":3,"text":"link 3: tokn of credential CR…001, status 0 (ok)"}"#)
        expect(
            .blacklisted(.link(link), credential: "CRED000001"),
            #"{"link":3,"text":"link 3: credential CR…001 is blacklisted"}"#)
        expect(
            .repeated(.link(link), credential: "CRED000001"),
            #"{"link":3,"text":"link 3: credential CR…001 repeated within the re-arm time, same answer"}"#)
        expect(
            .messageRefused(.link(link), .signature, told: false),
            #"{"link":3,"text":"link 3: message refused, status -12 (invalid signature), not answered"}"#)
        expect(
            .unanswerable(link), #"{"link":3,"text":"link 3: not answered, the phone has not subscribed to TX"}"#)
    }

    @Test func whatIsNoLinks() {
        expect(.tapped(.tap(2)), #"{"text":"tap 2: near, NFC tap"}"#)
        expect(.tapEnded(.tap(2)), #"{"text":"tap 2: ended"}"#)
        expect(.mailbox(.tap(2), [0x60, 0x0A]), #"{"text":"tap 2: mailbox 600a"}"#)
        expect(.doorStarted, #"{"text":"door: secured"}"#)
        expect(.advertising(.slotsTaken), #"{"text":"advertising off: all slots are taken"}"#)
    }
}
