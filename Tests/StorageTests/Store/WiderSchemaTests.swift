import StorageHarness
import Testing

@testable import Storage

/// A follower of a process with newer models, which extend the schema.
@Suite struct WiderSchemaTests {
    /// When a follower switches to a newer checkpoint.
    enum Moment: CaseIterable {
        case following
        case idle
        case writing
    }

    /// Adds a class to the schema of the store, as a process with newer models does.
    private static func widen(_ disk: SimulatedDisk) throws {
        var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
        opening.options = .small
        opening.options.isShared = true
        let opened = try opening.open(account: NodeAccount()) { stored in
            let stamp = ClassSchema(
                name: "Stamp", columns: [ColumnSchema(name: "value", kind: .int)])
            return StoreSchema(classes: stored.classes + [stamp])
        }
        try opened.log.close()
    }

    /// A checkpoint was written and a class was added, while a process followed both without a
    /// pause. When it switched to that checkpoint, whose schema lacks the class, that was treated
    /// as a migration: a process that only read could no longer follow, and one that was about to
    /// write failed.
    @Test(arguments: Moment.allCases)
    func aCheckpointFromBeforeANewClassIsSwitchedTo(moment: Moment) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(
            disk, replayedMax: moment == .following ? 0 : LogFollower.replayedMaxByDefault)
        try process.insert(1)
        try process.follower.releaseLease()
        let writer = try StoreProcess(disk)
        try writer.insert(2)
        try process.follower.follow()
        try writer.engine.checkpoint()
        let checkpoint = writer.checkpointer.contents.contents
        try writer.follower.releaseLease()
        try Self.widen(disk)
        try process.follower.follow()
        switch moment {
        case .following: break
        case .idle: try process.follower.renew()
        case .writing: try process.takeOver()
        }
        #expect(checkpoint != nil && process.checkpointer.contents.contents == checkpoint)
        #expect(process.engine.latest.schema.classes.count == 2)
        #expect(process.numbers == [1, 2])
        if moment != .writing { try process.takeOver() }
        try process.insert(3)
        #expect(process.numbers == [1, 2, 3])
        #expect(process.engine.failure == nil)
        #expect(try process.problems() == [])
        await writer.close()
        await process.close()
    }
}
