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
        case .refused(let refusal): self = .revocationRefused(refusal)
        case .waits: return nil
        }
    }
}

extension RevocationRefusal {
    /// The problem and its remedy, in one line for people.
    var text: String {
        switch self {
        case .policyUnknown:
            "the policy is not known, and phones open nothing; see: readerd policy show, readerd status"
        case .clockUnset: "the clock is not set; omit --until, or set it first: readerd set-time"
        case .ended: "this date has passed by the reader's clock; see: readerd status"
        case .listFull:
            "the blacklist is full; raise credentials.blacklist-capacity, or remove an entry: readerd unrevoke"
        case .notRevoked: "this credential is not revoked; list the revoked ones: readerd policy show"
        case .notKept:
            "the policy cannot be written: a revocation is in force until a restart and is stored once the disk "
                + "works, the end of one is not in force; check the disk"
        }
    }
}
