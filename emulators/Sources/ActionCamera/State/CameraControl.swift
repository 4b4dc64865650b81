// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
public import Timekeeping

/// An action of the camera's owner, or a change around it.
public enum CameraControl: Equatable, Sendable {
    /// The reason why the camera switches off.
    public enum Shutdown: String, CaseIterable, Sendable {
        case user
        case battery
        case heat
    }

    /// A change of the card.
    public enum CardChange: String, CaseIterable, Sendable {
        /// It is pulled out.
        case pull
        /// It is put in.
        case insert
        /// Something else fills it.
        case fill
        /// The space taken by `fill` is free again.
        case free
    }

    /// The button that starts and stops to record.
    case recordButton
    /// The button that marks a moment, or the remote's.
    case tagButton(isRemote: Bool)
    /// The mode is switched at the camera.
    case mode(CameraMode.Kind)
    /// The battery in per cent; 0 switches the camera off.
    case battery(Int)
    /// A charger.
    case charging(Bool)
    /// Satellites.
    case satellites(Bool)
    /// A heart-rate sensor with this value; nil for none.
    case heartRate(Int?)
    /// A cadence sensor with this value; nil for none.
    case cadence(Int?)
    /// The card.
    case card(CardChange)
    /// The Wi-Fi goes, or comes back.
    case wifi(isUp: Bool)
    /// The camera switches off.
    case shutdown(Shutdown)
    /// The camera switches on.
    case powerOn
    /// The clock is set, in seconds since 1970.
    case clock(Int64)
}

extension ActionCamera {
    /// Does what its owner does, or what happens around it.
    ///
    /// - Returns: a reason why nothing happened; nil if it did.
    public mutating func apply(_ control: CameraControl, at now: Instant) -> String? {
        advance(to: now)
        if !isOn, control != .powerOn { return "the camera is off: power on" }
        do throws(CameraRefusal) {
            try act(control, at: now)
            return nil
        } catch {
            return "the camera does not do that now"
        }
    }

    private mutating func act(_ control: CameraControl, at now: Instant) throws(CameraRefusal) {
        switch control {
        case .recordButton:
            if capture == nil { try startRecording(at: now) } else { try stopRecording(at: now) }
        case .tagButton(let isRemote):
            guard capture != nil else { throw .cannotBeProcessed }
            try tag(isRemote ? "tag_remote" : "tag_button", at: now)
        case .mode(let kind):
            guard capture == nil, let first = ModeTable.first(kind) else { throw .conflict }
            use(lastModes[kind] ?? first)
        case .battery(let level):
            surroundings.battery = max(0, min(100, level))
            if surroundings.battery == 0 { shutDown(.battery, at: now) }
        case .charging(let isCharging): surroundings.isCharging = isCharging
        case .satellites(let hasFix): surroundings.hasFix = hasFix
        case .heartRate(let rate): surroundings.heartRate = rate.map { max(0, min(255, $0)) }
        case .cadence(let value): surroundings.cadence = value
        case .card(let change): changeCard(change, at: now)
        case .wifi(let isUp): setWiFi(isUp: isUp)
        case .shutdown(let reason): shutDown(reason, at: now)
        case .powerOn:
            guard !isOn else { throw .conflict }
            isOn = true
            if surroundings.battery == 0 { surroundings.battery = 100 }
            effects.append(.returnToAir)
        case .clock(let seconds): clock = (Double(seconds), now)
        }
    }

    private mutating func changeCard(_ change: CameraControl.CardChange, at now: Instant) {
        switch change {
        case .pull:
            loseRecording()
            endPreview()
            card.isPresent = false
            notify("memory_error", JSONObject())
        case .insert: card.isPresent = true
        case .fill:
            card.ballast += freeBytes(at: now)
            lookAtMemory(at: now)
        case .free:
            card.ballast = 0
            lookAtMemory(at: now)
        }
    }

    private mutating func setWiFi(isUp: Bool) {
        guard !isUp else { return effects.append(.returnToAir) }
        notify("wifi_stopped", ["wifi_active": false])
        leave()
    }

    private mutating func shutDown(_ reason: CameraControl.Shutdown, at now: Instant) {
        if capture != nil { try? stopRecording(at: now) }
        let members: JSONObject = [
            "battery_critical": reason == .battery, "user_initiated": reason == .user,
            "overtemperature_shutdown": reason == .heat,
        ]
        var line: JSONObject = ["shutting_down": members]
        if choices.hasFlatShutdown { line.add(contentsOf: members) }
        effects.append(.notify(line.text))
        isOn = false
        leave()
    }

    private mutating func leave() {
        viewfinder = nil
        preview = nil
        isPreviewConnecting = false
        effects.append(.stopViewfinder)
        effects.append(.stopPreview)
        effects.append(.leave)
    }
}
