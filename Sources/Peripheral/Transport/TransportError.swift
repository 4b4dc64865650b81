// SPDX-License-Identifier: Apache-2.0

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
    /// ENODEV: no adapter has that name.
    case noSuchAdapter
    /// Several adapters have that address: those with these numbers.
    case ambiguousAdapter([UInt16])
    /// The adapter is up and in use through the kernel, and `takeAdapter` is not set.
    case adapterIsUp
    /// EBUSY: the adapter is being set up, which passes, or was taken up again by another process.
    case adapterIsBusy
    /// EUSERS, or another errno while the adapter is up: another process has the user channel.
    case adapterIsTaken
    /// The process that takes adapters for this one takes another one, or none.
    case adapterIsNotConfigured
    /// That process cannot be reached, with this errno.
    case noAdapterService(code: CInt)
    /// ERFKILL: the radio is switched off.
    case radioIsBlocked
    /// The host name cannot be resolved; the code of getaddrinfo.
    case unknownHost(code: CInt)
    /// The connection failed, with this errno.
    case cannotConnect(code: CInt)
    /// No netsim has this HCI port, as file and port say.
    case noNetsim(port: UInt16, file: String)
    /// This file names a running netsim, with its gRPC port, but its HCI port is not this one.
    case netsimWithoutHCI(port: UInt16, file: String, gRPC: String)
    /// The environment variable of netsim's HCI port has this value.
    case netsimPort(String)
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
    case lostSynchronization(H4Error)

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
            "no Bluetooth in this kernel; load the module (modprobe bluetooth), or use another transport"
        case .notPermitted:
            "not permitted to take the adapter; run with CAP_NET_ADMIN in the initial user namespace (in a unit: "
                + "AmbientCapabilities=CAP_NET_ADMIN)"
        case .noSuchAdapter:
            "no such adapter; connect it, or use one listed in /sys/class/bluetooth"
        case .ambiguousAdapter(let numbers):
            "\(numbers.map { "hci\($0)" }.joined(separator: " and ")) have this address; name the adapter by its USB port "
                + "(ls -l /sys/class/bluetooth)"
        case .adapterIsUp:
            "the adapter is up and in use by the kernel; stop bluetooth.service and take the adapter down, or set "
                + "hci-take = true"
        case .adapterIsBusy:
            "the adapter is being initialized or was taken up again; try again, and stop bluetooth.service if this "
                + "persists"
        case .adapterIsTaken:
            "another process holds the adapter's user channel; stop that process, or use another adapter"
        case .adapterIsNotConfigured:
            "readerd-adapter takes only the adapter of its own configuration; set hci in /etc/readerd/readerd.toml"
        case .noAdapterService(let code):
            "readerd-adapter does not answer: \(TransportFault.text(code)); run: systemctl restart readerd-adapter.socket"
        case .radioIsBlocked:
            "the radio is blocked; run: rfkill unblock bluetooth, or use the hardware switch"
        case .unknownHost(let code):
            "host not found: \(String(cString: gai_strerror(code))); check the name and the name service"
        case .cannotConnect(let code):
            "cannot connect: \(TransportFault.text(code)); \(TransportFault.connectRemedy(code))"
        case .noNetsim(let port, let file):
            "no netsim: \(file) is not there, and port \(port) is closed; start the Android Emulator with "
                + TransportFault.netsimRemedy(port)
        case .netsimWithoutHCI(let port, let file, let gRPC):
            "port \(port) is closed, though \(file) names a netsim (gRPC \(gRPC)); start the Android Emulator with "
                + "\(TransportFault.netsimRemedy(port)), set \(NetsimPlace.portVariable) to its port, or remove a stale file"
        case .netsimPort(let text):
            "\(NetsimPlace.portVariable)=\(text.debugDescription) is not a port; set it to a number from 1 to 65535, or "
                + "not at all"
        case .cannotOpen(let code):
            "cannot open: \(TransportFault.text(code)); \(TransportFault.openRemedy(code))"
        case .notATerminal:
            "not a serial device; use a terminal such as /dev/ttyUSB0"
        case .rateRefused(let actual):
            "the driver set \(actual) baud; choose a supported rate"
        case .ended:
            "the peer closed the connection; restart it"
        case .failed(let code):
            "lost: \(TransportFault.text(code)); check the controller"
        case .stalled(let count):
            "the controller does not read, \(count) octets pending; reset it, or check the flow control"
        case .lostSynchronization(let error):
            "lost H4 synchronization: \(error); check the peer's protocol, the rate and the flow control"
        }
    }

    private static func text(_ code: CInt) -> String { String(cString: strerror(code)) }

    private static func netsimRemedy(_ port: UInt16) -> String { "-netsim-args=\"--hci-port \(port)\"" }

    /// True if the other end may come later.
    public var isAbsence: Bool {
        switch self {
        case .cannotConnect, .noNetsim, .netsimWithoutHCI: true
        default: false
        }
    }

    private static func connectRemedy(_ code: CInt) -> String {
        switch code {
        case ECONNREFUSED, ENOENT, EAGAIN: "start the controller, or check the address"
        case EACCES, EPERM: "give this user write access to the socket"
        default: "check the address and the network"
        }
    }

    private static func openRemedy(_ code: CInt) -> String {
        switch code {
        case ENOENT, ENXIO, ENODEV: "check the name and that the device is connected"
        case EACCES, EPERM: "give this user access to the device (Debian: group dialout)"
        case EBUSY: "another process uses the device; stop it"
        default: "check the device"
        }
    }
}
