import Storage
import Synchronization

/// One subscription: takes note of commits, wakes its consumer, and lets the producer make the
/// elements on the consumer's task but off its actor.
final class ChangeStreamStorage<Producer: ChangeProducer>: CommitSubscriber {
    private typealias Machine = ChangeStreamStateMachine<
        CheckedContinuation<ChangeStreamSignal, Never>
    >

    private struct Pending {
        var machine: Machine
        var marks = PendingMarks()
    }

    let interest: CommitInterest
    private let watched: Set<ClassID>
    private let hub: CommitHub<Producer.Moment>
    private let pending: Mutex<Pending>
    /// Locked while an element is made; never contended, because an iterator has one consumer.
    private let producer: Mutex<Producer>

    /// Makes the subscription; it starts with ``start()``.
    init(hub: CommitHub<Producer.Moment>, producer: sending Producer) {
        self.hub = hub
        watched = producer.watched
        interest = .classes(watched)
        pending = Mutex(Pending(machine: Machine(isDue: false)))
        self.producer = Mutex(producer)
    }

    /// Subscribes: from here on no commit is missed.
    func start() {
        let moment = hub.subscribe(self)
        let isDue = producer.withLock { $0.begin(at: moment) }
        guard isDue else { return }
        // Nobody can wait yet: the iterator is handed out after this.
        pending.withLock { _ = $0.machine.committed() }
    }

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        let waiter = pending.withLock { pending in
            pending.marks.note(changes, watched: watched) ? pending.machine.committed() : nil
        }
        guard let waiter else { return nil }
        return { waiter.resume(returning: .due) }
    }

    func ended(_ error: RealmError?) {
        let action = pending.withLock { $0.machine.ended(error) }
        action?.waiter.resume(returning: action?.signal ?? .finished)
    }

    /// Gives the subscription up at once; a consumer that waits gets the end.
    func finish() {
        let action = pending.withLock { pending in
            pending.marks = PendingMarks()
            return pending.machine.finish()
        }
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
        let (moment, marks) = hub.capture {
            pending.withLock { pending in
                pending.machine.taken()
                return exchange(&pending.marks, with: PendingMarks())
            }
        }
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
