import Glibc

/// A transport that cannot be opened or is lost; the description is one line: transport, fault, remedy.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The transport.
    public let transport: TransportName
    /// The fault.
    public let fault: TransportFault

    /// The error with these fields.
    public init(transport: TransportName, fault: TransportFault) {
        self.transport = transport
        self.fault = fault
    }

    /// `hci-socket:0: another process …; stop it, …`.
    public var description: String { "\(transport): \(fault)" }
}

/// The fault of a transport.
public enum TransportFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// EAFNOSUPPORT: the kernel has no Bluetooth.
    case noBluetooth
    /// EPERM: the process lacks the permission for an adapter.
    case notPermitted
    /// ENODEV: no adapter has that number.
    case noSuchAdapter
    /// The adapter is up and in use through the kernel, and `takeAdapter` is not set.
    case adapterIsUp
    /// EBUSY: the adapter is being set up, which passes, or was taken up again by another process.
    case adapterIsBusy
    /// EUSERS, or another errno while the adapter is up: another process has the user channel.
    case adapterIsTaken
    /// ERFKILL: the radio is switched off.
    case radioIsBlocked
    /// The host name cannot be resolved; the code of getaddrinfo.
    case unknownHost(code: CInt)
    /// The connection failed, with this errno.
    case cannotConnect(code: CInt)
    /// The serial device could not be opened or configured, with this errno.
    case cannotOpen(code: CInt)
    /// The device is not a terminal.
    case notATerminal
    /// The driver runs the line at another rate, in baud.
    case rateRefused(actual: UInt32)
    /// The other end has closed the connection, or the line is gone.
    case ended
    /// Reading or writing failed, with this errno.
    case failed(code: CInt)
    /// The controller accepts nothing, and this many octets are queued.
    case stalled(count: Int)
    /// The input is not a sequence of HCI packets.
    case outOfStep(H4Error)

    /// The fault of an errno of the user channel (hci_sock_bind and hci_dev_open of Linux).
    static func ofAdapter(_ code: CInt) -> TransportFault {
        switch code {
        case EAFNOSUPPORT, EPROTONOSUPPORT: .noBluetooth
        case EPERM, EACCES: .notPermitted
        case ENODEV: .noSuchAdapter
        case EBUSY: .adapterIsBusy
        case EUSERS: .adapterIsTaken
        case ERFKILL: .radioIsBlocked
        default: .cannotOpen(code: code)
        }
    }

    /// The fault of an errno of opening or configuring a serial device.
    static func ofSerialLine(_ code: CInt) -> TransportFault {
        code == ENOTTY ? .notATerminal : .cannotOpen(code: code)
    }

    /// The fault and its remedy.
    public var description: String {
        switch self {
        case .noBluetooth:
            "this kernel has no Bluetooth; load its module (modprobe bluetooth), or use another transport"
        case .notPermitted:
            "not permitted to take the adapter; run with CAP_NET_ADMIN in the initial user namespace (in a unit: "
                + "AmbientCapabilities=CAP_NET_ADMIN)"
        case .noSuchAdapter:
            "there is no such adapter; plug it in, or name one that is listed in /sys/class/bluetooth"
        case .adapterIsUp:
            "the adapter is up and in use by the kernel; stop bluetooth.service and take the adapter down, or allow "
                + "taking it with hci-take = true"
        case .adapterIsBusy:
            "the adapter is being set up or was taken up again; try again, and stop bluetooth.service if it stays so"
        case .adapterIsTaken:
            "another process has the adapter's user channel; stop that process, or use another adapter"
        case .radioIsBlocked:
            "the radio is switched off; run rfkill unblock bluetooth, or use the device's switch"
        case .unknownHost(let code):
            "the host is not found: \(String(cString: gai_strerror(code))); check the name and the name service"
        case .cannotConnect(let code):
            "cannot connect: \(TransportFault.text(code)); \(TransportFault.connectRemedy(code))"
        case .cannotOpen(let code):
            "cannot open: \(TransportFault.text(code)); \(TransportFault.openRemedy(code))"
        case .notATerminal:
            "not a serial device; name a terminal such as /dev/ttyUSB0"
        case .rateRefused(let actual):
            "the driver runs the line at \(actual) baud; choose a rate that it has"
        case .ended:
            "the other end has closed the connection; start it again"
        case .failed(let code):
            "lost: \(TransportFault.text(code)); check that the controller is still there"
        case .stalled(let count):
            "the controller takes nothing, and \(count) octets wait; reset it, or check the line's flow control"
        case .outOfStep(let error):
            "out of step: \(error); check that the other end speaks H4, and the line's rate and flow control"
        }
    }

    private static func text(_ code: CInt) -> String { String(cString: strerror(code)) }

    private static func connectRemedy(_ code: CInt) -> String {
        switch code {
        case ECONNREFUSED, ENOENT, EAGAIN: "start the controller there, or check the address"
        case EACCES, EPERM: "give this user the right to write to the socket"
        default: "check the address and the network"
        }
    }

    private static func openRemedy(_ code: CInt) -> String {
        switch code {
        case ENOENT, ENXIO, ENODEV: "check the name and that the device is connected"
        case EACCES, EPERM: "give this user the right to the device (on Debian the group dialout)"
        case EBUSY: "another process has the device; stop it"
        default: "check the device"
        }
    }
}
