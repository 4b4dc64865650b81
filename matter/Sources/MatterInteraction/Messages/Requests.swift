// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// The paths and filters that ReadRequest and SubscribeRequest have in common.
struct ReportSelection: Sendable {
    var attributes: [AttributeSelector]
    var events: [EventSelector]
    /// The number of the first event.
    var firstEvent: UInt64
    var isFabricFiltered: Bool
    /// The data versions that the peer has.
    var versions: [ClusterPath: UInt32]

    /// Reads paths and filters from consecutive fields that begin with `first`.
    init(
        _ fields: TLVFields, attributes first: UInt8, fabricFiltered: UInt8, versions versionsTag: UInt8
    ) throws(TLVError) {
        attributes = []
        for element in try fields.elements(first) { attributes.append(try AttributeSelector(element)) }
        events = []
        for element in try fields.elements(first + 1) { events.append(try EventSelector(element)) }
        var minimum: UInt64?
        for element in try fields.elements(first + 2) {
            let filter: UInt64 = try element.structure().required(1).unsigned()
            minimum = min(minimum ?? filter, filter)
        }
        firstEvent = minimum ?? 0
        isFabricFiltered = try fields.required(fabricFiltered).bool()
        versions = [:]
        for element in try fields.elements(versionsTag) {
            let filter = try element.structure()
            versions[try ClusterPath(try filter.required(0))] = try filter.required(1).unsigned()
        }
    }
}

/// A ReadRequest.
struct ReadRequest: Sendable {
    var selection: ReportSelection

    init(_ payload: [UInt8]) throws(TLVError) {
        let fields = try TLVElement(payload).structure()
        selection = try ReportSelection(fields, attributes: 0, fabricFiltered: 3, versions: 4)
    }
}

/// A SubscribeRequest.
struct SubscribeRequest: Sendable {
    var keepsSubscriptions: Bool
    /// Seconds.
    var minimumInterval: UInt16
    /// Seconds.
    var maximumInterval: UInt16
    var selection: ReportSelection

    init(_ payload: [UInt8]) throws(TLVError) {
        let fields = try TLVElement(payload).structure()
        keepsSubscriptions = try fields.required(0).bool()
        minimumInterval = try fields.required(1).unsigned()
        maximumInterval = try fields.required(2).unsigned()
        selection = try ReportSelection(fields, attributes: 3, fabricFiltered: 7, versions: 8)
        guard minimumInterval <= maximumInterval else { throw .outOfRange(1) }
        guard !selection.attributes.isEmpty || !selection.events.isEmpty else { throw .missing(3) }
    }
}

/// A WriteRequest.
struct WriteRequest: Sendable {
    /// An AttributeDataIB.
    struct Item: Sendable {
        var path: AttributePath
        var version: UInt32?
        var operation: WriteOperation

        init(_ element: TLVElement) throws(TLVError) {
            let fields = try element.structure()
            version = try fields.optional(0)
            let pathFields = try fields.required(1).list()
            guard try !pathFields.flag(0) else { throw .outOfRange(0) }
            path = AttributePath(
                EndpointNumber(rawValue: try pathFields.required(2).unsigned()),
                ClusterID(rawValue: try pathFields.required(3).unsigned()),
                AttributeID(rawValue: try pathFields.required(4).unsigned()))
            let data = try fields.required(2)
            if let index = pathFields[5] {
                // A number would replace one entry, which no list supports.
                guard index.isNull else { throw .wrongType(5) }
                operation = .append(data)
            } else {
                operation = .replace(data)
            }
        }
    }

    var suppressesResponse: Bool
    var isTimed: Bool
    var items: [Item]
    var isContinued: Bool

    init(_ payload: [UInt8]) throws(TLVError) {
        let fields = try TLVElement(payload).structure()
        suppressesResponse = try fields.flag(0)
        isTimed = try fields.required(1).bool()
        items = []
        for element in try fields.required(2).array() { items.append(try Item(element)) }
        isContinued = try fields.flag(3)
        if isContinued, suppressesResponse { throw .outOfRange(3) }
    }

    /// The number of attributes, with consecutive items of one attribute as one.
    var attributeCount: Int {
        items.indices.count { $0 == 0 || items[$0].path != items[$0 - 1].path }
    }
}

/// An InvokeRequest.
struct InvokeRequest: Sendable {
    /// A CommandDataIB.
    struct Item: Sendable {
        var path: CommandPath
        var fields: TLVElement?
        var reference: UInt16?

        init(_ element: TLVElement) throws(TLVError) {
            let members = try element.structure()
            path = try CommandPath(try members.required(0))
            fields = members[1]
            reference = try members.optional(2)
        }
    }

    var suppressesResponse: Bool
    var isTimed: Bool
    var items: [Item]

    init(_ payload: [UInt8]) throws(TLVError) {
        let fields = try TLVElement(payload).structure()
        suppressesResponse = try fields.required(0).bool()
        isTimed = try fields.required(1).bool()
        items = []
        for element in try fields.required(2).array() { items.append(try Item(element)) }
    }
}

/// A TimedRequest.
struct TimedRequest: Sendable {
    var milliseconds: UInt16

    init(_ payload: [UInt8]) throws(TLVError) {
        milliseconds = try TLVElement(payload).structure().required(0).unsigned()
    }
}

/// A StatusResponse.
struct StatusResponse: Sendable {
    var status: InteractionStatus

    init(_ status: InteractionStatus) { self.status = status }

    init(_ payload: [UInt8]) throws(TLVError) {
        status = InteractionStatus(rawValue: try TLVElement(payload).structure().required(0).unsigned())
    }
}
