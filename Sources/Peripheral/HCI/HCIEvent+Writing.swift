// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

extension HCIEvent {
    /// Appends the packet of an event, type octet included; ranges refer to `source`. Fields that are not read are 0,
    /// except a clock accuracy of 250 ppm. Events that no controller of this project sends are not written.
    public func append(to packet: inout [UInt8], _ source: Span<UInt8>) {
        switch self {
        case .commandComplete(let credits, let opcode, let returned):
            HCIEvent.append(.commandComplete, to: &packet) {
                $0.append(credits)
                $0.append(littleEndian: opcode)
                $0.append(source.extracting(returned))
            }
        case .commandStatus(let status, let credits, let opcode):
            HCIEvent.append(.commandStatus, to: &packet) {
                $0.append(status.rawValue)
                $0.append(credits)
                $0.append(littleEndian: opcode)
            }
        case .disconnectionComplete(let status, let handle, let reason):
            HCIEvent.append(.disconnectionComplete, to: &packet) {
                $0.append(status.rawValue)
                $0.append(littleEndian: handle)
                $0.append(reason.rawValue)
            }
        case .completedPackets(let pairs):
            HCIEvent.append(.numberOfCompletedPackets, to: &packet) {
                $0.append(UInt8(truncatingIfNeeded: pairs.count / 4))
                $0.append(source.extracting(pairs))
            }
        case .connectionComplete(let status, let connection):
            HCIEvent.append(.connectionComplete, to: &packet) { connection.append(status, to: &$0) }
        case .advertisingSetTerminated(let status, let set, let handle):
            HCIEvent.append(.advertisingSetTerminated, to: &packet) {
                $0.append(status.rawValue)
                $0.append(set)
                $0.append(littleEndian: handle)
                $0.append(0)
            }
        case .otherLE(let code?, let parameters):
            HCIEvent.append(code, to: &packet) { $0.append(source.extracting(parameters)) }
        default: break
        }
    }

    /// Appends the packet of an event with the parameters that `write` appends, at most 255 octets (5.4.4).
    public static func append(_ code: Code, to packet: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        packet.append(H4PacketType.event.rawValue)
        packet.append(code.rawValue)
        packet.appendCounted(write)
    }

    private static func append(_ code: LECode, to packet: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        append(.leMeta, to: &packet) {
            $0.append(code.rawValue)
            write(&$0)
        }
    }
}

extension HCIEvent.NewConnection {
    /// Appends the parameters of LE Connection Complete (7.7.65.1) after the subevent code; the private address of the
    /// peer is not among them.
    fileprivate func append(_ status: HCIStatus, to packet: inout [UInt8]) {
        packet.append(status.rawValue)
        packet.append(littleEndian: handle)
        packet.append(isPeripheral ? 1 : 0)
        packet.append(peer.kind.rawValue)
        peer.append(to: &packet)
        packet.append(littleEndian: UInt16(clamping: interval.wholeNanoseconds / 1_250_000))
        packet.append(littleEndian: UInt16(0))  // Peripheral_Latency
        packet.append(littleEndian: UInt16(clamping: supervisionTimeout.wholeNanoseconds / 10_000_000))
        packet.append(0x01)  // Central_Clock_Accuracy: 250 ppm
    }
}
