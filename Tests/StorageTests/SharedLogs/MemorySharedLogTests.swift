import StorageHarness
import Testing

@testable import Storage

/// The engines without a server conform to the common behaviour of engines.
@Suite struct MemorySharedLogTests {
    @Test(arguments: SharedLogConformance.all)
    func memoryConforms(_ conformance: SharedLogConformance) throws {
        let engine = MemorySharedLog.Engine()
        try conformance.check { MemorySharedLog(engine) }
    }

    @Test(arguments: SharedLogConformance.all)
    func simulationWithoutFaultsConforms(_ conformance: SharedLogConformance) throws {
        let engine = SimulatedSharedLog.Engine(seed: 1)
        try conformance.check { SimulatedSharedLog(engine) }
    }

    @Test func anEngineCanLoseEntries() throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        for slot in 1...3 { #expect(try log.append([UInt8(slot)], at: LogSlot(UInt64(slot)))) }
        engine.loseEntries(from: LogSlot(2))
        #expect(try log.head().next == LogSlot(2))
        engine.loseEntries(from: LogSlot(9))
        #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1]])
    }
}
