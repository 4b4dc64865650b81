import Logging
import Peripheral
import Reader

/// Is the reader until a signal ends it; the exit status.
func run(
    _ options: RunOptions, settings: ReaderSettings, transport: TransportName, identity: ReaderIdentity,
    addresses: AddressBook, log: Logger
) -> Int32 {
    log.error("this build has no run loop yet: it checked its configuration, identity and state, and ends")
    return 1
}
