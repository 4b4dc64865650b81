// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Faults of documents that only an issuer can make: they are signed.
extension AliroPhoneFault {
    private static let day: Int64 = 86_400

    static let issued: [AliroPhoneFault] = [
        issued("certificate-signature", "sends a certificate that its authority has not signed") {
            try $0.certify(by: try P256PrivateKey.generate())
        },
        issued("certificate-expired", "sends a certificate that has expired") {
            try $0.certify(until: -60)
        },
        issued("certificate-later", "sends a document that was signed before its certificate was valid") {
            try $0.certify(from: -60)
        },
        issued("issued-signature", "sends a document whose signature is not its issuer's") {
            $0.access.hasWrongSignature = true
        },
        issued("issued-digest", "sends a document whose signed digest is another element's") {
            $0.access.hasWrongDigest = true
        },
        issued("expired", "sends a document that has expired") {
            $0.set(signed: -2 * day, from: -2 * day, until: -day)
        },
        issued("too-early", "sends a document that is valid from tomorrow") {
            $0.set(signed: -60, from: day, until: 2 * day)
        },
        issued("old-iteration", "sends a document of iteration 1; present one of iteration 9 before") {
            $0.access.iteration = 1
        },
        issued("needs-time", "sends a document that only a reader with a clock may accept", .needsClock) {
            $0.access.needsTime = true
        },
        issued("other-signed-type", "sends a document that is signed as a revocation document") {
            $0.access.signedType = "aliro-r"
        },
        issued("other-device", "sends the document of another phone") {
            $0.access.device = try P256PrivateKey.generate().publicPoint.list
        },
        issued("no-device", "sends a document that is for no phone") { $0.access.device = nil },
        issued("other-element", "sends a document with another element than the requested one") {
            $0.access.element += "-other"
        },
        issued("element-version", "sends an element of version 2") {
            $0.access.value = AliroIssue.element(version: 2, [AliroIssue.rule()])
        },
        issued("no-rule", "sends a document that permits to lock alone") {
            $0.access.value = AliroIssue.element([AliroIssue.rule(1)])
        },
        issued("allowed-later", "sends a document that permits from tomorrow") {
            $0.access.value = AliroIssue.element([AliroIssue.rule(allow: 1)], [(3, .array([$0.schedule(from: day)]))])
        },
        issued("denied-now", "sends a document that denies now") {
            $0.access.value = AliroIssue.element([AliroIssue.rule(deny: 1)], [(3, .array([$0.schedule(from: -day)]))])
        },
        issued("unknown-recurrence", "sends a document with a schedule of an unknown recurrence") {
            let schedule = $0.schedule(from: -day, pattern: 9)
            $0.access.value = AliroIssue.element([AliroIssue.rule(allow: 1)], [(3, .array([schedule]))])
        },
        issued("reader-rule", "sends a document with a rule of the reader's own, which it does not have") {
            $0.access.value = AliroIssue.element([AliroIssue.rule()], [(4, .array([7]))])
        },
        issued("critical-extension", "sends a document with an unknown critical extension") {
            $0.access.value = AliroIssue.element([AliroIssue.rule()], extensions(isCritical: true))
        },
        issued("extra-extension", "sends a document with unknown extensions, none of them critical", .goesOn) {
            $0.access.value = AliroIssue.element(
                [AliroIssue.rule()], [(5, .map([(7, .array([vendorExtension(0)]))]))] + extensions(isCritical: false))
        },
        issued("revocation-version", "sends a revocation document of version 2") {
            try $0.revoke(version: 2)
        },
    ]

    /// Access extensions by vendor, of one vendor.
    private static func extensions(isCritical: Bool) -> [(EncodedItem, EncodedItem)] {
        [(6, .map([(.octets([1, 2, 3]), .array([vendorExtension(isCritical ? 1 : 0)]))]))]
    }

    /// Flags, identifier, version and data.
    private static func vendorExtension(_ flags: Int) -> EncodedItem { .array([.integer(flags), 1, 1, .octets([9])]) }

    private static func issued(
        _ name: String, _ action: String, _ reaction: Reaction = .refuses,
        _ change: @escaping @Sendable (inout AliroIssue) throws -> Void
    ) -> AliroPhoneFault {
        AliroPhoneFault(name, .envelope, .issued(change), action, reaction)
    }
}
