import AccessProtocol
import Protobuf
import Timekeeping

/// What of `UPDATE` and `time` concerns the clock, which is with the shell: a request out, an answer in.
extension AccessReader {
    /// The local time, nil while it is not known.
    func clock(at moment: Moment) -> CivilTime? { configuration.civilTime(moment) }

    /// What `UPDATE` asks for; throws −32 for octets that are no such message, −34 for a configuration out of range. A time that may not be set is no error:
    /// the phone sees in the status what time it is, and whether there is one.
    mutating func update(_ data: [UInt8], _ pushed: inout PushedConfiguration?) throws(StatusCode) -> StorageWork {
        guard let update = try? SystemUpdate(decodingDelimited: data.span) else { throw .decode }
        // All of it is checked before any of it takes effect.
        if let config = update.config { pushed = try PushedConfiguration(config) }
        if configuration.isAudited, let time = update.timeUnix {
            storageRequests.append(StorageRequest(id: nil, work: .clock(epochSeconds: Int64(time.epoch))))
        }
        guard var config = update.config else { return .counters }
        // Secrets that nothing here uses are not kept.
        config.online.wifiPassword = BoundedBytes()
        config.oss.sidMifareAesKey = BoundedBytes()
        config.oss.soMifareAesKey = BoundedBytes()
        var octets: [UInt8] = []
        config.encode(into: &octets)
        return .setting(PushedConfiguration.setting, octets)
    }

    /// What `time` asks for; throws −32 for octets that are no such message.
    func setTime(_ data: [UInt8]) throws(StatusCode) -> StorageWork {
        guard let time = try? SystemTimeUnix(decodingDelimited: data.span) else { throw .decode }
        return .clock(epochSeconds: Int64(time.epoch))
    }
}

extension ReaderClock.Outcome {
    /// What a phone is told that asked for nothing else: −4 where the system's clock is believed instead, −3 for a time
    /// that a phone may not set.
    var status: StatusCode {
        switch self {
        case .done: .ok
        case .synchronised: .invalidState
        case .tooEarly, .tooFarBack: .invalidArguments
        }
    }
}
