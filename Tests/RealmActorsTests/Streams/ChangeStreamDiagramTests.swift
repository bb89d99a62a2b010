import Testing

@testable import RealmActors

/// The stream's state machine as timing diagrams: one column per tick.
///
/// Commits: `c` a commit, `e` an error, `x` the realm closes. Consumer: `n` asks for the next
/// element, `t` takes what came, `d` drops the iterator or is cancelled. Told, in the same tick:
/// `!` something is due, `|` the end, `E` the error, `O` the overflow.
@Suite struct ChangeStreamDiagramTests {
    @Test(arguments: [
        // Asking first: the next commit wakes the consumer.
        Diagram(commits: "-c--c-", consumer: "n--n--", told: "-!--!-"),
        // Committing first: the consumer continues at once.
        Diagram(commits: "c-----", consumer: "--n---", told: "--!---"),
        // Many commits while nobody asks are one element.
        Diagram(commits: "ccc---", consumer: "---nn-", told: "---!--"),
        // Commits between waking and taking belong to this element.
        Diagram(commits: "-cc---", consumer: "n--tn-", told: "-!----"),
        Diagram(commits: "-c--c-", consumer: "n-t--n", told: "-!---!"),
        // Releasing the iterator ends a waiting consumer, and nothing is delivered later.
        Diagram(commits: "---c--", consumer: "n-d-nn", told: "--|-||"),
        Diagram(commits: "c-----", consumer: "-d-n--", told: "---|--"),
        // An error is delivered once, then the stream has ended.
        Diagram(commits: "--e---", consumer: "n--nn-", told: "--E||-"),
        Diagram(commits: "e-----", consumer: "--nn--", told: "--E|--"),
        Diagram(commits: "ec----", consumer: "--nn--", told: "--E|--"),
        // Closing ends it without an error.
        Diagram(commits: "-x----", consumer: "n-n---", told: "-||---"),
        Diagram(commits: "x-----", consumer: "-n----", told: "-|----"),
        Diagram(commits: "xe----", consumer: "---nn-", told: "---||-"),
    ])
    func diagram(_ diagram: Diagram) {
        #expect(diagram.run() == diagram.told, "\(diagram)")
    }

    @Test(arguments: [
        // Each commit is an element of its own.
        Diagram(commits: "ccc---", consumer: "---nnn", told: "---!!!", limit: 3),
        Diagram(commits: "-cc---", consumer: "n--n-n", told: "-!-!--", limit: 1),
        // What was handed over makes room.
        Diagram(commits: "c-c---", consumer: "-n-n--", told: "-!-!--", limit: 1),
        // Beyond the limit the due elements are delivered, then the overflow, once; later commits
        // are not.
        Diagram(commits: "ccc---", consumer: "---nnn", told: "---!!O", limit: 2),
        Diagram(commits: "cccc--", consumer: "---nn-", told: "---!O-", limit: 1),
        Diagram(commits: "ccc-c-", consumer: "---n-n", told: "---!-O", limit: 1),
        Diagram(commits: "cc---c", consumer: "--nnnn", told: "--!O||", limit: 1),
        // An error and the end come behind what is due.
        Diagram(commits: "ce----", consumer: "--nnn-", told: "--!E|-", limit: 2),
        Diagram(commits: "cx----", consumer: "--nn--", told: "--!|--", limit: 2),
        // Dropping the iterator drops what is due.
        Diagram(commits: "cc----", consumer: "--d-n-", told: "----|-", limit: 2),
    ])
    func everyVersion(_ diagram: Diagram) {
        #expect(diagram.run() == diagram.told, "\(diagram)")
    }

    @Test func theFirstElementOfEveryVersionDoesNotCountForTheLimit() {
        var machine = ChangeStreamStateMachine<Int>(
            isDue: false, buffering: .everyVersion(bufferLimit: 1))
        _ = machine.committed()
        machine.begin()
        for _ in 0..<2 {
            guard case .proceed(.due) = machine.next(0) else {
                Issue.record("expected two elements")
                return
            }
        }
        guard case .wait = machine.next(0) else {
            Issue.record("expected nothing more")
            return
        }
    }

    @Test func dueStreamsGoOnAtOnce() {
        let diagram = Diagram(commits: "----", consumer: "n-n-", told: "!---", startsDue: true)
        #expect(diagram.run() == diagram.told)
    }

    @Test func finishingTwiceUnsubscribesOnce() {
        var machine = ChangeStreamStateMachine<Int>(isDue: false)
        #expect(machine.finish().unsubscribe)
        #expect(!machine.finish().unsubscribe)
    }
}

struct Diagram: Sendable, CustomStringConvertible {
    let commits: String
    let consumer: String
    let told: String
    var startsDue = false
    /// Of a stream that delivers every version.
    var limit: Int?

    var description: String { "\n\(commits)\n\(consumer)\n\(told)" }

    func run() -> String {
        var machine = ChangeStreamStateMachine<Int>(
            isDue: startsDue,
            buffering: limit.map { .everyVersion(bufferLimit: $0) } ?? .latest)
        var result = ""
        for (tick, (commit, action)) in zip(commits, consumer).enumerated() {
            var told: ChangeStreamSignal?
            switch commit {
            case "c": if case .wake = machine.committed() { told = .due }
            case "e": told = machine.ended(.closed)?.signal
            case "x": told = machine.ended(nil)?.signal
            default: break
            }
            switch action {
            case "n": if case .proceed(let signal) = machine.next(tick) { told = signal }
            case "t": machine.taken()
            case "d": if machine.finish().waiter != nil { told = .finished }
            default: break
            }
            switch told {
            case .due: result += "!"
            case .finished: result += "|"
            case .failed(.streamOverflow): result += "O"
            case .failed: result += "E"
            case nil: result += "-"
            }
        }
        return result
    }
}
