// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Timekeeping

extension InteractionServer {
    /// Performs a WriteRequest, or one part of a write.
    mutating func write(
        _ input: inout Input, _ state: Transaction.State?, _ model: inout some DataModel,
        _ effects: inout [InteractionEffect]
    ) throws(Refusal) {
        let request = try decode(input.payload, as: WriteRequest.init)
        try verifyTiming(request.isTimed, state, at: input.now)
        guard request.attributeCount <= InteractionLimits.attributesPerWrite else { throw Refusal(.pathsExhausted) }
        if state == nil { try verifyCapacity(for: input.accessor.session) }
        var progress = WriteProgress(isTimed: request.isTimed)
        if case .writing(let earlier) = state { progress = earlier }
        input.accessor.isTimed = request.isTimed
        var response = WriteResponse()
        for item in request.items {
            do throws(StatusInformation) {
                try progress.write(item, to: &model, by: input.accessor, at: input.now)
                response.add(.success, of: item.path)
            } catch {
                response.add(error, of: item.path)
            }
        }
        transactions[input.exchange] = nil
        if request.suppressesResponse {
            effects.append(.close(exchange: input.exchange))
            return
        }
        if request.isContinued {
            transactions[input.exchange] = Transaction(
                accessor: input.accessor, state: .writing(progress),
                deadline: input.now + InteractionLimits.peerTimeout)
        }
        effects.append(
            .send(
                opcode: Opcode.writeResponse, payload: response.payload, exchange: input.exchange,
                expectingReply: request.isContinued))
    }
}

extension WriteProgress {
    /// Performs one item.
    fileprivate mutating func write(
        _ item: WriteRequest.Item, to model: inout some DataModel, by accessor: Accessor, at now: Instant
    ) throws(StatusInformation) {
        if judged[item.path] == nil { judged[item.path] = try judge(item, in: model, by: accessor) }
        guard let judgement = judged[item.path] else { return }
        if let refusal = judgement.refusal { throw refusal }
        // An entry appended to a refused list would leave an incomplete list.
        if case .append = item.operation, let fault = judgement.fault { throw fault }
        do throws(StatusInformation) {
            guard item.operation.suits(isList: judgement.isList) else { throw StatusInformation(.invalidDataType) }
            try model.write(item.path, item.operation, by: accessor, at: now)
            judged[item.path]?.fault = nil
        } catch {
            judged[item.path]?.fault = error
            throw error
        }
    }

    /// Checks the access to an attribute.
    ///
    /// - Throws: the status of an attribute that does not exist.
    private func judge(
        _ item: WriteRequest.Item, in model: some DataModel, by accessor: Accessor
    ) throws(StatusInformation) -> Judgement {
        let (endpoint, cluster) = try model.find(item.path.endpoint, item.path.cluster)
        guard let declaration = cluster.declaration(of: item.path.attribute) else {
            throw StatusInformation(.unsupportedAttribute)
        }
        let granted = GrantedPrivileges(of: accessor, on: cluster.id, of: endpoint, entries: model.accessEntries)
        let version = model.dataVersion(endpoint: endpoint.number, cluster: cluster.id)
        let status = declaration.refusal(
            granted, hasFabric: accessor.fabric != nil, isTimed: isTimed,
            hasVersion: item.version == nil || item.version == version)
        return Judgement(isList: declaration.isList, refusal: status.map { StatusInformation($0) })
    }
}

extension WriteOperation {
    /// True if the operation suits the attribute: only an array replaces a list, and only a list can be extended.
    fileprivate func suits(isList: Bool) -> Bool {
        switch self {
        case .append: isList
        case .replace(let data): !isList || (try? data.array()) != nil
        }
    }
}

extension AttributeDeclaration {
    /// The status of a refused write, in the order of the checks.
    fileprivate func refusal(
        _ granted: GrantedPrivileges, hasFabric: Bool, isTimed: Bool, hasVersion: Bool
    ) -> InteractionStatus? {
        guard let writePrivilege else { return .unsupportedWrite }
        guard granted.include(writePrivilege), hasFabric || !isFabricScoped else { return .unsupportedAccess }
        guard isTimed || !self.isTimed else { return .needsTimedInteraction }
        guard hasVersion else { return .dataVersionMismatch }
        return nil
    }
}
