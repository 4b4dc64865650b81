// SPDX-License-Identifier: Apache-2.0

import Glibc
import Peripheral
import Reader

extension FaultCode {
    /// The faults of a controller that is not available; never two at a time.
    static let withoutController = FaultCode.unreachable + [.controllerFailed]

    /// The fault for an error of the transport. `wasReached` is true if the controller was available before.
    init(_ error: any Error, wasReached: Bool) {
        guard let fault = (error as? TransportError)?.fault else {
            self = wasReached ? .controllerLost : .controllerAbsent
            return
        }
        self =
            switch fault {
            case .notPermitted, .noAdapterService: .controllerNotPermitted
            case .adapterIsUp, .adapterIsBusy, .adapterIsTaken: .controllerTaken
            case .radioIsBlocked: .controllerBlocked
            case .cannotOpen(let code), .cannotConnect(let code): FaultCode(opening: code)
            case .noBluetooth, .noSuchAdapter, .ambiguousAdapter, .adapterIsNotConfigured, .unknownHost, .notATerminal,
                .rateRefused, .noNetsim, .netsimWithoutHCI, .netsimPort:
                .controllerAbsent
            case .ended, .failed, .stalled, .lostSynchronization: wasReached ? .controllerLost : .controllerAbsent
            }
    }

    private init(opening errno: CInt) {
        self =
            switch errno {
            case EACCES, EPERM: .controllerNotPermitted
            case EBUSY: .controllerTaken
            case ERFKILL: .controllerBlocked
            default: .controllerAbsent
            }
    }
}
