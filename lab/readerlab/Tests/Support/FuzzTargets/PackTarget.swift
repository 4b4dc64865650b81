// SPDX-License-Identifier: Apache-2.0

import GATTDevice

/// A file as a device: a capture or an export makes a description that is a device, or a fault of one line. No content
/// of a file makes a description with a fault.
func fuzzPack(_ input: inout FuzzInput) {
    let octets = input.rest()
    do throws(DeviceImportFault) {
        let description = try DeviceDescription(importing: octets)
        require(description.remarks.allSatisfy { !$0.contains("\n") }, "a remark is not one line")
        require(isDevice(description.json), "the description is no device")
    } catch {
        let text = error.description
        require(!text.isEmpty && !text.contains("\n"), "a fault is not one line")
        require(!text.hasPrefix("its description has a fault"), "a file has made a description with a fault: \(text)")
    }
}

/// Packets of a capture without their headers, so that their contents are tried and not the format: a length, a
/// direction, and as many octets each.
func fuzzRecording(_ input: inout FuzzInput) {
    var file = Array("btsnoop".utf8) + [0, 0, 0, 0, 1, 0, 0, 0x03, 0xEA]
    while !input.isEmpty {
        let isReceived = input.octet() & 1
        let packet = input.block()
        guard !packet.isEmpty else { continue }
        let count = [0, 0, UInt8(packet.count >> 8), UInt8(packet.count & 0xFF)]
        file += count + count + [0, 0, 0, isReceived] + [UInt8](repeating: 0, count: 12) + packet
    }
    var made = FuzzInput(file)
    fuzzPack(&made)
}

private func isDevice(_ json: [UInt8]) -> Bool {
    do throws(DeviceFault) {
        _ = try DeviceTable(json: json, holdsValues: true)
        return true
    } catch { return false }
}
