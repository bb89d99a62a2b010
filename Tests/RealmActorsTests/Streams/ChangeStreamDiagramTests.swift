import Testing

@testable import RealmActors

/// The stream's state machine as timing diagrams: one column per tick.
///
/// Commits: `c` a commit, `e` an error, `x` the realm closes. Consumer: `n` requests the next
/// element, `t` takes all commits, `d` releases the iterator or is cancelled. Signals of the same
/// tick: `!` something is due, `|` the end, `E` the error, `O` the overflow.
@Suite struct ChangeStreamDiagramTests {
    @Test(arguments: [
        // The request is first: the next commit wakes the consumer.
        Diagram(commits: "-c--c-", consumer: "n--n--", signals: "-!--!-"),
        // The commit is first: the consumer continues at once.
        Diagram(commits: "c-----", consumer: "--n---", signals: "--!---"),
        // Many commits before a request are one element.
        Diagram(commits: "ccc---", consumer: "---nn-", signals: "---!--"),
        // Commits between waking and taking belong to this element.
        Diagram(commits: "-cc---", consumer: "n--tn-", signals: "-!----"),
        Diagram(commits: "-c--c-", consumer: "n-t--n", signals: "-!---!"),
        // Releasing the iterator ends a waiting consumer, and nothing is delivered later.
        Diagram(commits: "---c--", consumer: "n-d-nn", signals: "--|-||"),
        Diagram(commits: "c-----", consumer: "-d-n--", signals: "---|--"),
        // An error is delivered once, then the stream has ended.
        Diagram(commits: "--e---", consumer: "n--nn-", signals: "--E||-"),
        Diagram(commits: "e-----", consumer: "--nn--", signals: "--E|--"),
        Diagram(commits: "ec----", consumer: "--nn--", signals: "--E|--"),
        // Closing ends it without an error.
        Diagram(commits: "-x----", consumer: "n-n---", signals: "-||---"),
        Diagram(commits: "x-----", consumer: "-n----", signals: "-|----"),
        Diagram(commits: "xe----", consumer: "---nn-", signals: "---||-"),
    ])
    func diagram(_ diagram: Diagram) {
        #expect(diagram.run() == diagram.signals, "\(diagram)")
    }

    @Test(arguments: [
        // Each commit is an element of its own.
        Diagram(commits: "ccc---", consumer: "---nnn", signals: "---!!!", limit: 3),
        Diagram(commits: "-cc---", consumer: "n--n-n", signals: "-!-!--", limit: 1),
        // What was handed over makes room.
        Diagram(commits: "c-c---", consumer: "-n-n--", signals: "-!-!--", limit: 1),
        // Beyond the limit the due elements are delivered, then the overflow, once; later commits
        // are not.
        Diagram(commits: "ccc---", consumer: "---nnn", signals: "---!!O", limit: 2),
        Diagram(commits: "cccc--", consumer: "---nn-", signals: "---!O-", limit: 1),
        Diagram(commits: "ccc-c-", consumer: "---n-n", signals: "---!-O", limit: 1),
        Diagram(commits: "cc---c", consumer: "--nnnn", signals: "--!O||", limit: 1),
        // An error and the end follow what is due.
        Diagram(commits: "ce----", consumer: "--nnn-", signals: "--!E|-", limit: 2),
        Diagram(commits: "cx----", consumer: "--nn--", signals: "--!|--", limit: 2),
        // Releasing the iterator discards what is due.
        Diagram(commits: "cc----", consumer: "--d-n-", signals: "----|-", limit: 2),
    ])
    func everyVersion(_ diagram: Diagram) {
        #expect(diagram.run() == diagram.signals, "\(diagram)")
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

    @Test func dueStreamsContinueAtOnce() {
        let diagram = Diagram(commits: "----", consumer: "n-n-", signals: "!---", startsDue: true)
        #expect(diagram.run() == diagram.signals)
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
    let signals: String
    var startsDue = false
    /// Of a stream that delivers every version.
    var limit: Int?

    var description: String { "\n\(commits)\n\(consumer)\n\(signals)" }

    func run() -> String {
        var machine = ChangeStreamStateMachine<Int>(
            isDue: startsDue,
            buffering: limit.map { .everyVersion(bufferLimit: $0) } ?? .latest)
        var result = ""
        for (tick, (commit, action)) in zip(commits, consumer).enumerated() {
            var sent: ChangeStreamSignal?
            switch commit {
            case "c": if case .wake = machine.committed() { sent = .due }
            case "e": sent = machine.ended(.closed)?.signal
            case "x": sent = machine.ended(nil)?.signal
            default: break
            }
            switch action {
            case "n": if case .proceed(let signal) = machine.next(tick) { sent = signal }
            case "t": machine.taken()
            case "d": if machine.finish().waiter != nil { sent = .finished }
            default: break
            }
            switch sent {
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
