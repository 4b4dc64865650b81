// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import Timekeeping

/// Scanning (Core 5.4, Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64, 7.8.65) and advertising reports.
extension VirtualController {
    /// The scanning commands.
    func scan(_ command: Command, _ parameters: inout CommandParameters) throws(CommandRefusal) {
        switch command {
        case .setScanParameters, .setExtendedScanParameters:
            guard state.scanner == nil else { throw .violation(.commandDisallowed, "scanning is enabled") }
            state.scanSettings =
                command == .setScanParameters
                ? try legacyScanSettings(&parameters) : try extendedScanSettings(&parameters)
        case .setScanEnable:
            let enable = try parameters.u8(in: 0...1, "LE_Scan_Enable") == 1
            let filters = try parameters.u8(in: 0...1, "Filter_Duplicates") == 1
            try setScanning(enable, filters: filters, duration: nil)
        default:
            let enable = try parameters.u8(in: 0...1, "Enable") == 1
            let filters = try parameters.u8(in: 0...1, "Filter_Duplicates") == 1
            let duration = try parameters.u16()
            // Periodic scanning is not simulated.
            guard try parameters.u16() == 0 else { throw .blameless(.unsupportedFeature) }
            guard !enable || state.scanSettings != nil else {
                throw .violation(.commandDisallowed, "scanning is enabled before its parameters are set")
            }
            try setScanning(enable, filters: filters, duration: duration == 0 ? nil : duration)
        }
    }

    /// Reads interval and window of scanning or initiating, in units of 0.625 ms.
    func listening(_ parameters: inout CommandParameters, _ range: ClosedRange<UInt16>) throws(CommandRefusal)
        -> Listening
    {
        let interval = try parameters.u16(in: range, "scan interval")
        let window = try parameters.u16(in: range, "scan window")
        guard window <= interval else { throw .violation(.invalidParameters, "scan window is above the interval") }
        return Listening(
            interval: .microseconds(625 * Int64(interval)), window: .microseconds(625 * Int64(window)), begins: air.now)
    }

    private func legacyScanSettings(_ parameters: inout CommandParameters) throws(CommandRefusal) -> ScanSettings {
        var settings = ScanSettings()
        settings.isActive = try parameters.u8(in: 0...1, "LE_Scan_Type") == 1
        settings.listening = try listening(&parameters, 0x0004...0x4000)
        settings.ownAddressType = try parameters.u8(in: 0...3, "Own_Address_Type")
        settings.usesAcceptList = try parameters.u8(in: 0...3, "Scanning_Filter_Policy") & 1 == 1
        return settings
    }

    private func extendedScanSettings(_ parameters: inout CommandParameters) throws(CommandRefusal) -> ScanSettings {
        var settings = ScanSettings()
        settings.ownAddressType = try parameters.u8(in: 0...3, "Own_Address_Type")
        settings.usesAcceptList = try parameters.u8(in: 0...3, "Scanning_Filter_Policy") & 1 == 1
        guard try parameters.u8() == 0x01 else { throw .blameless(.unsupportedFeature) }
        settings.isActive = try parameters.u8(in: 0...1, "Scan_Type") == 1
        settings.listening = try listening(&parameters, 0x0004...0xFFFF)
        try parameters.finish()
        return settings
    }

    private func setScanning(_ enable: Bool, filters: Bool, duration: UInt16?) throws(CommandRefusal) {
        guard enable else {
            state.scanner = nil
            return
        }
        var settings = state.scanSettings ?? ScanSettings()
        guard scanAddress(toward: nil, settings) != nil else {
            throw .violation(.invalidParameters, "scanning with a random address, and none was set")
        }
        settings.listening.begins = air.now
        let run = air.nextNumber()
        state.scanner = Scanner(settings: settings, run: run, filtersDuplicates: filters)
        if let duration {
            air.add(.scanEnd(controller: index, run: run), at: air.now + .milliseconds(10 * Int64(duration)))
        }
    }

    /// The address of scan requests to a peer; nil for a random address that is not set.
    func scanAddress(toward peer: BluetoothAddress?, _ settings: ScanSettings) -> BluetoothAddress? {
        ownAddress(type: settings.ownAddressType, random: state.randomAddress, toward: peer)
    }

    /// Ends a scan after its duration (7.7.65.17).
    func scanTimedOut() {
        state.scanner = nil
        emit(subevent: Subevent.scanTimeout, [])
    }

    /// A received advertising PDU.
    struct Heard {
        var address: BluetoothAddress
        var kind: AdvertisingKind
        var isScanResponse: Bool
        var data: [UInt8]
        var target: BluetoothAddress
        var rssi: Int8
    }

    /// Reports a PDU to the host, by the legacy or the extended event according to the commands in use.
    func report(_ heard: Heard) {
        guard outbound.count < VirtualController.reportBacklog,
            state.scanner?.admits(heard.address, isScanResponse: heard.isScanResponse) == true
        else { return }
        if state.family == .extended {
            emit(subevent: Subevent.extendedAdvertisingReport, extendedReport(heard))
        } else {
            emit(subevent: Subevent.advertisingReport, legacyReport(heard))
        }
    }

    /// LE Advertising Report with one report (7.7.65.2).
    private func legacyReport(_ heard: Heard) -> [UInt8] {
        var report: [UInt8] = [1, heard.isScanResponse ? 0x04 : heard.kind.reportType]
        report.append(heard.address)
        report.append(UInt8(truncatingIfNeeded: heard.data.count))
        report += heard.data
        report.append(UInt8(bitPattern: heard.rssi))
        return report
    }

    /// LE Extended Advertising Report with one report (7.7.65.13).
    private func extendedReport(_ heard: Heard) -> [UInt8] {
        var report: [UInt8] = [1]
        report.append(littleEndian: heard.kind.extendedReportType | (heard.isScanResponse ? 0x08 : 0))
        report.append(heard.address)
        // Primary PHY 1M, no secondary PHY, no SID, no transmit power.
        report += [0x01, 0x00, 0xFF, 0x7F, UInt8(bitPattern: heard.rssi)]
        report.append(littleEndian: UInt16(0))
        report.append(heard.kind == .directed ? heard.target : BluetoothAddress(kind: .public, value: 0))
        report.append(UInt8(truncatingIfNeeded: heard.data.count))
        return report + heard.data
    }
}
