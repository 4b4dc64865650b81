// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing

@testable import MatterSession
@testable import MatterTestSupport

/// Core 4.8: AES-CCM over messages, against the recordings.
struct MessageProtectionTests {
    @Test
    func theRecordedPASESession() throws {
        let initiator = PASERecording.initiatorToResponder[...]
        let received = MessageRecording.paseReceived
        let header = try MessageHeader(received.span)
        #expect(header == MessageHeader(session: 1, counter: 0x022E_AC51))
        let clear = try MessageProtection.open(received, header: header, source: 0, key: initiator)
        #expect(clear == MessageRecording.paseReceivedClear)
        let sent = try MessageProtection.seal(
            MessageRecording.paseSentClear, header: MessageHeader(session: 0x3318, counter: 0x037B_3674), source: 0,
            key: PASERecording.responderToInitiator[...])
        #expect(sent == MessageRecording.paseSent)
    }

    /// 4.8.1.1: on CASE sessions the nonce has the sender's node.
    @Test
    func theRecordedCASESession() throws {
        let received = MessageRecording.caseReceived
        let header = try MessageHeader(received.span)
        let key = CASERecording.initiatorToResponder[...]
        let clear = try MessageProtection.open(received, header: header, source: 112_233, key: key)
        #expect(clear == MessageRecording.caseReceivedClear)
        #expect(throws: MessageFault.unauthentic) {
            try MessageProtection.open(received, header: header, source: 4097, key: key)
        }
        let recorded = MessageRecording.caseSent
        let sent = try MessageProtection.seal(
            MessageRecording.caseSentClear, header: MessageHeader(recorded.span), source: 4097,
            key: CASERecording.responderToInitiator[...])
        #expect(sent == MessageRecording.caseSent)
    }

    /// Every changed bit of header, ciphertext and tag, and every shortening.
    @Test func changedMessages() throws {
        let key = PASERecording.initiatorToResponder[...]
        let datagram = MessageRecording.paseReceived
        for index in datagram.indices {
            var changed = datagram
            changed[index] ^= 1 << UInt8(index & 7)
            guard let header = try? MessageHeader(changed.span) else { continue }
            #expect(throws: MessageFault.unauthentic) {
                try MessageProtection.open(changed, header: header, source: 0, key: key)
            }
        }
        for count in 8..<datagram.count {
            let part = Array(datagram[..<count])
            let header = try MessageHeader(part.span)
            #expect(throws: MessageFault.unauthentic) {
                try MessageProtection.open(part, header: header, source: 0, key: key)
            }
        }
    }
}
