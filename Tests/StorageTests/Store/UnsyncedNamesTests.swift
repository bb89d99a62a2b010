import StorageHarness
import Testing

@testable import Storage

/// The mark of names that may not be durable yet, in a folder that several processes use.
@Suite struct UnsyncedNamesTests {
    /// A follower removed the mark while another process was about to replace a file. If that
    /// process was killed right after the rename, no opening synced the new name: a power failure
    /// restored the file with the old key, which may have been discarded by then.
    @Test func onlyTheHolderOfTheLeaseRemovesTheMark() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let path = root + "/store.realm"
            let writer = try StoreProcess(files, directory: path)
            try writer.log.store.noteUnsyncedNames()
            let follower = try StoreProcess(files, directory: path)
            #expect(writer.log.isWriting && !follower.log.isWriting)
            #expect(try files.list(path).contains("unsynced"))
            try writer.follower.releaseLease()
            let next = try StoreProcess(files, directory: path)
            #expect(next.log.isWriting)
            #expect(try !files.list(path).contains("unsynced"))
        }
    }
}
