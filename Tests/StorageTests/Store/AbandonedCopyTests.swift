import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Copies of stores that were interrupted by a crash.
@Suite struct AbandonedCopyTests {
    private func copy(_ process: StoreProcess, to files: any FileSystem) throws {
        try StoreCopy(of: process.engine.latest, to: files, directory: "copy.realm").write()
    }

    private func drafts(_ files: any FileSystem) throws -> [String] {
        try files.list(".").filter { $0.contains(".copying-") }
    }

    private func check(_ files: SimulatedDisk) async throws {
        let copied = try StoreProcess(files, directory: "copy.realm")
        #expect(copied.numbers.elementsEqual(0..<300))
        #expect(try copied.problems() == [])
        await copied.close()
    }

    // They were never removed.
    @Test func theNextCopyToThePathRemovesThem() async throws {
        let process = try StoreProcess(SimulatedDisk())
        try process.insert(0..<300)
        let files = SimulatedDisk()
        let images = Mutex<[SimulatedDisk]>([])
        files.observe { call in
            if call.moment == .before {
                images.withLock { $0.append(files.crashImage(seed: 1, .everything)) }
            }
        }
        try copy(process, to: files)
        files.observe(nil)
        var hadDrafts = 0
        for image in images.withLock({ $0 }) {
            // The name may exist already, but not durably.
            if try image.list(".").contains("copy.realm") { continue }
            hadDrafts += try drafts(image).count
            try copy(process, to: image)
            #expect(try drafts(image) == [])
            try await check(image)
        }
        #expect(hadDrafts > 20)
        await process.close()
    }

    /// Each call of a copy fails in turn, and all later ones. If its name existed, but not durably,
    /// the copy was written to: a power failure lost acknowledged commits.
    @Test func writesToACopySurviveAPowerFailure() async throws {
        let process = try StoreProcess(SimulatedDisk())
        try process.insert(0..<300)
        let expected: [Int64] = Array(0..<300) + [1_000]
        var (call, faults, written) = (0, 1, 0)
        while faults > 0 {
            call += 1
            let files = SimulatedDisk()
            files.inject(.init(.inputOutput, call: call, isLasting: true))
            try? copy(process, to: files)
            faults = files.faultyCallCount
            files.resetCalls()
            guard try files.list(".").contains("copy.realm") else { continue }
            let copied = try StoreProcess(files, directory: "copy.realm")
            try copied.insert(1_000)
            let image = files.crashImage(seed: 0, .nothing)
            #expect(try !files.list("copy.realm").contains("unsynced"), "call \(call)")
            await copied.close()
            let found = try StoreProcess(image, directory: "copy.realm")
            #expect(found.numbers == expected, "call \(call)")
            await found.close()
            written += 1
        }
        // The case whose name was not synced, and the last one, in which nothing failed.
        #expect(written >= 2)
        await process.close()
    }

    /// Before every call of a copy, another copy to the same path is begun, and fails.
    @Test func aCopyThatIsBeingMadeStays() async throws {
        let process = try StoreProcess(SimulatedDisk())
        try process.insert(0..<300)
        let files = SimulatedDisk()
        let calls = Mutex<Set<String>>([])
        let snapshot = process.engine.latest
        let isOther = Atomic<Bool>(false)
        files.observe { call in
            let name = "\(call.operation.rawValue) \(call.path)"
            guard call.moment == .before, !isOther.load(ordering: .relaxed),
                calls.withLock({ $0.insert(name).inserted })
            else { return }
            isOther.store(true, ordering: .relaxed)
            // The second copy is cancelled before it has its name.
            let monitor = ReadingMonitor()
            monitor.cancel()
            try? StoreCopy(of: snapshot, to: files, directory: "copy.realm", monitor: monitor)
                .write()
            isOther.store(false, ordering: .relaxed)
        }
        try copy(process, to: files)
        files.observe(nil)
        #expect(calls.withLock { $0.count } > 20)
        #expect(try drafts(files) == [])
        try await check(files)
        await process.close()
    }
}
