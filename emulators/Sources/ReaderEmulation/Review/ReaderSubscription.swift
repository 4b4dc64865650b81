// SPDX-License-Identifier: Apache-2.0

/// The state of an app's subscription to the TX on which the reader answers, in the service whose RX was written.
enum ReaderSubscription: Equatable {
    /// The app has subscribed: an answer is missing for another reason.
    case present
    /// The app has not subscribed to any TX.
    case absent
    /// The app has subscribed to the TX of another service.
    case elsewhere
    /// The app has asked for indications, which TX does not have.
    case indications
    /// The app has ended its subscription.
    case ended

    /// The mistake and the remedy; nil for none.
    var problem: String? {
        switch self {
        case .present: nil
        case .absent: "sent a message before it had subscribed to TX: the answer is lost; subscribe first"
        case .elsewhere:
            "subscribed to the TX of another service than the one that it wrote to: the answer is lost; use the RX and TX "
                + "of one service"
        case .indications: "asked for indications of TX, which notifies: the answer is lost; write 0100 to its 2902"
        case .ended: "ended its subscription to TX before the answer: the answer is lost; stay subscribed"
        }
    }
}

/// A message of an app of which fewer octets have arrived than its header announces.
struct UnfinishedMessage: Equatable {
    /// The octets behind the header so far.
    var received: Int
    /// The octets behind the header that it announces.
    var announced: Int

    /// True if the length, read in the other byte order, equals the number of octets received.
    var hasSwappedLength: Bool { UnfinishedMessage.isSwapped(announced, received) }

    /// The mistake and the remedy.
    var problem: String {
        "sent \(received) of the \(announced) octets that its header announces: the reader waits for the rest"
            + (hasSwappedLength ? "; \(UnfinishedMessage.swappedHint)" : "")
    }

    /// The remedy for a length in the wrong order.
    static let swappedHint = "the length is in little-endian order; its most significant octet comes first"

    /// True if a length that is wrong becomes right with its two octets exchanged.
    static func isSwapped(_ announced: Int, _ received: Int) -> Bool {
        announced != received && Int(UInt16(truncatingIfNeeded: announced).byteSwapped) == received
    }
}
