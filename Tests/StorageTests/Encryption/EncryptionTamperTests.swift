import StorageHarness
import Testing

@testable import Storage

/// An attacker who has the files, but not the key, changes them, and corrects all checksums.
@Suite(.enabled(if: SecretKey.isAvailable)) struct EncryptionTamperTests {
    @Test func changedBytesNeverReadAsData() async throws {
        let targets = try await TamperTarget.encrypted.value
        var refused = 0
        let seeds = testSeeds(400, debug: 100)
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let target = targets[Int(seed) % targets.count]
            let other = targets[Int(seed / 3 + 1) % targets.count]
            let disk = target.disk.crashImage(seed: 0, .nothing)
            do {
                if try target.survives(on: disk, other, &random) == false { refused += 1 }
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
        }
        #expect(refused * 8 > seeds.count * 3)
    }
}

/// Tampering that is also detected in a plain store would prove nothing about encryption.
@Suite struct EncryptionCanaryTests {
    @Test func inPlainStoresWhatIsChangedPassesForData() async throws {
        let targets = [
            try await TamperTarget(0, isEncrypted: false),
            try await TamperTarget(1, isEncrypted: false),
        ]
        let passes = (UInt64(0)..<1000).contains { seed in
            var random = SeededGenerator(seed: seed)
            let target = targets[Int(seed) % 2]
            let disk = target.disk.crashImage(seed: 0, .nothing)
            do {
                _ = try target.survives(on: disk, target, &random)
                return false
            } catch {
                return error is Violation
            }
        }
        #expect(passes)
    }
}
