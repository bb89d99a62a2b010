import Storage

/// Several hosts write one realm, on an engine and a network that fail as the seed says; hosts die,
/// are cut off and come back, and so does the engine; their disks are full for a time. What they
/// did and showed is judged by ``HostHistory/check()``.
package struct HostSchedule: Sendable {
    package var hosts = 3
    package var steps = 60
    package var faults = SimulatedSharedLog.Faults.all
    /// A mistake that is to be found.
    package var canary: HostCanary?
    /// Called with each event, to examine a seed that fails.
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
        /// How often faults have taken effect.
        package var faults: [HostFault: Int] = [:]
    }

    package init() {}

    /// What the hosts did so far.
    struct Run {
        let engine: SimulatedSharedLog.Engine
        let hosts: [SimulatedHost]
        var history = HostHistory()
        var random: SeededGenerator
        private var moment = 0
        private var number: Int64 = 0

        init(
            _ engine: SimulatedSharedLog.Engine, hosts count: Int, _ random: SeededGenerator
        ) {
            self.engine = engine
            self.random = random
            // Every second one has no memory, and catches up with a checkpoint for each group.
            hosts = (0..<count).map { number in
                SimulatedHost(engine, memoryBudget: number.isMultiple(of: 2) ? .max : 0)
            }
        }

        mutating func nextMoment() -> Int {
            moment += 1
            return moment
        }

        mutating func nextNumber() -> Int64 {
            number += 1
            return number
        }

        /// What the machine loses with a process; nil if that dies alone.
        mutating func nextPolicy() -> CrashPolicy? {
            let policies = CrashPolicy.allCases
            return random.oneIn(2) ? policies[random.next(below: policies.count)] : nil
        }

        /// Takes note of what a host shows, and of what its stream has delivered.
        mutating func note(_ number: Int) throws {
            let host = hosts[number]
            for element in try host.stream.takeElements() {
                note(number, .element, element.version, element.hash)
            }
            if let view = host.view() { note(number, .snapshot, view.version, view.hash) }
        }

        private mutating func note(
            _ number: Int, _ kind: HostHistory.Sight.Kind, _ version: Version, _ hash: Int64
        ) {
            history.sights.append(
                HostHistory.Sight(
                    kind: kind, host: number, opening: hosts[number].openings, version: version,
                    hash: hash))
        }
    }

    package func run(seed: UInt64) async throws -> Outcome {
        var random = SeededGenerator(seed: seed)
        let engine = SimulatedSharedLog.Engine(
            seed: random.next(), faults, waits: false, canary: canary)
        var run = Run(engine, hosts: hosts, random)
        for _ in 0..<steps {
            let number = run.random.next(below: hosts)
            try await step(number, &run)
            try run.note(number)
        }
        engine.faults = SimulatedSharedLog.Faults()
        engine.deliverAll()
        try await heal(&run)
        (run.history.base, run.history.log) = try await HostWitness.read(engine.entries())
        try run.history.check()
        let log = SimulatedSharedLog(engine)
        return Outcome(
            commits: run.history.log.count, images: try log.images().count,
            isTrimmed: try log.head().first > .first, imagesRead: engine.imagesRead,
            faults: engine.occurrences)
    }

    private func step(_ number: Int, _ run: inout Run) async throws {
        let host = run.hosts[number]
        if host.isDiskLimited, run.random.oneIn(4) {
            trace?("host \(number) has space again")
            host.limitDisk(leaving: nil)
        }
        guard host.store != nil else {
            trace?("host \(number) opens")
            _ = try host.open()
            return
        }
        switch run.random.next(below: 27) {
        case 0:
            let policy = run.nextPolicy()
            trace?("host \(number) dies, \(policy.map { "\($0)" } ?? "the process alone")")
            await host.crash(run.random.next(), policy)
        case 1:
            trace?("host \(number) closes")
            try await host.close()
        case 2:
            trace?("host \(number) is cut off")
            host.log.cutOff(forCalls: run.random.next(below: 30))
        case 3: try host.checkpoint()
        case 7, 8:
            trace?("host \(number) makes an image, if one is due")
            try host.makeImage()
        case 9 where run.random.oneIn(4):
            let part = run.random.next(below: 8)
            trace?("host \(number) dies at part \(part) of an image")
            await host.makeImage(dyingAtPart: part)
        case 10 where run.random.oneIn(4):
            trace?("host \(number) loses its folder")
            await host.crash(run.random.next(), nil)
            host.loseFolder()
        case 11 where run.random.oneIn(3): try await restart(number, &run)
        case 12:
            trace?("host \(number) takes a transaction back")
            try await quietly(host) { try await host.abandon() }
        case 22, 23: limitDisk(number, &run)
        case 24, 25: try await commitDying(number, &run)
        case 26 where run.random.oneIn(4): try await interruptReading(number, &run)
        case 4, 5, 6: try await refresh(number, &run)
        default: try await commit(number, &run)
        }
    }

    /// The engine loses its standbys while a host commits, is killed and comes back; perhaps a
    /// standby takes over later on, that has not got what was read meanwhile.
    private func restart(_ number: Int, _ run: inout Run) async throws {
        run.engine.areStandbysAway = true
        try await commit(number, &run)
        trace?("the server restarts")
        run.engine.restart()
        if run.random.oneIn(2) { try await refresh(run.random.next(below: hosts), &run) }
        if run.random.oneIn(2) { return }
        for number in 0..<hosts { try run.note(number) }
        trace?("a standby takes over")
        run.engine.failOver()
    }

    func refresh(_ number: Int, _ run: inout Run) async throws {
        let host = run.hosts[number]
        let begun = run.nextMoment()
        let isDone = try await quietly(host) { try await host.refresh() }
        guard isDone, let view = host.view() else { return }
        trace?("host \(number) has refreshed to \(view.version)")
        run.history.refreshes.append(HostHistory.Refresh(begun: begun, version: view.version))
    }

    /// False when the engine could not be reached, or the disk is full.
    @discardableResult
    private func quietly(
        _ host: SimulatedHost, _ call: () async throws -> Void
    ) async throws -> Bool {
        do {
            try await call()
            return true
        } catch StorageError.sharedLogUnavailable {
            return false
        } catch StorageError.outOfSpace where host.isDiskLimited {
            host.engine.note(.fullDisk)
            return false
        }
    }

    private func commit(_ number: Int, _ run: inout Run) async throws {
        let count = 1 + run.random.next(below: 3)
        try await commit(count, by: number, &run)
    }

    /// Commits by a host, which become durable together.
    func commit(_ count: Int, by number: Int, _ run: inout Run) async throws {
        let host = run.hosts[number]
        guard host.store != nil else { return }
        let numbers = (0..<(host.commitsSingly ? 1 : count)).map { _ in run.nextNumber() }
        let begun = run.nextMoment()
        var outcomes: [HostHistory.Commit.Outcome]
        do {
            outcomes = try await host.commit(numbers).map { .acknowledged($0) }
        } catch let error as StorageError {
            trace?("host \(number): \(error)")
            switch error {
            case .superseded, .sharedLogUnavailable: outcomes = numbers.map { _ in .refused }
            case .commitOutcomeUnknown: outcomes = numbers.map { _ in .unknown }
            // Nothing was appended anywhere.
            case .outOfSpace where host.isDiskLimited:
                run.engine.note(.fullDisk)
                outcomes = numbers.map { _ in .refused }
            default: throw error
            }
        }
        trace?("host \(number), commits \(numbers): \(outcomes)")
        let ended = run.nextMoment()
        for (number, outcome) in zip(numbers, outcomes) {
            run.history.commits.append(
                HostHistory.Commit(number: number, begun: begun, ended: ended, outcome: outcome))
        }
    }

    /// Lets all hosts show what they have in the end.
    private func heal(_ run: inout Run) async throws {
        // Once for each to settle what it is in doubt about, which appends something perhaps.
        for (number, host) in run.hosts.enumerated() {
            host.log.heal()
            host.limitDisk(leaving: nil)
            if host.store == nil, try !host.open() {
                throw Violation("host \(number) cannot be opened")
            }
            try await host.refresh()
        }
        var last: SimulatedHost.View?
        for (number, host) in run.hosts.enumerated() {
            try await host.refresh()
            try run.note(number)
            let view = host.view()
            if let last, let view, last != view {
                throw Violation("host \(number) has \(view), another one \(last)")
            }
            last = view
            try host.verify()
        }
        for host in run.hosts { try await host.close() }
    }
}
