import Storage

/// Several hosts write one realm, on an engine and a network that fail as the seed says; hosts die,
/// are cut off and come back. What was acknowledged is there exactly once, what was refused never,
/// what is unknown at most once, and every reader of every host has seen a prefix of one order.
package struct HostSchedule: Sendable {
    package var hosts = 3
    package var steps = 60
    package var faults = SimulatedSharedLog.Faults.all
    /// Told what happens, to look into a seed that fails.
    package var trace: (@Sendable (String) -> Void)?

    /// What a schedule has come to.
    package struct Outcome: Sendable {
        /// Commits that were acknowledged.
        package var commits = 0
        /// Images that are in the log at its end, and whether entries were trimmed.
        package var images = 0
        package var isTrimmed = false
        /// How often a host went on from an image, or began with one.
        package var imagesRead = 0
    }

    package init() {}

    /// What became of commits, and what readers saw.
    private struct Record {
        var acknowledged: [(number: Int64, version: Version)] = []
        var unknown: Set<Int64> = []
        var refused: Set<Int64> = []
        var views: [Version: [Int64]] = [:]
        var next: Int64 = 1

        mutating func note(_ view: SimulatedHost.View?) throws {
            guard let view else { return }
            let known = views.updateValue(view.commits, forKey: view.version)
            if let known, known != view.commits {
                throw Violation("version \(view.version) is \(known) and \(view.commits)")
            }
        }
    }

    package func run(seed: UInt64) async throws -> Outcome {
        var random = SeededGenerator(seed: seed)
        let engine = SimulatedSharedLog.Engine(seed: random.next(), faults, waits: false)
        let all = (0..<hosts).map { _ in SimulatedHost(engine) }
        var record = Record()
        for _ in 0..<steps {
            let number = random.next(below: all.count)
            try await step(number, all[number], &record, &random)
            try record.note(try all[number].view())
        }
        engine.faults = SimulatedSharedLog.Faults()
        engine.deliverAll()
        try await judge(all, record)
        let log = SimulatedSharedLog(engine)
        return Outcome(
            commits: record.acknowledged.count, images: try log.images().count,
            isTrimmed: try log.head().first > .first, imagesRead: engine.imagesRead)
    }

    private func step(
        _ number: Int, _ host: SimulatedHost, _ record: inout Record,
        _ random: inout SeededGenerator
    ) async throws {
        guard host.store != nil else {
            trace?("host \(number) opens")
            _ = try host.open()
            return
        }
        switch random.next(below: 20) {
        case 0:
            let policies = CrashPolicy.allCases
            let policy = random.oneIn(2) ? policies[random.next(below: policies.count)] : nil
            trace?("host \(number) dies, \(policy.map { "\($0)" } ?? "the process alone")")
            await host.crash(random.next(), policy)
        case 1:
            trace?("host \(number) closes")
            try await host.close()
        case 2:
            trace?("host \(number) is cut off")
            host.log.cutOff(forCalls: random.next(below: 30))
        case 3: try host.checkpoint()
        case 7, 8:
            trace?("host \(number) makes an image, if one is due")
            try host.makeImage()
        case 9 where random.oneIn(4):
            let part = random.next(below: 8)
            trace?("host \(number) dies at part \(part) of an image")
            await host.makeImage(dyingAtPart: part)
        case 10 where random.oneIn(4):
            trace?("host \(number) loses its folder")
            await host.crash(random.next(), nil)
            host.loseFolder()
        case 4, 5, 6: try await refresh(number, host, &record)
        default: try await commit(number, host, &record)
        }
    }

    private func refresh(
        _ number: Int, _ host: SimulatedHost, _ record: inout Record
    ) async throws {
        let wanted = Set(record.acknowledged.map(\.number))
        do {
            try await host.refresh()
        } catch StorageError.sharedLogUnavailable {
            return
        }
        trace?("host \(number) has refreshed")
        let missing = wanted.subtracting(try host.view()?.commits ?? [])
        if !missing.isEmpty { throw Violation("\(missing) are missing after a refresh") }
    }

    private func commit(
        _ number: Int, _ host: SimulatedHost, _ record: inout Record
    ) async throws {
        let commit = record.next
        record.next += 1
        let last = record.acknowledged.last?.version ?? .zero
        do {
            guard let version = try await host.commit(commit) else { return }
            trace?("host \(number) has committed \(commit) as \(version)")
            guard version > last else {
                throw Violation("version \(version) was begun after \(last) was acknowledged")
            }
            record.acknowledged.append((commit, version))
        } catch let error as StorageError {
            trace?("host \(number), commit \(commit): \(error)")
            switch error {
            case .superseded, .sharedLogUnavailable: record.refused.insert(commit)
            case .commitOutcomeUnknown: record.unknown.insert(commit)
            default: throw error
            }
        }
    }

    /// Compares what all hosts have in the end with what they told.
    private func judge(_ all: [SimulatedHost], _ record: Record) async throws {
        var record = record
        var last: SimulatedHost.View?
        // Once for each to settle what it is in doubt about, which appends something perhaps.
        for (number, host) in all.enumerated() {
            host.log.heal()
            if host.store == nil, try !host.open() {
                throw Violation("host \(number) cannot be opened")
            }
            try await host.refresh()
        }
        for (number, host) in all.enumerated() {
            try await host.refresh()
            guard let view = try host.view() else { continue }
            if let last, last != view {
                throw Violation("host \(number) has \(view), another one \(last)")
            }
            last = view
            try record.note(view)
            try host.verify()
        }
        let commits = last?.commits ?? []
        let present = Set(commits)
        guard present.count == commits.count else { throw Violation("\(commits) repeats one") }
        for (number, version) in record.acknowledged {
            guard present.contains(number) else {
                throw Violation("commit \(number), version \(version), is gone")
            }
        }
        let returned = present.intersection(record.refused)
        if !returned.isEmpty { throw Violation("\(returned) were refused, and are there") }
        for (version, seen) in record.views where !commits.starts(with: seen) {
            throw Violation("version \(version) was \(seen), which is no prefix of \(commits)")
        }
        for host in all { try await host.close() }
    }
}
