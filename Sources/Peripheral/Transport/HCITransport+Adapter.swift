// SPDX-License-Identifier: Apache-2.0

import CHCI
import CLinux
import Glibc

/// The user channel of an adapter of Linux.
extension HCITransport {
    /// The maximum number of adapters that are looked at.
    private static let maximumAdapters = 64

    /// A socket bound to the user channel of the adapter with this name, which is looked up at each call. An adapter
    /// that is up is refused or, with `takeAdapter`, taken down first; no other adapter is.
    ///
    /// - Throws: `TransportError`.
    public static func bindAdapter(_ name: AdapterName, takeAdapter: Bool) throws(TransportError) -> CInt {
        do throws(TransportFault) { return try openAdapter(name, takeAdapter: takeAdapter) } catch {
            throw TransportError(transport: .hciSocket(name), fault: error)
        }
    }

    static func openAdapter(_ name: AdapterName, takeAdapter: Bool) throws(TransportFault) -> CInt {
        // A separate socket for queries: one bound to the user channel does not support them.
        let control = try adapter(readerd_hci_socket())
        defer { readerd_close(control) }
        let index = try number(of: name, control)
        if try adapter(readerd_hci_is_up(control, index)) != 0 {
            guard try adapter(readerd_hci_is_taken(control, index)) == 0 else { throw .adapterIsTaken }
            guard takeAdapter else { throw .adapterIsUp }
            _ = try adapter(readerd_hci_down(control, index))
        }
        let descriptor = try adapter(readerd_hci_socket())
        do throws(TransportFault) {
            _ = try adapter(readerd_hci_bind_user_channel(descriptor, index))
            // The number may have become another adapter's since it was looked up.
            guard try number(of: name, control) == index else { throw TransportFault.adapterIsBusy }
        } catch {
            readerd_close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func number(of name: AdapterName, _ control: CInt) throws(TransportFault) -> UInt16 {
        if case .number(let number) = name { return number }
        var numbers = [UInt16](repeating: 0, count: maximumAdapters)
        let count = try adapter(readerd_hci_list(control, &numbers, UInt16(numbers.count)))
        var present: [PresentAdapter] = []
        for number in numbers.prefix(Int(count)) {
            var address: UInt64 = 0
            // Skips an adapter that was removed since.
            guard readerd_hci_get_address(control, number, &address) >= 0 else { continue }
            present.append(PresentAdapter(number: number, address: address, devicePath: devicePath(number)))
        }
        return try name.number(among: present)
    }

    /// The target of the adapter's link in sysfs; empty if it cannot be read.
    private static func devicePath(_ number: UInt16) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/sys/class/bluetooth/hci\(number)", &path, path.count)
        return String(decoding: path.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func adapter(_ result: CInt) throws(TransportFault) -> CInt {
        guard result >= 0 else { throw TransportFault.ofAdapter(-result) }
        return result
    }
}
