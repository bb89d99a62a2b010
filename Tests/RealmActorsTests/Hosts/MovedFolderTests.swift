import Foundation
import RealmActors
import Storage
import Testing

/// Hosts whose folders are moved while they are open.
@Suite struct MovedFolderTests {
    /// Closing the host overwrote the position of the other host's folder: after a crash, that
    /// folder was refused as one that had lost commits.
    @Test func aMovedHostLeavesTheFolderAtItsPathAlone() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let (moved, next) = (path + "-moved", path + "-next")
            let before = try await Realm.open(configuration(path, engine))
            try await before.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            try await before.close()
            let other = try await Realm.open(configuration(next, engine))
            try await other.close()
            // Nothing is left for a checkpoint, which would notice the move.
            let realm = try await Realm.open(configuration(path, engine))
            try FileManager.default.moveItem(atPath: path, toPath: moved)
            try FileManager.default.moveItem(atPath: next, toPath: path)
            let file = URL(fileURLWithPath: path + "/shared")
            let position = try Data(contentsOf: file)
            try? await realm.close()
            let found = try Data(contentsOf: file)
            #expect(found == position)
            for folder in [path, moved] { try Realm.deleteFiles(at: folder) }
        }
    }
}
