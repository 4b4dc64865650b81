// SPDX-License-Identifier: Apache-2.0

public import Emulation
import Timekeeping

/// The steps of a reader's protocol, at which faults can be injected.
public enum ReaderStep {
    static let connect = "connect", near = "near", handshake = "handshake", proof = "proof"
    static let request = "request", answer = "answer"

    /// The steps.
    public static let all = [
        EmulatedStep(connect, .connection, "an app has connected"),
        EmulatedStep(near, .link, "the gate has opened"),
        EmulatedStep(proof, .proof, "salt and signature of the reader, which answer the app's handshake"),
        EmulatedStep(answer, .answer, "the result of a request, or a status"),
    ]

    /// The longest delay of a message: a link without an exchange ends after 3 s.
    static let longestDelay = Duration.milliseconds(2900)

    /// The statuses with which readers answer a request (docs/protocol/status-codes.md).
    public static let answers: Set<Int16> = [
        -3, -4, -5, -6, -8, -11, -12, -13, -21, -22, -30, -32, -34, -156, -157, -200, -230, -231, -233, -234, -235,
        -237, -243, -244, -245, -246, -247, -248, -250, -280, -281,
    ]
}
