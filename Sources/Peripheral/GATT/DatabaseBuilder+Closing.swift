// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets

/// The steps that require the complete database.
extension DatabaseBuilder {
    mutating func closeServices() throws(DatabaseError) {
        for (position, service) in services.enumerated() {
            let following = position + 1 < services.count ? services[position + 1].index : attributes.count
            let last = attributes[following - 1].handle
            let end = service.explicitEnd ?? last
            let handle = AttributeHandle(rawValue: attributes[service.index].handle)
            guard end >= last, following == attributes.count || end < attributes[following].handle else {
                throw .invalidServiceEnd(handle)
            }
            attributes[service.index].groupEnd = end
        }
    }

    /// Sets the end of each characteristic: before the next one, or with its service (Core 5.4, Vol 3, Part G, 2.5.3,
    /// 3.3).
    mutating func closeCharacteristics() {
        for (position, service) in services.enumerated() {
            let following = position + 1 < services.count ? services[position + 1].index : attributes.count
            var end = attributes[service.index].groupEnd
            for index in (service.index..<following).reversed() where attributes[index].type == .characteristic {
                attributes[index].groupEnd = end
                end = attributes[index].handle - 1
            }
        }
    }

    /// Completes the Include declarations. The UUID is part of the value only if it has 16 bits (Core 5.4, Vol 3, Part
    /// G, 3.2).
    mutating func resolveIncludes() throws(DatabaseError) {
        for include in includes {
            guard let service = services.first(where: { attributes[$0.index].handle == include.service.rawValue })
            else {
                throw .unknownService(include.service)
            }
            let target = attributes[service.index]
            var value: [UInt8] = []
            value.append(littleEndian: target.handle)
            value.append(littleEndian: target.groupEnd)
            if target.count == 2 { value += values[target.valueRange] }
            let offset = attributes[include.index].offset
            values.replaceSubrange(offset..<offset + value.count, with: value)
            attributes[include.index].count = value.count
        }
    }
    /// Marks the values that may be written with others according to the Extended Properties of their characteristic
    /// (Core 5.4, Vol 3, Part G, 3.3.3.1).
    mutating func markReliableValues() {
        for declaration in attributes.indices where attributes[declaration].type == .characteristic {
            let end = attributes[declaration].groupEnd
            var index = declaration + 2
            while index < attributes.count, attributes[index].handle <= end {
                let attribute = attributes[index]
                if attribute.type == .extendedProperties, attribute.count > 0,
                    values[attribute.offset] & DatabaseBuilder.reliableWrite != 0
                {
                    attributes[declaration + 1].isReliable = true
                }
                index += 1
            }
        }
    }

    /// The database with its hash, which is also the value of the Database Hash characteristic.
    func database(
        configurations: [AttributeDatabase.Configuration]
    ) throws(DatabaseError) -> AttributeDatabase {
        var hash = DatabaseHash.zero
        var database = AttributeDatabase(
            attributes: attributes, values: values, configurations: configurations, own: own, hash: hash)
        do throws(CryptoError) {
            hash = try DatabaseHash(of: DatabaseHash.message(database))
        } catch { throw .hashUnavailable }
        database.hash = hash
        if own.databaseHash >= 0 { database.store(hash.octets.span, at: own.databaseHash) }
        return database
    }
}
