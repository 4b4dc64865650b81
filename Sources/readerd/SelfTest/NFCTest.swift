import Reader

/// Looks at the NFC front end.
enum NFCTest {
    /// What becomes of it. This version has no NFC: what drives a chip answers here.
    static func outcome(_ settings: ReaderSettings) -> SelfTestOutcome {
        guard settings.nfc.connection != nil else { return .notConfigured("there is no nfc.connection") }
        return .failed("nfc.connection names a chip, and this version of readerd has no NFC; remove the key")
    }
}
