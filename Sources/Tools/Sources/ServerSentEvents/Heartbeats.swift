import AsyncAlgorithms

/// The next item of a stream of server-sent events.
package enum Pulse<Element: Sendable>: Sendable {
    case element(Element)
    /// The stream was idle for a while.
    case beat

    /// A comment, which clients ignore. It keeps proxies from closing an idle connection, and lets
    /// the server detect a client that has vanished without closing its connection.
    package static var comment: String { ": still here\n\n" }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The elements, and a beat now and then. Ends with the elements.
    package func withHeartbeats(
        every interval: Duration
    ) -> some AsyncSequence<Pulse<Element>, any Error> & Sendable {
        let elements = chain(map { Moment.pulse(.element($0)) }, [Moment<Element>.end].async)
        let beats = AsyncTimerSequence(interval: interval, clock: .continuous)
            .map { _ in Moment<Element>.pulse(.beat) }
        return Pulses(moments: merge(elements, beats))
    }
}

/// A pulse, or the end of the elements: the clock never ends, and must not keep a stream from doing
/// so.
private enum Moment<Element: Sendable>: Sendable {
    case pulse(Pulse<Element>)
    case end
}

private struct Pulses<Moments: AsyncSequence & Sendable, Value: Sendable>: AsyncSequence, Sendable
where Moments.Element == Moment<Value> {
    let moments: Moments

    struct Iterator: AsyncIteratorProtocol {
        var moments: Moments.AsyncIterator

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> Pulse<Value>? {
            guard case .pulse(let pulse)? = try await moments.next(isolation: actor) else {
                return nil
            }
            return pulse
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(moments: moments.makeAsyncIterator()) }
}
