import Peripheral
import Provisioning

/// What can be chosen of an emulated camera. Its UUIDs are not public, so these are the project's own, and can be set.
struct CameraProfile {
    /// The service.
    var service = BluetoothUUID(high: 0x7A3C_0001_52D1_4E8B, low: 0x9C46_1F0B_6D2E_8A10)
    /// The characteristic to subscribe to; credentials too, if there is no other for them.
    var characteristic = BluetoothUUID(high: 0x7A3C_0002_52D1_4E8B, low: 0x9C46_1F0B_6D2E_8A10)
    /// The characteristic for credentials; nil for the same one.
    var write: BluetoothUUID?
    /// Whether values are indicated and not notified.
    var isIndicated = false
    /// Its name, which has "Smarter AI" in it (published).
    var name = "Smarter AI camera"
    /// What it says to a write that comes at the wrong time; nil for Procedure Already in Progress while it is busy, and
    /// Write Request Rejected otherwise (Core Specification Supplement, Part B, 1.2).
    var refusal: ATTErrorCode?
    /// Everything else that is not published.
    var settings = CameraSettings()

    /// The error for a write at the wrong time.
    func error(_ why: CameraRefusal) -> ATTErrorCode {
        refusal ?? ATTErrorCode(rawValue: why == .busy ? 0xFE : 0xFC)
    }
}
