// SPDX-License-Identifier: Apache-2.0

/// The identity and the equipment of a peripheral device.
public struct OSDPConfiguration: Sendable {
    /// Address and speed at the start.
    public var line: OSDPLine
    /// The identity, which the panel may ask for in clear.
    public var identity: OSDPIdentity
    /// The number of inputs, at most `countLimit`, as of outputs and lights.
    public var inputs: Int
    /// The number of outputs.
    public var outputs: Int
    /// The number of lights.
    public var lights: Int
    /// The colours of a light.
    public var lightColors = LightColors.three
    /// True with a buzzer.
    public var hasBuzzer = true
    /// True with a display.
    public var hasDisplay = false
    /// The maximum size of a file in octets; 0 refuses files.
    public var fileLimit: UInt32 = 0
    /// The manufacturer operations (osdp_MFG) that the device answers, each the first octet of the data. A device whose
    /// identity has no vendor code answers none.
    public var manufacturerOperations: Set<UInt8> = []
    /// True if the outputs keep their state while the panel is silent. Otherwise they are switched off: a silent panel
    /// opens nothing.
    public var keepsOutputsOffline = false
    /// True if a device without a key refuses commands in clear as well. It then accepts only a session under the
    /// well-known key in an installation window, which can set the first key and nothing else.
    public var requiresKey = false
    /// False if the outputs report states of the device (`OSDPDevice.setOutput`): orders for them are refused with NAK
    /// 9.
    public var obeysOutputOrders = true

    /// The number of a timed light's colours; the raw value is the compliance level (annex B).
    public enum LightColors: UInt8, Sendable {
        case one = 2, two, three
    }

    /// The maximum number of inputs, outputs and lights, so that a report fits the shortest frame of a panel.
    public static let countLimit = 64

    /// Creates a configuration. Counts beyond the limit are clamped.
    public init(line: OSDPLine, identity: OSDPIdentity, inputs: Int = 0, outputs: Int = 0, lights: Int = 1) {
        self.line = line
        self.identity = identity
        self.inputs = min(max(inputs, 0), OSDPConfiguration.countLimit)
        self.outputs = min(max(outputs, 0), OSDPConfiguration.countLimit)
        self.lights = min(max(lights, 0), OSDPConfiguration.countLimit)
    }

    /// True for a manufacturer's message that the device answers.
    func answers(_ message: OSDPManufacturerData) -> Bool {
        identity.vendor != [0, 0, 0] && message.data.first.map(manufacturerOperations.contains) ?? false
    }

    /// The capabilities (annex B).
    func capabilities(takesWellKnownKey: Bool) -> [OSDPCapability] {
        let size = UInt16(OSDPFrame.lengthLimit)
        let (low, high) = (UInt8(truncatingIfNeeded: size), UInt8(truncatingIfNeeded: size >> 8))
        var list: [OSDPCapability] = []
        if inputs > 0 { list.append(OSDPCapability(.contactStatus, compliance: 1, count: UInt8(inputs))) }
        // On and off, and timed.
        if outputs > 0 { list.append(OSDPCapability(.outputControl, compliance: 3, count: UInt8(outputs))) }
        list.append(OSDPCapability(.cardFormat, compliance: 1, count: 0))
        if lights > 0 {
            list.append(OSDPCapability(.lights, compliance: lightColors.rawValue, count: UInt8(lights)))
        }
        if hasBuzzer { list.append(OSDPCapability(.buzzer, compliance: 2, count: 1)) }
        if hasDisplay { list.append(OSDPCapability(.text, compliance: 1, count: 1)) }
        list.append(OSDPCapability(.checkCharacter, compliance: 1, count: 0))
        list.append(OSDPCapability(.security, compliance: 1, count: takesWellKnownKey ? 1 : 0))
        list.append(OSDPCapability(.receiveSize, compliance: low, count: high))
        list.append(OSDPCapability(.largestMessage, compliance: low, count: high))
        list.append(OSDPCapability(.readers, compliance: 0, count: 1))
        list.append(OSDPCapability(.version, compliance: 2, count: 0))
        return list
    }
}
