import Foundation
import Testing

/// Which part of a module may know which.
@Suite struct FloorTests {
    @Test(arguments: FloorOrder.all)
    func nothingNamesWhatStandsAboveIt(_ order: FloorOrder) throws {
        let files = try SourceTree.files()
        for file in order.strays(in: files) {
            Issue.record("\(file.path) stands on no floor: \(order.floors)")
        }
        for reference in order.referencesUpwards(in: files) { Issue.record("\(reference)") }
    }

    @Test(arguments: FloorOrder.all)
    func architectureHasTheFloorsInTheirOrder(_ order: FloorOrder) throws {
        let page = try SourceTree.text("Documentation/Architecture.md")
        let table = order.floors.reversed().map { "\n| `\($0)` | " }
        var rest = page[...]
        for row in table {
            guard let found = rest.range(of: row) else {
                Issue.record("Architecture.md has no row for \(row), or has it elsewhere")
                return
            }
            // The next row begins with the line break that ends this one.
            rest = rest[found.upperBound...].drop { $0 != "\n" }
        }
    }

    @Test func aReferenceUpwardsIsFound() {
        let order = FloorOrder.storage
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
