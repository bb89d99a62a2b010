import Foundation
import RealmActors
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A process on a disk with failing syncs: it opens, writes, compacts and reopens until it is
/// killed, and checks after each reopening that everything it has acknowledged exists.
struct SurvivorRole: Sendable {
    let configuration: Realm.Configuration
    let compacts: Bool

    func run() async {
        while true {
            do {
                let realm = try await Realm.open(configuration)
                await live(with: realm)
                try await realm.close()
            } catch {
                await rest(after: error)
            }
        }
    }

    /// Several tasks write, until one of them detects that the store has to be reopened; then all
    /// of them wait for that.
    private func live(with realm: Realm) async {
        var acknowledged = 0
        for round in 0..<20 {
            acknowledged = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<3 { group.addTask { await write(to: realm) } }
                if compacts {
                    group.addTask {
                        do { try await realm.compact() } catch { await rest(after: error) }
                        return 0
                    }
                }
                return await group.reduce(acknowledged, max)
            }
            do {
                // Sometimes a store without a failure is closed and reopened as well.
                if realm.failure == nil, round.isMultiple(of: 5) { try await realm.close() }
                try await realm.reopen()
            } catch {
                return await rest(after: error)
            }
            if let problem = Ledger.problem(in: realm.snapshot(), acknowledged: acknowledged),
                realm.failure == nil
            {
                report(problem)
            }
        }
    }

    /// Writes until a write fails; returns the last acknowledged number.
    private func write(to realm: Realm) async -> Int {
        var last = 0
        for _ in 0..<40 {
            do {
                last = try await Ledger.write(realm)
                ChildProcess.acknowledge(last)
            } catch {
                await rest(after: error)
                return last
            }
        }
        return last
    }

    /// Errors of a failing, or removed, disk are expected.
    private func rest(after error: any Error) async {
        switch error as? RealmError {
        case .commitOutcomeUnknown, .durabilityLost, .io, .closed, .writerBusy, .alreadyOpen,
            .fileNotFound:
            try? await Task.sleep(for: .milliseconds(2))
        default: report("\(error)")
        }
    }

    private func report(_ problem: String) {
        say("problem \(problem)")
        exit(1)
    }
}
