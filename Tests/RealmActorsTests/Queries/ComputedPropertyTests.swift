import Foundation
import RealmActors
import Testing

private enum Gait: String, PersistableEnum { case walk, run }

private final class Walker: Object {
    @Persisted var name: String
    @Persisted var last: String
    @Persisted var age: Int
    @Persisted var weight: Double
    @Persisted var born: Date
    @Persisted var nick: String?
    @Persisted var code: UUID
    @Persisted var gait: Gait
    @Persisted var pace: Gait?
    @Persisted var any: AnyRealmValue
    @Persisted var friend: Walker?
    @Persisted var pack: List<Walker>
    @Persisted var scores: List<Int>
    @Persisted var tags: List<String>
    @Persisted(originProperty: "pack") var leaders: LinkingObjects<Walker>

    var upper: String { name.uppercased() }
    var initial: String { String(name.prefix(1)) }
    var full: String { name + last }
    /// Reads a link to its own class before a property of the object itself.
    var known: String { friend == nil ? "" : name }
    var shown: String { nick ?? name }
    var titled: String { name.isEmpty ? "-" : name }
    var doubled: Int { age * 2 }
    var isGrown: Bool { age >= 18 }
    var rounded: Double { weight.rounded() }
    var day: Date { Date(timeIntervalSinceReferenceDate: born.timeIntervalSinceReferenceDate + 1) }
    var isFast: Bool { gait == .run }
    var first: Walker? { pack.first }
    var firstName: String? { pack.first?.name }
    var leaderName: String? { leaders.first?.name }
    var best: Int? { scores.max() }
    var lastTag: String? { tags.last }
    var text: String? { self.any.stringValue }
    var lower: AnyRealmValue {
        if case .string(let text) = self.any { .string(text.lowercased()) } else { .none }
    }
    var calm: Gait { [gait].first { $0 != .run } ?? .walk }
    var calmPace: Gait? { pace.flatMap { $0 == .run ? nil : $0 } }
    /// Computed, although it can be set.
    var loud: String {
        get { name.uppercased() }
        set { name = newValue }
    }
    /// Of marks it could compute nothing.
    var step: Gait {
        get { Gait.allCases[age / 2] }
        set { age = newValue == .run ? 2 : 0 }
    }
    /// The same by another name.
    var alias: String {
        get { name }
        set { name = newValue }
    }
    var ally: Walker? { friend }
}

/// A property that is computed from a stored one was taken for the stored one: a query for its
/// value silently tested the stored value.
@Suite struct ComputedPropertyTests {
    /// In memory: a process that ends so removes no files.
    private static func walkers(_ identifier: String) async throws -> FrozenResults<Walker> {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: identifier, objectTypes: [Walker.self]))
        try await realm.write { tx in
            for (age, name) in ["berta", "Anna", "bob", "Ann"].enumerated() {
                try tx.create(Walker.self, value: ["name": name, "age": age])
            }
        }
        return realm.objects(Walker.self)
    }

    @Test func whatIsComputedIsToldFromWhatIsStored() {
        let stored: [PartialKeyPath<Walker>] = [
            \.name, \.age, \.weight, \.born, \.nick, \.code, \.gait, \.pace, \.any, \.friend,
            \.pack, \.leaders, \.friend?.name, \.friend?.friend?.nick, \.gait.rawValue,
            \.friend?.pace?.rawValue, \.alias, \.ally?.age, \.pack.name, \.leaders.name,
        ]
        for keyPath in stored { #expect(Tracer.isStored(keyPath), "\(keyPath)") }
        let computed: [PartialKeyPath<Walker>] = [
            \.upper, \.initial, \.full, \.shown, \.titled, \.doubled, \.isGrown, \.rounded, \.day,
            \.isFast, \.first, \.friend?.upper, \.ally?.doubled, \.name.count,
            \.nick?.count, \.firstName, \.leaderName, \.best, \.lastTag, \.scores.first,
            \.pack.first?.name, \.text, \.lower, \.calm, \.calmPace, \.loud,
            \.known, \.friend?.known,
        ]
        for keyPath in computed { #expect(!Tracer.isStored(keyPath), "\(keyPath)") }
    }

    private func expect(_ result: ExitTest.Result?, _ refusal: String) throws {
        let output = try #require(result).standardErrorContent
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.contains("of class 'Walker' is \(refusal)."), "\(text.prefix(400))")
    }

    @Test func aConditionOnOneTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try await Self.walkers("condition").where { $0.upper == "BOB" }.count
        }
        try expect(result, "not persisted: it is computed from 'name'")
    }

    @Test func anOrderByOneTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try await Self.walkers("order").sorted(by: \.full).count
        }
        try expect(result, "not persisted: it is computed from 'name', 'last'")
    }

    @Test func sectionsByOneOfTwoPropertiesTrap() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try await Self.walkers("sections").sectioned(by: \.full).count
        }
        try expect(
            result,
            "computed from more than one property, or from one more than once: 'name', 'last'")
    }

    @Test func aPredicateOnOneIsAnError() async throws {
        let walkers = try await Self.walkers(UUID().uuidString)
        do throws(RealmError) {
            _ = try walkers.filter(#Predicate<Walker> { $0.upper == "BOB" })
            Issue.record("It was taken.")
        } catch .invalidQuery(let message, _) {
            #expect(message.contains("is not persisted: it is computed from 'name'"))
        } catch {
            Issue.record(error)
        }
        #expect(try walkers.filter(#Predicate<Walker> { $0.alias == "bob" }).count == 1)
    }

    /// They need not be stored to be read.
    @Test func valuesAndSectionsTakeThem() async throws {
        let walkers = try await Self.walkers(UUID().uuidString)
        #expect(walkers.values(of: \.upper) == ["BERTA", "ANNA", "BOB", "ANN"])
        #expect(walkers.values(of: \.doubled) == [0, 2, 4, 6])
        #expect(walkers.values(of: \.full) == ["berta", "Anna", "bob", "Ann"])
        #expect(walkers.values(of: \.loud) == ["BERTA", "ANNA", "BOB", "ANN"])
        #expect(walkers.values(of: \.step) == [.walk, .walk, .run, .run])
        #expect(walkers.values(of: \.alias) == ["berta", "Anna", "bob", "Ann"])
        #expect(walkers.sorted(by: \.alias).values(of: \.age) == [3, 1, 0, 2])
        let sections = walkers.sectioned(by: \.initial)
        #expect(sections.allKeys == ["A", "b"])
        #expect(sections.map { $0.map(\.age) } == [[3, 1], [0, 2]])
    }
}
