// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import Octets
public import Timekeeping

/// A Bandit action camera as a value: requests and events come in with the time, answers and effects come out.
public struct ActionCamera: Sendable {
    /// The choices for unpublished behaviour.
    public let choices: CameraChoices
    /// The card.
    public internal(set) var card: Card
    /// Battery, position and other things around the camera.
    public internal(set) var surroundings = Surroundings()

    var settings: CameraSettings
    var scene = CameraScene(.auto)
    /// The active mode, and the settings that each mode had last.
    var mode: CameraMode
    var lastModes: [CameraMode.Kind: CameraMode] = [:]
    var lastVideo: CameraMode
    var lastImage: CameraMode

    var capture: Capture?
    var viewfinder: (host: String, port: Int)?
    var lastViewfinderPort = 4001
    var preview: Preview?
    var isPreviewConnecting = false
    var transcoding: (start: Instant, end: Instant, told: Int)?
    var firmwareIsPending = false
    var toldLowMemory = false

    /// The wall clock: seconds since 1970 at an instant.
    var clock: (seconds: Double, at: Instant)
    /// True if the camera is on, and its Wi-Fi too.
    public internal(set) var isOn = true
    var effects: [CameraEffect] = []

    /// A camera that is switched on.
    ///
    /// - Parameter epoch: the wall clock in seconds since 1970.
    public init(_ choices: CameraChoices, library: ClipLibrary = .shipped, epoch: Double, at now: Instant) {
        self.choices = choices
        let prefix = CameraSettings.uuid(of: choices.serialNumber)
        card = Card(directory: choices.directory, library: library, idPrefix: prefix, capacity: choices.cardBytes)
        settings = CameraSettings(serialNumber: choices.serialNumber)
        mode = ModeTable.video[0]
        lastVideo = ModeTable.video[0]
        lastImage = ModeTable.image[0]
        clock = (epoch, now)
    }

    /// Removes and returns the next effect; nil if no effect is pending.
    public mutating func nextEffect() -> CameraEffect? { effects.isEmpty ? nil : effects.removeFirst() }

    // MARK: - Time

    /// The wall clock in seconds since 1970.
    public func epoch(at now: Instant) -> Double { clock.seconds + (now - clock.at).seconds }

    func date(at now: Instant) -> Int64 { Int64(epoch(at: now).rounded(.down)) }

    /// The time of the next call of `advance`; nil if nothing is awaited.
    public var deadline: Instant? {
        Instant.earlier(capture?.deadline, transcoding.map { min($0.end, $0.start + transcodingStep($0.told + 1)) })
    }

    /// Does what is due until `now`.
    public mutating func advance(to now: Instant) {
        advanceTranscoding(to: now)
        advanceCapture(to: now)
    }

    // MARK: - Notifications

    /// Sends a notification: one object a line, with one key (Bandit §6).
    mutating func notify(_ name: String, _ value: JSONObject) {
        effects.append(.notify(([name: value] as JSONObject).text))
    }

    mutating func notify(_ name: String, _ values: [JSONObject]) {
        effects.append(.notify(([name: values] as JSONObject).text))
    }

    // MARK: - Status

    /// The status (Bandit §3.2).
    func status(at now: Instant) -> JSONObject {
        let seconds = capture.map { Int((now - $0.start).components.seconds) } ?? 0
        let free = freeBytes(at: now)
        return [
            "recording_active": capture != nil,
            // Both spellings: the second is what the Android library reads.
            "recording_secs": seconds, "recoding_secs": seconds,
            "battery_level_pct": surroundings.battery, "battery_charging": surroundings.isCharging,
            "gnss_fix": surroundings.hasFix, "gnss_strength_pct": surroundings.hasFix ? surroundings.strength : 0,
            "heart_rate_sensor_connected": surroundings.heartRate != nil,
            "cadence_sensor_connected": surroundings.cadence != nil,
            "preview_active": preview != nil, "viewfinder_active": viewfinder != nil,
            "viewfinder_streaming_port": viewfinder?.port ?? lastViewfinderPort,
            "backchannel_port": choices.backchannelPort,
            "memory_free_bytes": free, "remaining_time_secs": free / Int64(octetsPerSecond(lastVideo)),
            "remaining_photos": free / Int64(Photo.size(lastImage.resolution)),
            "transcoding_active": transcoding != nil, "transcoding_progress": transcodingProgress(at: now),
        ]
    }

    /// The presentation time of the viewfinder in seconds: the time of the frame recorded last, and 0 unless a video is
    /// recorded (Bandit §4.1.7).
    public func presentationTime(at now: Instant) -> Double {
        guard let capture, capture.mode.kind.isVideo else { return 0 }
        let rate = Double(capture.mode.playbackRate)
        let media = max(0, (now - capture.fileStart).seconds * capture.mode.mediaTimeRate)
        // A thousandth of a frame: times are rounded to nanoseconds.
        return (media * rate + 0.001).rounded(.down) / rate
    }

    /// True if it records.
    public var isRecording: Bool { capture != nil }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(wholeNanoseconds) / 1e9 }
}
