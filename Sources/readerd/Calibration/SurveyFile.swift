// SPDX-License-Identifier: Apache-2.0

import GateTrial
import Octets
import System

/// The file of a site's walks, which grows from day to day.
struct SurveyFile {
    /// The maximum size in octets: 600 walks of the longest time.
    static let maximumCount = 16 << 20

    let path: String
    /// The walks, in order.
    private(set) var walks: [RSSITrace] = []

    /// Reads the walks at `path`; none if there is no file yet.
    init(_ path: String) throws(ReaderdError) {
        self.path = path
        guard let contents = try FileContents.read(path, maximumCount: SurveyFile.maximumCount) else { return }
        do throws(TraceFault) {
            walks = try RSSITrace.parse(contents.octets, source: path)
        } catch {
            throw .failed("\(path):\(error)")
        }
        guard let other = walks.first(where: { $0.place == nil }) else { return }
        throw .failed(
            "\(path): trace \(other.name.printable) is no walk of a survey; name another file with --traces")
    }

    /// Adds a walk, and writes the file.
    mutating func add(_ readings: [RSSITrace.Reading], at place: SiteSurvey.Place) throws(ReaderdError) {
        var number = walks.count { $0.place == place } + 1
        while walks.contains(where: { $0.name == "\(place.rawValue)-\(number)" }) { number += 1 }
        walks.append(
            RSSITrace(
                source: path, name: "\(place.rawValue)-\(number)", condition: place.rawValue, readings: readings))
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: RSSITrace.file(walks)) } catch {
            throw .file(path, "write it", errno: error.errno, remedy: "name another file with --traces")
        }
    }
}
