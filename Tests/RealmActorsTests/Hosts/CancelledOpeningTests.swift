import Storage
import StorageHarness
import Testing

@testable import RealmActors

/// Openings of a realm on a shared log that are cancelled while its engine does not answer.
@Suite struct CancelledOpeningTests {
    /// The calls that the engine does not answer.
    enum Silence: CaseIterable, Sendable {
        case images
        case entries
        /// The append that begins the log.
        case genesis
        /// The append of the models' schema.
        case schema
    }

    /// They waited for the engine until `writeTimeout`, or without limit.
    @Test(arguments: Silence.allCases)
    func anOpeningThatIsCancelledWaitsForNoEngine(silence: Silence) async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            if silence == .schema {
                let first = try await Realm.open(configuration(path + "-1", engine, [Mark.self]))
                try await first.close()
                try Realm.deleteFiles(at: path + "-1")
            }
            let usual = configuration(path, engine)
            let log = StalledLog(MemorySharedLog(engine), silence)
            var stalled = usual
            stalled.sharedLog = Realm.SharedLog { log }
            let opening = Task { [stalled] in try await Realm.open(stalled) }
            await log.isAsked.wait()
            opening.cancel()
            await #expect(throws: CancellationError.self) { try await opening.value }
            // It has released the folder and the path.
            let realm = try await Realm.open(usual)
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            #expect(realm.objects(Mark.self).count == 1)
            try await realm.close()
        }
    }
}

/// A log that does not answer some calls.
private final class StalledLog: WrappedLog {
    let base: any SharedLog
    /// Occurs at the first call that is not answered.
    let isAsked = EndSignal()
    private let silence: CancelledOpeningTests.Silence

    init(_ base: any SharedLog, _ silence: CancelledOpeningTests.Silence) {
        self.base = base
        self.silence = silence
    }

    func images() throws(SharedLogError) -> [SharedLogImage] {
        if silence == .images { try fail() }
        return try base.images()
    }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        if silence == .entries { try fail() }
        return try base.entries(from: slot, bytesMax: bytesMax)
    }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        if silence == .genesis || silence == .schema { try fail() }
        return try base.append(entry, at: slot, behind: last)
    }

    private func fail() throws(SharedLogError) {
        isAsked.finish()
        throw .unavailable("cut off")
    }
}
