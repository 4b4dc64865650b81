// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import CBOR
internal import Protobuf

/// The result of a request, decoded (docs/protocol/commands.md).
public enum ReaderAnswer: Equatable, Sendable {
    /// The reader did it, and has nothing to report.
    case done
    /// The version of the firmware.
    case version(VersionInfo)
    /// The state of the reader.
    case status(SystemStatus)
    /// Entries of the event log, in the order of the answer.
    case events([Event])
    /// Entries of the system log.
    case systemLog([SystemLogEntry])
    /// The clock, in seconds since 1970-01-01 UTC.
    case time(UInt32)
    /// The manufacturer information, with the battery.
    case battery(BleManufacturerInfo)
    /// A map of CBOR.
    case map(CBORValue)
    /// The decision about an OSS credential, and the events that the phone takes along.
    case access(OssAccessResult, [Event])
    /// Data of a command that the phone does not know.
    case octets([UInt8])

    /// The result `data` of `request`; nil if they are not what the request is answered with.
    public init?(_ data: [UInt8], of request: PhoneRequest) {
        do throws(ProtobufError) {
            switch request {
            case .standardOffline:
                let result = try OssAccessEventsResult(decodingDelimited: data.span)
                self = .access(result.accessResult, result.events)
            case .secureIdentifier: self = .access(try OssAccessResult(decodingDelimited: data.span), [])
            case .command(let command, _):
                guard let answer = try ReaderAnswer.answer(data, of: command) else { return nil }
                self = answer
            }
        } catch {
            return nil
        }
    }

    private static func answer(_ data: [UInt8], of command: CommandName) throws(ProtobufError) -> ReaderAnswer? {
        switch command.equivalent {
        case .ping: return .version(try VersionInfo(decodingDelimited: data.span))
        case .status, .update: return .status(try SystemStatus(decodingDelimited: data.span))
        case .eventQuery: return .events(try EventLogResult(decodingDelimited: data.span).events)
        case .systemLogQuery: return .systemLog(try SystemLogResult(decodingDelimited: data.span).entries)
        case .getTime: return .time(try SystemTimeUnix(decodingDelimited: data.span).epoch)
        case .battery: return .battery(try BleManufacturerInfo(decodingDelimited: data.span))
        case .getConfiguration, .classicVersions: return (try? CBORValue(decoding: data.span)).map(ReaderAnswer.map)
        default: return data.isEmpty ? .done : CommandName.all.contains(command) ? nil : .octets(data)
        }
    }

    /// True if the answer refuses access, though the exchange succeeded.
    var denial: OssAccessResult? {
        guard case .access(let result, _) = self, !result.accessGranted else { return nil }
        return result
    }
}
