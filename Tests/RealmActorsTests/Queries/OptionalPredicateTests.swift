import Foundation
import RealmActors
import Testing

private final class Perch: Object {
    @Persisted var number: Int
    @Persisted var flag: Bool?
    @Persisted var rank: Int?
    @Persisted var next: Perch?
    @Persisted var others: List<Perch>
}

/// Predicates of Foundation on what may be nil: they find what they find when evaluated in Swift.
@Suite struct OptionalPredicateTests {
    /// Of four perches the last leads nowhere, and the second to one that has no others.
    private func withPerches(_ body: (FrozenResults<Perch>) async throws -> Void) async throws {
        try await withFreshRealm([Perch.self]) { realm in
            try await realm.write { tx in
                let perches = try (0..<4).map {
                    try tx.create(Perch.self, value: ["number": $0])
                }
                perches[0].flag = true
                perches[1].flag = false
                perches[2].rank = 5
                perches[0].next = perches[2]
                perches[1].next = perches[3]
                perches[2].next = perches[0]
                perches[0].others.append(objectsIn: [perches[1], perches[2]])
                perches[2].others.append(perches[2])
            }
            try await body(realm.objects(Perch.self))
        }
    }

    private func check(
        _ perches: FrozenResults<Perch>, _ predicate: Predicate<Perch>, _ expected: [Int],
        location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try perches.filter(predicate).values(of: \.number)
        #expect(found == expected, sourceLocation: location)
        let evaluated = try perches.filter {
            try $0.withObject { perch in try predicate.evaluate(perch) }
        }
        #expect(evaluated.map(\.number) == expected, sourceLocation: location)
    }

    /// The count behind a link that is nil was zero.
    @Test func countsBehindALinkThatIsNilAreNil() async throws {
        try await withPerches { perches async throws in
            try check(perches, #Predicate { $0.next?.others.count == 0 }, [1])
            try check(perches, #Predicate { $0.next?.others.count != 0 }, [0, 2, 3])
            try check(perches, #Predicate { $0.next?.others.count == 2 }, [2])
            try check(perches, #Predicate { $0.next?.others.count == nil }, [3])
            try check(perches, #Predicate { ($0.next?.others.count ?? 0) == 0 }, [1, 3])
            try check(perches, #Predicate { ($0.next?.others.count ?? 7) > 1 }, [2, 3])
            try check(perches, #Predicate { $0.next?.next?.others.count == 1 }, [2])
            try check(perches, #Predicate { $0.next?.others.isEmpty == true }, [1])
            try check(perches, #Predicate { $0.next?.others.isEmpty ?? true }, [1, 3])
        }
    }

    @Test func countsOfSomeBehindALinkThatIsNilAreNil() async throws {
        try await withPerches { perches async throws in
            try check(
                perches, #Predicate { $0.next?.others.filter { $0.rank == 5 }.count == 0 }, [1])
            try check(
                perches,
                #Predicate { ($0.next?.others.filter { $0.rank == 5 }.count ?? 1) == 1 }, [0, 2, 3])
            try check(
                perches,
                #Predicate { perch in
                    if let others = perch.next?.others { others.count == 0 } else { false }
                }, [1])
        }
    }

    /// A truth value that may be nil was no condition, whatever stood for nil.
    @Test func whatStandsForNilMayBeAnything() async throws {
        try await withPerches { perches async throws in
            try check(perches, #Predicate { $0.flag ?? false }, [0])
            try check(perches, #Predicate { $0.flag ?? true }, [0, 2, 3])
            try check(perches, #Predicate { !($0.flag ?? true) }, [1])
            try check(perches, #Predicate { $0.flag ?? ($0.number == 3) }, [0, 3])
            try check(perches, #Predicate { ($0.rank ?? $0.number) == 5 }, [2])
            try check(perches, #Predicate { ($0.rank ?? $0.number) > 0 }, [1, 2, 3])
            try check(perches, #Predicate { ($0.rank ?? 3) == $0.number }, [3])
            try check(perches, #Predicate { $0.next?.flag ?? false }, [2])
        }
    }
}
