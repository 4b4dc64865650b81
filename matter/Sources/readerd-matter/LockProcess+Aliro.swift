// SPDX-License-Identifier: Apache-2.0

import LockChannel
import MatterNode

/// The reader's Aliro, which the node provisions.
extension LockProcess {
    /// Forwards an update to the reader; without the reader it is refused at once.
    func forward(_ request: AliroRequest) {
        let message = LockAliroRequest(
            number: request.id, change: AliroChange(request.update), author: request.author.map { LockNode($0) })
        if !connection.send(.aliro(message)) { node?.answer(aliro: request.id, .refused, at: now) }
    }
}

extension AliroChange {
    init(_ update: AliroUpdate) {
        self =
            switch update {
            case .configure(let reader, let key):
                .configure(
                    LockAliroReader(
                        signingKey: key, verificationKey: reader.verificationKey,
                        group: reader.group,
                        sub: reader.sub))
            case .clear: .clear
            case .keys(let keys):
                .keys(
                    keys.map {
                        LockAliroKey(
                            place: LockAliroPlace(LockAliroKeyKind($0.kind), $0.index), user: $0.user, point: $0.point,
                            isGranted: $0.isGranted)
                    })
            }
    }
}

extension AliroResult {
    init(_ answer: AliroAnswer) {
        self =
            switch answer {
            case .done: .done
            case .full: .full
            case .unsupported, .failed: .refused
            }
    }
}

extension LockAliroKeyKind {
    fileprivate init(_ kind: AliroKeyKind) {
        self =
            switch kind {
            case .issuer: .issuer
            case .evictableEndpoint: .evictable
            case .endpoint: .endpoint
            }
    }
}

extension AliroKeyKind {
    init(_ kind: LockAliroKeyKind) {
        self =
            switch kind {
            case .issuer: .issuer
            case .evictable: .evictableEndpoint
            case .endpoint: .endpoint
            }
    }
}
