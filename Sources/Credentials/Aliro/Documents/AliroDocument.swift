// SPDX-License-Identifier: Apache-2.0

internal import CBOR
internal import Crypto
internal import Timekeeping

/// A verified document: an element that a trusted issuer has signed.
struct AliroDocument {
    /// The types, each with its own name space.
    enum Kind: String {
        case access = "aliro-a"
        case revocation = "aliro-r"
    }

    /// A document this many iterations behind the newest of its issuer is refused.
    static let iterationWindow: Int64 = 8

    let issuer: AliroIssuer
    /// Times in seconds since 1970-01-01 UTC.
    let signed: Int64
    let validFrom: Int64
    let validUntil: Int64
    let needsTime: Bool
    let iteration: Int64?
    /// The requested element in CBOR.
    let element: [UInt8]

    /// Verifies the document of `kind` in the decrypted answer to ENVELOPE.
    ///
    /// - Parameter point: the credential that an access document has to be for.
    init(
        _ kind: Kind, in response: Span<UInt8>, element name: String, for point: [UInt8], trusting store: AliroStore,
        at moment: Moment
    ) throws(AliroDocumentFault) {
        guard let root = try? CBORNode(decoding: response), root.map != nil else { throw .format }
        guard let documents = root["2"] else { throw .missing }
        guard let documents = documents.array else { throw .format }
        guard let document = documents.first(where: { $0["5"]?.text == kind.rawValue }) else { throw .missing }
        guard let signedPart = document["1"], let names = signedPart["1"]?.map, let cose = signedPart["2"] else {
            throw .format
        }
        let envelope = try AliroSignedObject(cose)
        issuer = try AliroIssuer(envelope, trusting: store, at: moment)
        guard envelope.isSigned(by: issuer.key) else { throw .signature }
        guard let wrapped = try? CBORNode(decoding: envelope.payload.span), let octets = wrapped.tagged(24)?.octets,
            let object = try? CBORNode(decoding: octets.span)
        else { throw .format }
        guard object["1"]?.text == "1.0", object["2"]?.text == "SHA-256" else { throw .content }
        let elements = try Self.elements(names, digests: object["3"], kind, in: response)
        guard !elements.isEmpty else { throw .missing }
        guard object["5"]?.text == kind.rawValue else { throw .content }
        if kind == .access {
            guard Self.isDeviceKey(object["4"]?["1"], point) else { throw .deviceKey }
        }
        guard let validity = object["6"], let needsTime = object["7"]?.boolean else { throw .format }
        self.needsTime = needsTime
        signed = try Self.time(validity["1"])
        validFrom = try Self.time(validity["2"])
        validUntil = try Self.time(validity["3"])
        if let now = moment.epochSeconds {
            guard now >= validFrom, !moment.isOver(validUntil) else { throw .time }
        } else if needsTime {
            throw .time
        }
        guard issuer.certificate?.covers(signed) ?? true else { throw .time }
        if let node = validity["5"] {
            guard let number = node.integer, number >= 0 else { throw .format }
            iteration = number
            let highest = store.ledgers[issuer.point]?.highestIteration ?? 0
            guard highest - number < Self.iterationWindow else { throw .iteration }
        } else {
            iteration = nil
        }
        guard let wanted = elements[name] else { throw .missing }
        element = wanted
    }

    /// The values of the elements of `kind` by identifier. All items' digests are verified over the received octets.
    private static func elements(
        _ names: [CBORValue: CBORNode], digests: CBORNode?, _ kind: Kind, in response: Span<UInt8>
    ) throws(AliroDocumentFault) -> [String: [UInt8]] {
        var elements: [String: [UInt8]] = [:]
        for (name, list) in names {
            guard case .text(let text) = name, let items = list.array else { throw .format }
            for item in items {
                guard let octets = item.tagged(24)?.octets, let content = try? CBORNode(decoding: octets.span),
                    let digestID = content["1"]?.integer, let identifier = content["3"]?.text,
                    let value = content["4"]
                else { throw .format }
                guard let expected = digests?[text]?[digestID]?.octets,
                    let digest = try? SHA256.hash(response.extracting(item.extent)),
                    constantTimeEqual(digest.span, expected.span)
                else { throw .digest }
                guard text == kind.rawValue else { continue }
                guard elements.updateValue(Array(octets[value.extent]), forKey: identifier) == nil else {
                    throw .format
                }
            }
        }
        return elements
    }

    /// True for a COSE key (RFC 9053, 7.1.1) on P-256 that is `point`.
    private static func isDeviceKey(_ node: CBORNode?, _ point: [UInt8]) -> Bool {
        guard let node, node[1]?.integer == 2, node[-1]?.integer == 1, let x = node[-2]?.octets,
            let y = node[-3]?.octets
        else { return false }
        let octets = [0x04] + x + y
        return constantTimeEqual(octets.span, point.span)
    }

    private static func time(_ node: CBORNode?) throws(AliroDocumentFault) -> Int64 {
        guard let text = node?.tagged(0)?.text, let seconds = AliroTime.epochSeconds(text) else { throw .format }
        return seconds
    }
}

/// The notation of times: `2026-01-01T00:00:00Z`.
enum AliroTime {
    static let count = 20

    /// Seconds since 1970-01-01 UTC; nil for other text.
    static func epochSeconds(_ text: String) -> Int64? {
        guard text.utf8.count == count, text.last == "Z" else { return nil }
        return ZonedTime.epochSeconds(text[...])
    }

    static func epochSeconds(_ octets: Span<UInt8>) -> Int64? {
        String(validating: [UInt8](octets), as: UTF8.self).flatMap(epochSeconds)
    }
}
