// SPDX-License-Identifier: Apache-2.0

/// Assumed values of properties that are not public (Bandit §15), and properties of one camera.
public struct CameraChoices: Sendable {
    /// The refusal of a connection beyond the limit (§15.2).
    public enum Overload: String, CaseIterable, Sendable {
        /// 503, and the connection closes.
        case unavailable
        /// The connection is reset.
        case reset
    }

    /// The camera's serial number, at most 36 characters.
    public var serialNumber = "B4ND17-EMU-0001"
    /// The name of its access point.
    public var ssid = "Bandit-0001"
    /// The revision of the API: "0" or "1" (§3.1).
    public var revision = "1"
    /// The port of the backchannel (§15.6).
    public var backchannelPort: UInt16 = 4100
    /// The maximum number of concurrent connections, including the backchannel's (§2).
    public var maximumConnections = 5
    /// The refusal of the one beyond.
    public var overload = Overload.unavailable
    /// True if errors have a small JSON body (§15.1).
    public var describesErrors = false
    /// The status of a second viewfinder (§15.3).
    public var secondViewfinderStatus = 409
    /// The status of a viewfinder while a preview runs, and the reverse; nil if both may run (§4.2).
    public var viewfinderWithPreviewStatus: Int?
    /// The status of an offset beyond the total of a list (§15.4).
    public var badOffsetStatus = 400
    /// The status of a port out of range (§15.4).
    public var badPortStatus = 400
    /// The status of a preview whose client cannot be reached (§15.4).
    public var unreachableStatus = 500
    /// The ports of previews (§15.5).
    public var previewPorts: ClosedRange<Int> = 1024...65_535
    /// The version in a preview's header (§15.7).
    public var previewVersion: UInt32 = 1
    /// The speed of a preview: 1 is real time, and what the stock library needs (§16.3); 0 is as fast as TCP takes it.
    public var previewPace = 1.0
    /// The status of a recording that is started or stopped twice, and of a tag without a recording; 200 is no error
    /// (§15.13).
    public var conflictingRecordStatus = 500
    /// The status of a change of modes while recording (§15.13).
    public var busySettingsStatus = 409
    /// The status of deleting what is recorded or previewed (§15.13).
    public var busyDeletionStatus = 409
    /// True if `shutting_down` has its members at the top level too (§15.8).
    public var hasFlatShutdown = false
    /// The size of thumbnails (§15.11).
    public var thumbnail = (width: 320, height: 180)
    /// The directory of the card's files (§15.14).
    public var directory = "/DCIM/100TTCAM"
    /// Seconds of a recording after which a new file begins; nil for 4 GB, which no recording of the emulator has.
    public var splitSeconds: Int?
    /// The speed of transcoding: media time per time.
    public var transcodingSpeed = 20.0
    /// The octets of the card.
    public var cardBytes: Int64 = 15_931_539_456
    /// The free octets below which `memory_low` is reported.
    public var lowMemoryBytes: Int64 = 104_857_600

    /// The defaults.
    public init() {}
}
