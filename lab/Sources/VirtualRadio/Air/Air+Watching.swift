// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// A change of a link, for an observer of the air.
public enum LinkChange {
    /// An initiator has sent its connection request. Without `peripheral` the request was not received, and the central
    /// notices that after six intervals (Core 5.4, Vol 6, Part B, 4.5.2).
    case made(UInt64, central: VirtualController, peripheral: VirtualController?, interval: Duration)
    /// The link has ended at this controller, for the reason in Disconnection Complete; nil after a reset of the
    /// controller.
    case ended(UInt64, at: VirtualController, reason: HCIStatus?)
}

/// The state of a link with an open end.
public struct LinkState {
    /// The number in `LinkChange`.
    public let number: UInt64
    /// The central's controller.
    public let central: VirtualController
    /// The peripheral's controller; nil if it has not received the connection request.
    public let peripheral: VirtualController?
    /// The connection interval.
    public let interval: Duration
    /// True if the link is encrypted at an open end.
    public let isEncrypted: Bool
}

extension Air {
    /// The maximum number of stored changes; later ones are dropped until earlier ones are taken.
    private static let maximumLinkChanges = 1024

    /// Removes and returns the next change of a link, or nil; also nil if changes are not stored.
    public func nextLinkChange() -> LinkChange? {
        linkChanges.isEmpty ? nil : linkChanges.removeFirst()
    }

    /// The links with an open end, oldest first.
    public var openLinks: [LinkState] {
        let open = links.values.filter { $0.central.isOpen || $0.peripheral?.isOpen == true }
        return open.sorted { $0.number < $1.number }.map { link in
            LinkState(
                number: link.number, central: link.central.controller, peripheral: link.peripheral?.controller,
                interval: link.parameters.interval,
                isEncrypted: [link.central, link.peripheral].contains { $0?.isOpen == true && $0?.isEncrypted == true })
        }
    }

    /// Stores a change of a link for `nextLinkChange`.
    func report(_ change: LinkChange) {
        guard keepsLinkChanges, linkChanges.count < Air.maximumLinkChanges else { return }
        linkChanges.append(change)
    }
}
