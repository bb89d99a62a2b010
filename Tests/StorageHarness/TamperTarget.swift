package import Storage

/// A store to be tampered with, and what it holds.
package struct TamperTarget: Sendable {
    package let disk: SimulatedDisk
    package let oracle: Oracle
    package let options: LogOptions

    /// Stores with even numbers are closed as they should be, the others left by a process that
    /// died; they are of all kinds.
    package init(_ number: Int, isEncrypted: Bool) async throws {
        var options = CrashStore.smallSegments
        if isEncrypted { options.encryptionKey = .first }
        let work = SimulatedDisk()
        let tuning = StoreTuning.kinds[number / 2 % StoreTuning.kinds.count]
        let store = CrashStore(work, seed: UInt64(number), options: options, tuning: tuning)
        try store.open()
        for step in 0..<36 {
            try await store.run(step % 4 == 3 ? .group : .transaction)
            if step == 20 { try await store.run(.checkpoint) }
            if step == 28 { try await store.run(.reopen) }
        }
        if number.isMultiple(of: 2) { try await store.close() } else { await store.abandon() }
        disk = work.crashImage(seed: 0, .everything)
        oracle = store.oracle
        self.options = options
    }

    /// Encrypted stores of all kinds, all with one key.
    package static let encrypted = Task {
        var targets: [TamperTarget] = []
        for number in 0..<2 * StoreTuning.kinds.count {
            targets.append(try await TamperTarget(number, isEncrypted: true))
        }
        return targets
    }

    /// Tampers with `disk`, which is a copy of this store's, in some way. Whether the store was
    /// opened all the same, which it may be when it is whole; nil when there was nothing to tamper
    /// with. Throws when what was changed passed for data.
    package func survives(
        on disk: SimulatedDisk, _ other: TamperTarget, _ random: inout SeededGenerator
    ) throws -> Bool? {
        let tamper = Tamper.allCases[random.next(below: Tamper.allCases.count)]
        guard try tamper.apply(to: disk, other: other.disk, &random) else { return nil }
        do {
            _ = try CrashStore.inspect(disk, oracle, options: options)
            return true
        } catch let error as StorageError where error.isDamage || error.isOfTheKey {
            return false
        } catch {
            throw Violation("\(tamper): \(error)")
        }
    }
}

extension StorageError {
    /// Whether the error is about the key, which tampering with key and superblock leads to.
    fileprivate var isOfTheKey: Bool {
        switch self {
        case .wrongKey, .notEncrypted, .keyMissing: true
        default: false
        }
    }
}
