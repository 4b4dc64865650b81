// SPDX-License-Identifier: Apache-2.0

import Configuration
import GPIO
import Glibc
import NordicProvisioning
import Peripheral
import WiFi
import WiFiStation
import System
import Timekeeping

/// The Wi-Fi provisioning service: the gateway, the socket to its supplicant, and the button.
final class GatewayService {
    /// Its advertising set, above the sets of all modes.
    static let advertisingSet: UInt8 = 16

    let companion: GatewayCompanion
    private let socket: SupplicantSocket
    private let button: ProvisioningButton?
    /// The path of the supplicant's socket.
    let path: String
    private let reactor: Reactor
    /// Called after input or a request: the owner advances the gateway.
    private var onInput: () -> Void = {}

    /// Creates the configured service; nil for none. The supplicant replies to the socket `own`.
    init?(
        _ settings: ReaderSettings.Provisioning, address: BluetoothAddress?, own: String,
        _ reactor: Reactor
    ) throws(ReaderdError) {
        guard let path = settings.supplicantSocket, let address else { return nil }
        self.path = path
        self.reactor = reactor
        socket = SupplicantSocket(reactor, to: path, own: own)
        button = try settings.button.map { text throws(ReaderdError) in
            ProvisioningButton(
                try LineReference(text, key: "provisioning.button"), activeLow: settings.buttonIsActiveLow)
        }
        var configuration = ProvisioningGateway.Configuration(
            address: address, advertisingSet: GatewayService.advertisingSet)
        configuration.window = .seconds(settings.windowSeconds)
        configuration.opensAtFirstBoot = settings.opensAtFirstBoot
        let station = GatewayService.address(ofInterfaceAt: path).map {
            SupplicantStation(address: $0)
        }
        do throws(DatabaseError) {
            companion = GatewayCompanion(
                try ProvisioningGateway(configuration, station: station ?? SupplicantStation()))
        } catch {
            throw .failed("provisioning: \(error)")
        }
    }

    /// Returns the MAC address of the interface after which the socket is named, from sysfs.
    private static func address(ofInterfaceAt path: String) -> WiFiAddress? {
        guard let name = path.split(separator: "/").last, name != "..",
            let contents = try? FileContents.read("/sys/class/net/\(name)/address", maximumCount: 64)
        else { return nil }
        return WiFiAddress(String(decoding: contents.octets.prefix { $0 != 0x0A }, as: UTF8.self))
    }

    /// Returns the path of the socket for the supplicant's replies: next to the control socket, which other users can
    /// reach, if there is one.
    static func ownName(control: String?) -> String {
        control.map { "\($0).wifi" } ?? "/tmp/readerd-\(getpid()).wifi"
    }

    /// Opens the button's line, and connects to the supplicant. Calls `onInput` when the owner advances the gateway.
    func start(failed: @escaping (GPIOError) -> Void, onInput: @escaping () -> Void) {
        self.onInput = onInput
        button?.start(reactor, failed: failed, pressed: { [weak self] in self?.open(.button, for: nil) })
        onInput()
    }

    /// Closes the button's line and the socket.
    func close() {
        button?.stop()
        socket.close()
        onInput = {}
    }

    /// Opens the window.
    func open(_ cause: GatewayWindow.Cause, for time: Duration?) {
        companion.open(cause, for: time)
        onInput()
    }

    /// Closes the window; false without one.
    func closeWindow() -> Bool {
        guard companion.gateway.window != nil else { return false }
        companion.close()
        onInput()
        return true
    }

    /// Carries out the station's actions; false if there was none.
    func perform() -> Bool {
        socket.perform(&companion.gateway.station) { [weak self] in
            guard let self else { return }
            socket.receive(&companion.gateway.station)
            onInput()
        }
    }
}
