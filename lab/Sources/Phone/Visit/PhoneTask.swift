// SPDX-License-Identifier: Apache-2.0

/// The requests of a phone on one link, one after another.
public enum PhoneTask: Equatable, Sendable {
    /// The request of the token: to open the door.
    case token
    /// These requests.
    case requests([PhoneRequest])
    /// The newest events.
    case events(EventReading)

    /// The next request with this credential; nil when the task is done.
    func request(_ credential: PhoneCredential) -> PhoneRequest? {
        switch self {
        case .token: credential.request
        case .requests(let requests): requests.first
        case .events(let reading): reading.request
        }
    }

    /// Handles the answer to the request.
    mutating func receive(_ answer: ReaderAnswer) {
        switch self {
        case .token: self = .requests([])
        case .requests(let requests): self = .requests(Array(requests.dropFirst()))
        case .events(var reading):
            reading.receive(answer)
            self = .events(reading)
        }
    }
}
