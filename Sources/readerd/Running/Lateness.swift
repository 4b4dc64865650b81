// SPDX-License-Identifier: Apache-2.0

/// The limit on the age of a request, for a process that was stopped, frozen or starved: requests pile up meanwhile,
/// and nothing old moves the lock.
enum Lateness {
    /// The maximum age of a request that opens or ends a protection. Its sender waits for an answer: a client of the
    /// control socket for 5 s, of which the record may take 2.5 s. The age is known to twice `look`.
    static let limit = Duration.milliseconds(2500)
    /// The longest wait of the reactor's loop, which bounds the age of input after a pause.
    static let look = Duration.milliseconds(500)
}
