// SPDX-License-Identifier: Apache-2.0

import Crypto
import Timekeeping

// The Security Manager of the links: passes PDUs and encryption events to it, and performs its actions. PDUs of other
// channels do not pass through this code.

/// The state of a host for pairing.
struct HostSecurity: ~Copyable {
    var manager: SecurityManager
    var clientStates: any ClientStateStore
    /// True if there is a setup; otherwise pairing and keys are refused at once.
    let isSetUp: Bool
    /// The buffer of an outgoing PDU.
    var pdu: [UInt8] = []

    init(_ setup: SecuritySetup?) {
        isSetUp = setup != nil
        clientStates = setup?.clientStates ?? TransientClientStates()
        // Without a setup no link is opened, so the manager never draws a number or stores a bond.
        manager = SecurityManager(
            policy: SecurityPolicy(), identity: setup?.identity, store: setup?.store ?? TransientBondStore(capacity: 0),
            random: setup?.random ?? SystemRandomSource())
    }
}

extension Host {
    // MARK: - Links

    /// Opens the Security Manager of a link with a known device, if the device pairs.
    ///
    /// The check values of a pairing cover the addresses of the connection. If the controller did not report the set,
    /// the first device's address is used: with another device's, pairing fails, but a bonded peer can still encrypt
    /// the link.
    mutating func openSecurity(_ slot: Int) {
        guard security.isSetUp, let policy = policy(of: slot),
            let own = ownAddress(of: slot)
        else { return }
        let peer = connections[slot].peerOnAir
        security.manager.open(&connections[slot].security, peer: peer, own: own, policy: policy)
        connections[slot].client.setSecurity(connections[slot].security.level)
    }

    /// Closes the Security Manager of a link.
    mutating func closeSecurity(_ slot: Int, at now: Instant) {
        guard connections[slot].security.isOpen else { return }
        keepClientState(slot)
        security.manager.close(&connections[slot].security, at: now)
    }

    /// The policy of the link's device; nil if it does not pair.
    private func policy(of slot: Int) -> SecurityPolicy? { policies[connections[slot].device] }

    /// The address of this device in the connection; if unknown, the address of the first device's first set.
    private func ownAddress(of slot: Int) -> BluetoothAddress? {
        if let known = connections[slot].description.ownAddress { return known }
        let sets = advertiser.sets
        guard let set = sets.first(where: { device(ofSet: $0.id) == 0 }) ?? sets.first else { return nil }
        return connections[slot].onAir.address(ofSet: set.id)
    }

    // MARK: - From the central and the controller

    /// Handles a PDU of the Security Manager channel.
    mutating func receiveSecurity(_ pdu: Span<UInt8>, slot: Int, at now: Instant) {
        security.manager.receive(pdu, on: &connections[slot].security, at: now)
        performSecurityActions(slot, at: now)
        if connections[slot].phase != .open { sendCommands(at: now) }
    }

    /// Records a key request of the controller. The answer is determined when it can be sent.
    mutating func keyRequested(_ handle: UInt16, _ name: LTKIdentifier) {
        guard let slot = slot(of: handle) else {
            noteUnknownHandle(handle, at: lastInput)
            return ignore()
        }
        connections[slot].keyRequest = name
    }

    /// Answers a pending key request. While the link's device is not known, the request cannot be answered.
    mutating func sendKeyReply(_ slot: Int, at now: Instant) -> Bool {
        guard let name = connections[slot].keyRequest else { return false }
        if security.isSetUp, case .identifying = connections[slot].phase { return false }
        connections[slot].keyRequest = nil
        let handle = connections[slot].handle
        if let key = security.manager.longTermKeyRequested(on: &connections[slot].security, name: name) {
            send(HostCommand.leLongTermKeyRequestReply(handle: handle, key), for: .keyReply(handle: handle), at: now)
            connections[slot].awaitsEncryption = true
        } else {
            send(HostCommand.leLongTermKeyRequestNegativeReply(handle: handle), for: .keyReply(handle: handle), at: now)
            endEncryptionWait(slot, at: now)
        }
        return true
    }

    /// Handles a change of encryption, or a key refresh.
    mutating func encryptionChanged(_ handle: UInt16, _ status: HCIStatus, enabled: UInt8, at now: Instant) {
        guard let slot = slot(of: handle) else {
            noteUnknownHandle(handle, at: now)
            return ignore()
        }
        guard connections[slot].security.isOpen else { return ignore() }
        let isPairing = connections[slot].security.isPairing
        security.manager.encryptionChanged(
            on: &connections[slot].security, status: status, enabled: enabled, at: now)
        performSecurityActions(slot, at: now)
        if !isPairing, connections[slot].security.isOpen { peerMayBeProven(slot, hasPaired: false, at: now) }
        endEncryptionWait(slot, at: now)
    }

    // MARK: - Data and the change of encryption

    /// Holds data of a link whose key the controller has. The central sends nothing unencrypted any more (Core 5.4, Vol
    /// 6, Part B, 5.1.3.1), but on USB its data may arrive before Encryption Change.
    mutating func holdUntilEncrypted(_ fragment: Span<UInt8>, isStart: Bool, slot: Int, at now: Instant) {
        let handle = connections[slot].handle
        guard connections[slot].early.append(fragment, handle: handle, isStart: isStart, at: now) else {
            ignore()
            close(slot, reason: .remoteLowResources, at: now)
            return sendCommands(at: now)
        }
        if connections[slot].encryptionWaitEnd == nil {
            connections[slot].encryptionWaitEnd = now + HostLimits.encryptionWait
        }
    }

    /// Delivers the data held, under the security level that the link has now.
    mutating func endEncryptionWait(_ slot: Int, at now: Instant) {
        guard connections[slot].awaitsEncryption else { return }
        connections[slot].awaitsEncryption = false
        connections[slot].encryptionWaitEnd = nil
        deliverEarlyData(slot, at: now)
    }

    /// Handles a refusal of the key: the encryption does not change.
    mutating func keyReplyRefused(_ handle: UInt16, at now: Instant) {
        if let slot = slot(of: handle) { endEncryptionWait(slot, at: now) }
    }

    // MARK: - Actions

    /// Performs the actions of the Security Manager on a link. Must be called after each of its inputs.
    mutating func performSecurityActions(_ slot: Int, at now: Instant) {
        while let action = security.manager.nextAction() {
            if connections[slot].security.isOpen { perform(action, slot, at: now) }
        }
    }

    private mutating func perform(_ action: SecurityAction, _ slot: Int, at now: Instant) {
        let id = connections[slot].id
        switch action {
        case .send(let pdu): send(pdu, slot, at: now)
        case .displayPasskey(let passkey): emit(.displayPasskey(id, passkey))
        case .requestPasskey: emit(.requestPasskey(id))
        case .compare(let number): emit(.compare(id, number))
        case .levelChanged(let level):
            connections[slot].client.setSecurity(level)
            emit(.securityChanged(id, level))
        case .bondRemoved(let identity):
            forgetClientStates(of: identity)
            emit(.bondRemoved(id, identity))
        case .paired(let error):
            peerMayBeProven(slot, hasPaired: true, at: now)
            emit(.paired(id, storeError: error))
        case .failed(let failure): emit(.pairingFailed(id, failure))
        case .disconnect(let reason):
            sendData()  // why, if the controller has room: closing drops what waits
            close(slot, reason: reason, at: now)
        }
    }

    /// Queues a PDU. A central that continues without reading its answers is disconnected.
    private mutating func send(_ pdu: SecurityPDU, _ slot: Int, at now: Instant) {
        guard connections[slot].outbound.responses < HostLimits.waitingSecurityFrames else {
            return close(slot, reason: .remoteLowResources, at: now)
        }
        security.pdu.removeAll(keepingCapacity: true)
        pdu.append(to: &security.pdu)
        connections[slot].outbound.append(security.pdu, channel: .securityManager, isResponse: true)
    }
}
