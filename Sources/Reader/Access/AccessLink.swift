import AccessProtocol
import Peripheral
import Timekeeping

/// One connected phone: where its link stands, its session, and what waits to be sent to it.
///
/// A class, since a session can't be copied and an array can't hold what can't be copied.
final class AccessLink {
    let id: LinkID
    /// Nil for a phone that touches the reader.
    let peer: BluetoothAddress?
    let mode: AdvertisingMode?
    var life: LinkLife
    var session: AccessSession
    /// The median that opened the gate, in dBm.
    var median: Int8?
    /// Frames that came before the gate opened.
    var held = HeldFrames()
    /// The TX characteristic of the service that was written last.
    var answerOn: AttributeHandle?
    /// The frame on its way out; stays until the host has taken it.
    var frame: [UInt8] = []
    /// Whether the answer on its way out completes an exchange.
    var completesExchange = false

    /// Whether any part of an answer has yet to be taken by the host.
    var isAnswering: Bool { !frame.isEmpty || session.isSending }

    init(id: LinkID, peer: BluetoothAddress?, mode: AdvertisingMode?, life: consuming LinkLife) {
        self.id = id
        self.peer = peer
        self.mode = mode
        self.life = life
        session = AccessSession()
        frame.reserveCapacity(MessageLimit.frame)
    }

    // A phone may leave in the middle of an exchange, whose secret would stay in memory that is free.
    deinit { session.reset() }
}
