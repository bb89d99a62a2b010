import Dispatch
import Foundation
import Synchronization

/// Whether the process is to end, for commands that have files to remove before. All others are
/// ended by the system, as any program is.
final class Interruption: Sendable {
    /// What Ctrl-C sends, and what `kill` does.
    private static let signals = [SIGINT, SIGTERM]

    private let received = Mutex<Int32?>(nil)

    /// Runs `body`, during which these signals are received here and end nothing by themselves.
    static func noticed<R>(
        _ body: (Interruption) async throws -> R
    ) async throws -> R {
        let interruption = Interruption()
        let sources: [any DispatchSourceSignal] = signals.map { number in
            #if canImport(Darwin)
                // There the default action would be taken as well.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { @Sendable in interruption.receive(number) }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in signals { signal(number, SIG_DFL) }
        }
        return try await body(interruption)
    }

    /// Throws ``Interrupted`` once a signal has come.
    func check() throws {
        if let number = received.withLock({ $0 }) { throw Interrupted(signal: number) }
    }

    private func receive(_ number: Int32) { received.withLock { $0 = number } }
}

/// A signal has ended a command.
struct Interrupted: Error, CustomStringConvertible {
    let signal: Int32

    var description: String { "The command was interrupted." }

    /// What shells report of a process that a signal has ended.
    var status: Int32 { 128 + signal }
}
