// SPDX-License-Identifier: Apache-2.0

/// The parts of a transaction that are otherwise over Bluetooth LE: there is no SELECT, an empty EXCHANGE confirms the
/// channel, and the caller reports failures and the door.
extension AliroTransaction {
    /// Starts AUTH0 with element A5 of a phone. `start` is not called.
    mutating func begin(application element: [UInt8]) -> CardStep {
        guard case .idle = state, parameters.interface == .bluetooth else { return end(.refused(.outOfOrder)) }
        guard store.binding == reader.binding else { return end(.refused(.unavailable)) }
        do throws(AliroFailure) {
            let selection: AliroSelection
            do throws(CardRefusal) { selection = try AliroSelection(application: element) } catch {
                throw .control(error)
            }
            return try requestAuthentication0(selection)
        } catch { return refuse(error) }
    }

    /// Sends an EXCHANGE without commands.
    mutating func confirm() -> CardStep {
        guard let command = sealed([]) else { return end(.refused(.unavailable)) }
        state = .confirmation
        return .transmit(command)
    }

    /// Handles the response to it.
    mutating func confirmed() throws(AliroFailure) -> CardStep {
        let message = exchange.response
        guard let plaintext = try? channel?.open(message.span) else { throw .status(.content, .proof) }
        guard plaintext == [0x00, 0x02, 0x00, 0x00] else { throw .control(.statusWord) }
        isConfirmed = true
        return candidate.kinds.isEmpty ? decide() : try startStepUp()
    }

    /// Removes and returns the key of the channel of notifications, which the caller wipes; nil before AUTH1.
    mutating func takeBluetoothKey() -> [UInt8]? {
        guard !bluetoothKey.isEmpty else { return nil }
        defer { bluetoothKey = [] }
        return bluetoothKey
    }

    /// Requests the changes of the store, after the door was opened, and ends.
    mutating func keep() { _ = finish() }

    /// Ends without the changes that need an opened door.
    mutating func abandon() { _ = end(.concluded) }

    /// Removes and returns the changes of the store so far.
    mutating func takeEffects() -> [AliroEffect] {
        defer { effects = [] }
        return effects
    }
}
