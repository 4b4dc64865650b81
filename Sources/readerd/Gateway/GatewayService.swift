import GPIO
import Glibc
import Peripheral
import WiFiProvisioning
import System
import Reader
import Timekeeping

/// All that the reader has for bringing its device into a Wi-Fi network: the gateway, the socket to its supplicant, the button.
final class GatewayService {
    /// The advertising set of it, above those of all modes.
    static let advertisingSet: UInt8 = 16

    let companion: GatewayCompanion
    private let socket: SupplicantSocket
    private let button: ProvisioningButton?
    /// The path of the supplicant's socket.
    let path: String
    weak var process: ReaderProcess?

    /// The service that the configuration wants; nil for none. The supplicant answers to the name `own`.
    init?(
        _ settings: ReaderSettings.Provisioning, address: BluetoothAddress?, own: String,
        _ reactor: Reactor
    ) throws(ReaderdError) {
        guard let path = settings.supplicantSocket, let address else { return nil }
        self.path = path
        socket = SupplicantSocket(reactor, to: path, own: own)
        button = try settings.button.map { text throws(ReaderdError) in
            do throws(LineReferenceError) {
                return ProvisioningButton(try LineReference(text), activeLow: settings.buttonIsActiveLow)
            } catch {
                throw .failed("provisioning.button: \(error)")
            }
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

    /// The address of the interface that the socket is called after, as Linux has it.
    private static func address(ofInterfaceAt path: String) -> WiFiAddress? {
        guard let name = path.split(separator: "/").last, name != "..",
            let contents = try? FileContents.read("/sys/class/net/\(name)/address", maximumCount: 64)
        else { return nil }
        return WiFiAddress(String(decoding: contents.octets.prefix { $0 != 0x0A }, as: UTF8.self))
    }

    /// Under which name the supplicant answers: beside the control socket, which others can reach, if there is one.
    static func ownName(control: String?) -> String {
        control.map { "\($0).wifi" } ?? "/tmp/readerd-\(getpid()).wifi"
    }

    /// Takes the button's line, and begins to talk to the supplicant.
    func start(_ process: ReaderProcess) {
        self.process = process
        button?.start(
            process.reactor, failed: { [weak process] in process?.buttonFailed($0) },
            pressed: { [weak self] in self?.open(.button, for: nil) })
        process.moveGateway()
    }

    /// Ends both.
    func close() {
        button?.stop()
        socket.close()
        process = nil
    }

    /// Opens the window.
    func open(_ cause: GatewayWindow.Cause, for time: Duration?) {
        companion.open(cause, for: time)
        process?.moveGateway()
    }

    /// Closes the window; false if there is none.
    func closeWindow() -> Bool {
        guard companion.gateway.window != nil else { return false }
        companion.close()
        process?.moveGateway()
        return true
    }

    /// Does what the station asks for; whether it asked for anything.
    func perform() -> Bool {
        socket.perform(&companion.gateway.station) { [weak self] in
            guard let self else { return }
            socket.receive(&companion.gateway.station)
            process?.moveGateway()
        }
    }
}
