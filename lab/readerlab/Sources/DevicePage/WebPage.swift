// SPDX-License-Identifier: Apache-2.0

/// The page in the browser: the files of Client, which are compiled into the program.
struct WebPage {
    /// The view of a program (Client/page.js).
    enum View: String {
        /// An emulated device, or pins.
        case device
        /// A floor plan: an air with its places, or a scenario.
        case site
        /// A running reader.
        case reader
        /// The readers of a fleet.
        case fleet
    }

    /// A file, with its path as the raw value.
    enum Part: String, CaseIterable {
        case document = "/"
        case style = "/page.css"
        case siteStyle = "/site.css"
        case viewStyle = "/views.css"
        case script = "/page.js"
        case commands = "/commands.js"
        case connection = "/connection.js"
        case device = "/device.js"
        case door = "/door.js"
        case elements = "/elements.js"
        case faults = "/faults.js"
        case faultWords = "/fault-words.js"
        case findings = "/findings.js"
        case fleet = "/fleet.js"
        case links = "/links.js"
        case reader = "/reader.js"
        case gate = "/gate.js"
        case plan = "/plan.js"
        case planPhones = "/plan-phones.js"
        case planReaders = "/plan-readers.js"
        case planWalls = "/plan-walls.js"
        case site = "/site.js"
        case siteLines = "/site-lines.js"
        case sitePeople = "/site-people.js"
        case siteReader = "/site-reader.js"
        case siteTime = "/site-time.js"
        case strip = "/strip.js"
        case timeline = "/timeline.js"

        /// The media type.
        var type: String {
            switch self {
            case .document: "text/html; charset=utf-8"
            case .style, .siteStyle, .viewStyle: "text/css; charset=utf-8"
            default: "text/javascript; charset=utf-8"
            }
        }

        /// The content.
        var octets: [UInt8] {
            switch self {
            case .document: PackageResources.index_html
            case .style: PackageResources.page_css
            case .siteStyle: PackageResources.site_css
            case .viewStyle: PackageResources.views_css
            case .script: PackageResources.page_js
            case .commands: PackageResources.commands_js
            case .connection: PackageResources.connection_js
            case .device: PackageResources.device_js
            case .door: PackageResources.door_js
            case .elements: PackageResources.elements_js
            case .faults: PackageResources.faults_js
            case .faultWords: PackageResources.fault_words_js
            case .findings: PackageResources.findings_js
            case .fleet: PackageResources.fleet_js
            case .links: PackageResources.links_js
            case .reader: PackageResources.reader_js
            case .gate: PackageResources.gate_js
            case .plan: PackageResources.plan_js
            case .planPhones: PackageResources.plan_phones_js
            case .planReaders: PackageResources.plan_readers_js
            case .planWalls: PackageResources.plan_walls_js
            case .site: PackageResources.site_js
            case .siteLines: PackageResources.site_lines_js
            case .sitePeople: PackageResources.site_people_js
            case .siteReader: PackageResources.site_reader_js
            case .siteTime: PackageResources.site_time_js
            case .strip: PackageResources.strip_js
            case .timeline: PackageResources.timeline_js
            }
        }
    }
}
