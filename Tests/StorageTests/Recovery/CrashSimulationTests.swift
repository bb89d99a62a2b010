import StorageHarness
import Testing

@testable import Storage

/// Random workloads, power failures and reopenings on the simulated disk, driven by the pipeline as
/// in a store. After each power failure, the log has a prefix of the submitted commits that
/// includes all acknowledged ones.
@Suite struct CrashSimulationTests {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    @Test func keepsWhatWasAcknowledged() throws {
        for seed in testSeeds(150) {
            do {
                try Self.run(seed: seed)
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
        }
    }

    static func run(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        var oracle = Oracle()
        for _ in 0..<4 {
            // Faults also occur while the log is being opened.
            let callLimit = 2 + random.next(below: 120)
            let kind = SimulatedDisk.Fault.Kind.allCases[random.next(below: 4)]
            disk.resetCalls()
            disk.inject(.init(kind, call: callLimit, isLasting: random.next(below: 2) == 0))
            try? session(disk, &oracle, &random)
            if random.next(below: 4) > 0 {
                disk.crash(seed: random.next())
            } else {
                disk.resetCalls()
            }
            do {
                try oracle.check(OpenedLog(disk, "store.realm", LogOptions.small.reading).commits)
            } catch StorageError.fileNotFound where oracle.acknowledged == 0 {
                // The store was not even created.
            }
            let opened = try OpenedLog(disk)
            try oracle.check(opened.commits)
            oracle.adopt(opened.commits)
            try opened.append([oracle.submit(length: 30)])
            oracle.acknowledged = oracle.submitted.count
            if random.next(below: 2) == 0 { try opened.log.close() }
            disk.crash(seed: random.next())
        }
        try oracle.check(OpenedLog(disk).commits)
    }

    /// Opens the log, and appends groups through the pipeline until a fault or the end.
    private static func session(
        _ disk: SimulatedDisk, _ oracle: inout Oracle, _ random: inout SeededGenerator
    ) throws {
        let opened = try OpenedLog(disk)
        try oracle.check(opened.commits)
        oracle.adopt(opened.commits)
        var pipeline = CommitPipeline<Int>()
        let group = CommitGroupBuffer(capacity: 1024)
        for _ in 0..<random.next(below: 40) {
            var takes = false
            for _ in 0...random.next(below: 3) {
                try pipeline.beginBody()
                let length = random.next(below: 30) == 0 ? 12_000 : random.next(below: 400)
                let commit = oracle.submit(length: length)
                try group.append(commit)
                if pipeline.endBody(commit: commit.version, waiter: oracle.submitted.count)
                    == .takeGroup
                {
                    takes = true
                }
            }
            guard takes else { throw Violation(description: "nothing was offered") }
            _ = pipeline.takeGroup()
            do {
                try opened.log.append(group)
            } catch .outOfSpace {
                _ = pipeline.groupRefused(.outOfSpace(path: ""))
                oracle.submitted.removeLast(group.recordCount)
                group.reset()
                continue
            }
            oracle.acknowledged = Int(pipeline.groupSynced().version.rawValue)
            group.reset()
        }
        if random.next(below: 3) == 0 { try opened.log.close() }
    }
}

/// The submitted commits, and how many of them were acknowledged.
struct Oracle {
    var submitted: [TestCommit] = []
    var acknowledged = 0

    mutating func submit(length: Int) -> TestCommit {
        let commit = TestCommit(UInt64(submitted.count + 1), length: length)
        submitted.append(commit)
        return commit
    }

    func check(_ commits: [TestCommit]) throws {
        guard commits.count >= acknowledged else {
            throw CrashSimulationTests.Violation(
                description: "\(acknowledged) acknowledged, \(commits.count) recovered")
        }
        guard commits == Array(submitted.prefix(commits.count)) else {
            throw CrashSimulationTests.Violation(description: "not a prefix of what was submitted")
        }
    }

    /// Everything that a writable opening has found is durable; all other commits are lost.
    mutating func adopt(_ commits: [TestCommit]) {
        submitted = commits
        acknowledged = commits.count
    }
}
