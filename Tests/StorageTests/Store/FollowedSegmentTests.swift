import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// The files that a follower of a relaxed store watches.
@Suite struct FollowedSegmentTests {
    /// A prepared segment may be removed and recreated. A follower continued to watch the removed
    /// file, and was not notified of writes to the new one.
    @Test func aRecreatedSegmentIsWatched() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let path = root + "/store.realm"
            let relaxed: (inout LogOptions) -> Void = { options in
                options.durability = .written
                options.preparesInBackground = true
                options.segmentSizeMin = 16 << 10
                options.segmentSizeMax = 64 << 10
            }
            let writer = try StoreProcess(files, directory: path, relaxed)
            try writer.insert(0)
            let follower = try StoreProcess(files, directory: path, relaxed)
            let sharing = try follower.makeSharing()
            sharing.begin()
            var number: Int64 = 1
            var remade = 0
            for _ in 0..<60 {
                let preparer = try #require(writer.log.state.withLock { $0.writer?.preparer })
                if preparer.spareSize > 0 {
                    // Like a handover, or a full disk.
                    preparer.discardSpare()
                    Platform.pause(for: .milliseconds(20))
                    preparer.prepare(size: 32 << 10)
                    while preparer.spareSize == 0 { Platform.pause(for: .milliseconds(1)) }
                    // The notification of the new name is processed before the segment is begun.
                    Platform.pause(for: .milliseconds(20))
                    remade += 1
                }
                try writer.insert(number..<number + 1, textLength: 700)
                number += 1
                var attempts = 0
                while follower.engine.latest.version < writer.engine.latest.version {
                    attempts += 1
                    guard attempts < 10_000 else {
                        Issue.record("commit \(number) was not followed")
                        return
                    }
                    Platform.pause(for: .milliseconds(1))
                }
            }
            #expect(remade > 1)
            sharing.stopAndWait()
            try writer.follower.releaseLease()
        }
    }
}
