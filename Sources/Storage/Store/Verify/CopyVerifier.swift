import Synchronization

/// Checks both copies of the superblock and of the key file. Opening the store needs only one that
/// verifies, so a damaged one would otherwise not be found before the other is damaged as well.
struct CopyVerifier {
    let log: Log

    /// The caller ensures that no checkpoint is written. Throws errors of the disk.
    func verify(_ tally: inout VerificationTally) throws(StorageError) {
        try verifySuperblock(&tally)
        if log.store.cipher != nil { try verifyKey(&tally) }
    }

    private func verifySuperblock(_ tally: inout VerificationTally) throws(StorageError) {
        let superblock = log.state.withLock { $0.superblock }
        // The second copy may have lacked space.
        guard superblock.hasBothCopies else { return }
        let path = log.store.superblockPath
        do throws(StorageError) {
            for offset in try log.store.damagedCopies(of: superblock) {
                tally.note(
                    .log, StoreProblem.Place(file: path, offset: offset),
                    "one of the two copies of the superblock is invalid")
            }
        } catch .fileNotFound {
            tally.note(.log, StoreProblem.Place(file: path, offset: 0), "the superblock is missing")
        }
    }

    private func verifyKey(_ tally: inout VerificationTally) throws(StorageError) {
        let path = log.store.keyPath
        do throws(StorageError) {
            for offset in try log.store.damagedKeyCopies() {
                tally.note(
                    .log, StoreProblem.Place(file: path, offset: offset),
                    "one of the two copies of the store key is invalid")
            }
        } catch .fileNotFound {
            tally.note(
                .log, StoreProblem.Place(file: path, offset: 0),
                "the file of the store key is missing")
        }
    }
}
