import StorageHarness
import Testing

@testable import Storage

/// Encrypted stores of whose key neither copy verifies.
@Suite(.enabled(if: SecretKey.isAvailable)) struct DamagedKeyTests {
    private static let path = "store.realm"
    private static let keyPath = path + "/key"

    private func open(
        _ disk: SimulatedDisk, _ key: UserKey, _ directory: String = path
    ) throws -> StoreProcess {
        try StoreProcess(disk, directory: directory) { $0.encryptionKey = key }
    }

    private func salvage(_ disk: SimulatedDisk, _ key: UserKey) throws -> SalvageOutcome {
        var salvage = StoreSalvage(
            fileSystem: disk, directory: Self.path, destination: "new.realm")
        salvage.options = LogOptions.small.encrypted(key)
        return try salvage.run()
    }

    /// Flips a bit in each copy of the key.
    private func damage(_ disk: SimulatedDisk, _ first: Int, _ second: Int) {
        disk.damage(Self.keyPath, at: first)
        disk.damage(Self.keyPath, at: KeyFile.slotSize + second)
    }

    private func expectDamage(_ body: () throws -> Void) {
        do {
            try body()
            Issue.record("the key was read")
        } catch StorageError.corrupted(Self.keyPath, _, _) {
        } catch {
            Issue.record(error)
        }
    }

    /// Nothing of the store could be salvaged, although each field was intact in a copy, or could
    /// be derived.
    @Test(arguments: [
        (0, 0), (8, 12), (16, 16), (40, 100), (100, 40), (64, 90), (40, 145), (144, 151),
    ])
    func aSalvageCombinesTheCopies(first: Int, second: Int) async throws {
        let disk = SimulatedDisk()
        let key = try UserKey.made()
        let process = try open(disk, key)
        try process.insert(0..<20)
        await process.close()
        damage(disk, first, second)
        expectDamage { _ = try open(disk, key) }
        expectDamage { _ = try salvage(disk, .made(2)) }
        let outcome = try salvage(disk, key)
        #expect(outcome.isComplete && outcome.rows[StoreProcess.item] == 20, "\(outcome)")
        let rescued = try open(disk, key, "new.realm")
        #expect(rescued.numbers == Array(0..<20))
        await rescued.close()
    }

    /// What the error advises.
    @Test(arguments: [40, 100]) func theKeyFileOfABackupOpensTheStore(offset: Int) async throws {
        let disk = SimulatedDisk()
        let (old, new) = (try UserKey.made(), try UserKey.made(2))
        let process = try open(disk, old)
        try process.insert(0..<20)
        try process.backUp(to: disk)
        try process.log.rekey(to: new)
        try process.insert(20)
        await process.close()
        damage(disk, offset, offset)
        expectDamage { _ = try open(disk, new) }
        expectDamage { _ = try salvage(disk, new) }
        try disk.replace(Self.keyPath, with: disk.contents(of: "backup.realm/key"))
        let again = try open(disk, old)
        #expect(again.numbers == Array(0...20))
        #expect(try again.problems() == [])
        await again.close()
    }
}
