import Foundation
import Testing

@testable import RealmActors

private final class Page: Object {
    @Persisted(primaryKey: true) var id: Int
}

/// The error of a write that waited too long named neither the holder of the turn nor for how long.
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
}

/// Whether the error says that a write waited for one whose holder is described so.
func isBusy(_ error: any Error, _ holder: String) -> Bool {
    guard case .writerBusy(let busy)? = error as? RealmError else { return false }
    return busy.hasPrefix(holder) && busy.hasSuffix(" s")
}
