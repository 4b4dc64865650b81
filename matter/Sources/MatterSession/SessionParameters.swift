// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// The session parameters that a node states to its peer during establishment (Core 4.13.1); all are optional.
public struct SessionParameters: Equatable, Sendable {
    /// The maximum idle interval: one hour.
    static let greatestInterval: UInt32 = 3_600_000

    /// The interval of retransmissions to a node in idle mode, in milliseconds.
    public var idleInterval: UInt32?
    /// The interval of retransmissions to a node in active mode, in milliseconds.
    public var activeInterval: UInt32?
    /// The time that a node stays active after a message, in milliseconds.
    public var activeThreshold: UInt16?
    /// The revision of the data model.
    public var dataModelRevision: UInt16?
    /// The revision of the interaction model.
    public var interactionModelRevision: UInt16?
    /// The release of the specification, as 0x01040000 for 1.4.
    public var specificationVersion: UInt32?
    /// The maximum number of commands in an invoke request.
    public var pathsPerInvoke: UInt16?

    /// Parameters without a value.
    public init() {}

    /// The parameters of this release: the default intervals, data model 18, interaction model 12, specification 1.4.
    public static let release: SessionParameters = {
        var parameters = SessionParameters()
        parameters.idleInterval = 500
        parameters.activeInterval = 300
        parameters.activeThreshold = 4000
        parameters.dataModelRevision = 18
        parameters.interactionModelRevision = 12
        parameters.specificationVersion = 0x0104_0000
        parameters.pathsPerInvoke = 1
        return parameters
    }()

    /// Reads a structure. Intervals above an hour are refused: they would retain retransmissions for a day.
    init(_ element: TLVElement) throws(TLVError) {
        let fields = try element.structure()
        idleInterval = try fields.interval(1)
        activeInterval = try fields.interval(2)
        activeThreshold = try fields[3]?.unsigned()
        dataModelRevision = try fields[4]?.unsigned()
        interactionModelRevision = try fields[5]?.unsigned()
        specificationVersion = try fields[6]?.unsigned()
        pathsPerInvoke = try fields[7]?.unsigned()
    }

    /// Writes the structure; nothing if no parameter has a value.
    func write(into writer: inout TLVWriter, as tag: TLVTag) {
        guard self != SessionParameters() else { return }
        writer.structure(as: tag) { structure in
            if let idleInterval { structure.unsigned(idleInterval, as: 1) }
            if let activeInterval { structure.unsigned(activeInterval, as: 2) }
            if let activeThreshold { structure.unsigned(activeThreshold, as: 3) }
            if let dataModelRevision { structure.unsigned(dataModelRevision, as: 4) }
            if let interactionModelRevision { structure.unsigned(interactionModelRevision, as: 5) }
            if let specificationVersion { structure.unsigned(specificationVersion, as: 6) }
            if let pathsPerInvoke { structure.unsigned(pathsPerInvoke, as: 7) }
        }
    }
}

extension TLVFields {
    fileprivate func interval(_ number: UInt8) throws(TLVError) -> UInt32? {
        guard let member = self[number] else { return nil }
        let interval: UInt32 = try member.unsigned()
        guard interval <= SessionParameters.greatestInterval else { throw .outOfRange(member.tag) }
        return interval
    }
}
