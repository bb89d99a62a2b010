import Testing

/// Which part of the engine may know which.
@Suite struct FloorTests {
    private let order = FloorOrder.storage

    @Test func nothingNamesWhatStandsAboveIt() throws {
        let files = try SourceTree.files()
        for file in order.strays(in: files) {
            Issue.record("\(file.path) stands on no floor: \(order.floors)")
        }
        let references = order.referencesUpwards(in: files)
        for reference in references where !order.known.contains(reference.name) {
            Issue.record("\(reference)")
        }
        for name in order.known.subtracting(references.map(\.name)) {
            Issue.record("'\(name)' is no longer so: take it from FloorOrder.known")
        }
    }

    @Test func aReferenceUpwardsIsFound() {
        let low = SourceFile(
            path: "Sources/Storage/IO/Low.swift", kind: .library,
            text: "struct Low {\n    // High\n    let a = \"High\"\n    let b: [High]\n}\n")
        let high = SourceFile(
            path: "Sources/Storage/Store/Room/High.swift", kind: .library,
            text: "package final class High {\n    let low: Low\n}\n")
        let stray = SourceFile(path: "Sources/Storage/Stray.swift", kind: .library, text: "")
        let found = order.referencesUpwards(in: [low, high])
        #expect(found.map(\.line) == [4] && found.map(\.name) == ["Low.swift names High"])
        #expect(order.strays(in: [low, high, stray]).map(\.path) == [stray.path])
    }
}
