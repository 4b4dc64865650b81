// SPDX-License-Identifier: Apache-2.0

import Commands
import Devices
import Glibc
import MatterCredentials
import System

/// The setup codes of an emulated device.
struct MatterCodes {
    private let payload: OnboardingPayload

    /// - Parameter hasBluetooth: true if the product is found over BLE, too.
    init(_ product: MatterProduct, hasBluetooth: Bool) throws(CommandError) {
        do throws(OnboardingError) {
            payload = try OnboardingPayload(
                vendor: product.vendor, product: product.product,
                discovery: hasBluetooth ? [.onNetwork, .bluetooth] : .onNetwork,
                discriminator: product.discriminator, passcode: SetupPasscode(product.passcode))
        } catch {
            throw .misuse("there are no codes for these options: \(error)")
        }
    }

    /// The text of the QR code.
    var qr: String { payload.qrText }

    /// The QR code as an SVG document; nil if it is too long.
    var svg: String? { QRSymbol(qr)?.svg }

    /// The manual code, 11 digits.
    var manual: String { payload.manualCode }

    /// The codes as lines.
    var lines: [String] { ["  QR code \(qr)", "  manual code \(grouped(manual)), long \(payload.longManualCode)"] }

    /// The QR code for a phone's camera; empty unless standard output is a terminal.
    var drawing: [String] {
        guard isatty(STDOUT_FILENO) == 1, let symbol = QRSymbol(qr) else { return [] }
        let isColoured = getenv("NO_COLOR") == nil
        return symbol.terminalText(isColoured: isColoured).split(separator: "\n").map(String.init)
    }

    /// Writes the QR code as an SVG document.
    func draw(to path: String) throws(CommandError) {
        guard let symbol = QRSymbol(qr) else { throw .failed("\(path): the QR code is too long") }
        try CommandError.replace(path, with: Array(symbol.svg.utf8), remedy: "name another file")
    }

    /// A code with hyphens as on labels, such as `3497-011-2332`.
    private func grouped(_ code: String) -> String {
        "\(code.prefix(4))-\(code.dropFirst(4).prefix(3))-\(code.dropFirst(7))"
    }
}
