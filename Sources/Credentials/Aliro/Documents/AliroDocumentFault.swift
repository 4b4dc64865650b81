// SPDX-License-Identifier: Apache-2.0

/// The reason why a document does not grant access.
enum AliroDocumentFault: Error, Equatable {
    /// Not the structure of a document.
    case format
    /// A version or algorithm that is not supported, or another document type.
    case content
    /// No trusted key has signed it.
    case issuer
    case signature
    /// An element's digest is not in the signed list.
    case digest
    /// A document for another credential.
    case deviceKey
    /// Not valid now, or valid only with a clock.
    case time
    /// Older than the window of accepted iterations.
    case iteration
    /// The phone has not sent the document, or not the element.
    case missing
    /// A rule or extension that is not supported.
    case noRight

    var status: AliroStatus {
        switch self {
        case .format: .format
        case .missing, .noRight: .noAccessRight
        default: .content
        }
    }

    var refusal: CardRefusal { self == .noRight ? .noRight : .document }
}
