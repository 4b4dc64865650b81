extension Host {
    /// Changes a stored value that clients read. It is not notified. Throws if there is no such value, or it is too
    /// long.
    public mutating func setValue(_ value: Span<UInt8>, of handle: AttributeHandle) throws(AttributeValueError) {
        try gatt.setValue(value, of: handle)
    }
}
