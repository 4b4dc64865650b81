// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import JSON
import Reader
import Timekeeping

/// Requests about one credential: `{"revoke":"ALICE04711","until":"2027-06-30T23:59"}`, `{"unrevoke":"ALICE04711"}`.
extension RevocationOrder {
    /// The verbs.
    static let verbs = ["revoke", "unrevoke"]

    /// Parses the members of a request other than its id; nil for another verb.
    init?(_ members: [JSONNode.Member], id: String?) throws(ControlRequestError) {
        func fault(_ problem: String) -> ControlRequestError { ControlRequestError(id: id, problem: problem) }
        guard let member = members.first(where: { RevocationOrder.verbs.contains($0.name) }) else { return nil }
        let others = members.filter { $0.name != member.name }
        guard case .string(let text) = member.value.content, let credential = OSSCredentialID(text) else {
            throw fault("\"\(member.name)\" takes a credential, 1 to 10 characters of ASCII")
        }
        guard member.name == "revoke" else {
            guard others.isEmpty else { throw fault("\"unrevoke\" takes no other key than id") }
            self = .unrevoke(credential)
            return
        }
        guard let other = others.first else {
            self = .revoke(credential, until: nil)
            return
        }
        guard others.count == 1, other.name == "until" else {
            throw fault("\"revoke\" takes no other keys than until and id")
        }
        guard case .string(let date) = other.value.content, let until = LocalMinute.parse(date[...]) else {
            throw fault("\"until\" takes a time of the reader, 2026-12-31T18:00, or a day, 2026-12-31")
        }
        self = .revoke(credential, until: until)
    }

    /// The members of the request, with this text of the credential.
    func members(credential: String) -> JSONObject {
        var object = [command: credential] as JSONObject
        if case .revoke(_, let until?) = self { object.add("until", LocalMinute.text(until)) }
        return object
    }
}

extension ControlAnswer {
    /// The answer to an order about a credential; nil for a waiting one.
    init?(_ outcome: RevocationOutcome) {
        switch outcome {
        case .revoked(let until?): self = .done(["until": LocalMinute.text(until)])
        case .revoked(nil), .unrevoked: self = .done
        case .refused(let refusal): self = .refused(Refusal(refusal))
        case .waits: return nil
        }
    }
}

extension ControlAnswer.Refusal {
    /// The refusal of an order about a credential.
    init(_ refusal: RevocationRefusal) {
        switch refusal {
        case .policyUnknown: self = .policyUnknown
        case .clockUnset: self = .clockUnset
        case .ended: self = .ended
        case .listFull: self = .listFull
        case .notRevoked: self = .notRevoked
        case .notKept: self = .notKept
        }
    }
}
