// SPDX-License-Identifier: Apache-2.0

import CBOR
import Crypto
import Fleet
import Glibc
import Reader
import TestSupport
import Testing

@testable import readerd

/// A back end with a command key: signs orders, and takes the reader's answers.
struct LinkDesk {
    let key: P256PrivateKey
    let commandKey: CommandKey

    init() throws {
        key = try P256PrivateKey.generate()
        commandKey = try CommandKey(key.publicKey)
    }

    /// A reader that has the key, with this line in `[link]`.
    func rig(
        _ line: String, others: String = "", prepare: @escaping (StateDirectory) throws -> Void = { _ in }
    ) throws -> CompanionRig {
        try CompanionRig(
            "link", line, others: others, trouble: ProcessRig.Trouble(prepare: prepare, commandKeys: [commandKey]))
    }

    /// An order from ten seconds ago on, for so many seconds from now.
    func order(
        _ octet: UInt8, counter: UInt64, _ command: String, arguments: [String: CBORValue] = [:], seconds: UInt64 = 20
    ) -> RemoteOrder {
        let now = UInt64(time(nil))
        return RemoteOrder(
            reader: "7761307931597753", key: commandKey.id, id: [UInt8](repeating: octet, count: 16), counter: counter,
            notBefore: now - 10, expires: now + seconds, command: command, arguments: arguments)
    }

    /// The octets of a signed order.
    func message(_ order: RemoteOrder, isForged: Bool = false) throws -> [UInt8] {
        let body = try order.body()
        var signature: [UInt8] = []
        let octets = RemoteOrder.Signed.signedOctets(isForged ? body + [0] : body)
        try key.sign(octets.span, into: &signature)
        return try RemoteOrder.Signed.message(body, signature: signature)
    }

    /// The answer to a message, whose signature is the reader's.
    func answer(
        _ link: BlockingClient, _ octets: [UInt8], _ number: UInt64, isRetained: Bool = false
    ) throws -> RemoteAnswer {
        link.send(LinkRequest.order(octets, isRetained: isRetained, number: number).line + "\n")
        let text = try LinkProcessTests.next(link) { report -> String? in
            if case .answer(let text, number) = report { text } else { nil }
        }
        let signed = try RemoteAnswer.Signed(Array(text.utf8))
        let terminal = try ReaderIdentity.demo().terminalKey.publicKey
        let isValid = terminal.isValid(signature: signed.signature.span, for: signed.signedOctets.span)
        #expect(isValid)
        return signed.answer
    }
}

extension CompanionRig {
    /// Runs the reader, once it knows what was kept of an earlier run, with a client that is the process of its link.
    func serveLink(_ body: @escaping @Sendable (_ link: BlockingClient, _ process: ProcessRig) throws -> Void) throws {
        try process.run { [self] _, process in
            let (link, _) = try LinkProcessTests.link(self)
            process.waitUntilRestored()
            try body(link, process)
        }
    }
}
