// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Phone
import Reader
import Timekeeping

extension TimelineEntry {
    /// The entry for a phone's notice at `now`.
    init(_ notice: AccessPhoneNotice, of phone: String, at now: Instant) {
        switch notice {
        case .found(let address, let rssi):
            self.init(now, phone, .note, "found \(address)" + (rssi.map { " at \($0) dBm" } ?? "") + ", connects")
            self.rssi = rssi.map(Int.init)
        case .connected: self.init(now, phone, .connected, "connected")
        case .completed:
            self.init(now, phone, .result, "shows: opened")
            status = 0
        case .failed(let failure):
            let code = failure.terminal ?? failure.code
            self.init(now, phone, .result, "shows: denied, status \(code.explained)")
            status = Int(code.rawValue)
        case .wrote(let frame): self.init(now, phone, .note, "wrote a frame of \(frame.count) octets")
        case .unusable(let why): self.init(now, phone, .note, "gives up: \(why)")
        case .disconnected(let reason):
            self.init(now, phone, .disconnected, "disconnected, reason 0x" + String(reason.rawValue, radix: 16))
        }
    }

    /// The entry for an edge of a door output at `now`.
    init(_ action: DoorAction, of door: String, at now: Instant) {
        let output = action.output.rawValue
        self.init(now, door, .edge, "\(output) \(action.level ? "on" : "off")")
        self.output = output
        level = action.level
    }
}
