import Foundation
import Testing

@testable import RealmActors

private final class Page: Object {
    @Persisted(primaryKey: true) var id: Int
}

/// The error of a write that waited too long told neither whose write it waited for nor since when.
@Suite struct BusyWriterTests {
    @Test func aBusyWriterIsNamedWithItsAuthorAndHowLong() async throws {
        try await withFreshRealm([Page.self]) {
            $0.writeTimeout = .milliseconds(30)
        } _: { realm in
            let (began, beginning) = AsyncStream<Void>.makeStream()
            let gate = DispatchSemaphore(value: 0)
            let slow = Task {
                try await realm.write(author: "import") { tx in
                    beginning.finish()
                    gate.wait()
                    try tx.create(Page.self, value: ["id": 1])
                    return
                }
            }
            for await _ in began {}
            do {
                try await realm.write { tx in _ = try tx.create(Page.self, value: ["id": 2]) }
                Issue.record("Two writers")
            } catch {
                #expect(isBusy(error, "a write by 'import', for "), "\(error)")
            }
            gate.signal()
            try await slow.value
            #expect(realm.objects(Page.self).values(of: \.id) == [1])
        }
    }

    @Test func whoGotTheTurnMeanwhileIsTheOneThatIsNamed() async throws {
        let turns = TurnQueue()
        #expect(turns.tryTake("a write", author: "first"))
        let second = Task { try await turns.take("a write", author: "second", timeout: nil) }
        while turns.waiterCount < 1 { await Task.yield() }
        let third = Task { try await turns.take("a write", timeout: nil) }
        while turns.waiterCount < 2 { await Task.yield() }
        #expect(turns.release())
        try await second.value
        await #expect {
            try await turns.take("a write", timeout: .milliseconds(20))
        } throws: { error in
            isBusy(error, "a write by 'second', for ")
        }
        #expect(turns.release())
        try await third.value
        #expect(!turns.release())
    }
}
