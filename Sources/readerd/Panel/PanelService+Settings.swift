// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import OSDP
import Octets
import Reader

extension ReaderSettings.OSDP {
    /// The device on the line: four inputs, an output, light and buzzer of the configured lines, no display. `keptLine`
    /// is the line that a panel has set.
    func device(serial: UInt32, keptLine: OSDPLine?, _ gpio: ReaderSettings.GPIO) -> OSDPConfiguration {
        let version = FirmwareVersion.text.split(separator: ".").map { UInt8($0) ?? 0 }
        let identity = OSDPIdentity(
            vendor: Hexadecimal.octets(vendor) ?? [], model: 1, version: 1, serial: serial, firmware: version)
        let line = keptLine ?? OSDPLine(address: UInt8(clamping: address), speed: UInt32(clamping: speed))
        var device = OSDPConfiguration(line: line, identity: identity, inputs: 4, outputs: 1)
        let colors = [gpio.lines[.grantedIndicator], gpio.lines[.deniedIndicator]].count { $0 != nil }
        device.lights = colors == 0 ? 0 : 1
        device.lightColors = colors == 1 ? .one : .two
        device.hasBuzzer = gpio.lines[.buzzer] != nil
        device.manufacturerOperations = Set(PanelQuestion.allCases.map(\.rawValue))
        device.fileLimit = UInt32(clamping: fileLimit)
        device.requiresKey = !allowsClear
        device.obeysOutputOrders = obeysOutputs
        return device
    }
}

extension PanelService {
    /// The serial number for the panel: the first four octets of the SHA-256 of the reader's identifier.
    static func serial(_ identity: ReaderIdentity) -> UInt32 {
        guard let digest = try? SHA256.hash(Array(identity.deviceID.utf8).span) else { return 0 }
        return (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(digest[$1]) }
    }
}
