import RealmActors
import Testing

private final class TwoKeys: Object {
    @Persisted(primaryKey: true) var first: Int
    @Persisted(primaryKey: true) var second: String
    lazy var late = 3
    @Persisted var missing: Unlisted?
}

private final class Unlisted: Object {
    @Persisted var name: String
    @Persisted(originProperty: "nothing") var owners: LinkingObjects<TwoKeys>
}

private final class Empty: Object {}

private final class Coordinates: EmbeddedObject {
    @Persisted var latitude: Double
}

private struct Place: CustomPersistable {
    var latitude: Double
    init(persistedValue: Coordinates) { latitude = persistedValue.latitude }
    var persistableValue: Coordinates {
        let coordinates = Coordinates()
        coordinates.latitude = latitude
        return coordinates
    }
}

private final class Journey: Object {
    @Persisted var stops: List<Place>
    @Persisted var visited: MutableSet<Place>
    @Persisted var planned: MutableSet<Place?>
}

@Suite struct SchemaDiscoveryTests {
    @Test("M15: every problem of a schema is reported at once")
    func everyProblemIsReportedAtOnce() async throws {
        let problems = try await schemaProblems(of: [TwoKeys.self, Empty.self])
        let text = problems.joined(separator: "\n")
        #expect(problems.count == 4, "\(text)")
        #expect(text.contains("2 primary keys") && text.contains("'TwoKeys.late' is lazy"))
        #expect(text.contains("'Unlisted', which is not in objectTypes"))
        #expect(text.contains("'Empty' has no persisted property"))
    }

    @Test("M9, M15: an inverse names a link that comes here")
    func inversesNameALinkThatComesHere() async throws {
        let problems = try await schemaProblems(of: [TwoKeys.self, Unlisted.self])
        #expect(problems.contains { $0.contains("'TwoKeys.nothing', which is not persisted") })
    }

    /// Unmanaged, such a set lost every value; managed, it had each as often as it was inserted.
    @Test("M15, P16: a set of a type that is stored as embedded objects is a problem")
    func aSetOfATypeThatIsStoredAsEmbeddedObjectsIsAProblem() async throws {
        let problems = try await schemaProblems(of: [Journey.self, Coordinates.self])
        #expect(problems.count == 2, "\(problems)")
        let sets = ["visited", "planned"]
        for (problem, set) in zip(problems, sets) {
            #expect(problem.contains("'Journey.\(set)' is a set") && problem.contains("List"))
        }
    }
}
