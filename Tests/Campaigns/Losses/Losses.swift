import Foundation
import RealmActors
import Storage
import StorageHarness

extension Campaign {
    /// Real processes on a file system that loses unsynced data in power failures.
    static let losses = Campaign(
        id: "C20", title: "power lost beneath real processes", unit: "losses", shortCount: { 12 }
    ) { seed, options in
        #if os(Linux)
            try await withTemporaryDirectory { directory in
                var random = SeededGenerator(seed: seed)
                let loss = try LossCase(seed: seed, directory: directory, &random)
                return try await loss.run(&random, isVerbose: options.isVerbose)
            }
        #else
            if seed == 0 { say("C20: needs Linux, SKIPPED") }
            return 0
        #endif
    }
}

#if os(Linux)
    /// One disk that loses power several times while one to three processes write to a store.
    private struct LossCase: Sendable {
        static let losses = 6

        let seed: UInt64
        /// The path at which the disk is mounted.
        let mountPath: String
        let processes: Int
        let isSealed: Bool
        let compacts: Bool
        /// One in so many syncs fails; none if 0.
        let failingSyncs: Int
        /// Whether the disk loses synced data: then something must be missing.
        let isCanary: Bool

        init(seed: UInt64, directory: String, _ random: inout SeededGenerator) throws {
            self.seed = seed
            mountPath = directory + "/mount"
            try FileManager.default.createDirectory(
                atPath: mountPath, withIntermediateDirectories: true)
            processes = 1 + Int(seed % 3)
            // If encryption is available, every other store is encrypted.
            isSealed = EncryptionAlgorithm.isAvailable && seed.isMultiple(of: 2)
            compacts = random.oneIn(2)
            failingSyncs = random.oneIn(3) ? 0 : 10 + random.next(below: 60)
            isCanary = seed.isMultiple(of: 10)
        }

        private var path: String { mountPath + "/lost.realm" }

        func run(_ random: inout SeededGenerator, isVerbose: Bool) async throws -> Int {
            let disk = SimulatedDisk()
            var acknowledged = 0
            for loss in 1...Self.losses {
                let files = try LossyFileSystem(
                    disk, seed: random.next(), failingSyncs: failingSyncs, forgetsSyncs: isCanary)
                guard let mount = FuseMount(files, at: mountPath) else {
                    if seed == 0 { say("C20: no right to mount a file system, SKIPPED") }
                    return 0
                }
                do {
                    defer { mount.unmount() }
                    // In some rounds, the power fails while the store is being opened.
                    let syncs = random.next(below: loss.isMultiple(of: 3) ? 5 : 100)
                    acknowledged = try await work(acknowledged, syncs, on: files, random.next())
                }
                let losesAll = isCanary || loss.isMultiple(of: 4)
                disk.crash(seed: random.next(), losesAll ? .nothing : .random)
                if isVerbose {
                    let syncs = files.syncCounts
                    say("loss \(loss): \(acknowledged) acknowledged, \(syncs) syncs")
                }
                if isCanary, acknowledged > 0 { return try await checkCanary(disk, acknowledged) }
                acknowledged = try await check(disk, acknowledged, writes: random.oneIn(2))
            }
            return Self.losses
        }

        private func checkCanary(_ disk: SimulatedDisk, _ acknowledged: Int) async throws -> Int {
            do {
                _ = try await check(disk, acknowledged, writes: false)
            } catch {
                return 1
            }
            throw Violation("a disk that forgets its syncs was not noticed")
        }

        /// Lets processes write until the power fails, shortly after so many syncs; returns what
        /// they have acknowledged.
        private func work(
            _ acknowledged: Int, _ syncs: Int, on files: LossyFileSystem, _ seed: UInt64
        ) async throws -> Int {
            let children = try (0..<processes).map { _ in
                try ChildProcess([
                    "child-survivor", path, seed.isMultiple(of: 3) ? "paged" : "usual",
                    isSealed ? "sealed" : "plain", compacts ? "compacting" : "growing",
                ])
            }
            return try await withThrowingTaskGroup(of: ChildProcess.Outcome.self) { group in
                for child in children { group.addTask { await child.wait() } }
                let end = ContinuousClock.now + .seconds(5)
                while files.syncCounts.all < syncs, ContinuousClock.now < end {
                    try await Task.sleep(for: .milliseconds(1))
                }
                try await Task.sleep(for: .microseconds(seed % 3_000))
                files.cutPower()
                for child in children { child.send(SIGKILL) }
                var newest = acknowledged
                for try await outcome in group {
                    newest = max(newest, outcome.acknowledged)
                    if let problem = outcome.lines.first {
                        throw Violation("a child says \(problem)")
                    }
                    guard outcome.status == SIGKILL else {
                        throw Violation("a child ended with \(outcome.status)")
                    }
                }
                return newest
            }
        }

        /// Opens the store after the power failure. If it is opened for writing, its contents are
        /// durable from then on.
        private func check(
            _ disk: SimulatedDisk, _ acknowledged: Int, writes: Bool
        ) async throws -> Int {
            let files = try LossyFileSystem(disk, seed: seed)
            guard let mount = FuseMount(files, at: mountPath) else { return acknowledged }
            defer { mount.unmount() }
            guard Realm.exists(at: path) else {
                if acknowledged == 0 { return 0 }
                throw Violation("\(acknowledged) was acknowledged, and there is no store")
            }
            return try await Ledger.check(
                Ledger.configuration(path, isSealed: isSealed), acknowledged: acknowledged,
                writes: writes)
        }
    }
#endif
