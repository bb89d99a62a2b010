import Foundation
import RealmActors
import Testing

private enum Grade: Int8, PersistableEnum { case poor = -1, good = 3, best = 9 }

private struct Pieces: CustomPersistable {
    var number: Int8
    init(_ number: Int8) { self.number = number }
    init(persistedValue: Int8) { number = persistedValue }
    var persistableValue: Int8 { number }
}

private final class Report: Object {
    @Persisted var list: List<Grade>
    @Persisted var optionals: List<Grade?>
    @Persisted var set: MutableSet<Grade>
    @Persisted var map: Map<String, Grade>
    @Persisted var optionalMap: Map<String, Grade?>
    @Persisted var degrees: List<Celsius>
    @Persisted var optionalDegrees: MutableSet<Celsius?>
    @Persisted var pieces: List<Pieces>
    @Persisted var optionalPieces: Map<String, Pieces?>

    func fill() {
        list.append(objectsIn: [.good, .best, .poor, .best])
        optionals.append(objectsIn: [nil, .good, .poor])
        set.insert(objectsIn: [.good, .poor])
        map["a"] = .best
        map["b"] = .good
        optionalMap["a"] = Grade.good
        optionalMap["b"] = .some(nil)
        degrees.append(objectsIn: [Double.nan, 20.5, -3].map { Celsius(degrees: $0) })
        optionalDegrees.insert(objectsIn: [nil, Celsius(degrees: 4), Celsius(degrees: 2)])
        pieces.append(objectsIn: [Pieces(100), Pieces(120)])
        optionalPieces["a"] = Pieces(7)
        optionalPieces["b"] = .some(nil)
    }

    func checkEmpty() {
        #expect(list.min() == nil && optionals.max() == nil && optionalMap.min() == nil)
        #expect(degrees.min() == nil && degrees.sum() == 0 && degrees.average() == nil)
        #expect(pieces.sum() == 0 && pieces.average() == nil && optionalPieces.min() == nil)
    }

    func check() {
        #expect(list.min() == .poor && list.max() == .best)
        #expect(optionals.min() == .poor && optionals.max() == .good)
        #expect(set.min() == .poor && set.max() == .good)
        #expect(map.min() == .good && map.max() == .best)
        #expect(optionalMap.min() == .good && optionalMap.max() == .good)
        #expect(degrees.min()?.degrees == -3 && degrees.max()?.degrees == 20.5)
        #expect(degrees.sum() == 17.5 && degrees.average() == 8.75)
        #expect(optionalDegrees.min()?.degrees == 2 && optionalDegrees.max()?.degrees == 4)
        #expect(pieces.min()?.number == 100 && pieces.max()?.number == 120)
        #expect(pieces.sum() == 220 && pieces.average() == 110)
        #expect(optionalPieces.min()?.number == 7 && optionalPieces.max()?.number == 7)
    }
}

private final class Exam: Object {
    @Persisted var grade: Grade = .good
    @Persisted var second: Grade?
    @Persisted var heat: Celsius
    @Persisted var cold: Celsius?
}

private final class Course: Object {
    @Persisted var exams: List<Exam>

    func fill() {
        let rows: [(Grade, Double)] = [(.good, 3.5), (.best, .nan), (.poor, -1)]
        for (grade, heat) in rows {
            let exam = Exam()
            exam.grade = grade
            exam.heat = Celsius(degrees: heat)
            exams.append(exam)
        }
        exams[0].second = .best
        exams[1].cold = Celsius(degrees: 7)
    }

    func check() {
        #expect(exams.min(of: \.grade) == .poor && exams.max(of: \.grade) == .best)
        #expect(exams.min(of: \.second) == .best && exams.max(of: \.second) == .best)
        #expect(exams.min(of: \.heat)?.degrees == -1 && exams.max(of: \.heat)?.degrees == 3.5)
        #expect(exams.min(of: \.cold)?.degrees == 7 && exams.max(of: \.cold)?.degrees == 7)
    }
}

/// Lists, sets and maps of enums and of types of one's own had no aggregates.
@Suite struct StoredTypeAggregateTests {
    @Test("Q15, P4, P16: of enums, and of types of one's own")
    func aggregates() async throws {
        let unmanaged = Report()
        unmanaged.checkEmpty()
        unmanaged.fill()
        unmanaged.check()
        try await withFreshRealm([Report.self]) { realm in
            let frozen = try await realm.write { tx in
                let report = try tx.create(Report.self)
                report.checkEmpty()
                report.fill()
                report.check()
                return report.freeze()
            }
            #expect(frozen.list.min() == .poor && frozen.list.max() == .best)
            #expect(frozen.optionals.max() == .good && frozen.set.min() == .poor)
            #expect(frozen.map.max() == .best && frozen.optionalMap.max() == .good)
            #expect(frozen.degrees.max()?.degrees == 20.5 && frozen.degrees.sum() == 17.5)
            #expect(frozen.optionalDegrees.max()?.degrees == 4 && frozen.pieces.sum() == 220)
            #expect(frozen.optionalPieces.max()?.number == 7 && frozen.pieces.average() == 110)
        }
    }

    /// `results.min(of: \.grade)` did not compile.
    @Test("Q15, P4, P16: of properties that are enums, or of types of one's own")
    func properties() async throws {
        let unmanaged = Course()
        unmanaged.fill()
        unmanaged.check()
        try await withFreshRealm([Course.self, Exam.self]) { realm in
            #expect(realm.objects(Exam.self).min(of: \.grade) == nil)
            try await realm.write { tx in
                let course = try tx.create(Course.self)
                course.fill()
                course.check()
            }
            let exams = realm.objects(Exam.self)
            #expect(exams.min(of: \.grade) == .poor && exams.max(of: \.grade) == .best)
            #expect(exams.min(of: \.second) == .best && exams.max(of: \.cold)?.degrees == 7)
            #expect(exams.min(of: \.heat)?.degrees == -1 && exams.max(of: \.heat)?.degrees == 3.5)
            let listed = try #require(realm.objects(Course.self).first).exams
            #expect(listed.max(of: \.grade) == .best && listed.min(of: \.heat)?.degrees == -1)
        }
    }
}
