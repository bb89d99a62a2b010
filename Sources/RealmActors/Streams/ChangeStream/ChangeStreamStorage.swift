import Storage
import Synchronization

/// One subscription: takes note of commits, wakes its consumer, and lets the producer make the
/// elements on the consumer's task but off its actor.
final class ChangeStreamStorage<Producer: ChangeProducer>: SilenceableSubscriber {
    private typealias Machine = ChangeStreamStateMachine<
        CheckedContinuation<ChangeStreamSignal, Never>
    >

    private struct Pending {
        var machine: Machine
        var marks = PendingMarks()
        /// Commits that are not told, with what came before each of them, in their order.
        var skips: [Skip] = []
        /// Whether an element was made, or none is due from the beginning.
        var hasBegun = false

        /// Takes what the next element is made of; the stream stays due for what comes after it.
        mutating func takeStep() -> Step {
            hasBegun = true
            if skips.isEmpty {
                machine.taken()
                return .marks(exchange(&marks, with: PendingMarks()))
            }
            let skip = skips.removeFirst()
            machine.taken()
            if !skips.isEmpty || !marks.isEmpty { _ = machine.committed() }
            return .skip(skip)
        }
    }

    /// A commit that is not told, or several with nothing to tell between them.
    private struct Skip {
        let told: PendingMarks
        let before: Producer.Moment
        var silenced = PendingMarks()
        var after: Producer.Moment
    }

    private enum Step {
        case marks(PendingMarks)
        case skip(Skip)
    }

    let interest: CommitInterest
    let token: ChangeStreamToken
    private let watched: Set<ClassID>
    private let hub: CommitHub<Producer.Moment>
    private let pending: Mutex<Pending>
    /// Locked while an element is made; never contended, because an iterator has one consumer.
    private let producer: Mutex<Producer>

    /// Makes the subscription; it starts with ``start()``.
    init(
        hub: CommitHub<Producer.Moment>, producer: sending Producer, token: ChangeStreamToken
    ) {
        self.hub = hub
        self.token = token
        watched = producer.watched
        interest = .classes(watched)
        pending = Mutex(Pending(machine: Machine(isDue: false)))
        self.producer = Mutex(producer)
    }

    /// Subscribes: from here on no commit is missed.
    func start() {
        let moment = hub.subscribe(self)
        let isDue = producer.withLock { $0.begin(at: moment) }
        // Nobody can wait yet: the iterator is handed out after this.
        pending.withLock { pending in
            if isDue { _ = pending.machine.committed() } else { pending.hasBegun = true }
        }
    }

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        let waiter = pending.withLock { pending in
            pending.marks.note(changes, watched: watched) ? pending.machine.committed() : nil
        }
        guard let waiter else { return nil }
        return { waiter.resume(returning: .due) }
    }

    func silenced(
        _ changes: ChangeSet, before: Producer.Moment, after: Producer.Moment
    ) -> CommitWaking? {
        let (waiter, replaced) = pending.withLock { pending in
            var silenced = PendingMarks()
            // What comes before the first element is part of that.
            guard pending.hasBegun, silenced.note(changes, watched: watched) else {
                return (nil as CheckedContinuation<ChangeStreamSignal, Never>?, nil as Skip?)
            }
            let last = pending.marks.isEmpty ? pending.skips.popLast() : nil
            if var skip = last {
                _ = skip.silenced.note(changes, watched: watched)
                skip.after = after
                pending.skips.append(skip)
            } else {
                let told = exchange(&pending.marks, with: PendingMarks())
                pending.skips.append(
                    Skip(told: told, before: before, silenced: silenced, after: after))
            }
            // Also for this alone, so that the version is not kept for long.
            return (pending.machine.committed(), last)
        }
        return {
            waiter?.resume(returning: .due)
            // Given up without a lock.
            withExtendedLifetime(replaced) {}
        }
    }

    func ended(_ error: RealmError?) {
        let action = pending.withLock { $0.machine.ended(error) }
        action?.waiter.resume(returning: action?.signal ?? .finished)
    }

    /// Gives the subscription up at once; a consumer that waits gets the end.
    func finish() {
        let (action, skips) = pending.withLock { pending in
            pending.marks = PendingMarks()
            return (pending.machine.finish(), exchange(&pending.skips, with: []))
        }
        defer { withExtendedLifetime(skips) {} }
        if action.unsubscribe { hub.unsubscribe(self) }
        action.waiter?.resume(returning: .finished)
    }

    /// The next element; nil at the end. Runs off the caller's actor, so that comparing large
    /// collections never holds up a user interface.
    @concurrent
    func next() async throws(RealmError) -> Producer.Element? {
        while true {
            switch await signal() {
            case .due: break
            case .finished: return nil
            case .failed(let error):
                finish()
                throw error
            }
            switch try produce() {
            case .nothing: continue
            case .element(let element): return element
            case .last(let element):
                finish()
                return element
            case .finished:
                finish()
                return nil
            }
        }
    }

    private func signal() async -> ChangeStreamSignal {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let action = pending.withLock { $0.machine.next(continuation) }
                if case .proceed(let signal) = action { continuation.resume(returning: signal) }
            }
        } onCancel: {
            finish()
        }
    }

    private func produce() throws(RealmError) -> Production<Producer.Element> {
        let (moment, step) = hub.capture { pending.withLock { $0.takeStep() } }
        switch step {
        case .marks(let marks):
            return try produce(marks, at: moment)
        case .skip(let skip):
            let told = skip.told.isEmpty ? .nothing : try produce(skip.told, at: skip.before)
            switch told {
            case .last, .finished: return told
            case .nothing, .element: break
            }
            // What the silenced commits did becomes what the stream compares with.
            _ = try produce(skip.silenced, at: skip.after)
            return told
        }
    }

    private func produce(
        _ marks: PendingMarks, at moment: Producer.Moment
    ) throws(RealmError) -> Production<Producer.Element> {
        let merged = marks.merged()
        let result: Result<Production<Producer.Element>, RealmError> = producer.withLock {
            producer in
            do throws(RealmError) {
                return .success(try producer.produce(merged, at: moment))
            } catch {
                return .failure(error)
            }
        }
        do {
            return try result.get()
        } catch {
            finish()
            throw error
        }
    }
}

private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
    let old = value
    value = new
    return old
}
