import Emulation
import HostLoop
import JSON
import Peripheral
import Timekeeping

/// One device of an emulation for app developers: its protocol, and what it makes of faults. The desk calls it.
protocol EmulatedUnit: AnyObject {
    /// The name that it advertises.
    var name: String { get }
    /// The steps at which faults can be put.
    var steps: [EmulatedStep] { get }
    /// What its apps are to do.
    var expectations: AppExpectations { get }
    /// What a person or a program has to know to find it: beside its name and address.
    var facts: [(name: String, text: String)] { get }

    /// Its services and handlers, as the device of this number, counted from 0. Links are watched by the desk: the
    /// handlers for connecting, disconnecting and pairing are its own.
    func define(_ number: Int) -> DeviceDefinition<EmulationDesk>

    /// What it wants of the host if it is the only device.
    func adapt(_ host: inout HostConfiguration)

    /// The controller is ready for the first time.
    func start(_ desk: EmulationDesk, _ context: inout DeviceContext)
    /// When `advance` is to be called; nil for never.
    var deadline: Instant? { get }
    /// The deadline has come, or may have.
    func advance(_ desk: EmulationDesk, _ context: inout DeviceContext)
    /// An app has connected.
    func began(_ link: LinkID, _ desk: EmulationDesk, _ context: inout DeviceContext)
    /// An app could not pair.
    func pairingFailed(_ link: LinkID, _ desk: EmulationDesk, _ context: inout DeviceContext)
    /// One of its links is gone.
    func ended(_ link: LinkID, _ desk: EmulationDesk, _ context: inout DeviceContext)
    /// The access points around it go, or come back.
    func setWiFi(isUp: Bool, _ desk: EmulationDesk, _ context: inout DeviceContext)
}

extension EmulatedUnit {
    func adapt(_ host: inout HostConfiguration) {}
    func began(_ link: LinkID, _ desk: EmulationDesk, _ context: inout DeviceContext) {}
    func pairingFailed(_ link: LinkID, _ desk: EmulationDesk, _ context: inout DeviceContext) {}
}
