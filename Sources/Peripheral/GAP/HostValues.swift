extension Host {
    /// Changes a stored value of one device, the first one if none is given, for all its links; at most to the length
    /// that the attribute was given. A device that there is not has no handles.
    public mutating func setValue(
        _ value: Span<UInt8>, of handle: AttributeHandle, device: Int = 0
    ) throws(AttributeValueError) {
        guard servers.indices.contains(device) else { throw .unknownHandle }
        try servers[device].setValue(value, of: handle)
    }
}
