// SPDX-License-Identifier: Apache-2.0

import Commands
import Crypto
import Fleet
import JSON

/// A desired state that is sent to a reader, and its outcome.
struct FleetDesired {
    /// The outcome.
    enum Outcome: Equatable {
        /// The reader has sent its last answer.
        case answered(RemoteAnswer)
        /// The reader is not connected, or has not reported completion in time; with its last answer.
        case open(RemoteAnswer?)
        /// The broker refuses a part.
        case refused(String)
    }

    /// The tolerance in seconds for a reader's clock that is behind.
    private static let skewSeconds: UInt64 = 5

    /// The reader's display name.
    let reader: String
    /// The order.
    let order: RemoteOrder
    /// The chunks.
    let chunks: [[UInt8]]

    /// A state in these chunks, which the reader may apply within so many days from now.
    init(_ chunks: [[UInt8]], to device: String, name: String, key: [UInt8], _ stamp: FleetSigner.Stamp, days: UInt64)
        throws(CommandError)
    {
        var digests: [[UInt8]] = []
        for chunk in chunks {
            do throws(CryptoError) {
                let digest = try SHA256.hash(chunk.span)
                digests.append(digest.indices.map { digest[$0] })
            } catch {
                throw .failed("the state cannot be hashed: \(error)")
            }
        }
        reader = name
        self.chunks = chunks
        let begin = stamp.now - FleetDesired.skewSeconds
        order = RemoteOrder(
            reader: device, key: key, id: stamp.id, counter: stamp.counter, notBefore: begin,
            expires: begin + days * 86_400, command: DesiredManifest.command,
            arguments: DesiredManifest.arguments(digests: digests))
    }

    /// The exit code: 0 only if the state is in force.
    static func code(_ outcome: Outcome) -> Int32 {
        if case .answered(let answer) = outcome, answer.result == .done { 0 } else { 1 }
    }

    /// The outcome in one line.
    func line(_ outcome: Outcome, seconds: Int) -> String {
        let begin = "\(reader): version \(order.counter)"
        switch outcome {
        case .answered(let answer):
            guard let reason = answer.reason else { return "\(begin) is in force" }
            let remedy = reason.remedy(setting: "link.may-set")
            return "\(begin) refused (\(reason.rawValue)): \(remedy); the previous state remains"
        case .open(nil):
            return "\(begin): no answer within \(seconds) s; the broker has it, and the reader takes it when it is "
                + "connected: readerlab fleet status"
        case .open(let answer?):
            return "\(begin) not in force after \(seconds) s, \(answer.missing ?? 0) of \(chunks.count) chunks are "
                + "missing; the previous state remains: see the broker's ACL for down/desired/+"
        case .refused(let reason): return "\(begin): \(reason); the previous state remains"
        }
    }

    /// The outcome as a JSON object.
    func json(_ outcome: Outcome, seconds: Int) -> String {
        var object: JSONObject = [
            "reader": reader, "device": order.reader, "version": order.counter, "chunks": chunks.count,
        ]
        switch outcome {
        case .answered(let answer):
            object.add("result", answer.result.rawValue)
            if let reason = answer.reason { object.add("reason", reason.rawValue) }
        case .open(let answer):
            object.add("result", answer == nil ? "no-answer" : "pending")
            if let missing = answer?.missing { object.add("missing", missing) }
        case .refused: object.add("result", "not-delivered")
        }
        object.add("text", line(outcome, seconds: seconds))
        return object.text
    }
}
