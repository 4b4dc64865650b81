import Glibc
import Peripheral
import Reader

extension FaultCode {
    /// Everything that may be wrong with a controller that is not up: at most one of them at a time.
    static let withoutController = FaultCode.unreachable + [.controllerFailed]

    /// Why there is no controller. `wasReached`: it was there until now.
    init(_ error: any Error, wasReached: Bool) {
        guard let fault = (error as? TransportError)?.fault else {
            self = wasReached ? .controllerLost : .controllerAbsent
            return
        }
        self =
            switch fault {
            case .notPermitted: .controllerNotPermitted
            case .adapterIsUp, .adapterIsBusy, .adapterIsTaken: .controllerTaken
            case .radioIsBlocked: .controllerBlocked
            case .cannotOpen(let code), .cannotConnect(let code): FaultCode(opening: code)
            case .noBluetooth, .noSuchAdapter, .unknownHost, .notATerminal, .rateRefused: .controllerAbsent
            case .ended, .failed, .stalled, .outOfStep: wasReached ? .controllerLost : .controllerAbsent
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
