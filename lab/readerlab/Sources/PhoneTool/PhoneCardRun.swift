// SPDX-License-Identifier: Apache-2.0

package import Commands
import Contactless
import ContactlessAir
import Crypto
import Glibc
package import Phone
import System
import Timekeeping

/// Runs the touches of a phone that plays the card in the field of an air.
package struct PhoneCardRun {
    /// The name of the phone in the air.
    private static let name = "phone"

    /// Presents the phone as often as the plan says. Returns the last failure.
    ///
    /// - Parameters:
    ///   - socket: the path of the field's socket.
    ///   - place: the reader, where the air has several.
    package static func visit(
        _ plan: PhoneVisitPlan, _ socket: String, _ view: inout PhoneVisitView
    ) throws(CommandError) -> VisitFailure? {
        var failure: VisitFailure?
        for number in 1...plan.visits {
            var presentation = CardPresentationPlan(socket: socket, name: name)
            presentation.timeout = plan.timeout
            let phone = PresentedPhone(plan, number: number, view)
            var random = SystemRandomSource()
            let octets = random.octets(3)
            // A phone has another identifier in each touch.
            let activation = CardActivation(random: (octets[0], octets[1], octets[2]))
            let run = try CardPresentation(phone, activation, presentation)
            let end = try run.run()
            view = run.card.view
            failure = run.card.failure ?? failure
            if end == .interrupted { break }
            // The reader serves the next touch once its field was empty.
            if number < plan.visits { pause(run.card.failure == nil ? plan.pauses.success : plan.pauses.failure) }
        }
        view.show(.finished, plan.task)
        return failure
    }

    private static func pause(_ duration: Duration) { usleep(UInt32(duration.wholeMilliseconds) * 1000) }
}

/// A phone in one touch.
private struct PresentedPhone: PresentedCard, ~Copyable {
    private var phone: PhoneCard<SystemRandomSource>
    private(set) var view: PhoneVisitView

    init(_ plan: PhoneVisitPlan, number: Int, _ view: PhoneVisitView) {
        phone = PhoneCard(plan, number: number, clock: .system, random: SystemRandomSource(), at: MonotonicClock.now)
        self.view = view
    }

    var failure: VisitFailure? { phone.failure }

    mutating func activated(by reader: String, at now: Instant) {
        phone.activated(at: now)
        show()
    }

    mutating func respond(to command: [UInt8], at now: Instant) -> [UInt8]? {
        defer { show() }
        return phone.respond(to: command, at: now)
    }

    mutating func released(at now: Instant) -> Bool {
        phone.released(at: now)
        show()
        return phone.isOver
    }

    mutating func ended(_ end: CardPresentationEnd, at now: Instant) {
        switch end {
        case .done: break
        case .untouched: phone.end(.notTouched, at: now)
        case .interrupted: phone.end(.interrupted, at: now)
        }
        show()
    }

    private mutating func show() { for notice in phone.takeNotices() { view.show(notice, phone.task) } }
}
