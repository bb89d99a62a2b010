import Storage
import StorageHarness

extension Campaign {
    /// Encrypted stores are tampered with by an attacker who knows the format, but not the key,
    /// opened with other keys, and crash; nothing is sealed twice with the same key and nonce.
    static let encryption = Campaign(
        id: "C13", title: "encryption: tampering, wrong keys, nonces", unit: "tampers",
        shortCount: { EncryptionAlgorithm.isAvailable ? 5_000 : 0 }
    ) { seed, options in
        if seed % 25 == 24 {
            let auditor = NonceAuditor()
            var campaign = PowerLoss()
            campaign.files = { auditor.watching($0) }
            campaign.options.encryptionKey = UserKey.random()
            if options.isVerbose { campaign.trace = { say($0) } }
            try await campaign.run(seed: seed)
            if let problem = auditor.problems.first { throw Violation(problem) }
            return 1
        }
        let targets = try await TamperTarget.encrypted.value
        let target = targets[Int(seed) % targets.count]
        let other = targets[Int(seed / 3 + 1) % targets.count]
        var random = SeededGenerator(seed: seed)
        let disk = target.disk.crashImage(seed: 0, .nothing)
        if seed % 25 == 23 {
            try requireRefusal(of: disk, target, &random)
            return 1
        }
        return try target.survives(on: disk, other, &random) == nil ? 0 : 1
    }

    /// Opens the store with a key that differs in one bit, and without a key.
    private static func requireRefusal(
        of disk: SimulatedDisk, _ target: TamperTarget, _ random: inout SeededGenerator
    ) throws {
        var opening = StoreOpening(fileSystem: disk, directory: CrashStore.directory)
        opening.options = target.options
        opening.options.readOnly = true
        var bytes = target.options.encryptionKey?.bytes ?? []
        bytes[random.next(below: bytes.count)] ^= 1 << UInt8(random.next(below: 8))
        let path = CrashStore.directory
        for (key, wanted) in [
            (UserKey(bytes), StorageError.wrongKey(path: path)),
            (nil, StorageError.keyMissing(path: path)),
        ] {
            opening.options.encryptionKey = key
            do {
                _ = try opening.open(account: NodeAccount()) { $0 }
            } catch let error as StorageError where error == wanted {
                continue
            }
            throw Violation("opened although it should say: \(wanted)")
        }
    }
}
