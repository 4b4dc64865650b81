// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Timekeeping

extension Host: ReaderPort {
    /// Disconnects the link, with the status of this reason.
    public mutating func disconnect(_ link: LinkID, _ reason: LinkEndReason, at now: Instant) {
        disconnect(link, reason: reason.status, at: now)
    }
}

extension LinkEndReason {
    /// The reason for the peer (Core 5.4, Vol 1, Part F, 2.19 to 2.21).
    var status: HCIStatus {
        switch self {
        case .refused: .remoteUserTerminated
        case .noRoom: .remoteLowResources
        case .shutDown: .remotePowerOff
        }
    }
}
