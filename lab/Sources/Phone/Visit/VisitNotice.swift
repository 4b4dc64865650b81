// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Peripheral
public import Timekeeping

/// A completed step of a visit.
public enum VisitStep: Equatable, Sendable {
    /// A reader that the phone has something for was heard.
    case found(ReaderSighting)
    /// The link is established.
    case connected(BluetoothAddress, interval: Duration)
    /// The ATT_MTU was exchanged.
    case mtu(Int)
    /// The service is discovered and notifications are enabled.
    case services
    /// A card is activated: the phone touches something.
    case touched
    /// The reader's access application is selected, which states its device id.
    case selected(String)
    /// The reader's signature is verified.
    case handshake
    /// The controller has sent the sealed token.
    case token(PhoneRequest)
    /// The reader has answered.
    case answer(PhoneRequest, ReaderAnswer)

    /// The kind of a step, as tables name it.
    public enum Kind: String, CaseIterable, Sendable {
        case found, connected, mtu, services, touched, selected, handshake, token, answer
    }

    /// The kind of this step.
    public var kind: Kind {
        switch self {
        case .found: .found
        case .connected: .connected
        case .mtu: .mtu
        case .services: .services
        case .touched: .touched
        case .selected: .selected
        case .handshake: .handshake
        case .token: .token
        case .answer: .answer
        }
    }
}

/// An event of a visit, for its user.
public enum VisitNotice: Equatable, Sendable {
    /// The controller is ready; visit `number`, from 1, begins with a scan.
    case began(number: Int)
    /// A step was completed, `sinceStart` after the visit began, `took` after the step before it.
    case step(VisitStep, sinceStart: Duration, took: Duration)
    /// The visit has ended: nil if the task is done. The link is down.
    case ended(VisitFailure?, sinceStart: Duration)
    /// All visits are over.
    case finished
}

/// The event that a visit waits for.
public enum VisitStage: String, Sendable {
    /// The controller's initialization.
    case starting
    /// An advertisement of a reader, or its card.
    case looking
    /// The link.
    case connecting
    /// The MTU and the services, or the selection of the application.
    case discovering
    /// The answer to the handshake.
    case handshake
    /// The answer to the token.
    case token
}

/// The failure of a visit.
public struct VisitFailure: Error, Equatable, Sendable {
    /// The event.
    public enum Cause: Equatable, Sendable {
        /// The controller failed.
        case controller(ControllerFault)
        /// The controller refused to scan.
        case scanRefused(HCIStatus)
        /// No reader was heard that the phone has something for; the readers that were.
        case notFound([ReaderSighting])
        /// No card came into the field.
        case notTouched
        /// The card has left the field, or does not answer.
        case cardLost
        /// The phone has nothing for the touched reader, which has this device id.
        case otherReader(String)
        /// The card refused a command, with this status word.
        case refusedByCard(UInt16)
        /// There was no connection, with the status of the last attempt.
        case notConnected(HCIStatus)
        /// The link ended, with the controller's reason.
        case ended(HCIStatus)
        /// The time was over.
        case silence
        /// The reader lacks the service or a characteristic, or answered GATT requests incorrectly.
        case unusable(String)
        /// The exchange failed: here, or by a status of the reader.
        case session(PhoneFailure)
        /// The reader's decision about an OSS credential.
        case denied(OssAccessResult)
        /// The answer is not one to the request.
        case answer
        /// The token could not be composed.
        case noToken(StatusCode)
        /// The user ended it.
        case interrupted
    }

    /// The event.
    public var cause: Cause
    /// The event that the visit waited for.
    public var stage: VisitStage
    /// The request; nil before one is made.
    public var request: PhoneRequest?
    /// The age of the link; nil without one.
    public var linkAge: Duration?
    /// The reader, as it was found; nil before.
    public var reader: ReaderSighting?
    /// True if the credential belongs to the demo identity.
    public var isDemo: Bool
    /// The time in which the token counts; nil for none, or before a reader was chosen.
    public var period: TokenPeriod?
    /// The phone's local time at the failure; nil if unknown.
    public var localTime: CivilTime?

    /// A failure while waiting for `stage`.
    public init(
        _ cause: Cause, at stage: VisitStage, request: PhoneRequest? = nil, linkAge: Duration? = nil,
        reader: ReaderSighting? = nil, isDemo: Bool = false, period: TokenPeriod? = nil, localTime: CivilTime? = nil
    ) {
        self.cause = cause
        self.stage = stage
        self.request = request
        self.linkAge = linkAge
        self.reader = reader
        self.isDemo = isDemo
        (self.period, self.localTime) = (period, localTime)
    }
}
