// SPDX-License-Identifier: Apache-2.0

import MatterTLV

extension TLVWriter {
    /// Writes a message: an anonymous structure that ends with the revision of the interaction model.
    static func message(_ body: (inout TLVWriter) -> Void) -> [UInt8] {
        TLVWriter.structure(reserving: 64) { message in
            body(&message)
            message.unsigned(interactionModelRevision, as: 255)
        }
    }
}

extension StatusResponse {
    /// The message.
    var payload: [UInt8] { TLVWriter.message { $0.unsigned(status.rawValue, as: 0) } }
}

/// A SubscribeResponse.
struct SubscribeResponse {
    var subscription: UInt32
    var maximumInterval: UInt16

    var payload: [UInt8] {
        TLVWriter.message { message in
            message.unsigned(subscription, as: 0)
            message.unsigned(maximumInterval, as: 2)
        }
    }
}

/// A WriteResponse.
struct WriteResponse {
    private(set) var statuses: [(path: AttributePath, status: StatusInformation)] = []

    /// Adds the status of an item. Consecutive items of one attribute have one status: the first failure, if any.
    mutating func add(_ status: StatusInformation, of path: AttributePath) {
        if let last = statuses.indices.last, statuses[last].path == path {
            if statuses[last].status.status == .success { statuses[last].status = status }
        } else {
            statuses.append((path, status))
        }
    }

    var payload: [UInt8] {
        TLVWriter.message { message in
            message.array(as: 0) { list in
                for (path, status) in statuses {
                    list.structure(as: .anonymous) { item in
                        path.write(into: &item, as: 0)
                        status.write(into: &item, as: 1)
                    }
                }
            }
        }
    }
}

/// An InvokeResponse to one command.
struct InvokeResponse {
    enum Content {
        case status(StatusInformation)
        case data(CommandID, TLVElement)
    }

    var path: CommandPath
    var reference: UInt16?
    var content: Content

    var payload: [UInt8] {
        TLVWriter.message { message in
            message.bool(false, as: 0)
            message.array(as: 1) { list in
                list.structure(as: .anonymous) { writeItem(into: &$0) }
            }
        }
    }

    private func writeItem(into item: inout TLVWriter) {
        switch content {
        case .status(let status):
            item.structure(as: 1) { body in
                path.write(into: &body, as: 0)
                status.write(into: &body, as: 1)
                if let reference { body.unsigned(reference, as: 2) }
            }
        case .data(let command, let fields):
            item.structure(as: 0) { body in
                CommandPath(path.endpoint, path.cluster, command).write(into: &body, as: 0)
                body.element(fields, as: 1)
                if let reference { body.unsigned(reference, as: 2) }
            }
        }
    }
}
