// SPDX-License-Identifier: Apache-2.0

import CardFormats
public import Timekeeping

/// Events and states for the panel's polls.
extension OSDPDevice {
    /// Reports a card on the next poll, until `reportLifetime` after it was presented: `time`, now by default. False if
    /// it has no bits, too many, or was presented too long ago.
    public mutating func present(
        _ card: OSDPCardData, of time: Instant? = nil, at now: Instant, effects: inout [OSDPEffect]
    ) -> Bool {
        guard (1...CardFormat.bitLimit).contains(Int(card.bitCount)), card.octets.count == (Int(card.bitCount) + 7) / 8
        else { return false }
        return add(.card(card), of: time ?? now, at: now, &effects)
    }

    private mutating func add(
        _ reply: OSDPReply, of time: Instant, at now: Instant, _ effects: inout [OSDPEffect]
    ) -> Bool {
        let isAdded = queue.add(reply, of: time, at: now)
        reportDropped(&effects)
        return isAdded
    }

    /// Reports keys: digits, * and #. False for other characters, none, or too many.
    public mutating func press(_ keys: String, at now: Instant, effects: inout [OSDPEffect]) -> Bool {
        var codes: [UInt8] = []
        for key in keys.utf8 {
            switch key {
            case 0x30...0x39: codes.append(key)
            case 0x2A: codes.append(0x7F)
            case 0x23: codes.append(0x0D)
            default: return false
            }
        }
        guard (1...OSDPDevice.keyLimit).contains(codes.count) else { return false }
        return add(.keypad(reader: 0, codes), of: now, at: now, &effects)
    }

    /// Reports a manufacturer's message under the device's vendor code. False if it is too long.
    public mutating func report(manufacturer data: [UInt8], at now: Instant, effects: inout [OSDPEffect]) -> Bool {
        guard data.count <= OSDPDevice.manufacturerLimit else { return false }
        let message = OSDPManufacturerData(vendor: configuration.identity.vendor, data: data)
        return add(.manufacturer(message), of: now, at: now, &effects)
    }

    /// Sets the state of an input. False if the input does not exist.
    public mutating func setInput(_ input: Int, isActive: Bool) -> Bool {
        guard inputs.indices.contains(input) else { return false }
        if inputs[input] != isActive { queue.change(.inputs) }
        inputs[input] = isActive
        return true
    }

    /// Sets the state of an output that the device itself has switched. It ends the panel's order, without an effect.
    /// False if the output does not exist.
    public mutating func setOutput(_ output: Int, isOn: Bool) -> Bool {
        guard outputs.states.indices.contains(output) else { return false }
        if outputs.states[output] != isOn {
            outputs.set(output, isOn: isOn)
            queue.change(.outputs)
        }
        return true
    }

    /// Sets the state of the tamper switch.
    public mutating func setTampered(_ isTampered: Bool) {
        guard self.isTampered != isTampered else { return }
        queue.change(.local)
        queue.change(.reader)
        self.isTampered = isTampered
    }

    /// Sets the state of the reader (osdp_RSTATR, 7.9), which a tamper hides; connected at first.
    public mutating func setReaderConnected(_ isReaderConnected: Bool) {
        if self.isReaderConnected != isReaderConnected, !isTampered { queue.change(.reader) }
        self.isReaderConnected = isReaderConnected
    }

    /// Sets the state of the power supply.
    public mutating func setPowerFailure(_ hasPowerFailure: Bool) {
        if self.hasPowerFailure != hasPowerFailure { queue.change(.local) }
        self.hasPowerFailure = hasPowerFailure
    }
}
