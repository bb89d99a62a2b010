import Foundation
import RealmActors
import Testing

private final class Sample: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bytes: Data?
    @Persisted var real: Double?
    @Persisted var single: Float
    @Persisted var date: Date?
    @Persisted var decimal: Decimal128
    @Persisted var uuid: UUID?
    @Persisted var objectId: ObjectId?
    @Persisted var piece: Piece?
    @Persisted var reals: Map<String, Double>
    @Persisted var any: AnyRealmValue
}

private final class Piece: EmbeddedObject {
    @Persisted var bytes: Data?
}

/// Values of every type on their way out of a store and into another one.
@Suite(.timeLimit(.minutes(10))) struct ValuesTests {
    /// Bytes whose text in Base64 is `null`.
    private static let null = Data([0x9E, 0xE9, 0x65])

    private static func open(_ path: String) async throws -> Realm {
        try await Realm.open(.init(path: path, objectTypes: [Sample.self, Piece.self]))
    }

    /// Makes a store with values that are easily lost.
    private static func make(_ path: String) async throws {
        let realm = try await open(path)
        try await realm.write { tx in
            try tx.create(Sample.self, value: ["id": 1])
            let empty = try tx.create(Sample.self, value: ["id": 2])
            empty.bytes = Data()
            empty.real = .nan
            empty.single = -.infinity
            empty.date = Date(timeIntervalSinceReferenceDate: -4_000_000_000.123456789)
            empty.decimal = .nan
            empty.any = .data(Data())
            let odd = try tx.create(Sample.self, value: ["id": 3])
            odd.bytes = null
            odd.real = .infinity
            odd.single = 0.1
            odd.date = Date(timeIntervalSince1970: -0.001)
            odd.decimal = try Decimal128(string: "0.1234567890123456789012345678901234")
            odd.uuid = UUID()
            odd.objectId = ObjectId.generate()
            odd.piece = Piece()
            odd.piece?.bytes = Data()
            odd.any = .data(null)
            let far = try tx.create(Sample.self, value: ["id": 4])
            far.date = Date(timeIntervalSinceReferenceDate: 1e12)
            far.decimal = -.infinity
            far.reals["a,b"] = .infinity
            far.reals["\"null\"\n"] = 2
            far.reals["\u{E9}"] = .nan
            far.any = .decimal128(5)
            let deep = try tx.create(Sample.self, value: ["id": 5])
            deep.date = Date(timeIntervalSinceReferenceDate: .infinity)
            deep.any = ["a\"b": [nil, "null", 2.0, 2], "\u{E9}": nil]
        }
        try await realm.close()
    }

    @Test(arguments: ["jsonl", "json", "csv"])
    func valuesOfEveryTypeAreImportedAsTheyWere(_ format: String) async throws {
        let folder = NSTemporaryDirectory() + "samples-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await Self.make(folder + "/samples")
        try await Self.open(folder + "/copy").close()
        let before = try await Tool.run("export", folder + "/samples", "Sample")
        #expect(before.lines.count == 5, "\(before.errors)")
        for text in [
            #""bytes":"","#, #""any":"null","#, #""any":"5","#, #""real":"nan","#,
            #""single":"-inf","#, #""piece":{"bytes":""}"#,
        ] {
            #expect(before.output.contains(text), "\(text): \(before.output)")
        }
        let file = folder + "/Sample." + format
        let exported = try await Tool.run(
            "export", folder + "/samples", "Sample", "--format", format, "-o", file)
        #expect(exported.status == 0, "\(exported.errors)")
        let imported = try await Tool.run("import", folder + "/copy", file, "--strict")
        #expect(imported.status == 0, "\(imported.errors)")
        let after = try await Tool.run("export", folder + "/copy", "Sample")
        #expect(after.output == before.output, "\(after.errors)")
    }
}
