// SPDX-License-Identifier: Apache-2.0

extension Host {
    /// Changes a static value of a device for all its links.
    ///
    /// - Parameter value: At most the maximum length of the attribute.
    /// - Parameter device: The index of the device; an unknown device has no handles.
    /// - Throws: `AttributeValueError`.
    public mutating func setValue(
        _ value: Span<UInt8>, of handle: AttributeHandle, device: Int = 0
    ) throws(AttributeValueError) {
        guard servers.indices.contains(device) else { throw .unknownHandle }
        try servers[device].setValue(value, of: handle)
    }
}
